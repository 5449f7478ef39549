"""Moves over a small world, as plain data, for the engine and its twin alike.

A `Move` is drawn blindly; what it comes to in a base is `engine_game`'s to say.

    CxAnn CxAgentAgentAnn CxBob   owned; CxEve too once AgentEve is introduced
    CxDeploy CxOps                channel and convened where declared, else nobody's
    CxLocal                       behind the membrane
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from hypothesis import strategies as st

from koinii.terms import read
from koinii.terms.canonical import canonical
from koinii.terms.term import Symbol, Term
from reference.encoding_twin import locator
from reference.engine_frame_twin import UNIVERSE

HERE, THERE = "here", "there"
AGENTS = ("AgentAnn", "AgentBob", "AgentEve")
SHARED = ("CxDeploy", "CxOps", UNIVERSE, "CxEve", "CxLocal")
OWN = {
    "AgentAnn": ("CxAnn", "CxAgentAgentAnn"),
    "AgentBob": ("CxBob",),
    "AgentEve": ("CxEve",),
}
CONTEXTS = ("CxAnn", "CxBob", "CxAgentAgentAnn", *SHARED)
TYPES = ("p", "q", "r")
BINARY = ("b", "c")
FOLLOWING = "endorses"


# Moves -------------------------------------------------------------------------


class Say(NamedTuple):
    """An author says a sentence, for the first time or again."""

    agent: str
    seat: str
    context: str
    sentence: Term
    strength: str
    wrappers: frozenset[str] = frozenset()


class Mask(NamedTuple):
    """An author masks one of the rows there are."""

    agent: str
    seat: str
    context: str
    pick: int


class Reply(NamedTuple):
    """An author answers a row, or what may never come to be."""

    agent: str
    seat: str
    context: str
    pick: int | None
    missing: str


class TakeBack(NamedTuple):
    """An author retracts one of the lines it has at that seat."""

    agent: str
    seat: str
    pick: int


class Trust(NamedTuple):
    """An author's standing changes."""

    agent: str
    seat: str
    arbiter: bool
    moderator: bool


class Introduce(NamedTuple):
    """An agent becomes known, and owns its contexts from now on."""

    agent: str


class Merge(NamedTuple):
    """What the other seat says now is applied here."""


Move: TypeAlias = Say | Mask | Reply | TakeBack | Trust | Introduce | Merge


# Strategies --------------------------------------------------------------------


def names(words: tuple[str, ...]) -> st.SearchStrategy[Symbol]:
    return st.sampled_from(words).map(Symbol)


VALUES = names(("A", "A", "B")) | st.just(1)
VARIABLES = st.sampled_from([Symbol("?x"), Symbol("?x"), Symbol("?y"), Symbol("A")])


