"""Two seats that share no network, and files carried between them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from koinii import RemoteSeat
from remote.desks import Desk, says

Counts = tuple[int, int, int, int]


class Pair(NamedTuple):
    """Two seats and the folder of the stick."""

    anna: RemoteSeat
    bert: RemoteSeat
    stick: Path

    def file(self, name: str) -> Path:
        """Return where a bundle is on the stick."""
        return self.stick / name


@contextmanager
def apart(desks: dict[str, Desk], folder: Path) -> Iterator[Pair]:
    """Open copies of two seats below a folder, and make a stick beside them."""
    with ExitStack() as stack:
        anna, bert = (
            stack.enter_context(desks[one].copy_to(folder)) for one in ("anna", "bert")
        )
        stick = folder / "stick"
        stick.mkdir()
        yield Pair(anna, bert, stick)


def say(seat: RemoteSeat, *texts: str) -> None:
    """Say sentences and commit them."""
    for text in texts:
        seat.assert_(text)
    assert seat.commit()


def carry(pair: Pair, source: RemoteSeat, target: RemoteSeat) -> Counts:
    """Carry all of one seat to the other."""
    source.bundles.create(pair.file("carried"))
    return counts(target, pair.file("carried"))


def counts(seat: RemoteSeat, file: Path) -> Counts:
    """Apply a bundle; return received, new, already here and removed."""
    found = seat.bundles.apply(file)
    assert found.troubles == []
    assert found.received == found.new + found.already + found.waiting + found.held
    return found.received, found.new, found.already, found.removed


def state(seat: RemoteSeat) -> object:
    """Return what a seat holds that a bundle could move."""
    heads = [(one.seat, one.size, one.tip) for one in seat.histories.heads()]
    return says(seat), seat.status().commit, heads, seat.histories.agents()


def refs(seat: RemoteSeat) -> dict[str, str]:
    """Return the refs of the private repository, if it was made."""
    if not seat.git.directory.is_dir():
        return {}
    return seat.git.list_refs("refs/koinii")
