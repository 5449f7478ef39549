"""Bulk load from text, beside `executemany` of raw rows and of our own rows."""

import sqlite3
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bench.harness import Harness, Speed, Trial, Work
from bench.sample import facts, fresh

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
            tables = our_tables(Path(name) / "tables", size)
            if tables:
                same = inserted(Path(name) / "same", tables)
                harness.measure(
                    names[1],
                    mine,
                    same,
                    rounds,
                    reach=Speed(0.5),
                    size=size,
                    count=size,
                )


def ours(folder: Path, size: int) -> Trial | None:
    """Plug in: load `facts(size)` as text into an empty seat.

    None measures the baseline alone.
    """
    del folder, size
    return None


def our_tables(folder: Path, size: int) -> Tables | None:
    """Plug in: our schema, and all rows of a seat into which `size` were loaded.

    None leaves the second comparison out.
    """
    del folder, size
    return None


def raw_rows(size: int) -> Tables:
    """Return the lines of text as rows of one table without an index."""
    rows: list[tuple[object, ...]] = [(fact,) for fact in facts(size)]
    return Tables("CREATE TABLE raw (line TEXT)", {"INSERT INTO raw VALUES (?)": rows})


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
