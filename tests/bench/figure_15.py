"""Nothing to sync, beside `git fetch` with nothing new."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import koinii
from bench.figure_08 import git
from bench.figure_09 import shown
from bench.harness import Harness, Times, Trial, Work
from bench.sample import fresh

FIGURE = 15
SIZES = (100_000, 1_000_000)
TINY = (50,)
TIMES = 10


def run(harness: Harness, sizes: Sequence[int]) -> None:
    for size in sizes:
        rounds = 3 if size >= 1_000_000 else 5
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            hub = shown(folder, size)
            seat = koinii.clone(str(hub), str(folder / "seat"), agent="AgentBoreas")
            seat.sync()
            ways: dict[str, Work] = {
                "pull, nothing new": seat.pull,
                "pull, commit, push, nothing new": seat.sync,
            }
            raw = often(fetched(folder, hub))
            for title, way in ways.items():
                harness.measure(
                    title, often(way), raw, rounds,
                    reach=Times(5), size=size, count=TIMES,
                )  # fmt: skip
            seat.close()


def often(work: Work) -> Trial:
    def trial() -> Work:
        def many() -> None:
            for _ in range(TIMES):
                work()

        return many

    return trial


def fetched(folder: Path, hub: Path) -> Work:
    """Fetch all that is there; then return that fetch, which brings nothing new."""
    place = fresh(folder / "fetched")
    git(place, "init", "-q", "--bare", ".")

    def work() -> None:
        git(place, "fetch", "-q", str(hub), "+refs/koinii/*:refs/koinii/*")

    work()
    return work
