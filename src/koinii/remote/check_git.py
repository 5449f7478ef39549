"""Git, the private repository and the remotes, looked at and left alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from koinii.remote.admins import fault_of, look_at
from koinii.remote.git_words import redact
from koinii.remote.libgit import Libgit, choose
from koinii.remote.moving import is_made
from koinii.remote.ownref import is_before, number_of
from koinii.remote.publish import ALL, own_ref
from koinii.remote.read_back import PUT_BACK, lost_at
from koinii.remote.repository import OLDEST, Git
from koinii.seat.check import FIX, OK, Check, attention, looked, ok
from koinii.seat.seat import Seat
from koinii.seat.unpublished import shown_before
from koinii.store.lock import holder_of


def check_git(directory: Path) -> Iterator[Check]:
    """Find git itself; the directory is any that exists."""
    git = choose(directory)
    version = git.version()
    shown = ".".join(map(str, version))
    if isinstance(git, Libgit):
        found = f"none on the PATH; libgit2 {shown} moves the data"
        yield Check("git", OK, found, "only git reads bundles and parts of a remote")
    elif version < OLDEST:
        yield attention("git", f"version {shown} is too old", "install git 2.30")
    else:
        yield ok("git", f"version {shown}")


def check_repository(seat: Seat, git: Git) -> Iterator[Check]:
    """Compare the private repository with what the store says of it."""
    waiting = len(seat.files.unsent())
    head = seat.histories.head(seat.id)
    found = f"{head.size if head else 0} made, {waiting} not yet in git"
    yield Check("commits", OK, found, "koinii push" if waiting else "")
    tip = seat.histories.tip(seat.id)
    if not tip and not git.directory.exists():
        yield ok("repository", "not made yet, the first push or pull makes it")
    elif not is_made(git):
        yield attention("repository", f"{git.directory} is not there or not whole", FIX)
    else:
        yield from _leftovers(seat, git)
        yield from _ref(seat, git, tip)


def _leftovers(seat: Seat, git: Git) -> Iterator[Check]:
    left = git.leftovers()
    if left and holder_of(f"{seat.layout.git}.lock") is None:
        found = f"{len(left)} files of a git that was killed, such as {left[0].name}"
        yield attention("repository", found, FIX)


def _ref(seat: Seat, git: Git, tip: str) -> Iterator[Check]:
    shown = git.read_ref(own_ref(seat))
    if not tip and shown is None:
        yield ok("repository", "there, and nothing of this seat in it yet")
    elif shown != tip:
        found = f"its ref shows {shown or 'nothing'}, the store says {tip or 'nothing'}"
        yield attention("repository", found, FIX)
    elif fault := git.faults():
        yield attention("repository", f"it is damaged: {fault}", FIX)
    else:
        yield ok("repository", f"whole, its ref at the store's tip {tip[:12]}")


def check_remotes(seat: Seat, git: Git) -> Iterator[Check]:
    """Ask every remote what it shows of this seat."""
    for name, url in sorted(seat.config.remotes.items()):
        yield from looked(f"remote {name}", partial(_remote, seat, git, name, url))


def _remote(seat: Seat, git: Git, name: str, url: str) -> Iterator[Check]:
    label = f"remote {name}"
    there = git.ls_remote(url, ALL)
    yield from _face(seat, label, url, there)
    shown = there.get(own_ref(seat))
    tip = seat.histories.tip(seat.id)
    if shown is None:
        yield _less(seat, name, url, 0, "nothing of this seat")
    elif shown == tip and (lost := lost_at(seat, url)):
        found = f"{redact(url)} shows the newest commit and cannot give it: {lost}"
        yield attention(label, found, PUT_BACK)
    elif shown == tip and not seat.files.unsent():
        yield ok(
            label, f"{redact(url)} shows the newest commit, and all of it is there"
        )
    elif is_before(git, shown, tip):
        number = number_of(seat, git, shown)
        less = _less(seat, name, url, number, f"an earlier commit, {number}")
        if less.state == OK and (lost := lost_at(seat, url)):
            found = f"{less.found} and cannot give it: {lost}"
            less = attention(label, found, PUT_BACK)
        yield less
    else:
        found = f"{redact(url)} shows {shown[:12]} for this seat, not in git here"
        yield attention(label, found, f"koinii pull {name} says whose it is")


def _less(seat: Seat, name: str, url: str, number: int, what: str) -> Check:
    """Return what to say of a remote that lacks commits, or does not any more."""
    label, push = f"remote {name}", f"koinii push {name}"
    before = shown_before(seat, url)
    if before > number:
        found = f"{redact(url)} shows {what}, and has shown commit {before}"
        return attention(label, found, push)
    return Check(label, OK, f"{redact(url)} shows {what}", push)


def _face(
    seat: Seat, label: str, url: str, there: Mapping[str, str]
) -> Iterator[Check]:
    """Compare what a remote says of itself with the pin here."""
    fault = fault_of(seat, look_at(url, there), there)
    if fault is not None:
        yield attention(label, fault[0], "")
