"""What honest agents say at the table of `test_adversary`, and what the adversary.

A move is drawn blindly; a pick is one of the rows or lines that there are then.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import NamedTuple

from hypothesis import strategies as st

from hostile.adversary import EVE, HONEST, NAMES, Line
from kb.engine_moves import DECLARATIONS, FACTS, RULES, UNIVERSAL
from koinii.terms import Term, read
from koinii.terms.canonical import canonical
from koinii.terms.term import Symbol

UNIVERSE = "CxUniverse"
OWN = {agent: f"Cx{agent[5:]}" for agent in (*HONEST, EVE)}
EVES = ("CxEve", "CxAgentAgentEve")
SHARED = ("CxDeploy", "CxDeploy", "CxOps", UNIVERSE)
HONEST_CONTEXTS = (*(OWN[one] for one in HONEST), "CxAgentAgentAnn", *SHARED)
CONTEXTS = (*HONEST_CONTEXTS, *EVES)
FORBIDDEN = ("CxRegistry", "CxMajority", "CxCore", "CxSpeechActs")

# Moves -----------------------------------------------------------------------------


class Answer(NamedTuple):
    """A mask or a reply, about one of the rows that the plain seat has."""

    agent: str
    context: str
    is_mask: bool
    pick: int


class TakeBack(NamedTuple):
    """One of the lines of a seat's agents is withdrawn."""

    pick: int


class Decide(NamedTuple):
    """A statement about somebody's key or standing, signed by a key of the lair."""

    kind: str
    agent: str  # under whose name, and in whose file


Move = Line | Answer | TakeBack | Decide


def places(agent: str) -> st.SearchStrategy[str]:
    """Where an agent mostly speaks."""
    return st.sampled_from([OWN.get(agent, "CxDeploy")] * 4 + list(SHARED))


def edges(contexts: tuple[str, ...]) -> st.SearchStrategy[Term]:
    named = st.sampled_from(contexts).map(Symbol)
    return st.tuples(st.just(Symbol("genlCx")), named, named)


def joins(agent: str) -> st.SearchStrategy[Term]:
    channel = st.sampled_from(["CxDeploy", "CxOps"]).map(Symbol)
    own = Symbol(OWN.get(agent, "CxDeploy"))
    return channel.map(lambda one: (Symbol("genlCx"), one, own))


@st.composite
def sayings(
    draw: st.DrawFn,
    agents: tuple[str, ...],
    contexts: tuple[str, ...],
    where: Callable[[str], st.SearchStrategy[str]],
) -> Line | Answer | TakeBack:
    agent = draw(st.sampled_from(agents))
    kind = draw(st.sampled_from(KINDS))
    context = draw(where(agent))
    if kind == "answer":
        return Answer(agent, context, draw(st.booleans()), draw(PICKS))
    if kind == "take back":
        return TakeBack(draw(PICKS))
    if kind == "fact":
        strength = draw(st.sampled_from(["default", "monotonic"]))
        return Line(agent, context, draw(FACTS), strength)
    if kind == "rule":
        wrappers = draw(st.sets(st.sampled_from(["default", "inert"]), max_size=1))
        return Line(agent, context, draw(RULES), "default", frozenset(wrappers))
    if kind == "declare":
        return Line(agent, context, draw(DECLARATIONS), "monotonic")
    said = {"edge": edges(contexts), "join": joins(agent), "mark": UNIVERSAL}[kind]
    return Line(agent, UNIVERSE, draw(said), "monotonic")


KINDS = (
    *(["fact"] * 5 + ["rule"] * 3 + ["answer"] * 3 + ["take back"] * 2),
    *("declare", "edge", "edge", "join", "join", "mark"),
)
PICKS = st.integers(0, 40)
DECISIONS = ("grant", "grant after", "revoke", "revoke as admin", "retire", "rotate")
# What belongs in no such file: only a tree that is made by hand shows it.
FORGERIES = ("replay", "grant at home", "revoke at home", "rotate from", "introduce")


def honest(seat: str) -> st.SearchStrategy[list[Move]]:
    agents = tuple(one for one, place in HONEST.items() if place == seat)
    return st.lists(sayings(agents, HONEST_CONTEXTS, places), min_size=1, max_size=4)


def anywhere(_: str) -> st.SearchStrategy[str]:
    return st.sampled_from([*CONTEXTS, *FORBIDDEN, "CxEve", "CxEve"])


def dishonest() -> st.SearchStrategy[list[Move]]:
    """Much under many names, and most of it as Eve."""
    names = (*NAMES, EVE, EVE, EVE, EVE)
    said = sayings(names, CONTEXTS, anywhere).map(lambda one: [one])
    parts = st.lists(st.one_of(said, said, decisions()), min_size=2, max_size=5)
    return parts.map(lambda drawn: [*chain(*drawn)])


def of_a_member() -> st.SearchStrategy[list[Move]]:
    """Eve where she may speak, now and then under other names and elsewhere."""
    own = st.sampled_from(["CxEve", "CxEve", "CxEve", *EVES, *SHARED])
    said = sayings((EVE,), CONTEXTS, lambda _: own)
    some: st.SearchStrategy[list[Move]] = st.lists(said, min_size=1, max_size=5)
    return some | dishonest()


@st.composite
def decisions(draw: st.DrawFn) -> list[Move]:
    """A statement, and something that would count if that did."""
    agent = draw(st.sampled_from(NAMES))
    fact = Line(agent, draw(places(agent)), draw(FACTS), "monotonic")
    return [Decide(draw(st.sampled_from(DECISIONS)), agent), fact]


def declared(agent: str, text: str) -> Line:
    return Line(agent, UNIVERSE, canonical(read(text)), "monotonic")


def stated(agent: str, text: str, context: str, strength: str = "default") -> Line:
    return Line(agent, context, canonical(read(text)), strength)


# What honest agents have said before: they have met, and there is something to move.
MEETING = (
    declared("AgentBob", "(channel CxDeploy)"),
    declared("AgentBob", "(channel CxOps)"),
    declared("AgentBob", "(genlCx CxDeploy CxUniverse)"),
    declared("AgentBob", "(genlCx CxOps CxAnn)"),
    declared("AgentCid", "(genlCx CxDeploy CxCid)"),
    declared("AgentAnn", "(genlCx CxDeploy CxAnn)"),
    declared("AgentDan", "(genlCx CxDeploy CxDan)"),
    declared("AgentAnn", "(genlCx CxAgentAgentAnn CxAnn)"),
    stated("AgentBob", "(implies (p ?x) (q ?x))", "CxDeploy"),
    stated("AgentBob", "(implies (and (p ?x) (q ?x)) (r ?x))", "CxOps"),
    stated("AgentAnn", "(p A)", "CxAnn"),
    stated("AgentDan", "(b A B)", "CxDan"),
    stated("AgentCid", "(not (p A))", "CxCid", "monotonic"),
    stated("AgentDan", "(q A)", "CxOps"),
    declared("AgentBob", "(functional b)"),
    declared("AgentBob", "(symmetric c)"),
)
BEGINNINGS = st.sets(st.integers(0, len(MEETING) - 1), max_size=6).map(
    lambda gone: [one for at, one in enumerate(MEETING) if at not in gone]
)
