"""Loading an empty seat: the wide indexes are built once, after the rows."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

_INDEXES = ("sentex_first", "sentex_second", "assertion_line")


@contextmanager
def indexes_built_after(connection: sqlite3.Connection) -> Iterator[None]:
    """Leave the wide indexes out while rows arrive, inside the caller's write.

    Only for a store without sentexes: with some, their absence would turn each
    look-up into a scan. A failure rolls the indexes back with the rows.
    """
    marks = ",".join("?" * len(_INDEXES))
    statements = [
        statement
        for (statement,) in connection.execute(
            f"SELECT sql FROM sqlite_schema WHERE name IN ({marks})",  # noqa: S608 - marks only
            _INDEXES,
        )
    ]
    for name in _INDEXES:
        connection.execute(f"DROP INDEX {name}")
    yield
    for statement in statements:
        connection.execute(statement)
