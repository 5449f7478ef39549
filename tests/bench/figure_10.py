"""A pull of 1,000 facts onto as many of one's own, beside a load of the same lines.

Two seats share so many facts; each has said 1,000 since. One pulls what the other
has said: fetched, verified, decided on and settled. The baseline loads the same
sentences into a copy of the same seat. Every round begins with a copy of it.
"""

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from shutil import copytree

import koinii
from bench.figure_09 import shown
from bench.harness import Harness, Times, Trial, Work
from bench.sample import facts, fresh
from koinii.remote.seat import RemoteSeat

FIGURE = 10
SIZES = (10_000, 100_000)
TINY = (50,)
NEW = 1_000


def run(harness: Harness, sizes: Sequence[int]) -> None:
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            new = min(NEW, size)
            apart(folder, size, new)
            harness.measure(
                f"pull of {new:,} beside {new:,} own",
                copied(folder, "pulls", partial(pulled, new)),
                copied(folder, "loads", partial(loaded, size, new)),
                reach=Times(3), size=size, count=new,
            )  # fmt: skip


def apart(folder: Path, size: int, new: int) -> None:
    """Leave in the folder a seat `second`, and a remote that has gone on without it."""
    hub = shown(folder, size)
    with koinii.clone(str(hub), str(folder / "second"), agent="AgentBoreas") as second:
        second.load(facts(new, start=size))
        second.commit()
        second.push()
    with koinii.open(str(folder / "first/seat")) as first:
        first.load(facts(new, start=size + new))
        first.commit()
        first.push()


def copied(folder: Path, name: str, act: Callable[[RemoteSeat], object]) -> Trial:
    """Do something with an open copy of the second seat; nothing is signed there."""

    def trial() -> Work:
        place = fresh(folder / name) / "seat"
        copytree(folder / "second", place)
        seat = koinii.open(str(place))

        def work() -> None:
            act(seat)
            seat.close()

        return work

    return trial


def pulled(new: int, seat: RemoteSeat) -> None:
    found = seat.pull()
    assert (found.new, found.troubles) == (new, [])


def loaded(size: int, new: int, seat: RemoteSeat) -> None:
    assert seat.load(facts(new, start=size + new)).new == new
