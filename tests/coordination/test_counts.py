"""Counts at one seat (spec C.5, S2, S3): each row is a test of its name.

Ballots count of those who have joined the channel, so everybody here does first, and
what a count has ruled holds exactly while the ballots say so (decision 10).
"""

from __future__ import annotations

from itertools import permutations

import pytest

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
    gives,
    verdict,
)
from koinii.coordination.adjudication import Adjudication
from koinii.coordination.counts import Outcome, count_ballots, resolve_by_majority
from koinii.coordination.dispute_id import dispute_id
from koinii.coordination.disputes import Disputes
from koinii.coordination.seat import CoordinationSeat
from koinii.errors import KoiniiError
from koinii.terms import read

MAJORITY = "AgentMajority"


@pytest.fixture
def made(seat: CoordinationSeat) -> Clash:
    for name in (CID, DAN):
        seat.join(ROOM, agent=name)
    return clash(seat)


def vote(seat: CoordinationSeat, made: Clash, **votes: str) -> None:
    for name, stance in votes.items():
        agent = f"Agent{name.capitalize()}"
        seat.channel(ROOM, agent=agent).vote(stance, made.said)


def count(seat: CoordinationSeat, made: Clash, agent: str = DAN) -> Outcome:
    return resolve_by_majority(seat, made.id, made.said, ROOM, agent=agent)


def tallied(seat: CoordinationSeat, made: Clash) -> tuple[int, int]:
    found = count_ballots(seat, made.said, ROOM)
    return found.for_, found.against


def state(seat: CoordinationSeat, made: Clash) -> str:
    return Disputes(seat).state(made.id)


def test_resolve_by_majority_leaves_a_tie_open_then_a_majority_carries(
    seat: CoordinationSeat, made: Clash
) -> None:
    empty = count(seat, made)
    assert (empty.for_, empty.against, empty.outcome, empty.ruling) == (
        0,
        0,
        "tie",
        None,
    )
    vote(seat, made, atlas="for", boreas="against")
    split = count(seat, made)
    assert (split.for_, split.against, split.outcome, split.ruling) == (
        1,
        1,
        "tie",
        None,
    )
    assert Disputes(seat).disputed(P, ROOM)
    assert verdict(seat) == "contradiction"

    vote(seat, made, cid="for")
    carried = count(seat, made)

    assert (carried.for_, carried.against, carried.outcome) == (2, 1, "for")
    assert carried.withdrawn == []
    assert not carried.voters_verified
    assert verdict(seat) == "true"
    assert state(seat, made) == "resolved"
    assert not gives(seat, NOT_P)
    assert carried.ruling is not None
    ruled = Adjudication(seat).who_ruled(carried.ruling)
    assert ruled is not None
    assert (ruled.arbiter, [*ruled.dispute_ids]) == (MAJORITY, [made.id])
    assert seat.why(carried.ruling)["strength"] == "monotonic"

    seat.retract(carried.ruling, agent=DAN)
    assert verdict(seat) == "contradiction"
    assert state(seat, made) == "open"
    assert Adjudication(seat).who_ruled(carried.ruling) is None


def test_resolve_by_majority_can_vote_the_claim_down(
    seat: CoordinationSeat, made: Clash
) -> None:
    vote(seat, made, atlas="for", boreas="against", cid="against")
    found = count(seat, made)
    assert (found.for_, found.against, found.outcome) == (1, 2, "against")
    assert verdict(seat) == "false"
    assert not gives(seat, P)


def test_a_repeat_ballot_is_one_vote(seat: CoordinationSeat, made: Clash) -> None:
    vote(seat, made, cid="for")
    vote(seat, made, cid="for")
    assert tallied(seat, made) == (1, 0)


def test_a_voter_who_votes_both_ways_spoils_their_ballot(
    seat: CoordinationSeat, made: Clash
) -> None:
    vote(seat, made, cid="for", dan="for")
    vote(seat, made, cid="against")
    assert tallied(seat, made) == (1, 0)


def test_a_voter_can_change_their_vote(seat: CoordinationSeat, made: Clash) -> None:
    room = seat.channel(ROOM, agent=CID)
    room.retract(room.vote("for", made.said))
    assert tallied(seat, made) == (0, 0)
    room.vote("against", made.said)
    assert tallied(seat, made) == (0, 1)


