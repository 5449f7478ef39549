"""A real pull of one bad ref: by who knows the seat already, and by a newcomer."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import koinii
from hostile.dump import Dump, dump
from hostile.good import Files, Good, Story
from hostile.kind import Ref, commit_of
from hostile.surroundings import surroundings
from koinii import RemoteSeat
from koinii.remote.exchange import Pulled
from koinii.remote.pack import store_pack
from koinii.seat.held import Held as HeldLine
from remote.desks import Clock, room

SEATS = "refs/koinii/seats/"


class Came(NamedTuple):
    """What a pull came to."""

    pulled: Pulled
    dump: Dump
    held: list[HeldLine]
    commit: str


class Meeting:
    """A copy of the story's remote and of one who pulls from it."""

    def __init__(self, folder: Path, good: Good, who: str) -> None:
        self.remote = folder / "remote.git"
        self.path = folder / who
        self._good = good

    def show(self, shown: Files | Ref | None) -> None:
        """Make the hostile seat's ref show this; None takes the ref away."""
        if shown is None:
            (self.remote / f"{SEATS}{self._good.seat}").unlink()
            return
        ref = shown if isinstance(shown, Ref) else commit_of(self._good, shown)
        where = self.remote / f"{SEATS}{ref.seat or self._good.seat}"
        if ref.by_git:
            words = ["git", "index-pack", "--stdin"]
            subprocess.run(
                words, cwd=self.remote, input=ref.pack, check=True, capture_output=True
            )
        else:
            store_pack(self.remote, ref.pack)
        for path, body in ref.litter.items():
            (self.remote / path).parent.mkdir(parents=True, exist_ok=True)
            (self.remote / path).write_bytes(body)
        where.write_text(ref.tip + "\n")

    @contextmanager
    def seat(self) -> Iterator[RemoteSeat]:
        """Open the one who pulls."""
        with koinii.open(str(self.path), now=Clock(1_800_000_000_000)) as seat:
            yield seat


@contextmanager
def meet(story: Story, who: str) -> Iterator[tuple[Meeting, RemoteSeat]]:
    """Copy remote and reader into a room of their own, and open the reader."""
    with room() as folder, ExitStack() as stack:
        for name in ("remote.git", who, "home"):
            shutil.copytree(story.folder / name, folder / name)
        config = folder / who / "seat.toml"
        config.write_text(config.read_text().replace(str(story.folder), str(folder)))
        stack.enter_context(surroundings(folder / "home"))
        meeting = Meeting(folder, story.good, who)
        yield meeting, stack.enter_context(meeting.seat())


def pull(seat: RemoteSeat) -> Came:
    """Pull, look at what can be looked at, and return what became of it."""
    pulled = seat.pull()
    counted = pulled.new + pulled.already + pulled.waiting + pulled.held
    assert pulled.received == counted
    look(seat)
    return Came(pulled, dump(seat), seat.held(), seat.status().commit)


def look(seat: RemoteSeat) -> None:
    """Ask for every report; what came must not stop one."""
    seat.status()
    seat.agents()
    seat.peers()
    seat.log()
    seat.waiting()
    seat.channels()
    seat.diagnostics()
    for context in ("CxEve", "CxGood", "CxRoom"):
        for one in seat.believed(context):
            seat.show(one.locator)
