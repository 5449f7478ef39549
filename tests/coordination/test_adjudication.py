"""Adjudication (spec C.5, S3, S4, S13): each row is a test of its name.

The rows about counts are tested with the counts.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest

import koinii
from coordination.quarrel import (
    ATLAS,
    BOREAS,
    CID,
    DAN,
    NOT_P,
    ROOM,
    Clash,
    P,
    clash,
    functional,
    gives,
    make_seat,
    verdict,
)
from koinii import RemoteSeat
from koinii.coordination.adjudication import TIMEOUT_MS, Adjudication
from koinii.coordination.dispute_id import DisputeId, dispute_id
from koinii.coordination.disputes import Dispute, Disputes
from koinii.errors import KoiniiError, NotFoundError, RefusedError
from remote.desks import Clock, room


class Sink:
    """Keeps what it was told."""

    def __init__(self) -> None:
        self.told: list[DisputeId] = []

    def __call__(self, dispute: Dispute) -> None:
        self.told.append(dispute.id)


def refused(call: Callable[[], object]) -> str:
    """Return the code of the refusal that a call meets."""
    with pytest.raises(KoiniiError) as no:
        call()
    return no.value.code


# Telling ---------------------------------------------------------------------------


def test_notify_records_the_dispute_and_changes_no_belief(seat: RemoteSeat) -> None:
    made, sink = clash(seat), Sink()
    before = seat.status().commit, seat.contradictions()
    (told,) = Adjudication(seat, notify_sink=sink).notify(ROOM)
    assert sink.told == [told.id] == [made.id]
    assert told == Disputes(seat).find(made.id)
    assert gives(seat, P)
    assert gives(seat, NOT_P)
    assert (seat.status().commit, seat.contradictions()) == before


def test_notify_fires_once_across_a_redelivery(seat: RemoteSeat) -> None:
    clash(seat)
    sink = Sink()
    for _ in range(3):
        Adjudication(seat, notify_sink=sink).notify(ROOM)
    assert len(sink.told) == 1


def test_what_one_channel_was_told_is_told_in_no_other(seat: RemoteSeat) -> None:
    clash(seat)
    seat.assert_("(genlCx CxAbove CxDeploy)")
    adjudication = Adjudication(seat)
    assert len(adjudication.notify(ROOM)) == 1
    assert not adjudication.notify("CxAbove")


def test_a_sink_that_fails_leaves_the_rest_pending(seat: RemoteSeat) -> None:
    made = [clash(seat, f"(reliable Host{at})").id for at in range(3)]
    told = []

    def sink(dispute: Dispute) -> None:
        told.append(dispute.id)
        if len(told) == 2:
            raise OSError("the pager is out")

    adjudication = Adjudication(seat, notify_sink=sink)
    with pytest.raises(OSError, match="pager"):
        adjudication.notify(ROOM)
    assert told == made[:2]
    assert [one.id for one in Disputes(seat).pending(ROOM)] == made[2:]
    assert [one.id for one in adjudication.notify(ROOM)] == made[2:]


def test_poll_notifies_then_sweeps_in_one_tick(seat: RemoteSeat, clock: Clock) -> None:
    made = clash(seat)
    order: list[str] = []
    adjudication = Adjudication(
        seat,
        notify_sink=lambda one: order.append(f"{one.state} {one.id == made.id}"),
        stale_sink=lambda one: order.append(f"{one.state} {one.id == made.id}"),
    )
    clock.now += TIMEOUT_MS
    notified, stale = adjudication.poll(ROOM)
    assert order == ["notified True", "stale True"]
    assert (len(notified), len(stale)) == (1, 1)
    assert stale[0].notified_at == notified[0].notified_at
    assert stale == [Disputes(seat).find(made.id)]


def test_the_state_is_a_plain_kb_query_through_the_transitions(
    seat: RemoteSeat,
) -> None:
    made = clash(seat)
    pattern = "(disputeNotified ?which ?at)"
    assert not [*seat.ask(pattern, context="CxDisputes")]
    (told,) = Adjudication(seat).notify(ROOM)
    (row,) = seat.ask(pattern, context="CxDisputes")
    assert (row["?which"], row["?at"]) == (made.id.term(), told.notified_at)
    mark = seat.kb.matching(
        (koinii.terms.read("disputeNotified"), row["?which"], row["?at"]),
        "CxDisputes",
        "exact",
    )
    assert seat.why(mark[0].locator)["authors"][0]["agent"] == "koinii"


def test_a_dispute_left_past_the_timeout_is_swept_stale_and_resurfaced(
    seat: RemoteSeat, clock: Clock
) -> None:
    made, sink = clash(seat), Sink()
    adjudication = Adjudication(seat, timeout_ms=1000, stale_sink=sink)
    (one,) = Disputes(seat).in_context(ROOM).rows
    clock.now = one.since + 999  # the next look is at the very timeout
    assert not adjudication.sweep(ROOM)
    (swept,) = adjudication.sweep(ROOM)
    assert (swept.id, swept.stale_reason) == (made.id, "TimedOut")
    assert sink.told == [made.id]
    assert Disputes(seat).state(made.id) == "stale"
    assert verdict(seat) == "contradiction"
    clock.now += 10_000
    assert not adjudication.sweep(ROOM)
    assert sink.told == [made.id]


def test_a_derived_dispute_is_as_old_as_it_has_stood(
    seat: RemoteSeat, clock: Clock
) -> None:
    """Its sides have no date of their own."""
    seat.assert_("(implies (fast ?x) (reliable ?x))", context=ROOM)
    seat.assert_("(implies (old ?x) (not (reliable ?x)))", context=ROOM)
    seat.assert_("(fast ProdCluster)", agent=ATLAS)
    clock.now += TIMEOUT_MS
    seat.assert_("(old ProdCluster)", agent=BOREAS)
    adjudication = Adjudication(seat)
    assert not adjudication.sweep(ROOM)
    clock.now += TIMEOUT_MS
    assert len(adjudication.sweep(ROOM)) == 1


# Ruling ----------------------------------------------------------------------------


def test_an_arbiter_ruling_resolves_the_dispute_and_explains_itself(
    seat: RemoteSeat, clock: Clock
) -> None:
    made, adjudication = clash(seat), Adjudication(seat)
    before = clock.now
    ruling = adjudication.rule(CID, made.id, P, ROOM)
    assert ruling == seat.locate(P, "CxCid")
    assert not seat.contradictions()
    assert Disputes(seat).state(made.id) == "resolved"
    assert verdict(seat) == "true"
    assert not gives(seat, NOT_P)
    assert seat.show(made.denied)  # stored as it was
    assert seat.why(ruling)["strength"] == "monotonic"
    told = adjudication.who_ruled(ruling)
    assert told is not None
    assert (told.arbiter, told.dispute_ids) == (CID, frozenset([made.id]))
    assert before < told.at <= clock.now


def test_an_arbiter_can_rule_for_the_negative_side(seat: RemoteSeat) -> None:
    made = clash(seat)
    Adjudication(seat).rule(CID, made.id, NOT_P, ROOM)
    assert verdict(seat) == "false"
    assert not gives(seat, P)


@pytest.mark.parametrize("short", [False, True])
def test_a_side_is_named_by_its_locator_too(seat: RemoteSeat, *, short: bool) -> None:
    made = clash(seat)
    named = made.denied[7:19] if short else made.denied
    assert Adjudication(seat).rule(CID, made.id, named, ROOM) == seat.locate(
        NOT_P, "CxCid"
    )


def test_retracting_the_ruling_reopens_the_dispute_cascading(seat: RemoteSeat) -> None:
    made, adjudication = clash(seat), Adjudication(seat)
    before = seat.contradictions()
    adjudication.notify(ROOM)
    ruling = adjudication.rule(CID, made.id, P, ROOM)
    seat.retract(ruling, agent=CID)
    assert seat.contradictions() == before
    assert gives(seat, P)
    assert gives(seat, NOT_P)
    assert Disputes(seat).state(made.id) == "open"
    assert adjudication.who_ruled(ruling) is None


def test_a_reopened_dispute_re_notifies(seat: RemoteSeat) -> None:
    made, sink = clash(seat), Sink()
    adjudication = Adjudication(seat, notify_sink=sink)
    adjudication.notify(ROOM)
    seat.retract(adjudication.rule(CID, made.id, P, ROOM), agent=CID)
    adjudication.notify(ROOM)
    assert sink.told == [made.id, made.id]


def test_a_disputes_speech_act_opens_a_dispute_the_policy_then_drives(
    seat: RemoteSeat,
) -> None:
    said, adjudication = seat.assert_(P, agent=ATLAS), Adjudication(seat)
    seat.edit(
        add=[NOT_P, f'(disputes AgentBoreas (sentexHandle "{said}"))'], agent=BOREAS
    )
    (told,) = adjudication.notify(ROOM)
    assert not adjudication.notify(ROOM)
    adjudication.rule(CID, told.id, P, ROOM)
    assert Disputes(seat).state(told.id) == "resolved"


def test_an_arbiter_who_rules_again_supersedes_their_own_ruling(
    seat: RemoteSeat,
) -> None:
    made, adjudication = clash(seat), Adjudication(seat)
    first = adjudication.rule(CID, made.id, P, ROOM)
    second = adjudication.rule(CID, made.id, NOT_P, ROOM)
    assert first != second
    assert verdict(seat) == "false"
    assert not seat.conflicts()
    standing = adjudication.standing_rulings(CID, made.id)
    assert [one.locator for one in standing] == [second]
    assert adjudication.rule(CID, made.id, NOT_P, ROOM) == second
    assert adjudication.standing_rulings(CID, made.id) == standing


def test_a_ruling_is_one_operation(seat: RemoteSeat) -> None:
    made, adjudication = clash(seat), Adjudication(seat)
    since = seat.events().cursor
    adjudication.rule(CID, made.id, P, ROOM)
    (first,) = seat.events(since).events
    adjudication.rule(CID, made.id, NOT_P, ROOM)
    (second,) = seat.events(first.number).events
    assert {str(one.locator) for one in second.removed} <= {made.said}
    adjudication.rule(CID, made.id, NOT_P, ROOM)
    assert not seat.events(second.number).events


def test_who_ruled_is_nil_for_an_ordinary_non_ruling_handle(seat: RemoteSeat) -> None:
    made = clash(seat)
    known = seat.assert_("(light Q)", agent=CID, strength="monotonic")
    for one in (made.said, known, "sha256:" + "0" * 64):
        assert Adjudication(seat).who_ruled(one) is None


def two(seat: RemoteSeat) -> tuple[DisputeId, DisputeId]:
    """Atlas holds P; Boreas denies it, and so does Dan."""
    made = clash(seat)
    seat.join(ROOM, agent=DAN)
    return made.id, dispute_id(made.said, seat.assert_(NOT_P, agent=DAN))


def test_one_arbiter_ruling_two_disputes_the_same_way_holds_both(
    seat: RemoteSeat,
) -> None:
    adjudication = Adjudication(seat)
    one, other = two(seat)
    ruling = adjudication.rule(CID, one, P, ROOM)
    assert adjudication.rule(CID, other, P, ROOM) == ruling
    for each in (one, other):
        (standing,) = adjudication.standing_rulings(CID, each)
        assert (standing.locator, standing.dispute_ids) == (
            ruling,
            frozenset([one, other]),
        )
    reversed_ = adjudication.rule(CID, one, NOT_P, ROOM)
    assert adjudication.who_ruled(ruling) is None
    assert [s.locator for s in adjudication.standing_rulings(CID, one)] == [reversed_]
    assert not adjudication.standing_rulings(CID, other)
    assert verdict(seat) == "false"


def test_a_dispute_id_is_read_in_either_spelling(seat: RemoteSeat) -> None:
    made, adjudication = clash(seat), Adjudication(seat)
    disputes = Disputes(seat)
    pair = made.id.locators
    for named in (pair, pair[::-1], " ".join(pair), "+".join(pair[::-1])):
        assert disputes.state(named) == "open"
        assert disputes.mark_notified(named)
        assert disputes.reopen(named) == 1
        ruling = adjudication.rule(CID, named, P, ROOM)
        assert [s.locator for s in adjudication.standing_rulings(CID, named)] == [
            ruling
        ]
        seat.retract(ruling, agent=CID)


def test_an_arbiter_who_is_a_party_is_refused(seat: RemoteSeat) -> None:
    made, adjudication = clash(seat), Adjudication(seat)
    for upheld in (P, NOT_P):
        with pytest.raises(RefusedError) as no:
            adjudication.rule(ATLAS, made.id, upheld, ROOM)
        assert no.value.code == "arbiter-is-party"
        assert no.value.details["arbiter"] == ATLAS
        assert no.value.details["dispute_id"] == made.id.text
    assert seat.why(made.said)["strength"] == "default"
    assert verdict(seat) == "contradiction"
    adjudication.rule(CID, made.id, P, ROOM)
    assert verdict(seat) == "true"


def test_who_says_a_side_apart_from_the_pair_is_a_party(seat: RemoteSeat) -> None:
    made, adjudication = clash(seat), Adjudication(seat)
    said = seat.assert_(NOT_P, agent=CID)
    assert refused(lambda: adjudication.rule(CID, made.id, P, ROOM)) == (
        "arbiter-is-party"
    )
    seat.retract(said, agent=CID)
    adjudication.rule(CID, made.id, P, ROOM)


@pytest.mark.parametrize("mirror", ["(near B A)", "(not (near B A))"])
def test_who_says_the_mirror_of_a_side_is_a_party(
    seat: RemoteSeat, mirror: str
) -> None:
    seat.assert_("(symmetric near)", context="CxUniverse")
    made, adjudication = clash(seat, "(near A B)"), Adjudication(seat)
    seat.assert_(mirror, agent=CID)
    assert refused(lambda: adjudication.rule(CID, made.id, "(near A B)", ROOM)) == (
        "arbiter-is-party"
    )


def test_who_concludes_a_side_is_a_party(seat: RemoteSeat) -> None:
    """Only what is concluded in the arbiter's own context is its own."""
    made, adjudication = clash(seat), Adjudication(seat)
    seat.assert_("(implies (fast ?x) (reliable ?x))", agent=CID)
    seat.assert_("(fast ProdCluster)", agent=CID)
    assert refused(lambda: adjudication.rule(CID, made.id, P, ROOM)) == (
        "arbiter-is-party"
    )


