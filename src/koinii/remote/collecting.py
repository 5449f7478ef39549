"""What a seat keeps on the disk and nobody needs, given back.

Everything grows within bounds without it: segments are merged as commits are made,
and packs are joined where they are many. This makes it small.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from koinii.remote.moving import is_made, moving
from koinii.remote.ownref import RETURNED
from koinii.remote.repository import Git
from koinii.seat.seat import Seat
from koinii.store.compacting import compact, room_of


class Kept(NamedTuple):
    """What a seat takes of the disk, in bytes; `packs` are those of git's objects."""

    packs: int
    repository: int
    store: int
    log: int  # of the store
    free: int  # of the store, in pages that hold nothing


class Collected(NamedTuple):
    """What there was, and what is left; None where that was only rehearsed.

    `compacted` tells that the store was written again, or would be.
    """

    before: Kept
    after: Kept | None
    compacted: bool


def collect(seat: Seat, git: Git) -> Collected:
    """Join the packs, drop what no ref needs, and compact the store where it pays.

    One process at a time, as objects are moved; a kill leaves the seat as it was, or
    as it is to be.

    Raises:
        SurroundingsError: the seat is read-only or busy, a full disk.
    """
    before = kept(seat, git)
    if is_made(git):
        with moving(seat, git):
            seat.progress("joining packs", 0)
            for ref in git.list_refs(RETURNED.rstrip("/")):
                git.delete_ref(ref)  # looked at when it came
            git.prune()
    seat.progress("compacting", 0)
    compacted = compact(seat.database)
    return Collected(before, kept(seat, git), compacted)


def rehearse_collect(seat: Seat, git: Git) -> Collected:
    """Say what there is; how small packs become shows when they are joined."""
    return Collected(kept(seat, git), None, room_of(seat.database).pays)


def kept(seat: Seat, git: Git) -> Kept:
    """Return what a seat takes of the disk."""
    packs = sum(1 for _ in git.directory.glob("objects/pack/*.pack"))
    return Kept(packs, sum(_sizes(git.directory)), *room_of(seat.database))


def _sizes(folder: Path) -> Iterator[int]:
    for one in folder.rglob("*"):
        if one.is_file():
            yield one.stat().st_size
