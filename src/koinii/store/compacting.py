"""The room a store takes, and giving back what of it holds nothing."""

from __future__ import annotations

import os
from typing import NamedTuple

from koinii.store.database import Database, explained

LEAST = 1 << 20  # bytes for which the whole file is written again
PART = 4  # and at least this part of it


class Room(NamedTuple):
    """What a store takes of the disk, in bytes."""

    file: int
    log: int  # not yet folded into the file
    free: int  # of the file, in pages that hold nothing

    @property
    def pays(self) -> bool:
        """Whether what is free is worth writing the file again."""
        return self.free >= max(LEAST, self.file // PART)


def room_of(database: Database) -> Room:
    """Return what a store takes."""
    ask = database.connection.execute
    (free,) = ask("PRAGMA freelist_count").fetchone()
    (page,) = ask("PRAGMA page_size").fetchone()
    return Room(_size(database.path), _size(f"{database.path}-wal"), free * page)


def compact(database: Database) -> bool:
    """Fold the log into the file; tell whether that was written again, where it pays.

    Others may read meanwhile, and wait to write. A kill leaves what was there.

    Raises:
        SurroundingsError: locked, read-only, disk full, damaged.
    """
    with database.alone(), explained(database.path):
        _fold(database)
        if not room_of(database).pays:
            return False
        database.connection.execute("VACUUM")
        _fold(database)
    return True


def _fold(database: Database) -> None:
    """Empty the log; what somebody still reads of it stays, and is not waited for."""
    ask = database.connection.execute
    (patience,) = ask("PRAGMA busy_timeout").fetchone()
    ask("PRAGMA busy_timeout = 0")
    try:
        ask("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        ask(f"PRAGMA busy_timeout = {patience}")


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0