def atoms(values: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.tuples(names(TYPES), values) | st.tuples(names(BINARY), values, values)


def signed(literals: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    """One in three is negative."""
    return st.tuples(literals, st.integers(0, 2)).map(
        lambda drawn: drawn[0] if drawn[1] else (Symbol("not"), drawn[0])
    )


def texts(*sentences: str) -> st.SearchStrategy[Term]:
    return st.sampled_from([canonical(read(one)) for one in sentences])


# Sentences that have to do with one another, drawn as often as all others.
FACTS = signed(atoms(VALUES)) | texts(
    *("(p A)", "(not (p A))", "(q A)", "(not (q A))", "(r A)"),
    *("(b A B)", "(b B A)", "(b A 1)", "(not (b B A))", "(c A B)"),
)
RULES = texts(
    "(implies (p ?x) (q ?x))",
    "(implies (q ?x) (not (p ?x)))",
    "(implies (q ?x) (r ?x))",
    "(implies (r ?x) (p ?x))",
    "(implies (and (p ?x) (q ?x)) (r ?x))",
    "(implies (not (p ?x)) (r ?x))",
    "(implies (b ?x ?y) (p ?x))",
    "(implies (b ?x A) (q ?x))",
    "(implies (c ?x ?y) (b ?x ?y))",
    "(implies (and (b ?x ?y) (b ?y ?x)) (r ?x))",
    "(implies (and (p ?x) (b ?x ?y) (different ?x ?y)) (c ?x ?y))",
    "(implies (endorses ?a ?t) (p A))",
)
DECLARATIONS = texts(
    *("(genl p q)", "(genl q r)", "(genl b c)", "(functional b)", "(functional c)"),
    *("(disjoint p r)", "(disjoint p q)"),
)


@st.composite
def rules(draw: st.DrawFn) -> Term:
    """One or two antecedents, perhaps a test of what they bind."""
    body = draw(st.lists(signed(atoms(VARIABLES)), min_size=1, max_size=2))
    bound = sorted({one for one in ("?x", "?y") if one in repr(body)})
    known = names(tuple(bound)) if bound else VALUES
    if draw(st.integers(0, 3)) == 0:
        words = names(("lessThan", "different", "equals"))
        body.append(draw(signed(st.tuples(words, known, known | VALUES))))
    goal = draw(signed(atoms(known)))
    joined = body[0] if len(body) == 1 else (Symbol("and"), *body)
    return canonical((Symbol("implies"), joined, goal))


@st.composite
def structural(draw: st.DrawFn, agent: str) -> tuple[str, Term]:
    """A declaration and where it stands."""
    kind = draw(st.sampled_from(["edge", "edge", "universal", "any", "any"]))
    if kind == "any":
        return draw(places(agent) | st.just(UNIVERSE)), draw(DECLARATIONS)
    if kind == "universal":
        return UNIVERSE, draw(UNIVERSAL)
    return UNIVERSE, (Symbol("genlCx"), draw(names(CONTEXTS)), draw(names(CONTEXTS)))


@st.composite
def meetings(draw: st.DrawFn) -> Say | Trust:
    """What edges by members hang on: a channel, somebody's standing; and they."""
    agent, seat = draw(st.sampled_from(AGENTS)), draw(SEATS)
    kind = draw(st.sampled_from(["channel", "join", "join", "trust"]))
    if kind == "trust":
        return Trust(agent, seat, draw(MOSTLY), draw(st.booleans()))
    meeting = draw(names(("CxDeploy", "CxDeploy", "CxOps", "CxEve")))
    said = [Symbol("channel"), meeting]
    if kind == "join":
        said = [Symbol("genlCx"), meeting, Symbol(OWN[agent][0])]
    return Say(agent, seat, UNIVERSE, tuple(said), "monotonic")


UNIVERSAL = texts(
    *("(symmetric b)", "(symmetric c)", "(targetFollowingPredicate endorses)"),
    *("(channel CxDeploy)", "(channel CxEve)", "(convened CxOps)"),
)


@st.composite
def sayings(draw: st.DrawFn) -> Say:
    agent, seat = draw(st.sampled_from(AGENTS)), draw(SEATS)
    context = draw(places(agent))
    kind = draw(st.sampled_from(["fact"] * 4 + ["rule"] * 2 + ["structural"] * 3))
    strength = draw(st.sampled_from(["default", "monotonic"]))
    if kind == "fact":
        return Say(agent, seat, context, draw(FACTS), strength)
    if kind == "rule":
        wrappers = draw(st.sets(st.sampled_from(["default", "default", "inert"])))
        rule = draw(rules() | RULES)
        return Say(agent, seat, context, rule, strength, frozenset(wrappers))
    context, sentence = draw(structural(agent))
    return Say(agent, seat, context, sentence, "monotonic")


def places(agent: str) -> st.SearchStrategy[str]:
    mostly = [*OWN[agent], "CxDeploy"] * 3
    return st.sampled_from([*mostly, *SHARED])


SEATS = st.sampled_from([HERE, HERE, HERE, THERE])
PICKS = st.integers(0, 30)
MISSING = st.builds(locator, st.sampled_from(CONTEXTS), FACTS)


@st.composite
def answers(draw: st.DrawFn) -> Mask | Reply:
    agent, seat = draw(st.sampled_from(AGENTS)), draw(SEATS)
    context = draw(places(agent))
    if draw(st.booleans()):
        return Mask(agent, seat, context, draw(PICKS))
    return Reply(agent, seat, context, draw(st.none() | PICKS), draw(MISSING))


@st.composite
def moves(draw: st.DrawFn) -> Move:
    """Any move, sayings most of the time."""
    kind = draw(st.sampled_from(KINDS))
    if kind == "say":
        return draw(sayings())
    if kind == "answer":
        return draw(answers())
    if kind == "meeting":
        return draw(meetings())
    agent, seat = draw(st.sampled_from(AGENTS)), draw(SEATS)
    if kind == "take back":
        return TakeBack(agent, seat, draw(PICKS))
    if kind == "trust":
        return Trust(agent, seat, draw(MOSTLY), draw(MOSTLY))
    return Introduce("AgentEve") if kind == "introduce" else Merge()


KINDS = (
    *(["say"] * 10 + ["answer"] * 3 + ["take back"] * 3 + ["merge"] * 2),
    *("trust", "introduce", "meeting", "meeting", "meeting"),
)
MOSTLY = st.sampled_from([True, True, False])


def beginnings() -> st.SearchStrategy[list[Move]]:
    """Most of what lets agents meet: a channel, who joined it, marks.

    One time in two an agent is a member, no more, and joins by another's leave.
    """
    some = st.lists(st.integers(0, 3), min_size=len(MEETING), max_size=len(MEETING))
    members = st.sampled_from([(), (), (), *ONE_IS_A_MEMBER])
    return st.tuples(some, members).map(
        lambda drawn: [
            *(one for one, kept in zip(MEETING, drawn[0], strict=True) if kept),
            *drawn[1],
        ]
    )


def declared(agent: str, *words: str) -> Move:
    sentence = tuple(map(Symbol, words))
    return Say(agent, HERE, UNIVERSE, sentence, "monotonic")


MEETING = (
    declared("AgentAnn", "channel", "CxDeploy"),
    declared("AgentAnn", "genlCx", "CxDeploy", "CxAnn"),
    declared("AgentBob", "genlCx", "CxDeploy", "CxBob"),
    declared("AgentBob", "genlCx", "CxDeploy", UNIVERSE),
    declared("AgentAnn", "genlCx", "CxOps", "CxAnn"),
    declared("AgentBob", "genlCx", "CxOps", "CxBob"),
    declared("AgentEve", "genlCx", "CxEve", "CxAnn"),
    declared("AgentEve", "genlCx", "CxEve", "CxBob"),
    declared("AgentAnn", "genlCx", "CxAgentAgentAnn", "CxAnn"),
    declared("AgentBob", "genlCx", "CxLocal", "CxDeploy"),
    declared("AgentBob", "targetFollowingPredicate", FOLLOWING),
    declared("AgentBob", "symmetric", "b"),
)
ANN_IS_A_MEMBER = Trust("AgentAnn", HERE, arbiter=True, moderator=False)
BY_ANOTHER = (
    declared("AgentBob", "channel", "CxDeploy"),
    declared("AgentBob", "genlCx", "CxOps", "CxAnn"),
)
ONE_IS_A_MEMBER = ((ANN_IS_A_MEMBER,), *((one, ANN_IS_A_MEMBER) for one in BY_ANOTHER))
