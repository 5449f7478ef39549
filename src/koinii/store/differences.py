"""Where two stores with the same assertions differ in what follows from them.

`main` is as it should be and `was`, attached, as it was found. Rows are compared
by what they name, for ids of what is derived differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

_COLUMNS = ("functor", "first", "second", "negative", "label", "body")
_ROWS = """
    SELECT {this}.sentex.digest FROM {this}.sentex LEFT JOIN {other}.sentex s
    ON s.digest = {this}.sentex.digest WHERE s.id IS NULL
"""
# Of each kind what a row names and says.
_KINDS = {
    "further argument": """
        SELECT s.digest, 'position ' || a.position || ' key ' || a.key
        FROM {db}.argument a LEFT JOIN {db}.sentex s ON s.id = a.sentex""",
    "named locator": """
        SELECT s.digest, lower(hex(t.digest))
        FROM {db}.target t LEFT JOIN {db}.sentex s ON s.id = t.sentex""",
    "leaf": """
        SELECT s.digest, lower(hex(l.hash))
        FROM {db}.leaf l LEFT JOIN {db}.sentex s ON s.id = l.sentex""",
    "rule": """
        SELECT s.digest, 'strict ' || r.strict || ' forward ' || r.forward
        FROM {db}.rule r LEFT JOIN {db}.sentex s ON s.id = r.sentex""",
    "trigger": """
        SELECT s.digest, t.position || ': key ' || t.functor || ' negative '
            || t.negative
        FROM {db}.trigger t LEFT JOIN {db}.sentex s ON s.id = t.rule""",
    "ingredient of no firing": """
        SELECT s.digest, 'firing ' || i.firing FROM {db}.ingredient i
        LEFT JOIN {db}.sentex s ON s.id = i.sentex
        WHERE i.firing NOT IN (SELECT id FROM {db}.firing)""",
    "justification by no firing": """
        SELECT s.digest, 'firing ' || j.firing FROM {db}.justification j
        LEFT JOIN {db}.sentex s ON s.id = j.conclusion
        WHERE j.firing NOT IN (SELECT id FROM {db}.firing)""",
}


class Row(NamedTuple):
    """One row that differs: what is stored, and what should be; None for none."""

    kind: str
    digest: bytes | None  # of the sentence it is about
    stored: object
    due: object


class Told(NamedTuple):
    """What a row comes to that SQL alone cannot name."""

    kind: str
    key: bytes
    digest: bytes | None
    said: str


def tell(connection: sqlite3.Connection, rows: Iterable[Told]) -> None:
    """Keep what rows come to, for `differing`; equal keys are told as one."""
    connection.execute(
        "CREATE TABLE told (kind TEXT NOT NULL, key BLOB NOT NULL, digest BLOB,"
        " said TEXT NOT NULL, PRIMARY KEY (kind, key)) STRICT, WITHOUT ROWID"
    )
    connection.executemany(
        "INSERT INTO told VALUES (?,?,?,?) ON CONFLICT DO"
        " UPDATE SET said = said || '; and again ' || excluded.said",
        rows,
    )


def differing(connection: sqlite3.Connection) -> Iterator[Row]:
    """Yield all that differs; both have been told of."""
    yield from _rows(connection)
    yield from _columns(connection)
    for kind, statement in _KINDS.items():
        yield from _kind(connection, kind, statement)
    yield from _told(connection)


def _rows(connection: sqlite3.Connection) -> Iterator[Row]:
    for (digest,) in connection.execute(_ROWS.format(this="main", other="was")):
        yield Row("sentence", digest, None, "stored")
    for (digest,) in connection.execute(_ROWS.format(this="was", other="main")):
        yield Row("sentence", digest, "stored", None)


def _columns(connection: sqlite3.Connection) -> Iterator[Row]:
    """Yield the columns that differ of sentences that both have."""
    pairs = [f"w.{one}, n.{one}" for one in _COLUMNS] + ["c.name, d.name"]
    unequal = [f"w.{one} IS NOT n.{one}" for one in _COLUMNS] + ["c.name IS NOT d.name"]
    rows = connection.execute(
        f"SELECT n.digest, {', '.join(pairs)} FROM main.sentex n"  # noqa: S608 - our names
        " CROSS JOIN was.sentex w ON w.digest = n.digest"
        " LEFT JOIN was.context c ON c.id = w.context"
        " LEFT JOIN main.context d ON d.id = n.context"
        f" WHERE {' OR '.join(unequal)}"
    )
    for digest, *values in rows:
        for at, column in enumerate((*_COLUMNS, "context")):
            stored, due = values[2 * at : 2 * at + 2]
            if stored != due:
                yield Row(column, digest, stored, due)


def _kind(connection: sqlite3.Connection, kind: str, statement: str) -> Iterator[Row]:
    was, now = statement.format(db="was"), statement.format(db="main")
    for digest, said in connection.execute(f"{was} EXCEPT {now}"):
        yield Row(kind, digest, said, None)
    for digest, said in connection.execute(f"{now} EXCEPT {was}"):
        yield Row(kind, digest, None, said)


def _told(connection: sqlite3.Connection) -> Iterator[Row]:
    both = connection.execute(
        "SELECT w.kind, w.digest, w.said, n.said FROM was.told w"
        " CROSS JOIN main.told n ON n.kind = w.kind AND n.key = w.key"
        " WHERE n.said <> w.said"
    )
    yield from (Row(*row) for row in both)
    for database, other in (("was", "main"), ("main", "was")):
        rows = connection.execute(
            f"SELECT kind, digest, said FROM {database}.told one"  # noqa: S608 - our names
            f" WHERE NOT EXISTS (SELECT 1 FROM {other}.told two"
            " WHERE two.kind = one.kind AND two.key = one.key)"
        )
        for kind, digest, said in rows:
            is_stored = database == "was"
            yield Row(
                kind, digest, said if is_stored else None, None if is_stored else said
            )
