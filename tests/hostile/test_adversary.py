"""In mode proof-tier no key without standing moves anything of honest agents.

Two seats hear the same honest agents in the same order; one of them hears an
adversary too, which signs and says whatever it likes with the keys it has.

As a stranger it changes nothing at all. As a member, no more, it adds what it says
and what follows from that, and leaves labels, masks, places and locators of all
others alone, as long as it does not both join a channel and see others: what a
member brings along is the last test.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from hostile.adversary import EVE, HARBOUR, HONEST, OFFICE, Line
from hostile.adversary_moves import (
    BEGINNINGS,
    DECISIONS,
    EVES,
    FORGERIES,
    MEETING,
    Decide,
    Move,
    declared,
    dishonest,
    honest,
    of_a_member,
    stated,
)
from hostile.adversary_table import (
    Shown,
    Table,
    beside_of,
    compare_as_member,
    shown_of,
)
from koinii import RemoteSeat
from koinii.errors import KoiniiError
from koinii.terms.term import Symbol, Term
from remote.desks import SOAK, examples

STRANGER, MEMBER = False, True
STEPS = 20 if SOAK else 10


# As a stranger ---------------------------------------------------------------------


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
        """A tree made by hand, once: its seat's head is not its own after that."""
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


COMING = (
    declared(EVE, "(genlCx CxDeploy CxEve)"),
    declared(EVE, "(genlCx CxOps CxEve)"),
    declared(EVE, "(genlCx CxEve CxAnn)"),
    declared(EVE, "(genlCx CxEve CxCid)"),
    declared(EVE, "(genlCx CxEve CxDan)"),
    declared(EVE, "(genlCx CxEve CxUniverse)"),
    declared(EVE, "(genlCx CxAgentAgentEve CxEve)"),
)
JOINING = 2  # of these make channels see Eve, the others her see others


class MemberMachine(StrangerMachine):
    """The adversary's AgentEve is a member, no more.

    In a run it joins channels, or it sees others; not both.
    """

    IS_GRANTED = MEMBER
    joins = True

    @initialize(joins=st.booleans())
    def choose(self, joins: bool) -> None:  # noqa: FBT001 - drawn
        self.joins = joins
        said = [edge for at, edge in enumerate(COMING) if (at < JOINING) == joins]
        self.table.strike([*said])

    @rule(moves=honest(OFFICE))
    def the_office_speaks(self, moves: list[Move]) -> None:
        super().the_office_speaks(list(filter(leaves_eve_alone, moves)))

    @rule(moves=honest(HARBOUR))
    def the_harbour_speaks(self, moves: list[Move]) -> None:
        super().the_harbour_speaks(list(filter(leaves_eve_alone, moves)))

    @rule(moves=of_a_member())
    def the_adversary_speaks(self, moves: list[Move]) -> None:
        super().the_adversary_speaks([one for one in moves if self._may(one)])

    def _may(self, move: Move) -> bool:
        """Leave out either what Eve lets her own context see, or what sees that."""
        edge = edge_of(move)
        if edge is None or edge == EVES[::-1]:
            return True
        return (edge[1] not in EVES) if not self.joins else (edge[0] not in EVES)

    def check(self, plain: Shown, exposed: Shown) -> None:
        beside = beside_of(self.table.exposed, self.table.lair.id)
        compare_as_member(plain, exposed, beside)


def edge_of(move: Move) -> tuple[str, str] | None:
    if not isinstance(move, Line) or not isinstance(move.sentence, tuple):
        return None
    if move.sentence[0] != Symbol("genlCx"):
        return None
    _, sub, above = move.sentence
    assert isinstance(sub, Symbol)
    assert isinstance(above, Symbol)
    return sub.name, above.name


def leaves_eve_alone(move: Move) -> bool:
    """Whether a move says nothing of a member's contexts: no edge, no declaration.

    Her own context is hers by her introduction, so that a channel of its name is
    refused where she is known and stands where she is not (decision 5).
    """
    return not isinstance(move, Line) or not names_any(move.sentence, EVES)


def names_any(said: Term, names: Collection[str]) -> bool:
    if isinstance(said, tuple):
        return any(names_any(part, names) for part in said)
    return isinstance(said, Symbol) and said.name in names


def test_the_honest_leave_a_members_contexts_alone() -> None:
    about_her = ["(channel CxEve)", "(genlCx CxOps CxEve)", "(p (f CxAgentAgentEve))"]
    assert not [one for one in about_her if leaves_eve_alone(declared("AgentBob", one))]
    assert leaves_eve_alone(declared("AgentBob", "(channel CxDeploy)"))


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
