"""Commits that a remote was not seen to hold, by what it last showed.

What a remote shows is noted by its address, so that another one of the same name
starts at nothing.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from koinii.store import meta

if TYPE_CHECKING:
    from koinii.seat.parts import Parts


def note_shown(seat: Parts, address: str, number: int) -> None:
    """Note that a remote shows this seat's commits up to this one."""
    key = _key(address)
    if meta.get(seat.database.connection, key) != number:
        with seat.database.write():
            meta.put(seat.database.connection, key, number)


def unpublished(seat: Parts) -> dict[str, int]:
    """Return how many commits each remote was not seen to hold."""
    head = seat.histories.head(seat.id)
    made = head.size if head else 0
    return {
        name: max(0, made - shown_before(seat, address))
        for name, address in sorted(seat.config.remotes.items())
    }


def shown_before(seat: Parts, address: str) -> int:
    """Return up to which commit a remote has last shown this seat, 0 for nothing."""
    number = meta.get(seat.database.connection, _key(address))
    return number if isinstance(number, int) else 0


def _key(address: str) -> str:
    """Return a key that has no password of an address in it."""
    named = address.encode(errors="surrogateescape")
    return f"shown {hashlib.sha256(named).hexdigest()}"
