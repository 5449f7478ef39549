"""The mode in `seat.toml` against the one by which what is stored was weighed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import SurroundingsError
from koinii.seat.modes import mode_of

if TYPE_CHECKING:
    from koinii.seat.parts import Parts
    from koinii.store.assertions import HeldKey


def align(seat: Parts) -> frozenset[HeldKey]:
    """Weigh everything by the mode in `seat.toml`, and tell what moved by that.

    Return the lines that are held since.
    """
    from koinii.seat.held import keys_without_effect  # noqa: PLC0415 - rarely needed
    from koinii.seat.reviewing import change_mode  # noqa: PLC0415 - rarely needed

    mode, before = seat.config.mode, keys_without_effect(seat)
    change_mode(seat, mode)
    after = keys_without_effect(seat)
    held, back = after - before, before - after
    moved = [
        f"{_lines(len(some))} {what}"
        for some, what in ((held, "held since"), (back, "back"))
        if some
    ]
    if moved:
        seat.notices.append(
            f"seat.toml says mode {mode}, and everything is weighed by it now: "
            + ", ".join(moved)
            + "; koinii held" * bool(held)
        )
    return held


def next_mode(seat: Parts) -> str:
    """Return the mode by which the next write weighs, '' for the one before."""
    mode = seat.config.mode
    return "" if mode == mode_of(seat.database.connection) else mode


def tell_settings(seat: Parts) -> None:
    """Tell that `seat.toml` is off or has another mode; what reads goes on."""
    try:
        mode = next_mode(seat)
    except SurroundingsError as error:
        seat.notices.append(f"{error.message}; {error.hint}".removesuffix("; "))
        return
    if mode:
        seat.notices.append(to_come(mode))


def to_come(mode: str) -> str:
    """Return what another mode in `seat.toml` means, in words."""
    return (
        f"seat.toml says mode {mode}, by which the next command that writes weighs "
        "everything"
    )


def _lines(count: int) -> str:
    return "1 line is" if count == 1 else f"{count} lines are"
