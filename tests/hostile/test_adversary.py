"""In mode proof-tier no key without standing moves anything of honest agents.

Two seats hear the same honest agents in the same order; one of them hears an
adversary too, which signs and says whatever it likes with the keys it has.

As a stranger it changes nothing at all. As a member, no more, it adds what it says
and what follows from that, and leaves labels, masks, places and locators of all
others alone, as long as it does not both join a channel and see others: what a
member brings along is the last test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from hostile.adversary import (
    EVE,
    EXPOSED,
    HARBOUR,
    HONEST,
    LAIR,
    NAMES,
    OFFICE,
    PLAIN,
    Line,
    drop,
    key_of,
    misfiled,
    put,
    replayed,
    said_at,
    seated,
    sign_in,
    strike,
)
from kb.engine_moves import DECLARATIONS, FACTS, RULES, UNIVERSAL
from kb.permuting import End, end_of
from koinii import RemoteSeat
from koinii.errors import KoiniiError
from koinii.note.statements import (
    Grant,
    Introduction,
    Known,
    Retirement,
    Revocation,
    Rotation,
    statement_hash,
)
from koinii.remote.applying import Applied
from koinii.store.sentexes import BELIEVED, WAITING
from koinii.terms import Term, read
from koinii.terms.canonical import canonical
from koinii.terms.term import Symbol
from koinii.trust.names import ADMIN
from remote.desks import SOAK, examples, hand_over, take

STRANGER, MEMBER = False, True
UNIVERSE = "CxUniverse"
OWN = {agent: f"Cx{agent[5:]}" for agent in (*HONEST, EVE)}
EVES = ("CxEve", "CxAgentAgentEve")
SHARED = ("CxDeploy", "CxDeploy", "CxOps", UNIVERSE)
HONEST_CONTEXTS = (*(OWN[one] for one in HONEST), "CxAgentAgentAnn", *SHARED)
CONTEXTS = (*HONEST_CONTEXTS, *EVES)
FORBIDDEN = ("CxRegistry", "CxMajority", "CxCore", "CxSpeechActs")
NO_ONE = bytes(32)
STEPS = 20 if SOAK else 10

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
    parts = st.lists(st.one_of(said, said, decisions()), min_size=1, max_size=4)
    return parts.map(lambda drawn: [*chain(*drawn)])


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
BEGINNINGS = st.sets(st.integers(0, len(MEETING) - 1), max_size=4).map(
    lambda gone: [one for at, one in enumerate(MEETING) if at not in gone]
)


# The table -------------------------------------------------------------------------


class Table:
    """The seats, what they are told, and how the two that listen compare."""

    def __init__(self, *, is_granted: bool) -> None:
        self._stack = ExitStack()
        self.seats = self._stack.enter_context(seated(is_granted=is_granted))
        self.plain, self.exposed = self.seats[PLAIN], self.seats[EXPOSED]
        self.lair = self.seats[LAIR]

    def close(self) -> None:
        self._stack.close()

    def hear(self, name: str, moves: list[Move]) -> None:
        """Let honest agents of a seat say this, and both listen."""
        seat = self.seats[name]
        for move in moves:
            self._make(seat, move)
        if seat.commit() is not None:
            for listening in (self.plain, self.exposed):
                hand_over(seat, listening)

    def strike(self, moves: list[Move]) -> Applied | None:
        """Let the adversary do this, and the exposed seat hear of it."""
        for move in moves:
            if isinstance(move, Decide):
                file, statement = decision(self, move.kind, move.agent)
                sign_in(self.lair, file, statement)
            else:
                self._make(self.lair, move)
        return strike(self.lair, self.exposed)

    def forge(self, kind: str, agent: str) -> Applied:
        """Show the exposed seat a tree of the lair that was made by hand."""
        if kind == "replay":
            files = replayed(self.lair, self.seats[HONEST[agent]], agent)
        else:
            files = misfiled(self.lair, *decision(self, kind, agent))
        return take(self.exposed, files, self.lair.id)

    def _make(self, seat: RemoteSeat, move: Move) -> None:
        assert not isinstance(move, Decide)
        if isinstance(move, Line):
            put(seat, [move])
        elif isinstance(move, Answer):
            target = self._row(move.pick)
            handle = (Symbol("sentexHandle"), target)
            words: Term = (Symbol("endorses"), Symbol(move.agent), handle)
            if move.is_mask:
                words = (Symbol("except"), handle)
            strength = "monotonic" if move.is_mask else "default"
            put(seat, [Line(move.agent, move.context, words, strength)])
        elif said := said_at(seat):
            drop(seat, *said[move.pick % len(said)])

    def _row(self, pick: int) -> str:
        """One of the rows that the plain seat has, which honest agents know of."""
        rows = self.plain.database.connection.execute(
            "SELECT digest FROM sentex WHERE label & 8 = 0 ORDER BY digest"
        ).fetchall()
        return f"sha256:{rows[pick % len(rows)][0].hex()}"


def decision(table: Table, kind: str, agent: str) -> tuple[str, Known]:
    """Return what the adversary signs, with the agent in whose file it stands."""
    lair, home = table.lair, table.seats[HONEST.get(agent, OFFICE)]
    mine = key_of(lair, agent).public
    theirs = key_of(home, agent).public if agent in HONEST else mine
    everything = ("arbiter *", "member", "moderator *")
    grants = table.seats[OFFICE].weighing().counting.grants
    before = statement_hash(grants[agent]) if agent in grants else NO_ONE
    revoked = Revocation(agent, theirs.key_hash, "*", 0, "it was mine")
    granted = Grant(agent, mine, everything, None, 1 << 50)
    found: dict[str, tuple[str, Known]] = {
        "grant": (ADMIN, granted),
        "grant after": (ADMIN, replace(granted, previous=before)),
        "revoke": (agent, revoked),
        "revoke as admin": (ADMIN, revoked),
        "retire": (agent, Retirement(agent, theirs.key_hash, home.id, 0)),
        "rotate": (agent, Rotation(agent, mine.key_hash, theirs, lair.id, 1000)),
        "grant at home": (agent, granted),
        "revoke at home": (EVE, revoked),
        "rotate from": (
            agent,
            Rotation(agent, theirs.key_hash, mine, lair.id, 1000),
        ),
        "introduce": (agent, Introduction(agent, theirs, lair.id, (), 1)),
    }
    return found[kind]


# As a stranger ---------------------------------------------------------------------


class Shown(NamedTuple):
    """All that a seat makes of what honest agents have said."""

    end: End
    said: frozenset[tuple[str, str, str]]  # agent, seat, locator
    masks: frozenset[tuple[str, str]]  # locator, where it is masked
    owners: frozenset[str]


class Beside(NamedTuple):
    """What else a seat has, by which it is told what the adversary's word supports."""

    by_eve: set[str]
    names: set[tuple[str, str]]  # locator, one that it names
    contexts: dict[str, str]