def orders_of_rulings() -> list[tuple[tuple[int, str], ...]]:
    """Rulings on two disputes of which the last on each is for the negative side."""
    return [
        ((0, NOT_P), (1, NOT_P)),
        ((1, NOT_P), (0, NOT_P)),
        ((0, P), (1, NOT_P), (0, NOT_P)),
        ((1, P), (0, NOT_P), (1, NOT_P)),
        ((0, P), (1, P), (0, NOT_P), (1, NOT_P)),
        ((0, P), (1, P), (1, NOT_P), (0, NOT_P)),
    ]


@pytest.mark.parametrize("order", orders_of_rulings())
def test_every_order_of_the_same_rulings_reaches_one_belief(
    seat: RemoteSeat, order: tuple[tuple[int, str], ...]
) -> None:
    disputes, adjudication = two(seat), Adjudication(seat)
    for which, upheld in order:
        adjudication.rule(CID, disputes[which], upheld, ROOM)
    assert verdict(seat) == "false"
    assert not gives(seat, P)
    assert not seat.conflicts()
    (ruling,) = adjudication.standing_rulings(CID, disputes[order[-1][0]])
    assert ruling.locator == seat.locate(NOT_P, "CxCid")


def test_the_ruling_may_come_before_what_it_settles() -> None:
    """Whatever the order of claims and ruling, the root is the same."""
    roots = set()
    steps: list[Callable[[RemoteSeat], object]] = [
        lambda seat: seat.assert_(P, agent=ATLAS),
        lambda seat: seat.assert_(NOT_P, agent=BOREAS),
        lambda seat: seat.join(ROOM, agent=DAN),
    ]
    for order in permutations(steps):
        with room() as folder, make_seat(folder / "seat", Clock()) as seat:
            for step in order:
                step(seat)
            made = dispute_id(seat.locate(P, "CxAtlas"), seat.locate(NOT_P, "CxBoreas"))
            Adjudication(seat).rule(CID, made, P, ROOM)
            said = seat.locate(P, "CxAtlas")
            seat.retract(said, agent=ATLAS)
            seat.assert_(P, agent=ATLAS)  # made again, it meets the ruling again
            assert verdict(seat) == "true"
            roots.add(seat.status().commit)
    assert len(roots) == 1


