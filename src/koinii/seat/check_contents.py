"""What a store says of itself: whole, true, and waiting for nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.kb.comparing import compare
from koinii.seat.check import OK, Check, attention, ok
from koinii.seat.contests import contests
from koinii.seat.held import without_effect
from koinii.seat.witnessing import ahead
from koinii.store.database import explained
from koinii.store.histories import AUTHORS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.kb.comparing import Difference
    from koinii.seat.parts import Parts

SLACK = 300_000  # ms by which two clocks may differ
NAMED = 5  # differences that are shown, a line each
_REBUILD = "koinii doctor --rebuild"
_RESTORE = "clone the seat again from its remote, or restore a backup"


def check_store(seat: Parts) -> Iterator[Check]:
    """Let SQLite look through the whole file."""
    with explained(seat.database.path):
        faults = seat.database.quick_check()
    where = "" if seat.database.writable else ", read-only here"
    if faults:
        yield attention(
            "store", f"{seat.database.path} is damaged: {faults[0]}",
            _RESTORE,
        )  # fmt: skip
    else:
        version = seat.database.version()
        yield ok("store", f"version {version}, quick_check finds no fault{where}")


def check_derived(seat: Parts) -> Iterator[Check]:
    """Work everything out anew in a copy, and compare; O(store) time and disk."""
    found = compare(seat.kb, seat.database, seat.progress)
    yield from (attention("asserted", one, _RESTORE) for one in found.lost[:NAMED])
    if found.lost:
        then = f"{len(found.lost)} assertions were altered"
        yield attention("derived", f"{then}: nothing to compare with", _RESTORE)
        return
    for one in found.differences[:NAMED]:
        yield attention("derived", _line(one), _REBUILD)
    if found.total > NAMED:
        more = f"{found.total - NAMED} more rows are not what follows"
        yield attention("derived", more, _REBUILD)
    if found.is_whole:
        root, size = found.root
        told = f"worked out anew and the same, root sha256:{root.hex()} over {size}"
        yield ok("derived", told)


def _line(one: Difference) -> str:
    what = f"{one.kind} of {one.locator}" if one.locator else one.kind
    return f"{what}: stored is {one.stored}, it should be {one.due}"


def check_waiting(seat: Parts) -> Iterator[Check]:
    """Yield what was not applied, and the names that somebody has to decide on."""
    faults = [*_contested(seat), *_refused(seat), *_troubles(seat), *_held(seat)]
    faults += _clocks(seat)
    yield from faults
    if all(one.state == OK for one in faults):
        yield ok("received", "everything that came is applied")


def _contested(seat: Parts) -> Iterator[Check]:
    for one in contests(seat):
        found = f"{one.agent} stands for {one.pinned} here; seat {one.seat} has another"
        if one.decided:
            yield ok("names", f"{found}, as was decided")
        else:
            yield attention("names", found, one.hint)


def _refused(seat: Parts) -> Iterator[Check]:
    for agent, place, path, reason in seat.histories.refusals():
        found = f"what {agent} says at seat {place} was refused: {path}: {reason}"
        yield attention("authors", found, "koinii pull, once that seat has mended it")


def _troubles(seat: Parts) -> Iterator[Check]:
    without = seat.histories.unfollowed()
    for head in seat.histories.heads():
        if head.trouble and head.trouble != AUTHORS and head.seat not in without:
            found = f"seat {head.seat} stays at {head.size}: {head.trouble}"
            yield attention("seats", found, "koinii peers")


def _clocks(seat: Parts) -> Iterator[Check]:
    for head in seat.histories.heads():
        late = ahead(seat, head.seat, head.size)
        if late > SLACK:
            found = (
                f"commit {head.size} of seat {head.seat} is dated {late // 1000} s "
                "later than the clock here"
            )
            yield attention("clock", found, "set the clock that is wrong")


def _held(seat: Parts) -> Iterator[Check]:
    held = without_effect(seat)
    if held:
        count = "1 line is" if len(held) == 1 else f"{len(held)} lines are"
        found = f"{count} held, the first for {held[0][5]}"
        yield attention("held", found, "koinii held")
