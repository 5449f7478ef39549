"""The key files of a seat: there, for their owner only, and the right ones."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import TYPE_CHECKING

from koinii.errors import KoiniiError
from koinii.note import PrivateKey, read_private_key
from koinii.note.checkpoint import seat_id
from koinii.seat.agent_keys import following
from koinii.seat.check import Check, attention, ok

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.seat.parts import Parts

_OTHERS = 0o077
_RESTORE = "put the file back from a backup; the key is nowhere else"


def check_keys(seat: Parts) -> Iterator[Check]:
    """Yield what is wrong with each key, or that all is well with all of them."""
    rows = [row for row in seat.histories.agents() if row.seat == seat.id]
    faults = [*_directories(seat), *_seat_key(seat)]
    for row in rows:
        faults += _agent_key(seat, row.name, row.public_key)
    yield from faults
    if not faults:
        names = ", ".join(row.name for row in rows[:3]) + ", …" * (len(rows) > 3)  # noqa: PLR2004 - a line
        whose = f"the seat and {names}" if rows else "the seat"
        yield ok("keys", f"of {whose}: mode 0600, those introduced")


def _directories(seat: Parts) -> Iterator[Check]:
    for path in (seat.layout.state, seat.layout.keys):
        mode = stat.S_IMODE(Path(path).stat().st_mode)
        if mode & _OTHERS:
            found = f"{path} is open to others (mode {mode:04o})"
            yield attention("keys", found, f"chmod 700 {path}")


def _seat_key(seat: Parts) -> Iterator[Check]:
    key, faults = _read(seat.layout.seat_key)
    yield from faults
    if key is not None and seat_id(key.public) != seat.id:
        found = f"{seat.layout.seat_key} is the key of seat {seat_id(key.public)}"
        yield attention("keys", found, _RESTORE)


def _agent_key(seat: Parts, name: str, public: bytes) -> Iterator[Check]:
    path = seat.layout.agent_key(name)
    key, faults = _read(path)
    yield from faults
    if key is None or public in (key.public.raw, following(seat.layout, name)):
        return
    yield attention("keys", f"{path} is not the key {name} introduced", _RESTORE)


def _read(path: str) -> tuple[PrivateKey | None, list[Check]]:
    try:
        return read_private_key(Path(path)), []
    except KoiniiError as error:
        return None, [attention("keys", error.message, error.hint or _RESTORE)]
