"""What a keyboard refuses is what would clash with what it sees, by the twin."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from hypothesis import given, settings

from kb.busy_bases import played, plays
from kb.engine_moves import Move, texts
from koinii.kb.checking import Moment
from koinii.kb.writing import Said
from koinii.terms import Term, read, write
from koinii.terms.canonical import canonical
from reference.engine_clash_twin import Clashing
from reference.engine_frame_twin import Sentex
from reference.engine_twin import Belief

TRIED = [
    canonical(read(one))
    for one in (
        *("(b A C)", "(b C B)", "(b B A)", "(b A B)", "(c A 2)", "(p A)", "(r A)"),
        *("(q A)", "(r 1)", "(not (r A))", "(not (b A C))", "(b A B C)"),
        "(implies (p ?x) (r ?x))",
    )
]
MEANT = texts(
    *("(functional b)", "(functional b)", "(disjoint p r)", "(disjoint p r)"),
    *("(genl q p)", "(functional c)"),
)
PLACES = ("CxDeploy", "CxAnn", "CxOps", "CxEve")


@settings(max_examples=30, deadline=None)
@given(plays(meant=MEANT))
def test_what_would_clash_is_refused(moves: list[Move]) -> None:
    with played(moves) as base:
        for sentence, context in product(TRIED, PLACES):
            tried = said(context, sentence)
            problems = Moment(base.driver.kb, [tried]).problems(tried)
            assert {(one.code, one.details["opposing"]) for one in problems} == set(
                clashing(base.belief, Sentex(context, sentence))
            )


def said(context: str, sentence: Term) -> Said:
    return Said(context, sentence, write(sentence), 0, 1, None)


def clashing(belief: Belief, row: Sentex) -> Iterator[tuple[str, str]]:
    """The clashes that its own context would see it in, with what is believed."""
    frame, viewer = belief.frame, row.context
    if row in belief.stored:
        return
    members = Clashing(frame, belief.believed).members
    twin = Clashing(frame, {row})
    for other in members if twin.members else []:
        if not frame.shows(other, viewer):
            continue
        if twin._differs(row, other) and viewer in twin._sees_functional(row.word()):
            yield "functional", other.locator
        words = row.word(), other.word()
        if twin._excludes(row, other) and viewer in twin._sees_disjoint(*words):
            yield "disjoint", other.locator
