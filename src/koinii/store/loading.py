"""Loading an empty seat: indexes and leaves are built once, after the rows.

Meanwhile nothing finds a row, so one sentence may come in twice, or once more than
it is shipped; the copies go before the unique index is built.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

_INDEXES = (
    "sentex_digest",
    "sentex_first",
    "sentex_second",
    "sentex_denial",
    "assertion_line",
)
_COPIES = """
    SELECT s.id, d.kept FROM sentex s JOIN (
        SELECT digest, min(id) AS kept FROM sentex GROUP BY digest HAVING count(*) > 1
    ) d ON d.digest = s.digest AND s.id > d.kept
"""


def drop_indexes(connection: sqlite3.Connection) -> list[str]:
    """Drop what slows rows down; return the statements that make it again.

    Only for a store without assertions, inside a write: with many sentexes, their
    absence would turn each look-up into a scan. A failure rolls all of it back.
    """
    marks = ",".join("?" * len(_INDEXES))
    rows = connection.execute(
        f"SELECT sql FROM sqlite_schema WHERE name IN ({marks})",  # noqa: S608 - marks only
        _INDEXES,
    ).fetchall()
    for name in _INDEXES:
        connection.execute(f"DROP INDEX {name}")
    return [statement for (statement,) in rows]


@contextmanager
def sorting(connection: sqlite3.Connection) -> Iterator[None]:
    """Sort large tables within, inside a write.

    SQLite sorts in as much memory as its cache may take, beside it; so the cache is
    made small meanwhile, which costs little where rows are read in their order.
    """
    (size,) = connection.execute("PRAGMA cache_size").fetchone()
    connection.execute(f"PRAGMA cache_size = {size // 4}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA cache_size = {size}")


def drop_copies(connection: sqlite3.Connection) -> int:
    """Keep the first row of each sentence; return how many assertions go.

    Of a row that is kept the first assertion stays.
    """
    copies = connection.execute(_COPIES).fetchall()
    many, gone = connection.executemany, [(copy,) for copy, _ in copies]
    many(
        "UPDATE OR IGNORE assertion SET sentex = ?2 WHERE sentex = ?1",
        copies,
    )
    cursor = many("DELETE FROM assertion WHERE sentex = ?", gone)
    many("DELETE FROM argument WHERE sentex = ?", gone)
    many("DELETE FROM sentex WHERE id = ?", gone)
    return max(0, cursor.rowcount)


def build_leaves(
    connection: sqlite3.Connection, leaf: Callable[[bytes], bytes]
) -> None:
    """Fill the tree's leaves from all that is believed, in tree order."""
    connection.create_function("leaf_of", 1, leaf, deterministic=True)
    connection.execute(
        "INSERT INTO leaf SELECT leaf_of(digest) AS hash, id FROM sentex"
        " WHERE label & 41 = 1 ORDER BY hash"  # believed, neither shipped nor local
    )
    connection.create_function("leaf_of", 1, None)
