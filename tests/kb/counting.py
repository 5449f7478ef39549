"""What SQLite does for some work, counted: rows returned, rows written, steps.

Rows are what the program sees and changes; steps of SQLite's machine also count
what it passes over on the way. None of them depends on how fast anything is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

GRAIN = 10  # steps between two counts


class Counts(NamedTuple):
    """What one piece of work came to."""

    returned: int
    written: int
    steps: int


class _Cursor(sqlite3.Cursor):
    """A cursor that tells its connection of each row it hands out."""

    connection: Counting

    def __next__(self) -> Any:
        row = super().__next__()
        self.connection.returned += 1
        return row

    def fetchone(self) -> Any:
        row = super().fetchone()
        self.connection.returned += row is not None
        return row

    def fetchmany(self, size: int | None = 1) -> list[Any]:
        rows = super().fetchmany(size)
        self.connection.returned += len(rows)
        return rows

    def fetchall(self) -> list[Any]:
        rows = super().fetchall()
        self.connection.returned += len(rows)
        return rows


class Counting(sqlite3.Connection):
    """A connection that counts the rows it returns."""

    returned = 0

    def execute(self, *given: Any) -> sqlite3.Cursor:
        return self.cursor(_Cursor).execute(*given)


@contextmanager
def counting_connections() -> Iterator[None]:
    """Let all connections that are opened meanwhile count."""
    plain = sqlite3.connect

    def connect(*given: Any, **named: Any) -> sqlite3.Connection:
        return plain(*given, factory=Counting, **named)

    sqlite3.connect = connect  # type: ignore[assignment]
    try:
        yield
    finally:
        sqlite3.connect = plain


def counts_of(connection: sqlite3.Connection, work: Callable[[], object]) -> Counts:
    """Do some work on a counting connection, and count."""
    assert isinstance(connection, Counting)
    ticks = 0

    def tick() -> int:
        nonlocal ticks
        ticks += 1
        return 0

    returned, written = connection.returned, connection.total_changes
    connection.set_progress_handler(tick, GRAIN)
    try:
        work()
    finally:
        connection.set_progress_handler(None, GRAIN)
    return Counts(
        connection.returned - returned,
        connection.total_changes - written,
        ticks * GRAIN,
    )
