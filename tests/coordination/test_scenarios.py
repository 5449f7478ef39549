"""Whole arguments (spec C.9), row by row; seats/household plays the first, too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from coordination.quarrel import gives, verdict
from koinii.coordination.adjudication import Adjudication
from koinii.coordination.counts import Outcome, resolve_by_majority
from koinii.coordination.dispute_id import DisputeId, dispute_id
from koinii.coordination.disputes import Disputes
from koinii.coordination.seat import CoordinationSeat
from remote.desks import Clock

ANN, BOB, CLEO = "AgentAnn", "AgentBob", "AgentCleo"
HOUSE = "CxHouse"
STAYS, GOES = "(stays Rex)", "(not (stays Rex))"
RULES = [
    "(implies (guards ?dog) (protects ?dog))",
    "(implies (protects ?dog) (stays ?dog))",
    "(implies (barksAtNight ?dog) (disturbs ?dog))",
    "(implies (disturbs ?dog) (not (stays ?dog)))",
]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[CoordinationSeat]:
    with koinii.init(tmp_path / "house", agent=ANN, now=Clock()) as seat:
        for name in (BOB, CLEO):
            seat.new_agent(name)
        seat.new_channel(HOUSE)
        for name in (ANN, BOB, CLEO):
            seat.join(HOUSE, agent=name)
        yield seat


def vote(seat: CoordinationSeat, target: str, **stances: str) -> None:
    for name, stance in stances.items():
        seat.channel(HOUSE, agent=f"Agent{name.capitalize()}").vote(stance, target)


def count(seat: CoordinationSeat, named: DisputeId, claim: str) -> Outcome:
    return resolve_by_majority(seat, named, claim, HOUSE, agent=CLEO)


def only_dispute(seat: CoordinationSeat) -> DisputeId:
    (found,) = Disputes(seat).every(HOUSE)
    return found.id


def test_an_argument_that_emerges_from_facts_and_house_rules(
    house: CoordinationSeat,
) -> None:
    house.edit(add=RULES, context=HOUSE)
    house.assert_("(guards Rex)", agent=ANN)
    barks = house.assert_("(barksAtNight Rex)", agent=BOB)
    named = only_dispute(house)
    stays, goes = house.locate(STAYS, HOUSE), house.locate(GOES, HOUSE)
    assert set(named.locators) == {stays, goes}
    assert not house.why(stays)["premise"]
    assert not house.why(goes)["premise"]
    vote(house, stays, ann="for", bob="against")
    assert count(house, named, stays).outcome == "tie"
    assert verdict(house, STAYS, HOUSE) == "contradiction"

    vote(house, stays, cleo="for")
    ruled = count(house, named, stays)

    assert (ruled.for_, ruled.against, ruled.outcome) == (2, 1, "for")
    assert verdict(house, STAYS, HOUSE) == "true"
    assert Disputes(house).state(named) == "resolved"
    lost = house.why(goes)
    assert (lost["believed"], len(lost["support"])) == (False, 1)
    assert house.why(barks)["believed"]
    assert gives(house, "(disturbs Rex)", HOUSE)
    assert ruled.ruling is not None
    house.retract(ruled.ruling, agent=CLEO)
    assert verdict(house, STAYS, HOUSE) == "contradiction"
    assert Disputes(house).state(named) == "open"


def test_a_tiebreaker_vote_settles_a_split_house(house: CoordinationSeat) -> None:
    stays, goes = house.assert_(STAYS, agent=ANN), house.assert_(GOES, agent=BOB)
    named = dispute_id(stays, goes)
    vote(house, stays, ann="for", bob="against")
    tie = count(house, named, stays)
    assert (tie.for_, tie.against, tie.ruling) == (1, 1, None)
    assert all(house.why(side)["believed"] for side in (stays, goes))

    vote(house, stays, cleo="for")
    ruled = count(house, named, stays)

    assert ruled.ruling is not None
    who = Adjudication(house).who_ruled(ruled.ruling)
    assert who is not None
    assert who.arbiter == "AgentMajority"
    assert not house.why(goes)["believed"]
    house.retract(ruled.ruling, agent=CLEO)
    assert all(house.why(side)["believed"] for side in (stays, goes))


def test_a_team_argues_over_a_date_and_a_majority_settles_it(
    house: CoordinationSeat,
) -> None:
    day = "(date 2026 8 22)"
    said = house.assert_(f"(releasedOn Koinii {day})", agent=ANN)
    bob = house.channel(HOUSE, agent=BOB)
    bob.dispute(said)
    denied = house.locate(f"(not (releasedOn Koinii {day}))", "CxBob")
    ground = bob.justify(f"(closed Office {day})", denied)
    house.channel(HOUSE, agent=CLEO).endorse(denied)
    named = only_dispute(house)
    assert set(named.locators) == {said, denied}
    vote(house, said, ann="for", bob="against", cleo="against")
    ruled = count(house, named, said)
    assert (ruled.for_, ruled.against, ruled.outcome) == (1, 2, "against")
    assert verdict(house, f"(releasedOn Koinii {day})", HOUSE) == "false"
    assert house.why(ground)["believed"]
    assert ruled.ruling is not None
    house.retract(ruled.ruling, agent=CLEO)
    assert verdict(house, f"(releasedOn Koinii {day})", HOUSE) == "contradiction"


def test_the_solver_schedules_a_date_the_team_could_not_agree(
    house: CoordinationSeat,
) -> None:
    """Its last part, which needs no solver: what nobody disputes is read."""
    house.assert_("(releasedOn Koinii (date 2026 9 1))", agent=ANN)
    assert gives(house, "(releasedOn Koinii (date 2026 9 1))", HOUSE)
    assert not Disputes(house).any_in(HOUSE)