def test_a_ruling_for_one_of_two_values(seat: RemoteSeat) -> None:
    made, adjudication = functional(seat), Adjudication(seat)
    adjudication.rule(CID, made.id, made.denied, ROOM)
    assert gives(seat, "(cores ProdCluster 16)")
    assert not gives(seat, "(cores ProdCluster 8)")
    adjudication.rule(CID, made.id, made.said, ROOM)
    assert not gives(seat, "(cores ProdCluster 16)")


def test_a_ruling_on_a_conflict_settles_nothing(seat: RemoteSeat) -> None:
    said = seat.assert_(P, agent=ATLAS, strength="monotonic")
    denied = seat.assert_(NOT_P, agent=BOREAS, strength="monotonic")
    made, adjudication = dispute_id(said, denied), Adjudication(seat)
    adjudication.notify(ROOM)
    adjudication.rule(CID, made, P, ROOM)
    assert Disputes(seat).state(made) == "notified"  # it is the same episode


def test_two_arbiters_who_disagree_make_a_conflict(seat: RemoteSeat) -> None:
    made, adjudication = clash(seat), Adjudication(seat)
    one = adjudication.rule(CID, made.id, P, ROOM)
    other = adjudication.rule(DAN, made.id, NOT_P, ROOM)
    (left,) = Disputes(seat).in_context(ROOM).rows
    assert (left.id, left.dispute_class) == (dispute_id(one, other), "conflict")
    assert Disputes(seat).state(made.id) == "resolved"


