"""Commits as git objects: one pack for all that are not yet published.

The store is the truth and git follows it. The pack is durable before the store
forgets what it was made from, and the ref is set from the store every time, so
a kill between any two steps is mended by taking them again.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from koinii.history.record import CommitRecord, decode_record
from koinii.remote.commit import commit_object
from koinii.remote.pack import GitObject, object_id, store_pack, write_pack
from koinii.remote.tree import changed_trees

if TYPE_CHECKING:
    from koinii.remote.repository import Git
    from koinii.seat.seat import Seat

SEATS = "refs/koinii/seats/"
PACKS = 50  # joined when there are so many


def own_ref(seat: Seat) -> str:
    """Return the one ref that this seat writes."""
    return SEATS + seat.id


def publish(seat: Seat, git: Git) -> str:
    """Make the git objects of every commit; return the tip, '' before the first.

    Call it while `moving`.
    """
    with seat.database.write():
        numbers = seat.files.unsent()
        tip = seat.histories.tip(seat.id)
        if numbers:
            tip = _write_commits(seat, git.directory, numbers, tip)
            seat.histories.set_tip(seat.id, tip)
            seat.files.sent(numbers)
        if tip and git.read_ref(own_ref(seat)) != tip:
            git.restore_ref(own_ref(seat), tip)
    git.repack_when(PACKS)
    return tip


def _write_commits(seat: Seat, directory: Path, numbers: list[int], tip: str) -> str:
    objects: list[GitObject] = []
    for number in numbers:
        tree = _write_files(seat, number, objects)
        data = _commit(seat, number, tree, tip)
        objects.append((b"commit", data))
        tip = object_id(b"commit", data)
    store_pack(directory, write_pack(objects))
    return tip


def _write_files(seat: Seat, number: int, objects: list[GitObject]) -> str:
    """Add one commit's blobs and trees; return its root tree."""
    changes: dict[str, str | None] = {}
    for path, packed in list(seat.files.outgoing(number)):
        if packed is None:
            changes[path] = None
            continue
        body = zlib.decompress(packed)
        objects.append((b"blob", body))
        changes[path] = object_id(b"blob", body)
    changed = changed_trees(seat.files.entries, changes)
    objects += changed.objects
    for folder, entries in changed.directories.items():
        seat.files.put_entries(folder, entries)
    return changed.root


def _commit(seat: Seat, number: int, tree: str, parent: str) -> bytes:
    data = seat.histories.record(seat.id, number)
    record = None if data is None else decode_record(data)
    if not isinstance(record, CommitRecord):
        raise AssertionError(f"our own record {number} cannot be read")  # noqa: TRY004 - a fault of ours
    message = (
        f"commit {number}: {record.size} claims believed\n\nKoinii-Commit: {number}\n"
    )
    return commit_object(tree, parent or None, message, seat.id, record.time)
