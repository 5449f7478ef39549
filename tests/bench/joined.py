"""What rules are measured over: facts that join, and rows as a base keeps them.

A job has `fan` people who work on it and `fan` databases it uses; a rule joins
each with each. So a fact comes to fan / 2 conclusions, all of them distinct.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import koinii
from bench.figure_02 import Tables
from bench.sample import fresh
from koinii.kb.writing import Said
from koinii.remote.seat import RemoteSeat
from koinii.terms import read

JOIN = "(implies (and (worksOn ?p ?j) (usesDb ?j ?d)) (exposedTo ?p ?d))"
CREATED = 1_750_000_000_000
BATCH = 2_000
KEPT = ("sentex", "leaf", "assertion", "firing", "ingredient", "justification")


def joining(size: int, fan: int) -> Iterator[str]:
    """Yield about `size` facts, of which a join has fan / 2 times as many rows."""
    for job in range(max(1, size // (2 * fan))):
        for number in range(job * fan, job * fan + fan):
            yield f"(worksOn Person{number} Job{job})"
            yield f"(usesDb Job{job} Db{number})"


def new_seat(folder: Path, *rules: str) -> RemoteSeat:
    """Return a new seat in the folder that has these rules."""
    seat = koinii.init(str(fresh(folder) / "seat"), agent="AgentAtlas")
    for rule in rules:
        seat.assert_(rule)
    return seat


def said(sentences: Iterator[str]) -> list[Said]:
    """Return facts as they come to the base: read, and with their text."""
    return [Said("CxAtlas", read(one), one, 0, CREATED, None) for one in sentences]


def put(seat: RemoteSeat, facts: list[Said], batch: int = BATCH) -> None:
    """Assert facts in one transaction; each batch is settled before the next."""
    base = seat.kb
    with base.write():
        author = base.names.make_author("AgentAtlas", seat.id)
        for at in range(0, len(facts), batch):
            base.put(author, facts[at : at + batch], replace=False, journal=True)
            base.settle()


def count(seat: RemoteSeat, table: str) -> int:
    """Return how many rows a table of the store has."""
    rows = seat.database.connection.execute(f"SELECT count(*) FROM {table}")
    return int(rows.fetchone()[0])


def tables_of(seat: RemoteSeat, kept: Sequence[str] = KEPT) -> Tables:
    """Return our schema, and the rows of assertions and of what was concluded."""
    base = seat.database.connection
    schema = [sql for (sql,) in base.execute("SELECT sql FROM sqlite_schema") if sql]
    rows: dict[str, list[tuple[object, ...]]] = {}
    for table in kept:
        found = base.execute(f"SELECT * FROM {table}").fetchall()
        marks = ",".join("?" * len(found[0]))
        rows[f"INSERT INTO {table} VALUES ({marks})"] = found
    made = [sql for sql in schema if "sqlite_" not in sql]
    return Tables(";\n".join(made), rows)
