"""Retracting a premise on which nine conclusions rest, beside the same in a small base.

The base is of facts in pairs, each of which has drawn a conclusion. A second
line is of real size and shape: one requirement fewer among those of packages,
where a recursive rule says what is needed in all.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench import packages
from bench.harness import Harness, Times, Trial, Work, say
from bench.joined import JOIN, count, joining, new_seat
from koinii.remote.seat import RemoteSeat

FIGURE = 7
SIZES = (10_000, 1_000_000)
TINY = (40,)
SMALL = 10_000
DEPENDENTS = 9
PREMISES = 20
EDGES = 10
GRAPH = 100_000  # edges at the most


def run(harness: Harness, sizes: Sequence[int]) -> None:
    for size in sizes:
        rounds = 3 if size >= 1_000_000 else 5
        with tempfile.TemporaryDirectory() as name:
            seats = [
                based(Path(name) / who, many)
                for who, many in (("ours", size), ("small", min(size, SMALL)))
            ]
            harness.measure(
                "retract a premise of nine",
                retracted(seats[0]), retracted(seats[1]), rounds,
                reach=Times(1.5), size=size, count=PREMISES,
            )  # fmt: skip
            for seat in seats:
                seat.close()
            graphs = [
                required(Path(name) / who, min(many, GRAPH))
                for who, many in (("packages", size), ("few", min(size, SMALL)))
            ]
            harness.measure(
                "one requirement fewer", fewer(graphs[0]), fewer(graphs[1]), rounds,
                reach=Times(1.5), size=size, count=EDGES,
            )  # fmt: skip
            told = [count(graphs[0], table) for table in ("assertion", "firing")]
            say(f"    {told[0]:,} requirements and rules, {told[1]:,} firings")
            for seat in graphs:
                seat.close()


def based(folder: Path, size: int) -> RemoteSeat:
    """Return a seat of `size` facts with a conclusion for each two of them."""
    seat = new_seat(folder)
    seat.load(joining(size, 1))
    seat.assert_(JOIN)
    seat.load(
        f"(worksOn Spoke{hub}of{number} Hub{hub})"
        for hub in range(PREMISES)
        for number in range(DEPENDENTS)
    )
    return seat


def retracted(seat: RemoteSeat) -> Trial:
    """Assert the premises untimed; then retract each in its own transaction."""

    def trial() -> Work:
        before = count(seat, "sentex")
        added = seat.edit(
            add=[f"(usesDb Hub{hub} DbOfHub{hub})" for hub in range(PREMISES)]
        ).added
        more = count(seat, "sentex") - before
        assert more == PREMISES * (1 + DEPENDENTS)

        def work() -> None:
            for locator in added:
                seat.retract(locator)
            assert count(seat, "sentex") == before

        return work

    return trial


def required(folder: Path, size: int) -> RemoteSeat:
    """Return a seat of `size` requirements of packages and all that is needed."""
    seat = new_seat(folder, *packages.RULES)
    seat.load(packages.facts(packages.graph(size)))
    return seat


def fewer(seat: RemoteSeat) -> Trial:
    """Say again that some packages require others, untimed; then take each back."""
    sentences = [
        f'(requires "made-{cluster}-1-0" "made-{cluster}-2-0")'
        for cluster in range(EDGES)
    ]

    def trial() -> Work:
        added = seat.edit(add=sentences).added

        def work() -> None:
            for locator in added:
                seat.retract(locator)

        return work

    return trial
