"""What the store keeps of trust as single values: mode, admin, what was weighed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.store import meta
from koinii.trust.standing import COOPERATIVE

if TYPE_CHECKING:
    from koinii.store.database import Connection

MODE = "mode"  # keys of the store's single values
ADMIN_KEY = "admin"
STANDING = "standing"
LIMITS = "limits"


def mode_of(connection: Connection) -> str:
    """Return the mode by which what is stored was weighed last."""
    return str(meta.get(connection, MODE) or COOPERATIVE)


def admin_of(connection: Connection) -> bytes | None:
    """Return the raw key of the pinned admin."""
    key = meta.get(connection, ADMIN_KEY)
    assert key is None or isinstance(key, bytes)  # noqa: S101 - written so
    return key