def shown_of(seat: RemoteSeat, lair: str, contexts: list[str]) -> Shown:
    end = end_of(seat)
    rows = seat.database.connection.execute(
        "SELECT w.agent, w.seat, s.digest FROM assertion a JOIN author w"
        " ON w.id = a.author JOIN sentex s ON s.id = a.sentex"
    )
    masked = seat.kb.structure.masked
    return Shown(
        end,
        frozenset(
            (agent, place, f"sha256:{digest.hex()}")
            for agent, place, digest in rows
            if place != lair
        ),
        frozenset(
            (locator, context)
            for locator in end.labels
            for context in contexts
            if masked(bytes.fromhex(locator[7:]), context)
        ),
        frozenset(seat.kb.structure.owners),
    )


class StrangerMachine(RuleBasedStateMachine):
    """The adversary has keys, and standing with nobody."""

    IS_GRANTED = STRANGER

    def __init__(self) -> None:
        super().__init__()
        self.table = Table(is_granted=self.IS_GRANTED)
        self.has_forged = False

    def teardown(self) -> None:
        self.table.close()

    @initialize(said=BEGINNINGS)
    def meet(self, said: list[Line]) -> None:
        for name in (OFFICE, HARBOUR):
            self.table.hear(name, [one for one in said if HONEST[one.agent] == name])

    @rule(moves=honest(OFFICE))
    def the_office_speaks(self, moves: list[Move]) -> None:
        self.table.hear(OFFICE, moves)
        self.compare()

    @rule(moves=honest(HARBOUR))
    def the_harbour_speaks(self, moves: list[Move]) -> None:
        self.table.hear(HARBOUR, moves)
        self.compare()

    @rule(moves=dishonest())
    def the_adversary_speaks(self, moves: list[Move]) -> None:
        self.table.strike(moves)
        self.compare()

    @precondition(lambda self: not self.has_forged)
    @rule(kind=st.sampled_from(FORGERIES), agent=st.sampled_from(sorted(HONEST)))
    def the_adversary_forges(self, kind: str, agent: str) -> None:
        """A tree made by hand; after that its own head is no longer its own."""
        with suppress(KoiniiError):  # it may be refused whole
            self.table.forge(kind, agent)
        self.has_forged = True
        self.compare()

    def compare(self) -> None:
        contexts = sorted(self.table.plain.kb.names.contexts())
        plain, exposed = (
            shown_of(seat, self.table.lair.id, contexts)
            for seat in (self.table.plain, self.table.exposed)
        )
        self.check(plain, exposed)

    def check(self, plain: Shown, exposed: Shown) -> None:
        assert exposed == plain


