"""Versions of the store: made once, checked at every open, upgraded on demand.

A store newer than the program is refused untouched. An older one is upgraded
only when asked, whole or not at all, with a backup beside it first: no read
ever changes a store.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from koinii.errors import SurroundingsError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

_ID_STARTS, _ID_ENDS = 68, 72  # of the application id, in SQLite's file format
LOST = (
    "restore a backup; or koinii doctor --fix, which makes it again from what this "
    "seat has in git, here or on its remotes"
)
APPLICATION_ID = 0x6B6F696E  # "koin"
SCHEMA_DIRECTORY = os.path.join(os.path.dirname(__file__), "schema")
STEPS = ("0001.sql",)  # step n brings a store to version n


def is_of_a_seat(path: str) -> bool:
    """Tell whether a file begins as the store of a seat does."""
    try:
        with open(path, "rb") as file:
            head = file.read(_ID_ENDS)
    except FileNotFoundError:
        return False
    except OSError:
        return True  # nobody can tell
    return head[_ID_STARTS:] == APPLICATION_ID.to_bytes(_ID_ENDS - _ID_STARTS, "big")


def create(connection: sqlite3.Connection) -> None:
    """Bring an empty file to the newest version in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    for version in range(1, len(STEPS) + 1):
        _run(connection, STEPS[version - 1], version)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("COMMIT")


def check(connection: sqlite3.Connection, path: str) -> None:
    """Refuse a file that is no store, or whose version is not this program's.

    Raises:
        SurroundingsError: `koinii/no-store`, `koinii/newer-store`,
            `koinii/old-store`.
    """
    if _number(connection, "application_id") != APPLICATION_ID:
        raise SurroundingsError(
            f"{path} is no store of a seat",
            code="koinii/no-store",
            hint=LOST,
            path=path,
        )
    version = _number(connection, "user_version")
    if version > len(STEPS):
        raise SurroundingsError(
            f"{path} has version {version}; this program knows {len(STEPS)}",
            code="koinii/newer-store",
            hint="install the newer koinii that made it; nothing was changed",
            path=path,
            version=version,
            known=len(STEPS),
        )
    if version < len(STEPS):
        raise SurroundingsError(
            f"{path} has version {version}; this program needs {len(STEPS)}",
            code="koinii/old-store",
            hint="koinii doctor --upgrade (a backup is made first)",
            path=path,
            version=version,
            known=len(STEPS),
        )


def upgrade(
    connection: sqlite3.Connection, path: str, steps: Sequence[str] = STEPS
) -> int:
    """Bring an older store to the newest version; return the version it had.

    The caller holds the writer lock. A copy `<path>.v<n>.bak` is complete and
    durable before the first change. A second call does nothing.
    """
    version = _number(connection, "user_version")
    if version >= len(steps):
        return version
    _back_up(connection, backup_path(path, version))
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in range(version + 1, len(steps) + 1):
            _run(connection, steps[step - 1], step)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return version


def upgrade_to_newest(connection: sqlite3.Connection, path: str) -> int:
    """Bring any store that is not newer to the newest version; see `upgrade`.

    Raises:
        SurroundingsError: `koinii/no-store`, `koinii/newer-store`.
    """
    try:
        check(connection, path)
    except SurroundingsError as error:
        if error.code != "koinii/old-store":
            raise
    return upgrade(connection, path, STEPS)


def backup_path(path: str, version: int) -> str:
    """Return where the copy of a store is kept that had this version."""
    return f"{path}.v{version}.bak"


def _back_up(connection: sqlite3.Connection, target: str) -> None:
    """Copy the store as it is now, over the copy of any earlier try."""
    unfinished = target + ".part"
    with suppress(FileNotFoundError):
        os.remove(unfinished)
    connection.execute("VACUUM INTO ?", (unfinished,))
    _sync(unfinished)  # SQLite leaves that to its caller
    os.replace(unfinished, target)
    _sync(os.path.dirname(target) or ".")


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _run(connection: sqlite3.Connection, step: str, version: int) -> None:
    """Run one step inside the caller's transaction (executescript would end it)."""
    with open(os.path.join(SCHEMA_DIRECTORY, step), encoding="utf-8") as file:
        statements = _statements(file.read())
    for statement in statements:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {version}")


def _statements(text: str) -> list[str]:
    """Split a step at the semicolons that end its lines; comments go first."""
    lines = [line.split("--", 1)[0].rstrip() for line in text.splitlines()]
    statements, current = [], []
    for line in filter(None, lines):
        current.append(line)
        if line.endswith(";"):
            statements.append("\n".join(current))
            current = []
    assert not current, "a step ends with a semicolon"  # noqa: S101 - our own file
    return statements


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
