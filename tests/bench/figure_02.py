"""Bulk load from text, beside `executemany` of raw rows and of our own rows."""

import sqlite3
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import koinii
from bench.harness import Harness, Speed, Trial, Work
from bench.sample import facts, fresh, seat_of

FIGURE = 2
SIZES = (100_000, 1_000_000)
TINY = (50,)


@dataclass(frozen=True)
class Tables:
    """A schema with its indexes, and the rows that each insert statement gets."""

    schema: str
    rows: dict[str, list[tuple[object, ...]]]


def run(harness: Harness, sizes: Sequence[int]) -> None:
    for size in sizes:
        rounds = 3 if size >= 1_000_000 else 5
        with tempfile.TemporaryDirectory() as name:
            mine = ours(Path(name) / "ours", size)
            raw = inserted(Path(name) / "raw", raw_rows(size))
            names = "bulk load", "bulk load, same tables"
            harness.measure(
                names[0], mine, raw, rounds, reach=Speed(0.03), size=size, count=size
            )
            same = inserted(
                Path(name) / "same", our_tables(Path(name) / "tables", size)
            )
            harness.measure(
                names[1], mine, same, rounds, reach=Speed(0.5), size=size, count=size
            )


def ours(folder: Path, size: int) -> Trial:
    """Load `facts(size)` as text into an empty seat."""

    def trial() -> Work:
        seat = koinii.init(str(fresh(folder) / "seat"), agent="AgentAtlas")
        lines = list(facts(size))
        return lambda: seat.load(lines)

    return trial


def our_tables(folder: Path, size: int) -> Tables:
    """Return our schema and every row of a seat into which `size` were loaded."""
    seat = seat_of(folder, size)
    base = seat.database.connection
    schema = [sql for (sql,) in base.execute("SELECT sql FROM sqlite_schema") if sql]
    rows: dict[str, list[tuple[object, ...]]] = {}
    for table in ("sentex", "leaf", "assertion"):
        found = base.execute(f"SELECT * FROM {table}").fetchall()
        marks = ",".join("?" * len(found[0]))
        rows[f"INSERT INTO {table} VALUES ({marks})"] = found
    seat.close()
    made = [sql for sql in schema if "sqlite_" not in sql]
    return Tables(";\n".join(made), rows)


def raw_rows(size: int) -> Tables:
    """Return what a fact comes to as one plain row: words, provenance, digest.

    The columns are those of the prototype: context, predicate, two arguments,
    creator, strength, time and 32 bytes.
    """
    rows: list[tuple[object, ...]] = []
    for fact in facts(size):
        words = fact[1:-1].split(" ")
        digest = sha256(fact.encode()).digest()
        rows.append(("CxAtlas", *words, "AgentAtlas", "default", 1750000000000, digest))
    return Tables(
        "CREATE TABLE raw (context TEXT, predicate TEXT, first TEXT, second TEXT,"
        " creator TEXT, strength TEXT, time INTEGER, digest BLOB)",
        {"INSERT INTO raw VALUES (?,?,?,?,?,?,?,?)": rows},
    )


def inserted(folder: Path, tables: Tables) -> Trial:
    """Insert all rows in one durable transaction into a new database."""

    def trial() -> Work:
        path = fresh(folder) / "base.sqlite"
        with closing(sqlite3.connect(path)) as base:
            base.execute("PRAGMA journal_mode=WAL")
            base.executescript(tables.schema)
        return lambda: insert(path, tables.rows.items())

    return trial


def insert(
    path: Path, parts: Iterable[tuple[str, Sequence[tuple[object, ...]]]]
) -> None:
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("PRAGMA synchronous=FULL")
        for statement, rows in parts:
            base.executemany(statement, rows)
