"""What a keyboard refuses is what would clash with what it sees, by the twin."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kb.busy_bases import Base, played, plays
from kb.engine_moves import CONTEXTS, HERE, Move, texts
from koinii.kb.checking import Moment
from koinii.kb.writing import Said
from koinii.terms import Term, write
from reference.engine_clash_twin import Clash, Clashing
from reference.engine_frame_twin import Assertion, Frame, Sentex

TRIED = texts(
    *("(b A B)", "(b B A)", "(b A 1)", "(b A C)", "(b C B)", "(c A B)", "(c A 2)"),
    *("(p A)", "(q A)", "(r A)", "(r 1)", "(not (r A))", "(not (b A C))"),
    *("(implies (p ?x) (r ?x))", "(b A B C)"),
)
MEANT = texts("(functional b)", "(disjoint p r)", "(genl q p)", "(symmetric b)")
TRIALS = st.tuples(TRIED, st.sampled_from(("CxDeploy", "CxDeploy", *CONTEXTS)))
KINDS = {"functional", "disjoint"}


@settings(max_examples=30, deadline=None)
@given(plays(meant=MEANT), st.lists(TRIALS, min_size=4, max_size=8))
def test_what_would_clash_is_refused(
    moves: list[Move], tried: list[tuple[Term, str]]
) -> None:
    with played(moves) as base:
        for sentence, context in tried:
            moment = Moment(base.driver.kb, [said(context, sentence)])
            problems = moment.problems(said(context, sentence))
            assert {
                (one.code, one.details["opposing"]) for one in problems
            } == clashing(base, context, sentence)


def said(context: str, sentence: Term) -> Said:
    return Said(context, sentence, write(sentence), 0, 1, None)


def clashing(base: Base, context: str, sentence: Term) -> set[tuple[str, str]]:
    """The clashes that its own context would see it in, with what is believed."""
    row, belief = Sentex(context, sentence), base.belief
    if row in belief.stored:
        return set()
    world = belief.world
    line = Assertion("AgentAnn", HERE, context, sentence)
    frame = Frame(
        type(world)(
            (*world.assertions, line),
            *(world.owners, world.standing, world.local, world.vocabulary),
        )
    )
    twin = Clashing(frame, belief.believed | {row})
    return {
        (one.kind, ({one.lo, one.hi} - {row}).pop().locator)
        for one in twin.all()
        if row in (one.lo, one.hi) and one.kind in KINDS
        if sees(frame, twin, one, context)
    }


def sees(frame: Frame, twin: Clashing, clash: Clash, viewer: str) -> bool:
    if not (frame.shows(clash.lo, viewer) and frame.shows(clash.hi, viewer)):
        return False
    if clash.kind == "functional":
        return viewer in twin._sees_functional(clash.lo.word())
    return viewer in twin._sees_disjoint(clash.lo.word(), clash.hi.word())
