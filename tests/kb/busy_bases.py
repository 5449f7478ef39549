"""Small bases in which much follows, clashes, waits and is masked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import NamedTuple

from hypothesis import strategies as st

from kb.engine_driver import Driver
from kb.engine_game import Game
from kb.engine_moves import (
    DECLARATIONS,
    HERE,
    MEETING,
    OWN,
    RULES,
    Mask,
    Move,
    Reply,
    Say,
    Trust,
    texts,
)
from koinii.kb.vocabulary import sentences
from koinii.terms import Term
from reference.engine_frame_twin import UNIVERSE, Assertion
from reference.engine_seat_twin import line_of, said_again
from reference.engine_twin import Belief

SPEAKERS = ("AgentAnn", "AgentBob")
LIVELY = texts(
    *("(p A)", "(q A)", "(b A B)", "(b B A)", "(b A 1)", "(c A B)", "(p A)"),
    *("(not (p A))", "(not (q A))", "(not (r A))", "(not (b B A))"),
)


class Base(NamedTuple):
    """A base and what the twin believes of it."""

    driver: Driver
    belief: Belief


@st.composite
def lively(draw: st.DrawFn) -> Move:
    agent = draw(st.sampled_from(SPEAKERS))
    context = draw(st.sampled_from([OWN[agent][0], "CxDeploy", "CxDeploy"]))
    kind = draw(st.sampled_from(KINDS))
    pick = st.integers(0, 30)
    if kind == "mask":
        return Mask(agent, HERE, context, draw(pick))
    if kind == "reply":
        return Reply(agent, HERE, context, draw(st.none() | pick), MISSING)
    if kind == "trust":
        return Trust(agent, HERE, arbiter=False, moderator=draw(st.booleans()))
    said = {"fact": LIVELY, "rule": RULES, "declare": DECLARATIONS}[kind]
    strength = "default" if kind != "declare" else "monotonic"
    if kind == "fact" and draw(st.integers(0, 2)) == 0:
        strength = "monotonic"
    return Say(agent, HERE, context, draw(said), strength)


KINDS = (
    *(["fact"] * 8 + ["rule"] * 6 + ["declare"] * 2 + ["reply"] * 2),
    *("mask", "mask", "mask", "mask", "mask", "trust"),
)
MISSING = f"sha256:{bytes(32).hex()}"


def plays(
    meant: st.SearchStrategy[Term] | None = None,
) -> st.SearchStrategy[list[Move]]:
    """Agents who have mostly met, and then talk; `meant` is said before."""
    skipped = st.sets(st.integers(0, len(MEETING) - 1), max_size=2)
    met = skipped.map(
        lambda gone: [m for at, m in enumerate(MEETING) if at not in gone]
    )
    declared = (
        st.just([])
        if meant is None
        else st.lists(declaring(meant), min_size=4, max_size=6)
    )
    talk = st.lists(lively(), min_size=10, max_size=20)
    return st.tuples(met, declared, talk).map(lambda drawn: [*chain(*drawn)])


def declaring(meant: st.SearchStrategy[Term]) -> st.SearchStrategy[Move]:
    contexts = st.sampled_from(["CxDeploy", "CxDeploy", "CxAnn", UNIVERSE])
    return st.tuples(contexts, meant).map(
        lambda drawn: Say("AgentAnn", HERE, *drawn, "monotonic")
    )


@contextmanager
def played(moves: list[Move]) -> Iterator[Base]:
    """Sayings first, which the twin weighs together; then the other moves."""
    driver, game = Driver(), Game(sentences())
    try:
        says = [one for one in moves if isinstance(one, Say)]
        say_all(driver, game, [Assertion(*one) for one in says])
        for move in moves:
            deed = None if isinstance(move, Say) else game.deed(move)
            if deed is not None:
                driver.play(game, deed)
        yield Base(driver, game.twin.belief)
    finally:
        driver.close()


def say_all(driver: Driver, game: Game, lines: list[Assertion]) -> None:
    twin = game.twin
    for one in lines:
        if not twin.would_hold(one):
            twin.lines[line_of(one)] = said_again(twin.lines.get(line_of(one)), one)
            with driver.kb.write():
                driver.put(one, replace=False)
    twin.belief = Belief(twin.world())