few = settings(
    max_examples=examples(15),
    stateful_step_count=STEPS,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

TestStranger = StrangerMachine.TestCase
TestStranger.settings = few


# As a member -----------------------------------------------------------------------


class MemberMachine(StrangerMachine):
    """The adversary's AgentEve is a member, no more.

    In a run it joins channels, or it sees others; not both.
    """

    IS_GRANTED = MEMBER
    joins = True

    @initialize(joins=st.booleans())
    def choose(self, joins: bool) -> None:  # noqa: FBT001 - drawn
        self.joins = joins

    @rule(moves=honest(OFFICE))
    def the_office_speaks(self, moves: list[Move]) -> None:
        super().the_office_speaks(list(filter(leaves_eve_alone, moves)))

    @rule(moves=honest(HARBOUR))
    def the_harbour_speaks(self, moves: list[Move]) -> None:
        super().the_harbour_speaks(list(filter(leaves_eve_alone, moves)))

    @rule(moves=dishonest())
    def the_adversary_speaks(self, moves: list[Move]) -> None:
        super().the_adversary_speaks([one for one in moves if self._may(one)])

    def _may(self, move: Move) -> bool:
        """Leave out either what Eve lets her own context see, or what sees that."""
        edge = _edge_of(move)
        if edge is None or edge == EVES[::-1]:
            return True
        return (edge[1] not in EVES) if not self.joins else (edge[0] not in EVES)

    def check(self, plain: Shown, exposed: Shown) -> None:
        beside = beside_of(self.table.exposed, self.table.lair.id)
        compare_as_member(plain, exposed, beside)


def _edge_of(move: Move) -> tuple[str, str] | None:
    if not isinstance(move, Line) or not isinstance(move.sentence, tuple):
        return None
    if move.sentence[0] != Symbol("genlCx"):
        return None
    _, sub, above = move.sentence
    assert isinstance(sub, Symbol)
    assert isinstance(above, Symbol)
    return sub.name, above.name


def leaves_eve_alone(move: Move) -> bool:
    """Whether a move says nothing of a member's contexts, and not in them."""
    edge = _edge_of(move)
    return edge is None or not set(edge) & set(EVES)


def beside_of(seat: RemoteSeat, lair: str) -> Beside:
    query = seat.database.connection.execute
    said = query(
        "SELECT s.digest FROM assertion a JOIN author w ON w.id = a.author"
        " JOIN sentex s ON s.id = a.sentex WHERE w.seat = ?",
        (lair,),
    )
    named = query(
        "SELECT s.digest, t.digest FROM target t JOIN sentex s ON s.id = t.sentex"
    )
    rows = query(
        "SELECT s.digest, c.name FROM sentex s JOIN context c ON c.id = s.context"
    )
    return Beside(
        {f"sha256:{one.hex()}" for (one,) in said},
        {(f"sha256:{one.hex()}", f"sha256:{of.hex()}") for one, of in named},
        {f"sha256:{one.hex()}": context for one, context in rows},
    )


def compare_as_member(plain: Shown, exposed: Shown, beside: Beside) -> None:
    """Nothing of the honest has moved, but for what Eve's word supports beside."""
    before, after = plain.end, exposed.end
    touched = supported(exposed.end, beside)
    assert plain.said == exposed.said
    assert before.labels.keys() <= after.labels.keys()
    for locator, label in before.labels.items():
        now = after.labels[locator]
        if locator in touched:
            assert now & ~(BELIEVED | WAITING) == label & ~(BELIEVED | WAITING)
            assert now & BELIEVED >= label & BELIEVED
            assert now & WAITING <= label & WAITING
        else:
            assert now == label
    assert before.grounds <= after.grounds
    for conclusion, rule_, facts in after.grounds - before.grounds:
        ours = {rule_, *facts} & touched or {rule_, *facts} - before.labels.keys()
        assert ours or beside.contexts[conclusion] in EVES
    assert falls(before) == falls(after, before.labels)
    assert plain.masks == {
        (locator, context)
        for locator, context in exposed.masks
        if locator in before.labels and context not in EVES
    }
    assert exposed.owners - plain.owners <= set(EVES)
    assert plain.owners <= exposed.owners


def supported(end: End, beside: Beside) -> set[str]:
    """What Eve has said, what follows from it, and what answers that."""
    found = set(beside.by_eve)
    while True:
        drawn = {
            conclusion
            for conclusion, rule_, facts in end.grounds
            if {rule_, *facts} & found
        }
        answers = {one for one, target in beside.names if target in found}
        if drawn | answers <= found:
            return found
        found |= drawn | answers


def falls(end: End, among: dict[str, int] | None = None) -> set[tuple[str, object]]:
    """The seen clashes in which a side may fall, of these sentexes."""
    return {
        (kind, sides)
        for kind, sides in end.clashes
        if any(may for _, may in sides)
        and (among is None or {one for one, _ in sides} <= among.keys())
    }


TestMember = MemberMachine.TestCase
TestMember.settings = few


# What the table shows ----------------------------------------------------------------


@pytest.fixture
def table(request: pytest.FixtureRequest) -> Iterator[Table]:
    made = Table(is_granted=request.param)
    for name in (OFFICE, HARBOUR):
        made.hear(name, [one for one in MEETING if HONEST[one.agent] == name])
    yield made
    made.close()


def believes(seat: RemoteSeat, text: str, context: str) -> bool:
    found = seat.kb.find(bytes.fromhex(seat.locate(text, context)[7:]))
    return found is not None and seat.kb.is_believed(found)


@pytest.mark.parametrize("table", [STRANGER], indirect=True)
def test_there_is_something_to_move_and_the_stranger_is_held(table: Table) -> None:
    told = [stated(EVE, "(p B)", "CxEve"), stated("AgentAnn", "(p B)", "CxAnn")]
    table.strike([*told, declared(EVE, "(genlCx CxDeploy CxEve)")])

    held = {(one.agent, one.reason) for one in table.exposed.held()}
    assert held == {
        (EVE, "koinii/not-granted"),
        ("AgentAnn", "koinii/name-contested"),
    }
    assert not table.plain.held()
    for seat in (table.plain, table.exposed):
        assert believes(seat, "(q A)", "CxOps")
        assert not believes(seat, "(p A)", "CxAnn")  # the arbiter denies it
        assert not believes(seat, "(q A)", "CxDeploy")  # which would follow
        assert not believes(seat, "(p B)", "CxAnn")


@pytest.mark.parametrize("table", [STRANGER], indirect=True)
@pytest.mark.parametrize("kind", DECISIONS)
def test_what_the_stranger_signs_arrives(table: Table, kind: str) -> None:
    for agent in ("AgentAnn", "AgentBob"):
        told = stated(agent, "(p C)", "CxOps")
        applied = table.strike([Decide(kind, agent), told])

        assert applied is not None
        assert not applied.refused
        assert applied.counts.held >= 1


@pytest.mark.parametrize("table", [STRANGER], indirect=True)
@pytest.mark.parametrize("kind", FORGERIES)
def test_what_it_forges_is_refused_with_its_author(table: Table, kind: str) -> None:
    applied = table.forge(kind, "AgentAnn")

    assert len(applied.refused) == 1
    assert "statements" in applied.refused[0].path


@pytest.mark.parametrize("table", [MEMBER], indirect=True)
def test_a_member_is_believed_where_it_has_joined(table: Table) -> None:
    table.strike(
        [
            stated(EVE, "(p B)", "CxEve"),
            declared(EVE, "(genlCx CxDeploy CxEve)"),
            declared(EVE, "(genlCx CxUniverse CxEve)"),
            declared(EVE, "(genlCx CxAnn CxEve)"),
            stated(EVE, "(q B)", "CxDeploy"),
        ]
    )

    assert believes(table.exposed, "(q B)", "CxDeploy")
    assert not believes(table.plain, "(q B)", "CxDeploy")
    assert {one.reason for one in table.exposed.held()} == {
        "koinii/foreign-context",
        "koinii/no-standing",
    }


def test_a_member_brings_along_what_it_sees() -> None:
    """The limit: a channel sees through its members, and so sees what they see.

    What two channels concluded together stands in the first alone, once a member
    of that one looks at what only the other saw.
    """
    table = Table(is_granted=MEMBER)
    try:
        table.hear(
            OFFICE,
            [
                declared("AgentBob", "(channel CxDeploy)"),
                declared("AgentBob", "(channel CxOps)"),
                declared("AgentBob", "(genlCx CxOps CxDeploy)"),
                stated("AgentBob", "(implies (p ?x) (q ?x))", "CxDeploy"),
            ],
        )
        table.hear(
            HARBOUR,
            [
                declared("AgentDan", "(genlCx CxOps CxDan)"),
                stated("AgentDan", "(p D)", "CxDan"),
            ],
        )
        table.strike([declared(EVE, "(genlCx CxEve CxDan)")])
        assert believes(table.exposed, "(q D)", "CxOps")

        table.strike([declared(EVE, "(genlCx CxDeploy CxEve)")])

        assert believes(table.exposed, "(q D)", "CxDeploy")
        assert not believes(table.exposed, "(q D)", "CxOps")
        assert believes(table.plain, "(q D)", "CxOps")
    finally:
        table.close()
