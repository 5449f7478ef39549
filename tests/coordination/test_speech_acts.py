"""The acts, over any medium (spec B.2, C.2): each row is a test of its name."""

from __future__ import annotations

import pytest

from coordination.quarrel import ATLAS, BOREAS, CID, NOT_P, ROOM, P, gives
from koinii.coordination import acts
from koinii.coordination.local import Local
from koinii.coordination.seat import CoordinationSeat
from koinii.errors import NotFoundError
from koinii.terms import read, write
from remote.desks import says

FOLLOWING = [
    "answers", "disputes", "endorses", "groundedIn", "justifies", "votesFor",
    "votesAgainst",
]  # fmt: skip
STAYING = ["notUnderstood", "refuse"]
NOWHERE = "sha256:" + "0" * 64


@pytest.fixture
def medium(seat: CoordinationSeat) -> Local:
    return Local(seat)


def named(locator: str) -> str:
    return f'(sentexHandle "{locator}")'


def said(seat: CoordinationSeat, context: str) -> set[tuple[str, str]]:
    return {(who, text) for who, _, place, text in says(seat) if place == context}


def stored(seat: CoordinationSeat, locator: str) -> bool:
    return seat.kb.find(bytes.fromhex(locator.removeprefix("sha256:"))) is not None


def test_speech_acts_context_loads_under_core(seat: CoordinationSeat) -> None:
    assert seat.kb.lattice().sees("CxSpeechActs", "CxCore")
    assert gives(seat, "(comment endorses ?text)", "CxSpeechActs")


def test_a_round_trip_conversation_is_recoverable_as_data(
    seat: CoordinationSeat, medium: Local
) -> None:
    asked = acts.pose(medium, ATLAS, read("(whichDatabase ProdCluster)"))
    content = read("(usesDatabase ProdCluster Postgres)")
    answered = acts.answer(medium, BOREAS, content, asked)
    assert medium.sentex(asked).context == "CxAtlas"

    (found,) = seat.channel(ROOM, agent=CID).answers_to(asked)

    assert (found.locator, found.context) == (answered, "CxBoreas")
    text = f"(answers {BOREAS} {write(content)} {named(asked)})"
    assert write(found.sentence) == text
    assert (BOREAS, text) in said(seat, "CxBoreas")


def test_endorsement_survives_first_writer_wins(
    seat: CoordinationSeat, medium: Local
) -> None:
    """Another's own context takes nothing of mine; in a channel both assert it."""
    first = seat.assert_(P, context=ROOM, agent=ATLAS)
    assert seat.assert_(P, context=ROOM, agent=CID) == first
    assert said(seat, ROOM) == {(ATLAS, P), (CID, P)}
    both = [acts.endorse(medium, name, first) for name in (BOREAS, CID)]
    assert len(set(both)) == 2
    for name, context in ((BOREAS, "CxBoreas"), (CID, "CxCid")):
        assert (name, f"(endorses {name} {named(first)})") in said(seat, context)


def test_a_dispute_surfaces_in_contradictions(
    seat: CoordinationSeat, medium: Local
) -> None:
    claim = acts.assert_(medium, ATLAS, read(P))
    objection = acts.dispute(medium, BOREAS, claim)
    (clash,) = seat.contradictions()
    assert {(one.context, one.strength) for one in clash.sides} == {
        ("CxAtlas", "default"),
        ("CxBoreas", "default"),
    }
    found = medium.sentex(objection)
    assert write(found.sentence) == f"(disputes {BOREAS} {named(claim)})"
    assert found.context == "CxBoreas"
    assert gives(seat, "(targetFollowingPredicate disputes)", "CxSpeechActs")
    assert gives(seat, f"(contested {named(claim)})", "CxBoreas")


def test_a_justification_names_the_claim_it_grounds(
    seat: CoordinationSeat, medium: Local
) -> None:
    claim = acts.assert_(medium, ATLAS, read(P))
    ground = acts.justify(medium, BOREAS, read("(uptime ProdCluster 400)"), claim)
    found = medium.sentex(ground)
    assert found.context == "CxBoreas"
    assert write(found.sentence) == (
        f"(justifies {BOREAS} (uptime ProdCluster 400) {named(claim)})"
    )
    assert gives(seat, "(targetFollowingPredicate justifies)", "CxSpeechActs")
    acts.retract(medium, ATLAS, claim)
    assert not stored(seat, ground)


