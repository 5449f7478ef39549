"""What decides who counts: the mode, and rows of statements, keys and heads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.seat.aligning import next_mode, to_come
from koinii.seat.check import Check, attention
from koinii.seat.modes import mode_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.seat.parts import Parts


def check_mode(seat: Parts) -> Iterator[Check]:
    """Compare the mode in the settings with the one that all was weighed by."""
    mode = next_mode(seat)
    if mode:
        found = f"what is stored was weighed as {mode_of(seat.database.connection)}"
        yield attention("mode", f"{found}; {to_come(mode)}", "koinii commit")
