"""Disputes (spec C.4): each row of the acceptance list is a test of its name."""

from __future__ import annotations

import pytest

from coordination.quarrel import (
    ATLAS,
    BOREAS,
    CID,
    NOT_P,
    ROOM,
    Clash,
    P,
    clash,
    functional,
    gives,
    verdict,
)
from koinii import RemoteSeat
from koinii.coordination.dispute_id import DisputeId, dispute_id, find_id, read_id
from koinii.coordination.disputes import Disputes
from koinii.errors import NotFoundError, UsageError
from koinii.terms import write
from remote.desks import Clock


def ids(seat: RemoteSeat, context: str = ROOM) -> list[DisputeId]:
    return [one.id for one in Disputes(seat).in_context(context).rows]


def test_a_coexisting_default_clash_is_disputed_not_defeated(seat: RemoteSeat) -> None:
    clash(seat)
    disputes = Disputes(seat)
    assert gives(seat, P)
    assert gives(seat, NOT_P)
    assert verdict(seat) == "contradiction"
    assert disputes.disputed(P, ROOM)
    assert disputes.any_in(ROOM)


def test_a_dispute_derived_from_facts_and_rules_is_detected_like_an_asserted_one(
    seat: RemoteSeat,
) -> None:
    seat.assert_("(implies (fast ?x) (reliable ?x))", context=ROOM)
    seat.assert_("(implies (old ?x) (not (reliable ?x)))", context=ROOM)
    seat.assert_("(fast ProdCluster)", agent=ATLAS)
    seat.assert_("(old ProdCluster)", agent=BOREAS)
    (one,) = Disputes(seat).in_context(ROOM).rows
    assert Disputes(seat).disputed(P, ROOM)
    assert not any(seat.why(side.locator)["premise"] for side in one.sides)


def test_a_clean_strength_defeat_is_resolved_not_disputed(seat: RemoteSeat) -> None:
    seat.assert_(P, context=ROOM, strength="monotonic")
    seat.assert_(NOT_P, context=ROOM)
    assert not gives(seat, NOT_P)
    assert not seat.contradictions()
    assert verdict(seat) == "true"
    assert not Disputes(seat).disputed(P, ROOM)
    assert not Disputes(seat).any_in(ROOM)


def test_an_uncontested_sentence_is_not_disputed(seat: RemoteSeat) -> None:
    seat.assert_(P)
    assert not Disputes(seat).disputed(P, ROOM)
    assert not Disputes(seat).disputed("(reliable Nothing)", ROOM)


def test_a_monotonic_conflict_is_disputed_and_tagged_conflict(seat: RemoteSeat) -> None:
    seat.assert_(P, agent=ATLAS, strength="monotonic")
    seat.assert_(NOT_P, agent=BOREAS, strength="monotonic")
    (one,) = Disputes(seat).in_context(ROOM).rows
    assert one.dispute_class == "conflict"
    assert verdict(seat) == "contradiction"
    assert not seat.contradictions()
    assert len(seat.conflicts()) == 1


def test_a_dispute_surfaces_only_where_both_sides_are_visible(seat: RemoteSeat) -> None:
    clash(seat)
    seat.assert_("(genlCx CxAbove CxDeploy)")
    seat.assert_("(genlCx CxOneSided CxAtlas)")
    seat.assert_("(genlCx CxSibling CxSpeechActs)")
    disputes = Disputes(seat)
    for context, there in {
        ROOM: True, "CxAbove": True, "CxOneSided": False, "CxSibling": False,
        "CxAtlas": False, "CxBoreas": False, "CxNowhere": False,
    }.items():  # fmt: skip
        assert disputes.any_in(context) == there, context
        assert disputes.disputed(P, context) == there, context


def test_disputes_in_hides_nothing_and_invents_nothing(seat: RemoteSeat) -> None:
    """With nothing masked, what all see is what there is."""
    clash(seat)
    seat.new_channel("CxElse")
    for agent in (ATLAS, CID):
        seat.join("CxElse", agent=agent)
    seat.assert_("(light Q)", agent=ATLAS)
    seat.assert_("(not (light Q))", agent=CID)
    contexts = [*seat.kb.names.contexts(), *seat.channels()]
    seen = {one for context in contexts for one in ids(seat, context)}
    seen_by_any = [one.id for one in Disputes(seat).in_context(None).rows]
    whole = {
        dispute_id(*(side.locator for side in one.sides))
        for one in [*seat.contradictions(), *seat.conflicts()]
    }
    assert seen == set(seen_by_any) == whole
    assert [one.id for one in Disputes(seat).every(None)] == seen_by_any
    assert len(whole) == 2


