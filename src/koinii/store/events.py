"""Rows of the change feed: a bounded ring, numbered for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

KEPT = 1024  # events


class Events:
    """Statements over `event`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def append(self, body: str) -> None:
        """Add an event; the oldest goes where there are too many."""
        cursor = self._connection.execute(
            "INSERT INTO event (body) VALUES (?)", (body,)
        )
        assert cursor.lastrowid is not None  # noqa: S101 - SQLite gives one
        self._connection.execute(
            "DELETE FROM event WHERE number <= ?", (cursor.lastrowid - KEPT,)
        )

    def after(self, number: int) -> list[tuple[int, str]]:
        """Return the events (number, body) that are kept, past a number."""
        return self._connection.execute(
            "SELECT number, body FROM event WHERE number > ? ORDER BY number", (number,)
        ).fetchall()

    def newest(self) -> int:
        """Return the number of the newest event, 0 before the first."""
        row = self._connection.execute("SELECT max(number) FROM event").fetchone()
        return int(row[0] or 0)

    def oldest(self) -> int:
        """Return the number of the oldest event that is kept, 0 for none."""
        row = self._connection.execute("SELECT min(number) FROM event").fetchone()
        return int(row[0] or 0)