# What is refused ---------------------------------------------------------------------


def test_what_is_no_side_is_not_upheld(seat: RemoteSeat) -> None:
    made, adjudication = clash(seat), Adjudication(seat)
    other = seat.assert_("(light Q)")
    for upheld in ("(light Q)", "(reliable ?x)", other, "00000000"):
        assert refused(lambda u=upheld: adjudication.rule(CID, made.id, u, ROOM)) == (  # type: ignore[misc]
            "koinii/not-a-side"
        )


def test_what_is_not_known_here_is_not_ruled_on(seat: RemoteSeat) -> None:
    made, adjudication = clash(seat), Adjudication(seat)
    other = seat.assert_("(light Q)")
    for pair in (("sha256:" + "0" * 64, made.said), (made.said, other)):
        with pytest.raises(NotFoundError) as no:
            adjudication.rule(CID, pair, P, ROOM)
        assert no.value.code == "koinii/no-such-handle"
    seat.retract(made.denied, agent=BOREAS)
    assert refused(lambda: adjudication.rule(CID, made.id, P, ROOM)) == (
        "koinii/no-such-handle"
    )


def test_a_ruling_is_made_in_a_declared_channel(seat: RemoteSeat) -> None:
    made, adjudication = clash(seat), Adjudication(seat)
    assert refused(lambda: adjudication.rule(CID, made.id, P, "CxDepoly")) == (
        "koinii/no-channel"
    )
    assert not gives(seat, P, "CxCid")


