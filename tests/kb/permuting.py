"""Moves on a seat, the orders in which they may come, and how a seat ends.

Order does not matter, but for what is an act upon what is there: a retraction
follows what it withdraws, and stays on its side of the replies to it and of the
masks on it, because taking a target away withdraws them (decision 6).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice, permutations
from pathlib import Path
from random import Random
from shutil import copytree, rmtree
from tempfile import mkdtemp
from typing import NamedTuple

from koinii.seat.seat import Seat
from koinii.store.network import unpack
from seat.made import Clock, fast_directory, make_seat, open_seat

ATLAS, BOREAS = "AgentAtlas", "AgentBoreas"
LOCAL_CONTEXT = "CxScratch"  # behind the seat's membrane
SMALL = 5  # moves: all orders of so many are played
ORDERS = 500 if os.environ.get("KOINII_SOAK") else 60


class Say(NamedTuple):
    """An agent's assertion; `{n}` in the text is the locator of move n's sentence."""

    text: str
    context: str = "CxA"
    agent: str = ATLAS
    strength: str | None = None


class Unsay(NamedTuple):
    """The withdrawal, by its author, of what move number `move` said."""

    move: int


class Swap(NamedTuple):
    """One edit: a sentence added beside what move number `move` said, that gone."""

    move: int
    text: str


class Member(NamedTuple):
    """An agent that is no moderator from now on, nor an arbiter."""

    agent: str


Move = Say | Unsay | Swap | Member


class Scenario(NamedTuple):
    """Moves, and pairs (earlier, later) whose order is kept besides the rules'."""

    name: str
    moves: tuple[Move, ...]
    kept: tuple[tuple[int, int], ...] = ()


class End(NamedTuple):
    """How a seat ends: nothing in it depends on row ids."""

    labels: dict[str, int]  # by locator
    premises: frozenset[str]
    grounds: frozenset[tuple[str, str, tuple[str, ...]]]  # conclusion, rule, facts
    clashes: frozenset[tuple[str, frozenset[tuple[str, bool]]]]  # kind, who may fall
    contradictions: list[str]
    conflicts: list[str]
    root: str


# Orders -----------------------------------------------------------------------


def orders(scenario: Scenario, limit: int = ORDERS) -> Iterator[tuple[int, ...]]:
    """Yield the orders to play: all where the moves are few, else random ones."""
    count = len(scenario.moves)
    kept = _kept_pairs(scenario)
    if count <= SMALL:
        for order in permutations(range(count)):
            place = {move: at for at, move in enumerate(order)}
            if all(place[first] < place[then] for first, then in kept):
                yield order
        return
    source = Random(scenario.name)
    yield from islice(_random_orders(count, kept, source), limit)


def _random_orders(
    count: int, kept: set[tuple[int, int]], source: Random
) -> Iterator[tuple[int, ...]]:
    while True:
        left = list(range(count))
        order: list[int] = []
        while left:
            free = [
                move
                for move in left
                if not any(then == move and first in left for first, then in kept)
            ]
            order.append(source.choice(free))
            left.remove(order[-1])
        yield tuple(order)


def _kept_pairs(scenario: Scenario) -> set[tuple[int, int]]:
    """Return the pairs of moves that stay in the order given."""
    moves = scenario.moves
    withdrawals = [at for at, one in enumerate(moves) if isinstance(one, Unsay | Swap)]
    pairs = set(scenario.kept)
    for at in withdrawals:
        withdrawn = moves[at].move  # type: ignore[union-attr]
        for other, move in enumerate(moves):
            if other == at or isinstance(move, Member):
                continue
            touches = _said(moves, other) == _said(moves, withdrawn)
            if touches or (isinstance(move, Say) and _names(moves, other, withdrawn)):
                pairs.add((min(at, other), max(at, other)))
    return pairs


def _said(moves: Sequence[Move], at: int) -> object:
    """Return what a move puts forward or takes back: author, place and sentence."""
    move = moves[at]
    if isinstance(move, Say):
        return move.agent, move.context, move.text
    assert not isinstance(move, Member)
    return _said(moves, move.move)


def _names(moves: Sequence[Move], at: int, target: int) -> bool:
    """Tell whether a sentence names another, or one that names it."""
    move = moves[at]
    assert isinstance(move, Say)
    named = [int(part.split("}")[0]) for part in move.text.split("{")[1:]]
    return any(
        _said(moves, one)[1:] == _said(moves, target)[1:]  # type: ignore[index]
        or _names(moves, one, target)
        for one in named
    )