def test_resolving_by_majority_twice_is_a_belief_no_op(
    seat: CoordinationSeat, made: Clash
) -> None:
    vote(seat, made, cid="for")
    first = count(seat, made)
    before = seat.status(), [*seat.believed()], seat.events().cursor
    assert count(seat, made) == first
    assert (seat.status(), [*seat.believed()], seat.events().cursor) == before


def test_the_majority_can_change_its_mind(seat: CoordinationSeat, made: Clash) -> None:
    vote(seat, made, atlas="for", cid="for", boreas="against")
    old = count(seat, made)
    for name in (ATLAS, CID):
        room = seat.channel(ROOM, agent=name)
        room.retract(room.vote("for", made.said))
        room.vote("against", made.said)

    new = count(seat, made)
    assert (new.outcome, new.withdrawn) == ("against", [old.ruling])
    assert verdict(seat) == "false"
    assert seat.conflicts() == []
    assert old.ruling is not None
    assert not gives(seat, P)
    again = count(seat, made)
    assert (again.ruling, again.withdrawn) == (new.ruling, [])

    for name in (ATLAS, CID):
        room = seat.channel(ROOM, agent=name)
        room.retract(room.vote("against", made.said))
    vote(seat, made, cid="for")
    tie = count(seat, made)
    assert (tie.for_, tie.against, tie.outcome) == (1, 1, "tie")
    assert tie.withdrawn == [new.ruling]
    assert Disputes(seat).disputed(P, ROOM)


def test_s2_retracting_the_claim_takes_its_ballots(
    seat: CoordinationSeat, made: Clash
) -> None:
    vote(seat, made, cid="for", boreas="against")
    seat.retract(made.said, agent=ATLAS)
    assert not list(seat.ask("(votesFor ?a ?t)"))
    assert not list(seat.ask("(votesAgainst ?a ?t)"))
    seat.assert_(P, agent=ATLAS)
    assert tallied(seat, made) == (0, 0)


def test_s3_a_ruling_out_of_force_neither_stands_nor_is_lost(
    seat: CoordinationSeat, made: Clash
) -> None:
    vote(seat, made, cid="for")
    ruled = count(seat, made)
    assert ruled.ruling is not None
    judging = Adjudication(seat)
    assert [one.locator for one in judging.standing_rulings(MAJORITY, made.id)] == [
        ruled.ruling
    ]

    vote(seat, made, boreas="against")
    assert judging.standing_rulings(MAJORITY, made.id) == []
    assert verdict(seat) == "contradiction"
    (held,) = seat.held()
    assert (held.agent, held.reason) == (DAN, "koinii/tally-disagrees")
    tie = count(seat, made, agent=CID)  # withdraws nothing of Dan's
    assert (tie.outcome, tie.withdrawn) == ("tie", [])

    vote(seat, made, dan="for")
    (standing,) = judging.standing_rulings(MAJORITY, made.id)
    assert standing.locator == ruled.ruling
    assert verdict(seat) == "true"
    assert seat.held() == []
    assert count(seat, made, agent=DAN).ruling == ruled.ruling


# Whose ballots ---------------------------------------------------------------------


def test_only_who_has_joined_is_counted(seat: CoordinationSeat) -> None:
    made = clash(seat)
    target = f'(sentexHandle "{made.said}")'
    seat.assert_(f"(votesFor {CID} {target})", agent=CID)
    assert tallied(seat, made) == (0, 0)
    edge, _ = seat.join(ROOM, agent=CID)
    assert tallied(seat, made) == (1, 0)
    ruled = count(seat, made)
    assert verdict(seat) == "true"
    seat.retract(edge, agent=CID)
    assert verdict(seat) == "contradiction"
    assert ruled.ruling is not None


def test_a_ballot_is_the_voters_own_word(seat: CoordinationSeat, made: Clash) -> None:
    target = f'(sentexHandle "{made.said}")'
    seat.assert_(f"(votesFor {CID} {target})", agent=DAN)  # in another's name
    seat.assert_(f"(votesFor {CID} {target})", agent=CID, context=ROOM)
    seat.assert_(f"(not (votesFor {CID} {target}))", agent=CID)
    seat.assert_(f"(endorses {CID} {target})", agent=CID)
    assert tallied(seat, made) == (0, 0)


def test_what_is_derived_is_no_ballot(seat: CoordinationSeat, made: Clash) -> None:
    target = f'(sentexHandle "{made.said}")'
    seat.assert_(f"(implies (likes {CID} ?x) (votesFor {CID} {target}))", agent=CID)
    seat.assert_(f"(likes {CID} Tea)", agent=CID)
    assert gives(seat, f"(votesFor {CID} {target})", "CxCid")
    assert tallied(seat, made) == (0, 0)


