"""Single values of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

MetaValue = int | str | bytes | None


def get(connection: sqlite3.Connection, key: str) -> MetaValue:
    """Return a value, None where there is none."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else row[0]


def put(connection: sqlite3.Connection, key: str, value: MetaValue) -> None:
    """Set a value."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def epoch(connection: sqlite3.Connection) -> int:
    """Return how often what is believed has moved."""
    value = get(connection, "epoch")
    assert isinstance(value, int)  # noqa: S101 - made with the store
    return value


def advance_epoch(connection: sqlite3.Connection) -> None:
    """Say that what is believed has moved."""
    connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'epoch'")


def data_version(connection: sqlite3.Connection) -> int:
    """Return a number that differs after another connection has written."""
    return int(connection.execute("PRAGMA data_version").fetchone()[0])
