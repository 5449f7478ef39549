"""What a move comes to in a base, and the twin that it is played on.

`Game.play` makes of a move a `Deed` that names real lines and locators, lets the
twin do it, and hands it back to be done elsewhere too (None: the boundary
refuses it, it happens at the other seat, or there is nothing it could touch).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from kb.engine_moves import (
    AGENTS,
    FOLLOWING,
    HERE,
    THERE,
    Introduce,
    Mask,
    Merge,
    Move,
    Reply,
    Say,
    TakeBack,
    Trust,
)
from koinii.terms.term import Symbol, Term
from reference.encoding_twin import encoded, locator
from reference.engine_frame_twin import MASK, Assertion
from reference.engine_seat_twin import (
    Admits,
    Line,
    TwinSeat,
    admitted,
    line_of,
    said_again,
)

INTRODUCED = AGENTS[:2]
LOCAL = ("CxDisputes", "CxLocal")


class Said(NamedTuple):
    """A line of this seat."""

    line: Assertion


class TakenBack(NamedTuple):
    """A locator that an agent of this seat no longer asserts."""

    agent: str
    locator: str


class Merged(NamedTuple):
    """All live lines of the other seat."""

    seat: str
    lines: tuple[Assertion, ...]


Deed: TypeAlias = Said | TakenBack | Merged | Trust | Introduce


# Playing -----------------------------------------------------------------------


class Game:
    """The twin of one seat, and the lines of another that it has yet to see."""

    def __init__(
        self,
        vocabulary: Iterable[tuple[str, Term]] = (),
        admits: Admits = admitted,
    ) -> None:
        self.twin = TwinSeat(HERE, vocabulary, LOCAL, admits)
        self.there: dict[Line, Assertion] = {}
        for agent in INTRODUCED:
            self.twin.introduce(agent)

    def play(self, move: Move) -> Deed | None:
        """Do a move here, and return what was done."""
        deed = self.deed(move)
        if deed is not None:
            do(self.twin, deed)
        return deed

    def deed(self, move: Move) -> Deed | None:
        """Say what a move comes to as things stand; lines elsewhere move at once."""
        if isinstance(move, Merge):
            return Merged(THERE, tuple(self.there.values()))
        if isinstance(move, Trust | Introduce):
            return move
        if isinstance(move, TakeBack):
            return self._taken_back(move)
        line = self._line(move)
        if line is None or self.twin.would_hold(line):
            return None
        if line.seat == THERE:
            earlier = self.there.get(line_of(line))
            self.there[line_of(line)] = said_again(earlier, line)
            return None
        return Said(line)

    def _line(self, move: Say | Mask | Reply) -> Assertion | None:
        if isinstance(move, Say):
            return Assertion(*move)
        target = None if move.pick is None else self._row(move.pick)
        if isinstance(move, Reply):
            named = move.missing if target is None else target
            sentence: Term = (Symbol(FOLLOWING), Symbol(move.agent), handle(named))
            strength = "default"
        elif target is None:
            return None
        else:
            sentence, strength = (Symbol(MASK), handle(target)), "monotonic"
        return Assertion(move.agent, move.seat, move.context, sentence, strength)

    def _row(self, pick: int) -> str | None:
        """One of the rows that are stored and not shipped."""
        shipped = self.twin.belief.frame.shipped
        rows = sorted(row.locator for row in self.twin.belief.stored - shipped)
        return rows[pick % len(rows)] if rows else None

    def _taken_back(self, move: TakeBack) -> Deed | None:
        lines = self.there if move.seat == THERE else self.twin.lines
        mine = sorted(
            (one.context, encoded(one.sentence), line)
            for line, one in lines.items()
            if one.author == (move.agent, move.seat)
        )
        if not mine:
            return None
        line = mine[move.pick % len(mine)][2]
        one = lines[line]
        if move.seat == THERE:
            del self.there[line]
            return None
        return TakenBack(move.agent, locator(one.context, one.sentence))


def do(twin: TwinSeat, deed: Deed) -> None:
    if isinstance(deed, Said):
        twin.edit(deed.line.agent, [deed.line], [])
    elif isinstance(deed, TakenBack):
        twin.retract(deed.agent, deed.locator)
    elif isinstance(deed, Merged):
        twin.merge(deed.seat, deed.lines)
    elif isinstance(deed, Introduce):
        twin.introduce(deed.agent)
    else:
        author = (deed.agent, deed.seat)
        twin.set_standing(author, arbiter=deed.arbiter, moderator=deed.moderator)


def handle(target: str) -> Term:
    return (Symbol("sentexHandle"), target)
