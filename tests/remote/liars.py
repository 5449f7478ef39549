"""A seat that tells several histories, and a remote that shows whichever it likes."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import koinii
from koinii import RemoteSeat
from koinii.remote.moving import moving
from koinii.remote.publish import SEATS, publish
from koinii.terms import write
from remote.conftest import Plain
from remote.desks import Clock

EVE = "AgentEve"


class Liar:
    """One seat's key in several directories, each of which goes on by itself."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "liar"
        self._folder.mkdir()
        self.branches: dict[str, RemoteSeat] = {}

    def begin(self, *texts: str) -> RemoteSeat:
        """Make the seat, with a commit for each sentence; the branch ''."""
        seat = koinii.init(str(self._folder / "main"), agent=EVE, now=Clock())
        seat.home = self._folder / "home-main"
        self.branches[""] = seat
        self.say("", *texts)
        return seat

    @property
    def id(self) -> str:
        return self.branches[""].id

    def part(self, name: str, *texts: str, from_branch: str = "") -> RemoteSeat:
        """Let a copy of a branch go on in another way."""
        source = self.branches[from_branch]
        target = self._folder / f"branch-{name}"
        shutil.copytree(source.layout.directory, target)
        seat = koinii.open(str(target), now=Clock(1_700_000_100_000 + len(name)))
        seat.home = self._folder / f"home-{name}"  # nobody tells it that it is a copy
        self.branches[name] = seat
        self.say(name, *texts)
        return seat

    def say(self, name: str, *texts: str) -> None:
        for text in texts:
            self.branches[name].assert_(text)
            assert self.branches[name].commit()

    def show(self, name: str, bare: Path, plain: Plain) -> None:
        """Have the remote show one of the branches, whatever it showed before."""
        seat = self.branches[name]
        with moving(seat, seat.git):
            tip = publish(seat, seat.git)
        place = Path(seat.layout.git)
        plain(place, "push", "-q", "-f", str(bare), f"{tip}:{SEATS}{seat.id}")

    def close(self) -> None:
        for seat in self.branches.values():
            seat.close()


class Remote:
    """A bare repository and the honest seats that meet there."""

    def __init__(self, folder: Path, bare: Path, plain: Plain) -> None:
        self._folder = folder
        self._opened: list[RemoteSeat] = []
        self.bare = bare
        self.plain = plain
        self.liar = Liar(folder)

    def sit(self, name: str, clock: Clock | None = None) -> RemoteSeat:
        """Make an honest seat that has said something."""
        seat = koinii.init(
            str(self._folder / name), agent=f"Agent{name}", now=clock or Clock()
        )
        seat.remotes.add("origin", str(self.bare))
        seat.assert_(f"(from {name})")
        self._opened.append(seat)
        return seat

    def show(self, name: str) -> None:
        self.liar.show(name, self.bare, self.plain)

    def close(self) -> None:
        for seat in self._opened:
            seat.close()
        self.liar.close()


def said_by_eve(seat: RemoteSeat) -> set[str]:
    """Return what a seat has of the liar's sentences, applied."""
    rows = seat.ask("(eve ?what)", context="CxEve", scope="exact")
    return {write(row["?what"]) for row in rows}


def number_of(seat: RemoteSeat, other: str) -> int:
    return {peer.seat: peer.number for peer in seat.peers()}.get(other, -1)


def sync_until_still(seats: Sequence[RemoteSeat], most: int = 6) -> int:
    """Let seats sync in turn until none has news; return how many rounds it took."""
    for rounds in range(most):
        if not any(commit for _, commit, _ in [seat.sync() for seat in seats]):
            return rounds
    raise AssertionError("they answer each other for ever")
