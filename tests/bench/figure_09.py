"""A clone of so many facts, all of it verified, beside git and a bulk insert.

The baseline fetches the same ref with git, then inserts the rows that the clone
leaves into the same tables with the same indexes, in one durable transaction.
"""

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import koinii
from bench.figure_02 import Tables, inserted
from bench.figure_08 import bare, git, stored
from bench.harness import Harness, Most, Times, Trial, Work, say
from bench.joined import tables_of
from bench.sample import facts, fresh, seat_of

FIGURE = 9
SIZES = (100_000, 1_000_000)
TINY = (50,)
BESIDE = 10_000  # bytes that a part may move beside its share and 1 % of it
KEPT = ("sentex", "leaf", "assertion")


def run(harness: Harness, sizes: Sequence[int]) -> None:
    for size in sizes:
        rounds = 3 if size >= 1_000_000 else 5
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            hub = shown(folder, size)
            moved: list[int] = []
            mine = cloned(folder / "copies", hub, size, moved)
            mine()()
            rows = rows_of(folder / "copies/seat")
            harness.measure(
                "clone", mine, fetched(folder, hub, rows), rounds,
                reach=Times(2.5), size=size, count=size,
            )  # fmt: skip
            say(f"    moved {max(moved)} bytes, {max(moved) / size:.3g} a fact")
        if size == sizes[0]:
            with tempfile.TemporaryDirectory() as name:
                part(harness, Path(name), size)


def part(harness: Harness, folder: Path, size: int) -> None:
    """Weigh what one context moves, beside its share of all."""
    hub, contexts = bare(folder / "hub.git"), 10
    with koinii.init(str(folder / "first"), agent="AgentAtlas") as seat:
        seat.remotes.add("origin", str(hub))
        for number in range(contexts):
            each = size // contexts
            seat.load(facts(each, start=each * number), context=f"CxPart{number}")
        seat.commit()
        seat.push()
    moved: dict[str, int] = {}
    chosen: dict[str, list[str]] = {"whole": [], "part": ["CxPart7"]}
    for name, named in chosen.items():
        place = str(folder / name)
        with koinii.clone(str(hub), place, agent="AgentBoreas", contexts=named) as seat:
            assert seat.cloned is not None
            assert not seat.cloned.troubles
            moved[name] = stored(Path(seat.layout.git))
    share = moved["whole"] / contexts
    harness.weigh(
        f"clone of one context of {contexts}", partial(float, moved["part"]),
        partial(float, share), reach=Most(int(1.01 * share + BESIDE)), size=size,
    )  # fmt: skip


def shown(folder: Path, size: int) -> Path:
    """Return a remote on which a seat shows `facts(size)`."""
    hub = bare(folder / "hub.git")
    with seat_of(folder / "first", size) as seat:
        seat.remotes.add("origin", str(hub))
        seat.commit()
        seat.push()
    return hub


def cloned(folder: Path, hub: Path, size: int, moved: list[int]) -> Trial:
    """Clone into a new seat; what came was verified, and is believed."""

    def trial() -> Work:
        place = fresh(folder) / "seat"

        def work() -> None:
            with koinii.clone(str(hub), str(place), agent="AgentBoreas") as seat:
                assert seat.cloned is not None
                assert (seat.cloned.new, seat.cloned.troubles) == (size, [])
                moved.append(stored(seat.git.directory))

        return work

    return trial


def rows_of(place: Path) -> Tables:
    """Return our schema, and the rows of what a clone has taken."""
    with koinii.open(str(place)) as seat:
        return tables_of(seat, KEPT)


def fetched(folder: Path, hub: Path, tables: Tables) -> Trial:
    """Fetch the ref into a new repository, and insert the rows into a new base."""
    into_base = inserted(folder / "base", tables)

    def trial() -> Work:
        place = fresh(folder / "fetched")
        git(place, "init", "-q", "--bare", ".")
        rows = into_base()

        def work() -> None:
            git(place, "fetch", "-q", str(hub), "+refs/koinii/*:refs/koinii/*")
            rows()

        return work

    return trial
