"""Seats at one table: made once, copied for each test, their clock set by hand.

`shown` is the tree of a seat's newest commit, `hand_over` takes such a tree into
another seat the way a pull does, without git between.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import koinii
from koinii import RemoteSeat
from koinii.errors import VerificationError
from koinii.note import PrivateKey, write_private_key
from koinii.remote.applying import Applied, apply_seat, introduce
from koinii.remote.fetched import FetchedSeat
from koinii.remote.reading import Blob
from koinii.remote.taking import known_of
from koinii.remote.verify import verify_seat
from koinii.terms import write

EMPTY = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

SOAK = bool(os.environ.get("KOINII_SOAK"))
IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - fsync costs nothing there

Files = Mapping[str, bytes]
Sit = Callable[[str], RemoteSeat]


def examples(few: int) -> int:
    """Return how many examples a property gets that costs more than most."""
    return 50 * few if SOAK else few


@contextmanager
def room() -> Iterator[Path]:
    """Make a directory for one example, in memory where that can be had.

    It is as a machine of its own, which knows of no other copies of its seats.
    """
    before = os.environ["KOINII_HOME"]
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        os.environ["KOINII_HOME"] = str(Path(folder, "outside"))
        try:
            yield Path(folder)
        finally:
            os.environ["KOINII_HOME"] = before


class Clock:
    """Time that passes one millisecond a look."""

    def __init__(self, now: int = 1_700_000_000_000) -> None:
        self.now = now

    def __call__(self) -> int:
        self.now += 1
        return self.now


class Desk(NamedTuple):
    """A directory with a seat, and the agents that sit there."""

    path: Path
    agents: tuple[str, ...]

    def copy_to(self, folder: Path) -> RemoteSeat:
        """Open a copy of the seat in a new directory below `folder`."""
        shutil.copytree(self.path, folder / self.path.name)
        return koinii.open(str(folder / self.path.name), now=Clock())


def carried(seat: RemoteSeat, folder: Path) -> RemoteSeat:
    """Copy a seat's directory to another machine, and open the copy there."""
    shutil.copytree(seat.layout.directory, folder / "copy")
    copy = koinii.open(str(folder / "copy"), now=Clock())
    copy.home = folder / "another"
    return copy


def make_desk(
    folder: Path,
    name: str,
    agents: Iterable[str],
    keys: Mapping[str, Path] | None = None,
) -> Desk:
    """Make a seat with agents; those in `keys` bring their key."""
    first, *others = agents
    given = {agent: str(path) for agent, path in (keys or {}).items()}
    path = folder / name
    with koinii.init(str(path), agent=first, key=given.get(first), now=Clock()) as seat:
        for agent in others:
            seat.new_agent(agent, key=given.get(agent))
    return Desk(path, (first, *others))


@contextmanager
def sitting(folder: Path, bare: Path) -> Iterator[Sit]:
    """Give the way to open seats that have a commit and share a bare repository."""
    with ExitStack() as stack:

        def open_one(name: str) -> RemoteSeat:
            path, agent = str(folder / name), f"Agent{name.capitalize()}"
            seat = stack.enter_context(koinii.init(path, agent=agent, now=Clock()))
            seat.remotes.add("origin", str(bare))
            seat.assert_(f"(is {name})")
            seat.commit()
            return seat

        yield open_one


def make_key(path: Path) -> Path:
    """Write a new agent's key that can be brought to several seats."""
    write_private_key(path, PrivateKey.generate())
    return path


def shown(seat: RemoteSeat) -> dict[str, bytes]:
    """Return the files of a seat's newest commit."""
    files = {}
    for path, _, _ in seat.files.listing():
        packed = seat.files.body(path)
        assert packed is not None
        files[path] = zlib.decompress(packed)
    return files


def fetched(files: Files, seat_id: str) -> FetchedSeat:
    """Return a tree as a fetch would bring it."""

    def read(path: str, most: int) -> bytes:
        if len(files[path]) > most:
            raise VerificationError(f"{path} is too large", path=path)
        return files[path]

    blobs = {path: Blob("", len(body)) for path, body in files.items()}
    return FetchedSeat(seat_id, blobs, read)


def take(seat: RemoteSeat, files: Files, seat_id: str) -> Applied:
    """Take a tree as that of a seat; a refusal of the whole seat is raised."""
    came = fetched(files, seat_id)
    verified = verify_seat(came, known_of(seat, seat_id))
    introduce(seat, [verified])
    return apply_seat(seat, came, verified, "0" * 40)


def hand_over(source: RemoteSeat, target: RemoteSeat) -> Applied:
    """Take a seat's newest commit into another; nothing is refused."""
    applied = take(target, shown(source), source.id)
    assert not applied.refused
    return applied


def says(seat: RemoteSeat) -> set[tuple[str, str, str, str]]:
    """Return who says what where: (agent, seat, context, sentence)."""
    rows = seat.database.connection.execute("SELECT sentex, author FROM assertion")
    said = [(seat.kb.get(one), seat.kb.names.author(by)) for one, by in rows.fetchall()]
    return {(*who, one.context, write(one.sentence)) for one, who in said}