def test_a_ballot_counts_whether_it_is_believed_or_not(
    seat: CoordinationSeat, made: Clash
) -> None:
    ballot = seat.channel(ROOM, agent=CID).vote("for", made.said)
    target = f'(sentexHandle "{made.said}")'
    seat.assert_(f"(not (votesFor {CID} {target}))", agent=CID, strength="monotonic")
    assert not seat.why(ballot)["believed"]
    assert tallied(seat, made) == (1, 0)


# Who calls -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "claim", "channel"),
    [
        ("koinii/not-a-side", "other", ROOM),
        ("koinii/no-channel", "said", "CxElsewhere"),
        ("koinii/unknown-locator", "sha256:" + "0" * 64, ROOM),
    ],
)
def test_what_cannot_be_counted_is_refused(
    seat: CoordinationSeat, made: Clash, code: str, claim: str, channel: str
) -> None:
    other = seat.assert_("(likes Ann Tea)", agent=ATLAS)
    named = {"other": other, "said": made.said}.get(claim, claim)
    with pytest.raises(KoiniiError) as no:
        resolve_by_majority(seat, made.id, named, channel)
    assert no.value.code == code


def test_no_count_rests_on_a_count(seat: CoordinationSeat, made: Clash) -> None:
    vote(seat, made, cid="for")
    ruled = count(seat, made)
    assert ruled.ruling is not None
    named = dispute_id(ruled.ruling, made.denied)
    with pytest.raises(KoiniiError) as no:
        resolve_by_majority(seat, named, ruled.ruling, ROOM)
    assert no.value.code == "koinii/not-counted"


def test_a_count_does_not_move_with_what_it_brings(
    seat: CoordinationSeat, made: Clash
) -> None:
    """What follows from a ruling can be voted on, and cannot hold the ruling up."""
    seat.assert_("(implies (reliable ?x) (kept ?x))", context=ROOM)
    vote(seat, made, cid="for")
    ruled = count(seat, made)
    (kept,) = [
        one for one in seat.believed() if one.sentence == read("(kept ProdCluster)")
    ]
    denied = seat.assert_("(not (kept ProdCluster))", agent=BOREAS)
    seat.channel(ROOM, agent=DAN).vote("for", kept.locator)
    other = resolve_by_majority(
        seat, dispute_id(kept.locator, denied), kept.locator, ROOM, agent=DAN
    )
    assert other.ruling is not None
    assert ruled.ruling is not None
    seat.retract(ruled.ruling, agent=DAN)
    assert verdict(seat) == "contradiction"
    assert verdict(seat, "(kept ProdCluster)") == "true"


def test_why_names_who_called_the_count(seat: CoordinationSeat, made: Clash) -> None:
    seat.assert_("(implies (reliable ?x) (kept ?x))", context=ROOM)
    vote(seat, made, cid="for")
    ruled = count(seat, made)
    count(seat, made, agent=CID)
    assert ruled.ruling is not None
    tree = seat.why(ruled.ruling)
    assert tree["called_by"] == [CID, DAN]
    assert [one["agent"] for one in tree["authors"]] == [MAJORITY]
    (kept,) = seat.kb.matching(read("(kept ProdCluster)"), ROOM, "cone")
    because = [
        node
        for support in seat.why(kept.locator)["support"]
        for node in support["because"]
    ]
    assert {tuple(node.get("called_by", ())) for node in because} == {(), (CID, DAN)}


@pytest.mark.parametrize("order", [*permutations(range(4))][::6])
def test_every_order_of_the_same_polls_reaches_one_belief(
    seat: CoordinationSeat, made: Clash, order: tuple[int, ...]
) -> None:
    other = dispute_id(made.said, seat.assert_(NOT_P, agent=CID))
    vote(seat, made, boreas="against", cid="against", atlas="for")
    polls = [(made.id, DAN), (other, DAN), (made.id, CID), (other, CID)]
    for at in order:
        named, agent = polls[at]
        resolve_by_majority(seat, named, made.said, ROOM, agent=agent)
    assert verdict(seat) == "false"
    assert not gives(seat, P)
    assert seat.conflicts() == []
    ruling = seat.locate(NOT_P, "CxMajority")
    for named in (made.id, other):
        standing = Adjudication(seat).standing_rulings(MAJORITY, named)
        assert [one.locator for one in standing] == [ruling]
