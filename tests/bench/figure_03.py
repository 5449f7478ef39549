"""A pattern query with one answer, beside one indexed select in SQLite."""

import random
import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.harness import Harness, Times, Trial, Work
from bench.sample import facts, fresh, seat_of
from koinii.remote.seat import RemoteSeat

FIGURE = 3
SIZES = (100_000, 1_000_000)
TINY = (50,)
COUNT = 2_000


def run(harness: Harness, sizes: Sequence[int]) -> None:
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            seat = seat_of(Path(name) / "ours", size)
            base = table(Path(name) / "raw", size)
            for title, context in (("any context", None), ("as one sees", "CxAtlas")):
                harness.measure(
                    f"query, one answer, {title}", asked(seat, size, context),
                    selected(base, size), reach=Times(5), size=size, count=COUNT,
                )  # fmt: skip
            base.close()
            seat.close()


def chosen(size: int) -> list[str]:
    """Return the clusters that are asked for, in no order."""
    numbers = random.Random(3).choices(range(size), k=COUNT)
    return [f"Cluster{number}" for number in numbers]


def asked(seat: RemoteSeat, size: int, context: str | None) -> Trial:
    """Ask which database each cluster uses, from text to bindings."""
    patterns = [f"(usesDatabase {cluster} ?which)" for cluster in chosen(size)]

    def work() -> None:
        for pattern in patterns:
            (answer,) = seat.ask(pattern, context=context)
            assert "?which" in answer

    return lambda: work


def table(folder: Path, size: int) -> sqlite3.Connection:
    """Return a table of the same facts with one index over what is asked."""
    base = sqlite3.connect(fresh(folder) / "raw.sqlite")
    base.execute("PRAGMA journal_mode=WAL")
    base.execute("PRAGMA cache_size=-65536")
    base.execute(
        "CREATE TABLE fact (context TEXT, predicate TEXT, first TEXT, second TEXT)"
    )
    rows = (("CxAtlas", *fact[1:-1].split(" ")) for fact in facts(size))
    with base:
        base.executemany("INSERT INTO fact VALUES (?,?,?,?)", rows)
        base.execute("CREATE INDEX fact_first ON fact (predicate, first)")
    return base


def selected(base: sqlite3.Connection, size: int) -> Trial:
    """Select the same rows."""
    clusters = chosen(size)
    query = "SELECT second FROM fact WHERE predicate = ? AND first = ?"

    def trial() -> Work:
        def work() -> None:
            for cluster in clusters:
                (row,) = base.execute(query, ("usesDatabase", cluster)).fetchall()
                assert row

        return work

    return trial
