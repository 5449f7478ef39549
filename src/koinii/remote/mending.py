"""The private repository mended from the store, which is the truth.

Nothing is deleted but what a killed git left: a damaged repository is moved
aside. The history of the seat is in the store whatever becomes of git's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from koinii.errors import KoiniiError, SurroundingsError
from koinii.remote.moving import alone, is_made
from koinii.remote.ownref import RETURNED, Whose, weigh
from koinii.remote.publish import own_ref, publish_whole
from koinii.remote.repository import Git
from koinii.seat.seat import Seat

_REF = re.compile(rb"[0-9a-f]{40}\n?")


def mend(seat: Seat, git: Git) -> list[str]:
    """Do what is safe to do here, and return what was done; [] for nothing.

    Raises:
        SurroundingsError: the seat is read-only or busy, no git, a full disk.
    """
    with alone(seat):
        return list(_mend(seat, git))


def _mend(seat: Seat, git: Git) -> Iterator[str]:
    tip = seat.histories.tip(seat.id)
    if is_made(git):
        left = git.clear_stale_locks()
        if left:
            yield f"removed {len(left)} files of a git that was killed"
        yield from _drop_torn_refs(git)
    elif not tip and not git.directory.exists():
        return
    fault = _lost(git, tip)
    if not fault:
        if tip and git.read_ref(own_ref(seat)) != tip:
            git.restore_ref(own_ref(seat), tip)
            yield f"set the ref to the store's tip {tip[:12]}"
        fault = git.faults()
    if fault:
        yield f"the private repository: {fault}"
        yield from _make_again(seat, git, tip)


def _drop_torn_refs(git: Git) -> Iterator[str]:
    """Take away refs that a power cut tore; what they showed can be had again."""
    for file in sorted((git.directory / "refs").rglob("*")):
        if file.is_file() and not _REF.fullmatch(file.read_bytes()):
            file.unlink()
            yield f"removed the torn ref {file.relative_to(git.directory)}"


def _lost(git: Git, tip: str) -> str:
    """Return why there is nothing to build on, '' where there is."""
    if not is_made(git):
        return "it is not there or not whole"
    try:
        git.list_refs("refs/koinii")
    except SurroundingsError as error:
        if error.code != "koinii/damaged-repository":
            raise
        return error.message
    if tip and not git.is_ancestor(tip, tip):
        return f"the store's tip {tip[:12]} is not in it"
    return ""


def _make_again(seat: Seat, git: Git, tip: str) -> Iterator[str]:
    aside = _move_aside(git.directory)
    git.init()
    yield "made it again, empty" + (f"; what was there is {aside}" if aside else "")
    if not tip:
        return
    parent = ""
    for name, url in _places(seat, aside):
        found, said = _bring(seat, git, url)
        if found and git.is_ancestor(tip, found):
            git.restore_ref(own_ref(seat), tip)
            yield f"brought back the commits of this seat from {name}"
            return
        parent = parent or found
        yield f"{name}: {said}"
    whole = publish_whole(seat, git, parent)
    past = "an earlier one of this seat" if parent else "none: git's past is lost"
    yield (
        f"made git commit {whole[:12]} of all files of the store; before it is {past}. "
        "The seat's own history is whole"
    )


def _move_aside(directory: Path) -> Path | None:
    if not directory.exists() and not directory.is_symlink():
        return None
    number = 1
    while (aside := directory.with_name(f"{directory.name}.damaged-{number}")).exists():
        number += 1
    return directory.rename(aside)


def _places(seat: Seat, aside: Path | None) -> Iterator[tuple[str, str]]:
    """Yield where the commits may still be, by name and address."""
    if aside is not None:
        yield "the damaged repository", str(aside)
    for name, url in sorted(seat.config.remotes.items()):
        yield f"remote {name}", url


def _bring(seat: Seat, git: Git, url: str) -> tuple[str, str]:
    """Fetch this seat's ref; return its tip if it is ours, or '' and why not."""
    ref, here = own_ref(seat), RETURNED + seat.id
    try:
        if ref not in git.ls_remote(url, ref):
            return "", "it shows nothing of this seat"
        git.fetch(url, [f"+{ref}:{here}"])
        tip = git.list_refs(RETURNED.rstrip("/"))[here]
        found = weigh(seat, git, tip)
    except KoiniiError as error:
        git.clear_stale_locks()  # with what came before it failed
        return "", error.message
    if found.whose is Whose.OURS:
        return tip, "it shows an earlier commit of this seat"
    return "", found.reason