def test_each_channel_sees_only_its_own_dispute(seat: RemoteSeat) -> None:
    first = clash(seat)
    seat.new_channel("CxElse")
    for agent in (CID, "AgentDan"):
        seat.join("CxElse", agent=agent)
    said = seat.assert_("(light Q)", agent=CID)
    denied = seat.assert_("(not (light Q))", agent="AgentDan")
    assert ids(seat) == [first.id]
    assert ids(seat, "CxElse") == [dispute_id(said, denied)]


def test_a_dispute_id_is_a_function_of_the_clash_not_the_side_order(
    seat: RemoteSeat,
) -> None:
    made = clash(seat)
    one, other = sorted((made.said, made.denied))
    assert dispute_id(one, other) == dispute_id(other, one) == made.id
    assert made.id.text == f"{one} {other}"
    assert write(made.id.term()) == (
        f'(dispute (sentexHandle "{one}") (sentexHandle "{other}"))'
    )
    assert ids(seat) == [made.id]
    assert read_id(made.id.text) == made.id


def test_an_id_is_found_by_beginnings_in_either_order(seat: RemoteSeat) -> None:
    made = clash(seat)
    one, other = (side[7:19] for side in (made.said, made.denied))
    for named in (f"{one}+{other}", f"{other} {one}", (other, made.said)):
        assert find_id(seat, named) == made.id
    with pytest.raises(NotFoundError, match="nothing here") as no:
        find_id(seat, "00000000+11111111")
    assert no.value.code == "koinii/unknown-locator"
    for wrong in (one, f"{one} {other} {one}", (one, other, one)):
        with pytest.raises(UsageError, match="not a dispute"):
            find_id(seat, wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("change", [str.upper, lambda text: text.replace(" ", "  ")])
def test_the_text_of_an_id_has_one_spelling(seat: RemoteSeat, change: object) -> None:
    text = clash(seat).id.text
    assert callable(change)
    with pytest.raises(UsageError):
        read_id(change(text))
    with pytest.raises(UsageError):
        read_id(" ".join(reversed(text.split())))


def test_the_lifecycle_runs_open_notified_resolved(
    seat: RemoteSeat, clock: Clock
) -> None:
    made, disputes = clash(seat), Disputes(seat)
    (one,) = disputes.pending(ROOM)
    assert (one.id, one.state, one.notified_at) == (made.id, "open", None)
    assert 0 <= clock.now - one.since < 100

    assert disputes.mark_notified(made.id, 7)
    assert disputes.state(made.id) == "notified"
    assert not [*disputes.pending(ROOM)]
    (one,) = disputes.in_context(ROOM).rows
    assert (one.state, one.notified_at) == ("notified", 7)

    seat.retract(made.denied, agent=BOREAS)
    assert verdict(seat) == "true"
    assert not ids(seat)
    assert disputes.state(made.id) == "resolved"
    assert disputes.find(made.id) is None


def test_retracting_a_notify_mark_reopens_the_dispute(seat: RemoteSeat) -> None:
    made, disputes = clash(seat), Disputes(seat)
    disputes.mark_notified(made.id)
    assert disputes.reopen(made.id) == 1
    assert disputes.state(made.id) == "open"
    assert disputes.reopen(made.id) == 0


def test_an_unruled_dispute_can_be_swept_stale_and_stays_live(seat: RemoteSeat) -> None:
    made, disputes = clash(seat), Disputes(seat)
    disputes.mark_notified(made.id, 5)
    assert disputes.mark_stale(made.id, 9, "TimedOut")
    (one,) = disputes.in_context(ROOM).rows
    assert (one.state, one.notified_at, one.stale_at) == ("stale", 5, 9)
    assert one.stale_reason == "TimedOut"
    assert verdict(seat) == "contradiction"
    (mark,) = seat.ask("(disputeStale ?which 9 TimedOut)", context="CxDisputes")
    told = f"(disputeStale {write(mark['?which'])} 9 TimedOut)"
    assert seat.why(seat.locate(told, "CxDisputes"))["premise"]
    assert disputes.reopen(made.id) == 2
    assert disputes.state(made.id) == "open"


def test_a_mark_is_put_once_and_only_on_what_stands(seat: RemoteSeat) -> None:
    made, disputes = clash(seat), Disputes(seat)
    assert disputes.mark_notified(made.id, 1)
    assert not disputes.mark_notified(made.id, 2)
    other = seat.assert_("(light Q)")
    assert not disputes.mark_stale(dispute_id(made.said, other))
    assert not disputes.mark_notified(dispute_id(made.said, other))
    assert len([*seat.kb.believed("CxDisputes")]) == 1
    assert disputes.state(dispute_id(made.said, other)) == "resolved"
    assert disputes.state(("sha256:" + "0" * 64, made.said)) == "resolved"


def test_a_mark_holds_for_one_episode(seat: RemoteSeat) -> None:
    made, disputes = clash(seat), Disputes(seat)
    disputes.mark_notified(made.id)
    seat.retract(made.denied, agent=BOREAS)
    seat.assert_(NOT_P, agent=BOREAS)
    assert ids(seat) == [made.id]
    assert disputes.state(made.id) == "open"


def test_a_mask_hides_a_dispute_from_whoever_sees_it(seat: RemoteSeat) -> None:
    """A dispute is there only where both sides are read."""
    made = clash(seat)
    seat.assert_("(genlCx CxAbove CxDeploy)")
    seat.assert_("(genlCx CxBeside CxAtlas)")
    seat.assert_("(genlCx CxBeside CxBoreas)")
    seat.assert_(f'(except (sentexHandle "{made.said}"))', context=ROOM)
    assert not ids(seat)
    assert not ids(seat, "CxAbove")
    assert ids(seat, "CxBeside") == [made.id]
    assert not Disputes(seat).disputed(P, ROOM)


def test_two_values_of_a_functional_are_a_dispute(seat: RemoteSeat) -> None:
    made = functional(seat)
    (one,) = Disputes(seat).in_context(ROOM).rows
    assert (one.id, one.kind) == (made.id, "functional")


def test_pages_are_read_one_after_another(seat: RemoteSeat) -> None:
    made = [clash(seat, f"(reliable Host{at})").id for at in range(7)]
    disputes = Disputes(seat)
    read, after = [], None
    for _ in range(4):
        page = disputes.in_context(ROOM, after=after, limit=2)
        read.append([one.id for one in page.rows])
        after = page.cursor
    assert read == [made[:2], made[2:4], made[4:6], made[6:]]
    assert after is None
    assert disputes.in_context(ROOM, limit=7).cursor is None
    with pytest.raises(UsageError):
        disputes.in_context(ROOM, limit=0)
    assert [one.id for one in disputes.every(ROOM)] == made
    fourth = disputes.in_context(ROOM).rows[3]
    assert [one.id for one in disputes.pending(ROOM, after=fourth.cursor)] == made[4:]


def test_what_ends_or_begins_between_pages_hides_nothing(seat: RemoteSeat) -> None:
    made = [clash(seat, f"(reliable Host{at})") for at in range(4)]
    disputes = Disputes(seat)
    first = disputes.in_context(ROOM, limit=2)
    seat.retract(made[1].denied, agent=BOREAS)
    late = clash(seat, "(reliable Late)")
    rest = disputes.in_context(ROOM, after=first.cursor)
    assert [one.id for one in rest.rows] == [made[2].id, made[3].id, late.id]


@pytest.mark.parametrize("after", ["", "7", "a.b.c", "1.2.3", "1.00.zz", "1.00.00.1"])
def test_a_cursor_that_is_none_is_refused(seat: RemoteSeat, after: str) -> None:
    with pytest.raises(UsageError) as no:
        Disputes(seat).in_context(ROOM, after=after)
    assert no.value.code == "bad-cursor"


def test_the_sides_are_told_in_the_order_of_content(seat: RemoteSeat) -> None:
    made: Clash = clash(seat)
    (one,) = Disputes(seat).in_context(ROOM).rows
    found = Disputes(seat).find(made.id)
    assert [side.locator for side in one.sides] in (
        [made.said, made.denied], [made.denied, made.said]
    )  # fmt: skip
    (reported,) = seat.contradictions(ROOM)
    assert one.sides == reported.sides
    assert found == one
