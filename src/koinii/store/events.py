"""Rows of the change feed: a bounded ring, numbered for ever."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from koinii.store import meta

if TYPE_CHECKING:
    import sqlite3

KEPT = 1024  # events
KEPT_LETTERS = 32 << 20  # of all of them; twice that where the large ones are old
LOOK_SECONDS = 0.02  # between looks for an event that is waited for
_LARGE = KEPT_LETTERS // KEPT


class Events:
    """Statements over `event`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def append(self, body: str) -> int:
        """Add an event, in place of the oldest if need be; return its number."""
        number = self._connection.execute(
            "INSERT INTO event (body) VALUES (?)", (body,)
        ).lastrowid
        assert number is not None  # noqa: S101 - SQLite gives one
        self._connection.execute(
            "DELETE FROM event WHERE number <= ?", (number - KEPT,)
        )
        if len(body) > _LARGE:
            self._shorten(number)
        return number

    def begin_at(self, number: int, body: str) -> None:
        """Add the first event of all, under a number of its own."""
        self._connection.execute("INSERT INTO event VALUES (?, ?)", (number, body))

    def _shorten(self, newest: int) -> None:
        """Drop the oldest until the rest is not too long; the newest stays."""
        self._connection.execute(
            "DELETE FROM event WHERE number < ? AND number <= (SELECT max(number) "
            "FROM (SELECT number, sum(length(body)) OVER (ORDER BY number DESC) "
            "AS letters FROM event) WHERE letters > ?)",
            (newest, KEPT_LETTERS),
        )

    def after(self, number: int, limit: int = -1) -> list[tuple[int, str]]:
        """Return the events (number, body) that are kept, past a number.

        The first of them, if there is a limit.
        """
        return self._connection.execute(
            "SELECT number, body FROM event WHERE number > ? ORDER BY number LIMIT ?",
            (number, limit),
        ).fetchall()

    def newest(self) -> int:
        """Return the number of the newest event, 0 before the first."""
        row = self._connection.execute("SELECT max(number) FROM event").fetchone()
        return int(row[0] or 0)

    def oldest(self) -> int:
        """Return the number of the oldest event that is kept, 0 for none."""
        row = self._connection.execute("SELECT min(number) FROM event").fetchone()
        return int(row[0] or 0)

    def wait(self, number: int, seconds: float) -> float:
        """Wait for an event past a number, of any process.

        Returns the seconds that are left, 0 where none came in time. Holds no lock
        and no transaction. Costs one look at the file's version every 20 ms.
        """
        end = time.monotonic() + seconds
        seen = -1
        while (left := end - time.monotonic()) > 0:
            version = meta.data_version(self._connection)
            if version != seen and self.newest() > number:
                return left
            seen = version
            time.sleep(min(left, LOOK_SECONDS))
        return 0.0
