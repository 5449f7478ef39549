"""A count is of a dispute: a pair that clashes by what agents say (decision 10)."""

from __future__ import annotations

from collections.abc import Callable
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
    functional,
    verdict,
)
from koinii.coordination.adjudication import Adjudication
from koinii.coordination.counts import resolve_by_majority
from koinii.coordination.dispute_id import DisputeId, dispute_id
from koinii.coordination.seat import CoordinationSeat
from koinii.errors import KoiniiError, NotFoundError
from koinii.kb.claim import line_leaf
from koinii.terms import read
from koinii.terms.locator import parse_locator, raw_digest
from koinii.trust.counts import Count

NOWHERE = "sha256:" + "0" * 64


@pytest.fixture
def made(seat: CoordinationSeat) -> Clash:
    for name in (CID, DAN):
        seat.join(ROOM, agent=name)
    return clash(seat)


def tell(seat: CoordinationSeat, made: Clash, *named: DisputeId) -> None:
    """Put a line in CxMajority that the seat's own door would refuse."""
    claim = raw_digest(parse_locator(made.said))
    count = Count(bytes(32), ROOM, claim, "CxAtlas", tuple(named))
    line = f"monotonic 1700000000000 {P} {count.extras()}"
    with seat.kb.write():
        author = seat.speaker(DAN).begin()
        place = seat.kb.names.make_context("CxMajority")
        digest = raw_digest(seat.locate(P, "CxMajority"))
        row = (author, place, digest, line_leaf(line), line, "koinii/tally-disagrees")
        seat.kb.assertions.hold([row])


def reasons(seat: CoordinationSeat) -> list[str]:
    return [one.reason for one in seat.held()]


def no_disputes(seat: CoordinationSeat, made: Clash) -> list[tuple[str, str]]:
    other = seat.assert_("(likes Ann Tea)", agent=BOREAS)
    again = seat.assert_(P, agent=BOREAS, context=ROOM)
    return [(made.said, one) for one in (other, again, made.said, NOWHERE)]


def count_it(seat: CoordinationSeat, pair: tuple[str, str], made: Clash) -> None:
    resolve_by_majority(seat, pair, made.said, ROOM)


def rule_on_it(seat: CoordinationSeat, pair: tuple[str, str], _: Clash) -> None:
    Adjudication(seat).rule(DAN, pair, P, ROOM)


def test_a_pair_that_does_not_clash_is_not_counted_nor_ruled_on(
    seat: CoordinationSeat, made: Clash
) -> None:
    seat.channel(ROOM, agent=CID).vote("for", made.said)
    for pair in no_disputes(seat, made):
        for call in (count_it, rule_on_it):
            with pytest.raises(NotFoundError) as no:
                call(seat, pair, made)
            assert no.value.code in ("koinii/no-such-handle", "koinii/unknown-locator")
    assert not [*seat.believed("CxMajority")]
    assert not seat.held()


def test_a_line_of_no_dispute_has_no_effect(
    seat: CoordinationSeat, made: Clash
) -> None:
    seat.channel(ROOM, agent=CID).vote("for", made.said)
    for one, other in no_disputes(seat, made):
        tell(seat, made, dispute_id(one, other))
        assert not [*seat.believed("CxMajority")]
        assert "koinii/tally-disagrees" not in reasons(seat)
    tell(seat, made, dispute_id(made.said, NOWHERE), made.id)
    assert [one.context for one in seat.believed("CxMajority")] == ["CxMajority"]
    assert seat.held() == []


@pytest.mark.parametrize("order", [*permutations(range(4))])
def test_it_has_effect_while_both_sides_are_here_in_whatever_order(
    seat: CoordinationSeat, made: Clash, order: tuple[int, ...]
) -> None:
    seat.channel(ROOM, agent=CID).vote("for", made.said)
    seat.retract(made.denied, agent=BOREAS)
    (edge,) = seat.edit(add=[f"(genlCx {ROOM} CxMajority)"], remove=[], agent=DAN).added
    seat.retract(edge, agent=DAN)
    acts: list[Callable[[], object]] = [
        lambda: seat.assert_(NOT_P, agent=BOREAS),
        lambda: tell(seat, made, made.id),
        lambda: seat.edit(add=[f"(genlCx {ROOM} CxMajority)"], remove=[], agent=DAN),
        lambda: seat.channel(ROOM, agent=DAN).vote("for", made.said),
    ]
    for at in order:
        acts[at]()
    assert seat.held() == []
    assert verdict(seat) == "true"
    seat.retract(made.denied, agent=BOREAS)
    assert reasons(seat) == ["koinii/undisputed"]
    assert not [*seat.believed("CxMajority")]
    seat.assert_(NOT_P, agent=BOREAS)
    assert seat.held() == []
    seat.retract(made.said, agent=ATLAS)
    assert reasons(seat) == ["koinii/undisputed"]


def test_another_value_is_a_dispute_while_it_is_declared(
    seat: CoordinationSeat,
) -> None:
    made = functional(seat)
    seat.channel(ROOM, agent=ATLAS).vote("for", made.said)
    resolve_by_majority(seat, made.id, made.said, ROOM)
    assert seat.argue("(cores ProdCluster 16)", ROOM).verdict != "true"
    declared = seat.locate("(functional cores)", ROOM)
    seat.retract(declared)
    assert reasons(seat) == ["koinii/undisputed"]
    seat.assert_("(functional cores)", context=ROOM)
    assert seat.held() == []


def test_a_count_does_not_bring_about_the_dispute_that_it_is_of(
    seat: CoordinationSeat, made: Clash
) -> None:
    """What follows from rulings alone is a side of no dispute that is counted."""
    seat.assert_("(implies (kept ?x) (not (gone ?x)))", context=ROOM)
    seat.assert_("(implies (reliable ?x) (kept ?x))", context=ROOM)
    gone = seat.assert_("(gone ProdCluster)", agent=CID)
    (derived,) = derivations(seat, "(not (gone ProdCluster))")
    seat.channel(ROOM, agent=CID).vote("for", made.said)
    seat.channel(ROOM, agent=CID).vote("for", gone)
    named = dispute_id(gone, derived)
    ruled = resolve_by_majority(seat, made.id, made.said, ROOM, agent=DAN)
    second = resolve_by_majority(seat, named, gone, ROOM, agent=DAN)
    assert ruled.ruling is not None
    assert second.ruling is not None
    assert seat.held() == []

    seat.retract(made.said, agent=ATLAS)

    assert set(reasons(seat)) == {"koinii/undisputed"}
    assert not [*seat.believed("CxMajority")]


def test_what_clashes_by_a_ruling_alone_is_not_counted(
    seat: CoordinationSeat,
) -> None:
    made = functional(seat)
    seat.assert_("(implies (not (cores ?x 8)) (upgraded ?x))", context=ROOM)
    denied = seat.assert_("(not (upgraded ProdCluster))", agent=BOREAS)
    for claim, stance in ((made.said, "against"), (denied, "for")):
        seat.channel(ROOM, agent=ATLAS).vote(stance, claim)
    ruled = resolve_by_majority(seat, made.id, made.said, ROOM)
    assert ruled.ruling is not None
    (derived,) = derivations(seat, "(upgraded ProdCluster)")
    for other, side in ((derived, denied), (ruled.ruling, made.said)):
        with pytest.raises(KoiniiError) as no:
            resolve_by_majority(seat, dispute_id(other, side), side, ROOM)
        assert no.value.code == "koinii/not-counted"


def derivations(seat: CoordinationSeat, text: str) -> list[str]:
    return [one.locator for one in seat.believed() if one.sentence == read(text)]