def test_a_refused_ruling_leaves_notified_and_stale_marks_in_place(
    seat: RemoteSeat,
) -> None:
    made, adjudication = clash(seat), Adjudication(seat)
    adjudication.notify(ROOM)
    Disputes(seat).mark_stale(made.id)
    before = Disputes(seat).find(made.id)
    assert refused(lambda: adjudication.rule(ATLAS, made.id, P, ROOM))
    assert refused(lambda: adjudication.rule(CID, made.id, "(light Q)", ROOM))
    assert refused(lambda: adjudication.rule(CID, made.id, P, "CxNone"))
    assert Disputes(seat).find(made.id) == before
    assert before is not None
    assert before.state == "stale"


def test_a_refusal_takes_back_the_whole_ruling(seat: RemoteSeat) -> None:
    """An arbiter that reads one of the values cannot say the other beside it."""
    made, adjudication = functional(seat), Adjudication(seat)
    seat.assert_("(genlCx CxCid CxBoreas)", agent=CID)
    seat.assert_("(genlCx CxCid CxDeploy)", agent=CID)
    before = seat.status().commit
    assert refused(lambda: adjudication.rule(CID, made.id, made.said, ROOM)) == (
        "functional"
    )
    assert seat.status().commit == before


def test_an_arbiter_whose_own_claim_is_out_is_no_party(seat: RemoteSeat) -> None:
    made, adjudication = clash(seat), Adjudication(seat)
    seat.join(ROOM, agent=CID)
    own = seat.assert_(NOT_P, agent=CID)
    adjudication.rule(DAN, made.id, P, ROOM)
    assert not seat.why(own)["believed"]
    ruling = adjudication.rule(CID, made.id, P, ROOM)
    assert adjudication.who_ruled(ruling) is not None
    assert seat.show(own)  # it is not withdrawn: it is no ruling


# Standing ----------------------------------------------------------------------------


@pytest.fixture
def granting(tmp_path: Path, clock: Clock) -> RemoteSeat:
    """A seat where the admin grants: Atlas and Boreas moderate, Cid and Dan judge."""
    made = make_seat(tmp_path / "seat", clock)
    made.admin_init()
    for name in (ATLAS, BOREAS):
        made.grant(name, ["moderator"])
    for name in (CID, DAN):
        made.grant(name, ["arbiter"])
    config = tmp_path / "seat" / "seat.toml"
    config.write_text(config.read_text().replace('"cooperative"', '"proof-tier"'))
    made.close()
    return koinii.open(str(tmp_path / "seat"), now=clock)


