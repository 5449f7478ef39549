"""Commit and push of 100 new facts, beside git with the same bytes.

The reach is three pushes of the same bytes by git and two commit ids, so that is
what the baseline does. And what 200 such pushes leave on both sides, beside what is
left of it by `gc`.
"""

import itertools
import os
import subprocess
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bench.figure_04 import scanned
from bench.harness import Harness, Most, Times, Trial, Work, say
from bench.sample import facts, fresh, seat_of
from koinii.remote.seat import RemoteSeat

FIGURE = 8
SIZES = (10_000, 100_000, 1_000_000)
TINY = (50,)
NEW = 100
MOVED_BYTES = 25_000
PUSHES = 200
GROWN_BYTES = 5_500_000  # of a prototype with these segments, after as many


def run(harness: Harness, sizes: Sequence[int]) -> None:
    for size in sizes:
        rounds = 3 if size >= 1_000_000 else 5
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            seat = seat_of(folder / "ours", size)
            hub = bare(folder / "hub.git")
            seat.remotes.add("origin", str(hub))
            seat.commit()
            seat.push()
            moved: list[int] = []
            harness.measure(
                f"commit and push {NEW} new facts", pushed(seat, size, hub, moved),
                plain(folder, size), rounds, reach=Times(1), size=size,
            )  # fmt: skip
            say(f"    moved {max(moved)} bytes at the most (<= {MOVED_BYTES})")
            seat.close()
    with tempfile.TemporaryDirectory() as name:
        grow(harness, Path(name), sizes[0])


def grow(harness: Harness, folder: Path, size: int) -> None:
    """Push 200 times, and weigh what is in the repositories then."""
    times = min(PUSHES, size // 50)
    with seat_of(folder / "ours", size) as seat:
        hub = bare(folder / "hub.git")
        git(hub, "config", "gc.auto", "0")
        seat.remotes.add("origin", str(hub))
        for number in range(times):
            seat.load(facts(NEW, start=size + NEW * number))
            seat.commit()
            seat.push()
        own = Path(seat.layout.git)
        grown = {"here": weight_of(own), "at the remote": weight_of(hub)}
        seat.gc()
        git(hub, "gc", "-q", "--prune=now")
        left = {"here": weight_of(own), "at the remote": weight_of(hub)}
    for place, bytes_ in grown.items():
        harness.weigh(
            f"repository {place}, {times} pushes", partial(float, bytes_),
            partial(float, left[place]), reach=Most(GROWN_BYTES), size=size,
        )  # fmt: skip


def weight_of(folder: Path) -> int:
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())


def pushed(seat: RemoteSeat, size: int, hub: Path, moved: list[int]) -> Trial:
    """Load new facts untimed; then commit, push and read the ref back."""
    told = itertools.count(size, NEW)

    def trial() -> Work:
        seat.load(facts(NEW, start=next(told)))
        before = stored(hub)

        def work() -> None:
            assert seat.commit()
            assert seat.push().moved
            moved.append(stored(hub) - before)

        return work

    return trial


def plain(folder: Path, size: int) -> Trial:
    """Push the same lines as one file with git, three times, and fold two roots."""
    hub, work_tree = bare(folder / "raw.git"), fresh(folder / "raw")
    git(work_tree, "init", "-q")
    root = scanned(folder / "leaves", size)()
    told = itertools.count(size, NEW)

    def trial() -> Work:
        commits = []
        for _ in range(3):
            start = next(told)
            lines = "".join(
                f"+ default 1750000000000 {one}\n" for one in facts(NEW, start)
            )
            (work_tree / f"{start}.kb").write_text(lines)
            git(work_tree, "add", ".")
            git(
                work_tree,
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@a",
                "commit",
                "-qm",
                "x",
            )
            commits.append(git(work_tree, "rev-parse", "HEAD").strip())

        def work() -> None:
            for commit in commits:
                git(work_tree, "push", "-q", str(hub), f"{commit}:refs/heads/main")
            root()
            root()

        return work

    return trial


def bare(path: Path) -> Path:
    """Make a bare repository that keeps what arrives as packs."""
    path.mkdir(parents=True)
    git(path, "init", "-q", "--bare", ".")
    git(path, "config", "receive.unpackLimit", "1")
    return path


def stored(hub: Path) -> int:
    """Return the bytes of the packs that have arrived."""
    return sum(file.stat().st_size for file in hub.glob("objects/pack/*.pack"))


def git(place: Path, *words: str) -> str:
    settings = {name: value for name, value in os.environ.items() if name[:4] != "GIT_"}
    done = subprocess.run(
        ["git", *words],
        cwd=place,
        env=settings,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout
