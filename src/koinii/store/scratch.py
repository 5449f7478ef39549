"""Copies of a store to work on, in a temporary folder that goes with them."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from koinii.store.database import CACHE_KIB, Database, explained
from koinii.store.lock import WriterLock

if TYPE_CHECKING:
    from collections.abc import Iterator


class Scratch:
    """A copy of a store that may be changed, and a copy of that, made later."""

    def __init__(self, folder: str, source: sqlite3.Connection) -> None:
        self._folder = folder
        path = os.path.join(folder, "now.db")
        source.backup(target := _connect(path))
        source.execute("PRAGMA shrink_memory")  # it has read the whole file
        _configure(target)
        lock = WriterLock(path + ".lock", wait_seconds=1.0)
        self.database = Database(target, lock, path)
        self.was: sqlite3.Connection | None = None

    def keep(self) -> sqlite3.Connection:
        """Copy what there is now to where the copy knows it as `was`.

        Returns a connection of its own to it.
        """
        path = os.path.join(self._folder, "was.db")
        self.was = _connect(path)
        self.database.connection.backup(self.was)
        _configure(self.was)
        self.database.connection.execute("ATTACH ? AS was", (path,))
        return self.was

    def close(self) -> None:
        """Close both."""
        self.database.close()
        if self.was is not None:
            self.was.close()


@contextmanager
def scratch(source: sqlite3.Connection) -> Iterator[Scratch]:
    """Copy a store as of now; it is only read, and may be read-only.

    Raises:
        SurroundingsError: no room for the copies.
    """
    with (
        tempfile.TemporaryDirectory(prefix="koinii-") as folder,
        explained(folder),
        closing(Scratch(folder, source)) as copy,
    ):
        yield copy


def _connect(path: str) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, cached_statements=256)


def _configure(connection: sqlite3.Connection) -> None:
    """Nothing here outlives the process: no log, nothing durable."""
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB // 4}")
    connection.execute("PRAGMA trusted_schema = OFF")
