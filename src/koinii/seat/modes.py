"""What the store keeps as single values: mode, admin, what is taken of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.store import meta
from koinii.trust.standing import COOPERATIVE

if TYPE_CHECKING:
    from koinii.history.selection import Selection
    from koinii.store.database import Connection

MODE = "mode"  # keys of the store's single values
ADMIN_KEY = "admin"
STANDING = "standing"
LIMITS = "limits"
SELECTION = "selection"


def mode_of(connection: Connection) -> str:
    """Return the mode by which what is stored was weighed last."""
    return str(meta.get(connection, MODE) or COOPERATIVE)


def admin_of(connection: Connection) -> bytes | None:
    """Return the raw key of the pinned admin."""
    key = meta.get(connection, ADMIN_KEY)
    assert key is None or isinstance(key, bytes)  # noqa: S101 - written so
    return key


def selected(connection: Connection) -> Selection:
    """Return what is taken of other seats, as the last pull had it."""
    from koinii.history.selection import Selection  # noqa: PLC0415 - not for `ask`

    lines = str(meta.get(connection, SELECTION) or "").splitlines()
    kinds = {kind: frozenset(names) for kind, *names in map(str.split, lines)}
    none = frozenset[str]()
    return Selection(kinds.get("agents", none), kinds.get("contexts", none))
