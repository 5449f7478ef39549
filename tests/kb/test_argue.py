"""The verdicts of `argue` where both sides could be had (A.16, design section 6)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

from kb.busy_bases import played, plays
from kb.engine_moves import Move
from koinii.seat.seat import Seat
from koinii.terms import read
from koinii.terms.canonical import canonical
from seat.made import ATLAS, BOREAS, copy_of_two, open_seat

WEIGHED = [
    canonical(read(one))
    for one in ("(p A)", "(not (q A))", "(b A B)", "(b B A)", "(c B A)", "(r A)")
]


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Seat]:
    with open_seat(copy_of_two(tmp_path)) as opened:
        opened.new_channel("CxDeploy")
        for agent in (ATLAS, BOREAS):
            opened.join("CxDeploy", agent=agent)
        yield opened


@settings(max_examples=30, deadline=None)
@given(plays())
def test_every_verdict_is_the_twin_s(moves: list[Move]) -> None:
    with played(moves) as (driver, belief):
        for sentence in WEIGHED:
            for context in ("CxDeploy", "CxAnn", "CxBob", "CxOps"):
                verdict = driver.kb.argue(sentence, context).verdict
                assert verdict == belief.argue(sentence, context)


def verdict(seat: Seat, sentence: str, context: str = "CxDeploy") -> str:
    return seat.argue(sentence, context).verdict


@pytest.mark.parametrize("strength", ["default", "monotonic"])
def test_both_sides_that_stay_in_are_a_contradiction(seat: Seat, strength: str) -> None:
    seat.assert_("(up Prod)", strength=strength)
    seat.assert_("(not (up Prod))", agent=BOREAS, strength=strength)
    told = seat.argue("(up Prod)", "CxDeploy")
    assert told.verdict == "contradiction"
    assert [one.context for one in told.supporting] == ["CxAtlas"]
    assert [one.context for one in told.opposing] == ["CxBoreas"]
    assert verdict(seat, "(not (up Prod))") == "contradiction"
    assert verdict(seat, "(up Prod)", "CxAtlas") == "true"
    assert verdict(seat, "(up Prod)", "CxBoreas") == "false"
    listed = seat.conflicts() if strength == "monotonic" else seat.contradictions()
    assert len(listed) == 1


def test_in_one_context_the_known_side_has_defeated_the_other(seat: Seat) -> None:
    seat.assert_("(up Prod)", context="CxDeploy", strength="monotonic")
    seat.assert_("(not (up Prod))", context="CxDeploy", agent=BOREAS)
    assert verdict(seat, "(up Prod)") == "true"
    assert verdict(seat, "(not (up Prod))") == "false"


def test_without_consent_known_and_default_contradict(seat: Seat) -> None:
    """A context that merely reads both sees the clash, and nobody falls."""
    seat.assert_("(up Prod)", strength="monotonic", context="CxOther")
    seat.assert_("(not (up Prod))", agent=BOREAS)
    seat.assert_("(genlCx CxReader CxOther)")
    seat.assert_("(genlCx CxReader CxDeploy)")
    assert verdict(seat, "(up Prod)", "CxReader") == "contradiction"


def test_a_masked_side_does_not_count_where_it_is_masked(seat: Seat) -> None:
    seat.assert_("(up Prod)")
    denial = seat.assert_("(not (up Prod))", agent=BOREAS)
    mask = seat.assert_(f'(except (sentexHandle "{denial}"))', context="CxDeploy")
    assert verdict(seat, "(up Prod)") == "true"
    assert verdict(seat, "(up Prod)", "CxBoreas") == "false"
    assert seat.contradictions() == []
    seat.assert_(f'(except (sentexHandle "{mask}"))', context="CxDeploy")
    assert verdict(seat, "(up Prod)") == "contradiction"
    assert len(seat.contradictions()) == 1


def test_mirrors_of_a_symmetric_predicate_meet(seat: Seat) -> None:
    seat.assert_("(near Oslo Bergen)")
    seat.assert_("(not (near Bergen Oslo))", agent=BOREAS)
    assert verdict(seat, "(near Oslo Bergen)") == "true"
    assert verdict(seat, "(near Bergen Oslo)") == "false"
    declared = seat.assert_("(symmetric near)")
    for one in ("(near Oslo Bergen)", "(near Bergen Oslo)"):
        assert verdict(seat, one) == "contradiction"
    seat.retract(declared)
    assert verdict(seat, "(near Oslo Bergen)") == "true"


def test_what_is_below_counts_for_and_never_against(seat: Seat) -> None:
    seat.assert_("(genl dog animal)", context="CxDeploy")
    seat.assert_("(dog Rex)")
    seat.assert_("(not (animal Rex))", agent=BOREAS)
    assert verdict(seat, "(animal Rex)") == "contradiction"
    assert verdict(seat, "(dog Rex)") == "true"


def test_neither_side_is_unknown(seat: Seat) -> None:
    assert verdict(seat, "(up Prod)") == "unknown"