def test_the_cascade_tears_down_reply_edges_and_the_mark_is_what_does_it(
    seat: CoordinationSeat, medium: Local
) -> None:
    rows = seat.ask("(targetFollowingPredicate ?p)", context="CxSpeechActs")
    assert sorted(write(row["?p"]) for row in rows) == sorted(FOLLOWING)
    asked = acts.pose(medium, ATLAS, read("(whichDatabase ProdCluster)"))
    ternary = acts.answer(medium, BOREAS, read("(is Postgres)"), asked)
    binary = acts.endorse(medium, CID, asked)
    unmarked = seat.assert_(f"(mentions {CID} {named(asked)})", agent=CID)

    gone = acts.retract(medium, ATLAS, asked)

    assert {one.locator for one in gone.fell} == {ternary, binary}
    assert not stored(seat, asked)
    assert not stored(seat, ternary)
    assert not stored(seat, binary)
    assert stored(seat, unmarked)


def test_error_acts_name_the_received_edge_in_the_refusers_context(
    seat: CoordinationSeat, medium: Local
) -> None:
    asked = acts.pose(medium, ATLAS, read("(restart ProdCluster)"))
    told = [
        acts.not_understood(medium, BOREAS, asked),
        acts.refuse(medium, BOREAS, asked),
    ]
    texts = [f"({word} {BOREAS} {named(asked)})" for word in STAYING]
    assert [write(medium.sentex(one).sentence) for one in told] == texts
    assert {(BOREAS, text) for text in texts} <= said(seat, "CxBoreas")
    acts.retract(medium, ATLAS, asked)
    assert all(stored(seat, one) for one in told)


# What the rows do not say ------------------------------------------------------------


def test_disputing_a_denial_says_the_thing_itself(
    seat: CoordinationSeat, medium: Local
) -> None:
    denied = acts.assert_(medium, ATLAS, read(NOT_P))
    acts.dispute(medium, BOREAS, denied)
    assert (BOREAS, P) in said(seat, "CxBoreas")


def test_the_opposite_outlives_its_target_and_the_objection_does_not(
    seat: CoordinationSeat, medium: Local
) -> None:
    claim = acts.assert_(medium, ATLAS, read(P))
    objection = acts.dispute(medium, BOREAS, claim)
    acts.retract(medium, ATLAS, claim)
    assert not stored(seat, objection)
    assert not gives(seat, "(contested ?what)", "CxBoreas")
    assert gives(seat, NOT_P)


def test_taking_the_opposite_back_leaves_the_objection(
    seat: CoordinationSeat, medium: Local
) -> None:
    claim = acts.assert_(medium, ATLAS, read(P))
    acts.dispute(medium, BOREAS, claim)
    acts.retract(medium, BOREAS, seat.locate(NOT_P, "CxBoreas"))
    assert seat.contradictions() == []
    assert gives(seat, f"(contested {named(claim)})", "CxBoreas")


def test_one_may_dispute_oneself(seat: CoordinationSeat, medium: Local) -> None:
    claim = acts.assert_(medium, ATLAS, read(P))
    acts.dispute(medium, ATLAS, claim)
    (clash,) = seat.contradictions()
    assert {side.context for side in clash.sides} == {"CxAtlas"}


def test_rec_an_act_on_what_is_not_here_is_refused(
    seat: CoordinationSeat, medium: Local
) -> None:
    before = says(seat)
    for act in (acts.dispute, acts.endorse, acts.not_understood, acts.refuse):
        with pytest.raises(NotFoundError) as no:
            act(medium, BOREAS, NOWHERE)
        assert no.value.code == "koinii/no-such-handle"
    assert says(seat) == before


def test_a_claim_may_stand_in_a_channel(seat: CoordinationSeat, medium: Local) -> None:
    acts.assert_(medium, BOREAS, read(P), context=ROOM, strength="monotonic")
    assert said(seat, ROOM) == {(BOREAS, P)}