# Playing ----------------------------------------------------------------------


class Ground:
    """New seats of two agents, cheap: each a copy of one in memory."""

    def __init__(self) -> None:
        self._folder = Path(mkdtemp(prefix="koinii-orders-", dir=fast_directory()))
        self._first = self._folder / "first"
        seat = make_seat(self._first, ATLAS, BOREAS)
        with seat.kb.write():
            structure = seat.kb.parts.structure
            structure.rows.make_local(seat.kb.names.make_context(LOCAL_CONTEXT))
            structure.forget_owners()
        seat.close()

    def remove(self) -> None:
        rmtree(self._folder)

    def first_difference(self, scenario: Scenario) -> tuple[int, ...] | None:
        """Return the first order that ends otherwise than the order given."""
        given = self.play(scenario, range(len(scenario.moves)))
        for order in orders(scenario):
            if self.play(scenario, order) != given:
                return order
        return None

    def play(self, scenario: Scenario, order: Sequence[int]) -> End:
        """Play the moves in an order on a new seat; say how it ends."""
        path = self._folder / "played"
        copytree(self._first, path)
        seat = open_seat(path, now=Clock())
        try:
            for at in order:
                make(seat, scenario.moves, at)
            return end_of(seat)
        finally:
            seat.close()
            rmtree(path)


def make(seat: Seat, moves: Sequence[Move], at: int) -> None:
    """Make one move; what a seat is told is always stored."""
    move = moves[at]
    if isinstance(move, Say):
        report = seat.load(
            [text_of(seat, moves, at)],
            context=move.context,
            agent=move.agent,
            strength=move.strength,
        )
        assert not report.refused, report.refused
        return
    if isinstance(move, Member):
        with seat.kb.write():
            author = seat.kb.names.make_author(move.agent, seat.id)
            seat.kb.set_standing(author, arbiter=False, moderator=False)
        return
    said = moves[move.move]
    assert isinstance(said, Say)
    withdrawn = locator_of(seat, moves, move.move)
    if isinstance(move, Unsay):
        seat.retract(withdrawn, agent=said.agent)
    else:
        seat.edit(
            add=[move.text],
            remove=[withdrawn],
            context=said.context,
            agent=said.agent,
        )


def text_of(seat: Seat, moves: Sequence[Move], at: int) -> str:
    """Return a move's sentence with locators where it names other moves."""
    move = moves[at]
    assert isinstance(move, Say)
    pieces = move.text.split("{")
    named = [piece.partition("}") for piece in pieces[1:]]
    return pieces[0] + "".join(
        f'(sentexHandle "{locator_of(seat, moves, int(one))}")' + rest
        for one, _, rest in named
    )


def locator_of(seat: Seat, moves: Sequence[Move], at: int) -> str:
    move = moves[at]
    assert isinstance(move, Say)
    place = "CxUniverse" if move.text.startswith("(genlCx") else move.context
    return seat.locate(text_of(seat, moves, at), place)


# How a seat ends ----------------------------------------------------------------


def end_of(seat: Seat) -> End:
    """Read the whole end of a seat; O(store)."""
    query = seat.database.connection.execute
    names = {
        number: f"sha256:{digest.hex()}"
        for number, digest in query("SELECT id, digest FROM sentex")
    }
    return End(
        {
            names[number]: label
            for number, label in query(
                "SELECT id, label FROM sentex WHERE label & 8 = 0"
            )
        },
        frozenset(names[number] for (number,) in query("SELECT sentex FROM assertion")),
        frozenset(
            (names[conclusion], names[rule], tuple(names[one] for one in unpack(facts)))
            for conclusion, rule, facts in query(
                "SELECT conclusion, rule, facts FROM justification"
                " JOIN firing ON firing.id = firing"
                " JOIN footing ON footing.id = footing"
            )
        ),
        frozenset(
            (
                kind,
                frozenset({(names[lo], bool(state & 2)), (names[hi], bool(state & 4))}),
            )
            for lo, hi, kind, state in query(
                "SELECT lo, hi, kind, state FROM clash"
                " JOIN sight ON sight.id = sight WHERE state & 1"
            )
        ),
        list(map(repr, seat.contradictions())),
        list(map(repr, seat.conflicts())),
        seat.kb.root()[0].hex(),
    )
