"""Forward chaining, beside a raw insert of the same rows into the same tables.

A row is a fact or a firing. One at a time, each fact is settled before the next
comes; in a batch, two thousand are; a rule that comes last draws everything at
once. Everything counts from the canonical sentence on: locators, claim lines,
leaves, indexes and labels, in one durable transaction.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bench import packages
from bench.figure_02 import inserted
from bench.harness import Harness, Within, Work, say
from bench.joined import BATCH, JOIN, count, joining, new_seat, put, said, tables_of
from koinii.kb.writing import Said
from koinii.remote.seat import RemoteSeat

FIGURE = 6
SIZES = (10_000, 100_000)
TINY = (32,)
FANS = (2, 8)
ALONE, TOGETHER = 40e-6, 20e-6  # seconds a row

Made = Callable[[Path], tuple[RemoteSeat, Work]]


def run(harness: Harness, sizes: Sequence[int]) -> None:
    for size in sizes:
        for name, reach, made in ways(size):
            measure(harness, name, size, reach, made)


def ways(size: int) -> Iterator[tuple[str, float, Made]]:
    """Yield title, reach and work of each way to draw from so many facts."""
    for fan in FANS:
        facts = said(joining(size, fan))
        yield f"fan {fan}, one at a time", ALONE, drawn(facts, (JOIN,), 1)
        yield f"fan {fan}, in a batch", TOGETHER, drawn(facts, (JOIN,), BATCH)
        yield f"fan {fan}, the rule last", TOGETHER, last(facts)
    facts = said(packages.facts(packages.graph(size)))
    rules = packages.RULES
    yield "requirements of packages", TOGETHER, drawn(facts, rules, BATCH)


def measure(harness: Harness, name: str, size: int, reach: float, made: Made) -> None:
    """Measure one way to draw, by the rows that it leaves."""
    with tempfile.TemporaryDirectory() as folder:
        seat, work = made(Path(folder) / "first")
        before = count(seat, "assertion")
        work()
        facts, firings = count(seat, "assertion") - before, count(seat, "firing")
        rows = firings + (0 if facts == 1 else facts)  # a rule alone is no row
        conclusions = count(seat, "sentex") - count(seat, "assertion")
        raw = inserted(Path(folder) / "raw", tables_of(seat))
        seat.close()

        def trial() -> Work:
            return made(Path(folder) / "ours")[1]

        harness.measure(
            name, trial, raw, reach=Within(reach, rows), size=size, count=rows
        )
        say(f"    {firings:,} firings, {conclusions:,} rows that nobody asserts")


def drawn(sentences: list[Said], rules: tuple[str, ...], batch: int) -> Made:
    """Return how facts are put where the rules are already."""

    def made(folder: Path) -> tuple[RemoteSeat, Work]:
        seat = new_seat(folder, *rules)
        return seat, lambda: put(seat, sentences, batch)

    return made


def last(sentences: list[Said]) -> Made:
    """Return how a rule comes where the facts are already."""

    def made(folder: Path) -> tuple[RemoteSeat, Work]:
        seat = new_seat(folder)
        put(seat, sentences)
        return seat, lambda: seat.assert_(JOIN)

    return made
