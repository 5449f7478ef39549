"""What conclusions rest on that is in dispute (spec C.5, S5)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coordination.quarrel import ATLAS, BOREAS, CID, ROOM, P, clash, gives, make_seat
from koinii import RemoteSeat
from koinii.coordination.adjudication import Adjudication
from koinii.terms import write
from remote.desks import Clock, room

STEADY, SAFE = "(steady ProdCluster)", "(safe ProdCluster)"


@pytest.fixture
def reasoned(seat: RemoteSeat) -> RemoteSeat:
    """P is disputed; it gives that the cluster is steady, and so safe."""
    seat.assert_("(implies (reliable ?x) (steady ?x))", context=ROOM)
    seat.assert_("(implies (steady ?x) (safe ?x))", context=ROOM)
    clash(seat)
    return seat


def rests(seat: RemoteSeat, sentence: str, context: str = ROOM) -> list[str]:
    found = Adjudication(seat).contested_premises(sentence, context)
    return [write(one.sentence) for one in found]


def test_reasoning_keeps_deriving_on_a_contested_premise_and_says_so(
    reasoned: RemoteSeat,
) -> None:
    reasoned.assert_("(light Q)")
    adjudication = Adjudication(reasoned)
    for sentence in (STEADY, SAFE):
        assert gives(reasoned, sentence)
        assert adjudication.rests_on_contested(sentence, ROOM)
        (found,) = adjudication.contested_premises(sentence, ROOM)
        assert found.locator == reasoned.locate(P, "CxAtlas")
    assert not adjudication.rests_on_contested("(light Q)", ROOM)
    assert not adjudication.rests_on_contested("(light Nothing)", ROOM)


def test_what_is_disputed_itself_rests_on_nothing(reasoned: RemoteSeat) -> None:
    assert rests(reasoned, P) == []


def test_a_conclusion_on_the_way_counts(reasoned: RemoteSeat) -> None:
    reasoned.assert_(f"(not {STEADY})", agent=BOREAS)
    assert rests(reasoned, SAFE) == [P, STEADY]
    assert rests(reasoned, STEADY) == [P]


def test_what_is_asserted_rests_on_nothing(reasoned: RemoteSeat) -> None:
    reasoned.assert_(SAFE, context=ROOM)
    assert rests(reasoned, SAFE) == []


def test_what_others_conclude_is_found_where_it_is_seen(seat: RemoteSeat) -> None:
    """A conclusion stands in its agent's own context, and the channel sees it."""
    seat.assert_("(implies (reliable ?x) (steady ?x))", agent=ATLAS)
    clash(seat)
    assert not gives(seat, STEADY, "CxBoreas")
    assert rests(seat, STEADY) == [P]
    assert rests(seat, STEADY, "CxBoreas") == []


def test_who_does_not_see_the_dispute_sees_nothing_contested(
    reasoned: RemoteSeat,
) -> None:
    reasoned.assert_("(implies (reliable ?x) (steady ?x))", agent=ATLAS)
    assert gives(reasoned, STEADY, "CxAtlas")
    assert rests(reasoned, STEADY, "CxAtlas") == []


def test_a_settled_dispute_contests_nothing(reasoned: RemoteSeat) -> None:
    made = clash(reasoned)
    Adjudication(reasoned).rule(CID, made.id, P, ROOM)
    assert gives(reasoned, SAFE)
    assert rests(reasoned, SAFE) == []


def test_reasons_that_do_not_hold_count_for_nothing(reasoned: RemoteSeat) -> None:
    """That the cluster is new gave it too, until a ruling said that it is not."""
    reasoned.assert_("(implies (and (fresh ?x) (odd ?x)) (safe ?x))", context=ROOM)
    made = clash(reasoned, "(fresh ProdCluster)")
    odd = clash(reasoned, "(odd ProdCluster)")
    assert rests(reasoned, SAFE) == [
        "(fresh ProdCluster)", "(odd ProdCluster)", P
    ]  # fmt: skip
    Adjudication(reasoned).rule(CID, odd.id, "(not (odd ProdCluster))", ROOM)
    assert made.id
    assert rests(reasoned, SAFE) == [P]


FACTS = [f"(p{number} A)" for number in range(5)]


@settings(max_examples=12)
@given(st.permutations([*range(10)]))
def test_the_order_of_assertions_leaves_no_trace(order: Sequence[int]) -> None:
    """Five premises and five denials, in any order."""
    with room() as folder, make_seat(folder / "seat", Clock()) as seat:
        body = " ".join(f"(p{number} ?x)" for number in range(5))
        seat.assert_(f"(implies (and {body}) (all ?x))", context=ROOM)
        for which in order:
            fact = FACTS[which % 5]
            if which < 5:
                seat.assert_(fact, agent=ATLAS)
            else:
                seat.assert_(f"(not {fact})", agent=BOREAS)
        assert rests(seat, "(all A)") == FACTS
