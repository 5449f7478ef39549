"""What a store says of itself: whole, and with nothing that waits for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.seat.check import Check, attention, ok
from koinii.seat.reviewing import contests
from koinii.store.database import explained
from koinii.store.histories import AUTHORS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.seat.parts import Parts


def check_store(seat: Parts) -> Iterator[Check]:
    """Let SQLite look through the whole file."""
    with explained(seat.database.path):
        faults = seat.database.quick_check()
    where = "" if seat.database.writable else ", read-only here"
    if faults:
        yield attention(
            "store", f"{seat.database.path} is damaged: {faults[0]}",
            "clone the seat again from its remote, or restore a backup",
        )  # fmt: skip
    else:
        version = seat.database.version()
        yield ok("store", f"version {version}, quick_check finds no fault{where}")


def check_waiting(seat: Parts) -> Iterator[Check]:
    """Yield what was not applied, and the names that somebody has to decide on."""
    faults = [*_contested(seat), *_refused(seat), *_troubles(seat), *_held(seat)]
    yield from faults
    if not faults:
        yield ok("received", "everything that came is applied")


def _contested(seat: Parts) -> Iterator[Check]:
    for one in contests(seat):
        yield attention(
            "names",
            f"{one.agent} stands for {one.pinned} here; seat {one.seat} has another",
            f"koinii agent trust {one.agent} {one.other}",
        )


def _refused(seat: Parts) -> Iterator[Check]:
    for agent, place, path, reason in seat.histories.refusals():
        found = f"what {agent} says at seat {place} was refused: {path}: {reason}"
        yield attention("authors", found, "koinii pull, once that seat has mended it")


def _troubles(seat: Parts) -> Iterator[Check]:
    for head in seat.histories.heads():
        if head.trouble and head.trouble != AUTHORS:
            found = f"seat {head.seat} stays at {head.size}: {head.trouble}"
            yield attention("seats", found, "koinii peers")


def _held(seat: Parts) -> Iterator[Check]:
    held = seat.kb.assertions.held()
    if held:
        found = f"{len(held)} lines are held, the first for {held[0][5]}"
        yield attention("held", found, "koinii held")
