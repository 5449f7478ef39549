"""Commits as git objects: one pack for all that are not yet published.

The store is the truth and git follows it. The pack is durable before the store
forgets what it was made from, and the ref is set from the store every time, so
a kill between any two steps is mended by taking them again. Every commit that may
be a tip is signed by the seat's key; a signature is the same every time.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from koinii.errors import SurroundingsError
from koinii.history.record import CommitRecord, decode_record
from koinii.note import sign_ssh
from koinii.remote.commit import commit_object, sign_commit
from koinii.remote.pack import GitObject, object_id, store_pack, write_pack
from koinii.remote.tip import NAMESPACE
from koinii.remote.tree import changed_trees
from koinii.seat.own_key import own_key

if TYPE_CHECKING:
    from koinii.remote.repository import Git
    from koinii.seat.seat import Seat

ALL = "refs/koinii/*"
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
        shown = git.read_ref(own_ref(seat))
        if tip and (numbers or shown != tip):
            _check_there(git, tip)
        if numbers:
            tip = _write_commits(seat, git.directory, numbers, tip)
            seat.histories.set_tip(seat.id, tip)
            seat.files.sent(numbers)
        if tip and shown != tip:
            git.restore_ref(own_ref(seat), tip)
    git.repack_when(PACKS)
    return tip


def _check_there(git: Git, tip: str) -> None:
    """Refuse to go on from a commit that the store knows and that is not there."""
    if not git.is_ancestor(tip, tip):
        raise SurroundingsError(
            f"{git.directory} has lost the commits that the store says it holds",
            code="koinii/damaged-repository",
            hint="koinii doctor --fix makes it again from the store",
            file=str(git.directory),
            tip=tip,
        )


def publish_whole(seat: Seat, git: Git, parent: str) -> str:
    """Make one git commit of all our files as they are now; return it, the new tip.

    For a repository whose past is lost: the history itself is among the files.
    `parent`, '' for none, is an earlier commit of this seat.
    """
    with seat.database.write():
        head = seat.histories.head(seat.id)
        assert head is not None  # noqa: S101 - there was a tip
        objects: list[GitObject] = []
        bodies = [(path, seat.files.body(path)) for path, _, _ in seat.files.listing()]
        changes = _blobs(bodies, objects)
        changed = changed_trees(lambda _: [], changes)
        seat.files.clear_entries()
        for folder, entries in changed.directories.items():
            seat.files.put_entries(folder, entries)
        data = _signed(seat, _commit(seat, head.size, changed.root, parent))
        store_pack(
            git.directory, write_pack([*objects, *changed.objects, (b"commit", data)])
        )
        tip = object_id(b"commit", data)
        seat.histories.set_tip(seat.id, tip)
        seat.files.sent(seat.files.unsent())
        git.restore_ref(own_ref(seat), tip)
    return tip


def _write_commits(seat: Seat, directory: Path, numbers: list[int], tip: str) -> str:
    objects: list[GitObject] = []
    for number in numbers:
        tree = _write_files(seat, number, objects)
        data = _commit(seat, number, tree, tip)
        if number == numbers[-1]:
            data = _signed(seat, data)
        objects.append((b"commit", data))
        tip = object_id(b"commit", data)
    store_pack(directory, write_pack(objects))
    return tip


def _write_files(seat: Seat, number: int, objects: list[GitObject]) -> str:
    """Add one commit's blobs and trees; return its root tree."""
    changes = _blobs(seat.files.outgoing(number), objects)
    changed = changed_trees(seat.files.entries, changes)
    objects += changed.objects
    for folder, entries in changed.directories.items():
        seat.files.put_entries(folder, entries)
    return changed.root


def _blobs(
    bodies: Iterable[tuple[str, bytes | None]], objects: list[GitObject]
) -> dict[str, str | None]:
    """Add the blobs of files; return their ids, None where there is no file."""
    changes: dict[str, str | None] = {}
    for path, packed in bodies:
        if packed is None:
            changes[path] = None
            continue
        body = zlib.decompress(packed)
        objects.append((b"blob", body))
        changes[path] = object_id(b"blob", body)
    return changes


def _commit(seat: Seat, number: int, tree: str, parent: str) -> bytes:
    data = seat.histories.record(seat.id, number)
    record = None if data is None else decode_record(data)
    if not isinstance(record, CommitRecord):
        raise AssertionError(f"our own record {number} cannot be read")  # noqa: TRY004 - a fault of ours
    message = (
        f"commit {number}: {record.size} claims believed\n\nKoinii-Commit: {number}\n"
    )
    return commit_object(tree, parent or None, message, seat.id, record.time)


def _signed(seat: Seat, payload: bytes) -> bytes:
    return sign_commit(payload, sign_ssh(payload, own_key(seat), NAMESPACE))
