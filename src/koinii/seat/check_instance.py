"""Whether this directory is the one copy of its seat, and its history whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.seat.check import Check, attention, ok
from koinii.seat.home import home_of
from koinii.seat.instance import (
    ALONE,
    FILE,
    RECOVER,
    is_copied,
    is_newest,
    is_without,
    read_outside,
)
from koinii.seat.rereading import check_history

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.seat.instance import Outside
    from koinii.seat.parts import Parts

_ELSEWHERE = "KOINII_HOME names another place"
_GOES_ON = f"if it is a copy, or was put back: {RECOVER}; else koinii push or commit"


def check_instance(seat: Parts) -> Iterator[Check]:
    """Compare the store with what is kept outside, and look whether that can be."""
    obstacle = home_of(seat).obstacle()
    if obstacle:
        found = f"{obstacle}: a copy, or an older state, would not be noticed"
        yield attention("instance", found, _ELSEWHERE)
    seen = read_outside(seat)
    if seen is not None:
        yield _compared(seat, seen)
    elif is_without(seat, seen):
        yield attention("instance", ALONE, _GOES_ON)
    elif not obstacle:
        path = home_of(seat).path(FILE)
        yield ok("instance", f"the first commit writes {path}")


def check_own_history(seat: Parts) -> Iterator[Check]:
    """Compare the own records with the head that was signed over them."""
    size = check_history(seat)
    yield ok("history", f"{size} commits, as the head was signed over them")


def _compared(seat: Parts, seen: Outside) -> Check:
    there = seen.size if seen.head else 0
    if is_copied(seat, seen):
        head = seat.histories.head(seat.id)
        here = 0 if head is None else head.size
        return attention(
            "instance",
            f"commit {there} was made at {seen.directory}, and here is commit {here}: "
            "this is a copy, or an older state, and signs nothing",
            RECOVER,
        )
    if is_newest(seat, seen):
        return ok("instance", f"the one that made commit {there}, the newest seen")
    return ok("instance", f"commit {there} was seen; the next write there catches up")
