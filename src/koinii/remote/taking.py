"""What was fetched, verified and applied seat by seat, none held up by another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from koinii.errors import KoiniiError, SurroundingsError
from koinii.kb.operation import Fallen
from koinii.remote.applying import (
    Received,
    Reply,
    apply_seat,
    as_waiting,
    introduce,
    waiting_of,
)
from koinii.remote.chains import Applied, applied
from koinii.remote.fetched import FetchedSeat
from koinii.remote.reading import Objects
from koinii.remote.repository import Git
from koinii.remote.tip import open_tip
from koinii.remote.verify import Known, VerifiedSeat, verify_seat
from koinii.seat.seat import Seat
from koinii.store.histories import Head


class Trouble(NamedTuple):
    """What was not applied, whose it is, the file, and why.

    An own line that a pull makes held stands here too, with its context.
    """

    seat: str
    agent: str
    path: str
    reason: str


class Taken(NamedTuple):
    """A part of what a pull came to."""

    counts: Received
    troubles: list[Trouble]
    fell: list[Fallen]


def is_unchanged(seat: Seat, other: str, tip: str) -> bool:
    """Tell whether a seat's ref was applied as it stands."""
    head = seat.histories.head(other)
    return head is not None and head.tip == tip and not head.trouble


def take_all(seat: Seat, git: Git, tips: dict[str, str]) -> Iterator[Taken]:
    """Verify every seat, then introduce the agents, then apply seat by seat."""
    objects = Objects(git.directory)
    good: list[tuple[FetchedSeat, VerifiedSeat]] = []
    for other, tip in tips.items():
        try:
            fetched = open_tip(objects, other, tip)
            good.append((fetched, verify_seat(fetched, known_of(seat, other))))
        except SurroundingsError:
            raise
        except KoiniiError as error:
            mark(seat, other, error.message)
            path = str(error.details.get("path", ""))
            yield Taken(Received(), [Trouble(other, "", path, error.message)], [])
    before = _held(seat)
    introduce(seat, [verified for _, verified in good])
    aside = _held(seat) - before
    waiting: list[Reply] = []
    for fetched, verified in good:
        applied = apply_seat(seat, fetched, verified, tips[verified.seat])
        waiting += applied.waiting
        refused = [Trouble(verified.seat, *one) for one in applied.refused]
        yield Taken(applied.counts, refused, applied.fell)
    yield Taken(Received(set_aside=len(aside & _held(seat))), [], [])
    yield Taken(_arrived_since(seat, waiting), [], [])


def _arrived_since(seat: Seat, waiting: list[Reply]) -> Received:
    """Count anew what waited for lines of a seat that was applied later."""
    before = as_waiting(waiting, -1)
    return before.plus(as_waiting(waiting_of(seat, waiting)))


def _held(seat: Seat) -> set[tuple[str, str, str, str]]:
    """Return what is held of other seats: agent, seat, context, locator."""
    return {one[:4] for one in seat.held() if one.seat != seat.id}


def mark(seat: Seat, other: str, reason: str) -> None:
    """Remember that a seat's newest ref was refused; it stays where it was."""
    with seat.database.write():
        if seat.histories.head(other) is None:
            seat.histories.put_head(Head(other, b"", 0, "", "", ""))
        seat.histories.set_trouble(other, reason)


def known_of(seat: Seat, other: str) -> Known:
    """Return what was seen of a seat before."""
    head = seat.histories.head(other)
    statements = {
        row.name: row.statements for row in seat.histories.agents() if row.seat == other
    }
    sets: dict[str, Applied] = {}
    for name in statements:
        author = seat.kb.names.author_id(name, other)
        row = None if author is None else seat.histories.input(author)
        if row is not None:
            sets[name] = applied(row.number, row.statement)
    known = head.public_key if head is not None and head.public_key else None
    return Known(known, seat.histories.leaves(other), statements, sets)
