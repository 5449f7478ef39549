"""Why not: the first reason that is so, by the twin's labels."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.busy_bases import played, plays
from kb.engine_driver import Driver
from kb.engine_moves import CONTEXTS, FACTS, Move
from koinii.errors import RefusedError
from koinii.kb.absence import why_not
from koinii.terms import Term, read
from reference.encoding_twin import encoded, locator
from reference.engine_clash_twin import spellings
from reference.engine_frame_twin import Sentex
from reference.engine_twin import Belief
from reference.matching_twin import atom, functor, is_negative

ORDER = ("masked", "waiting", "defeated", "unsupported")


@settings(max_examples=40, deadline=None)
@given(plays(), st.data())
def test_the_reason_is_by_the_twin_s_labels(
    moves: list[Move], data: st.DataObject
) -> None:
    with played(moves) as (driver, belief):
        rows = sorted(belief.stored - belief.frame.shipped, key=lambda row: row.locator)
        said = [row for row in rows if not row.is_rule()]
        off = [row for row in said if row not in belief.believed or masks(belief, row)]
        for _ in range(10):
            row = data.draw(st.sampled_from(off or said))
            sentence = data.draw(st.just(row.sentence) | FACTS)
            context = data.draw(st.sampled_from((row.context, "CxDeploy", *CONTEXTS)))
            told = why_not(driver.kb, sentence, context)
            assert facts(told) == expected(belief, sentence, context)


def facts(told: dict[str, Any]) -> tuple[str, Any]:
    """The reason, and what it says beyond where the sentence stands."""
    reason = told["reason"]
    if reason == "believed":
        return reason, None
    if reason == "not-stored":
        return reason, told["locator"]
    if reason == "elsewhere":
        return reason, told["contexts"]
    more = {
        "masked": "masks",
        "waiting": "missing",
        "defeated": "contradicted_by",
        "unsupported": "missing",
    }[reason]
    named = [one if isinstance(one, str) else one["locator"] for one in told[more]]
    return reason, (told["locator"], sorted(named))


def expected(belief: Belief, sentence: Term, context: str) -> tuple[str, Any]:
    if belief.ask(sentence, context):
        return "believed", None
    alike = [row for row in belief.stored if is_alike(belief, row, sentence)]
    up = belief.frame.up(context)
    seen = [row for row in alike if row.context in up]
    if seen:
        row = min(
            seen,
            key=lambda one: (
                *(one.context != context, ORDER.index(reason_of(belief, one))),
                *(one.context, bytes.fromhex(one.locator[7:])),
            ),
        )
        return reason_of(belief, row), (row.locator, named(belief, row, context))
    elsewhere = {row.context for row in alike if row in belief.believed}
    if elsewhere:
        return "elsewhere", sorted(elsewhere)
    return "not-stored", locator(context, sentence)


def is_alike(belief: Belief, row: Sentex, sentence: Term) -> bool:
    """Whether a row says just this, or its mirror."""
    if row.is_rule() or is_negative(row.sentence) != is_negative(sentence):
        return False
    swaps = functor(sentence) in belief.frame.symmetric and len(atom(sentence)) == 3
    return encoded(atom(row.sentence)) in map(encoded, spellings(atom(sentence), swaps))


def reason_of(belief: Belief, row: Sentex) -> str:
    if row in belief.waiting:
        return "waiting"
    if row in belief.defeated:
        return "defeated"
    return "masked" if row in belief.believed else "unsupported"


def masks(belief: Belief, row: Sentex) -> set[Sentex]:
    return {
        one
        for one in belief.frame.in_force
        if one.word() == "except" and row.locator in one.named()
    }


def named(belief: Belief, row: Sentex, context: str) -> list[str]:
    frame, drawing = belief.frame, belief.drawing
    found = {
        "masked": lambda: {
            mask.locator for mask in masks(belief, row) if frame.shows(mask, context)
        },
        "waiting": lambda: (
            row.named()
            - {
                one.locator
                for one in belief.present
                if frame.is_local(row) or not frame.is_local(one)
            }
        ),
        "defeated": lambda: {
            partner.locator
            for clash in belief.clashes
            for loser, partner, falls in clash.partners()
            if loser == row and falls and partner in belief.known
        },
        "unsupported": lambda: {
            fact.locator
            for firing in drawing.placed
            if row in drawing.concluded(firing)
            for fact in firing.facts
            if fact not in belief.believed
        },
    }
    return sorted(found[reason_of(belief, row)]())


def test_a_rule_is_asked_for_too() -> None:
    driver = Driver()
    try:
        shipped = read("(implies (disputes ?a ?b) (contested ?b))")
        with driver.kb.write():
            pass  # ships the vocabulary
        assert why_not(driver.kb, shipped, "CxSpeechActs")["reason"] == "believed"
        told = why_not(driver.kb, shipped, "CxAnn")
        assert (told["reason"], told["contexts"]) == ("elsewhere", ["CxSpeechActs"])
    finally:
        driver.close()


@pytest.mark.parametrize("text", ["(p ?x)", "(and (p A) (q A))"])
def test_what_is_no_ground_literal_is_refused(text: str) -> None:
    driver = Driver()
    try:
        with pytest.raises(RefusedError):
            why_not(driver.kb, read(text), "CxAnn")
    finally:
        driver.close()
