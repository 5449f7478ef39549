"""Doing something to see what it comes to, and then undoing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from koinii.seat.parts import Parts

T = TypeVar("T")


class _Undo(Exception):  # noqa: N818 - never leaves this module
    """Leaves the transaction, which is what undoes it."""


def rehearse(seat: Parts, work: Callable[[], T]) -> T:
    """Return what work comes to that writes to the store; nothing of it stays.

    Who writes key files leaves them as they are, since a seat says that it rehearses.
    """
    outcome: list[T] = []
    seat.is_rehearsing = True
    try:
        with seat.kb.write():
            outcome.append(work())
            raise _Undo  # noqa: TRY301 - leaving is what undoes it
    except _Undo:
        return outcome[0]
    finally:
        seat.is_rehearsing = False