def test_who_is_no_arbiter_does_not_rule(granting: RemoteSeat) -> None:
    with granting as seat:
        seat.new_agent("AgentEve")
        seat.grant("AgentEve", ["moderator"])
        made = clash(seat)
        assert refused(
            lambda: Adjudication(seat).rule("AgentEve", made.id, P, ROOM)
        ) == ("koinii/no-standing")
        Adjudication(seat).rule(CID, made.id, P, ROOM)
        assert verdict(seat) == "true"


def test_a_defeated_ruling_does_not_stand_and_can_revive(granting: RemoteSeat) -> None:
    """An arbiter that is one no more loses to one that is."""
    with granting as seat:
        made, adjudication = clash(seat), Adjudication(seat)
        first = adjudication.rule(CID, made.id, P, ROOM)
        (standing,) = adjudication.standing_rulings(CID, made.id)
        seat.grant(CID, only=True)
        second = adjudication.rule(DAN, made.id, NOT_P, ROOM)
        assert not adjudication.standing_rulings(CID, made.id)
        assert adjudication.who_ruled(first) == standing  # it is there all the same
        seat.retract(second, agent=DAN)
        assert adjudication.standing_rulings(CID, made.id) == [standing]


def test_marks_are_put_where_the_admin_grants_too(granting: RemoteSeat) -> None:
    with granting as seat:
        made, adjudication = clash(seat), Adjudication(seat)
        assert len(adjudication.notify(ROOM)) == 1
        seat.grant(DAN, only=True)
        assert Disputes(seat).state(made.id) == "notified"
        assert not seat.held()


# Kept out ----------------------------------------------------------------------------


def test_quarantine_excludes_a_contested_claim_from_one_channel_reversibly(
    seat: RemoteSeat,
) -> None:
    made, adjudication = clash(seat), Adjudication(seat)
    seat.assert_("(implies (reliable ?x) (steady ?x))", context=ROOM)
    before = seat.status().commit
    mask = adjudication.quarantine(made.said, ROOM, agent=BOREAS)
    assert mask == seat.locate(f'(except (sentexHandle "{made.said}"))', ROOM)
    assert adjudication.quarantined(ROOM) == [made.said]
    assert not gives(seat, P)
    assert gives(seat, P, "CxAtlas")
    assert not gives(seat, "(steady ProdCluster)")
    assert verdict(seat) == "false"
    assert not Disputes(seat).any_in(ROOM)

    assert adjudication.unquarantine(made.said, ROOM, agent=BOREAS) == mask
    assert not adjudication.quarantined(ROOM)
    assert gives(seat, "(steady ProdCluster)")
    assert verdict(seat) == "contradiction"
    assert seat.status().commit == before


def test_a_mask_that_is_masked_keeps_nothing_out(seat: RemoteSeat) -> None:
    made, adjudication = clash(seat), Adjudication(seat)
    mask = adjudication.quarantine(made.said, ROOM)
    adjudication.quarantine(mask, ROOM, agent=BOREAS)
    assert adjudication.quarantined(ROOM) == [mask]
    assert gives(seat, P)


def test_quarantine_names_what_is_here(seat: RemoteSeat) -> None:
    made, adjudication = clash(seat), Adjudication(seat)
    for call in (adjudication.quarantine, adjudication.unquarantine):
        with pytest.raises(NotFoundError) as no:
            call("00000000", ROOM)
        assert no.value.code == "koinii/no-such-handle"
        assert refused(lambda call=call: call(made.said, "CxNone")) == (  # type: ignore[misc]
            "koinii/no-channel"
        )
    assert refused(lambda: adjudication.unquarantine(made.said, ROOM)) == (
        "koinii/no-such-handle"
    )


def test_another_moderators_mask_is_not_taken_back(seat: RemoteSeat) -> None:
    made, adjudication = clash(seat), Adjudication(seat)
    adjudication.quarantine(made.said, ROOM, agent=BOREAS)
    assert refused(lambda: adjudication.unquarantine(made.said, ROOM, agent=CID)) == (
        "koinii/not-own-assertion"
    )


def test_a_member_keeps_nothing_out(granting: RemoteSeat) -> None:
    with granting as seat:
        made: Clash = clash(seat)
        assert refused(
            lambda: Adjudication(seat).quarantine(made.said, ROOM, agent=CID)
        ) == ("koinii/no-standing")
