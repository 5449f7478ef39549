"""One assert for each durable transaction, beside appending the same bytes."""

import itertools
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.harness import Harness, Speed, Trial, Work
from bench.sample import facts, fresh, seat_of

FIGURE = 1
SIZES = (10_000, 100_000, 1_000_000)
TINY = (20,)
COUNT = 200


def run(harness: Harness, sizes: Sequence[int]) -> None:
    for size in sizes:
        count = min(COUNT, size)
        with tempfile.TemporaryDirectory() as name:
            harness.measure(
                "one assert, one durable transaction",
                ours(Path(name) / "ours", size, count),
                appended(Path(name) / "raw", size, count),
                reach=Speed(0.25),
                size=size,
                count=count,
            )


def ours(folder: Path, size: int, count: int) -> Trial:
    """Assert `count` new facts, one by one, into a seat that holds `size`."""
    seat = seat_of(folder, size)
    told = itertools.count(size, count)

    def trial() -> Work:
        sentences = list(facts(count, start=next(told)))

        def work() -> None:
            for sentence in sentences:
                seat.assert_(sentence)

        return work

    return trial


def appended(folder: Path, size: int, count: int) -> Trial:
    """Append the same facts to a file, each made durable before the next."""
    lines = [f"{fact}\n".encode() for fact in facts(count, start=size)]

    def trial() -> Work:
        path = fresh(folder) / "log"

        def work() -> None:
            with path.open("ab", buffering=0) as log:
                for line in lines:
                    log.write(line)
                    os.fdatasync(log.fileno())

        return work

    return trial
