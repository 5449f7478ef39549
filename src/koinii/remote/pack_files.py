"""Packs of a repository joined, or dropped, without git.

libgit2 writes the new pack beside the others, on the disk, and it is moved in before
what it replaces goes: a kill leaves objects twice, never not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pygit2

from koinii.store.syncing import sync_folder

_NAMES = 8 + 256 * 4  # where the ids begin in an index of version 2
_OID = 20
JOINING = "tmp_koinii_"  # what a kill leaves is cleared by that


def packs_in(directory: Path) -> frozenset[Path]:
    """Return the packs of a repository that have an index, by that."""
    found = (directory / "objects/pack").glob("pack-*.idx")
    return frozenset(one for one in found if one.with_suffix(".pack").exists())


def join_packs(repository: pygit2.Repository, directory: Path) -> None:
    """Join small packs, so that each has twice the objects of all smaller ones.

    So there are O(log n) packs of n objects, and one is written O(log n) times.
    """
    sized = sorted((len(_ids(one)), one) for one in packs_in(directory))
    chosen = [one for _, one in sized[: to_join([count for count, _ in sized])]]
    ids = dict.fromkeys(oid for one in chosen for oid in _ids(one))
    kept = write_objects(repository, directory, ids)
    drop_packs(one for one in chosen if one != kept)


def keep_only(
    repository: pygit2.Repository, directory: Path, needed: Iterable[str]
) -> None:
    """Make one pack of the objects that are needed, and drop all others."""
    before = packs_in(directory)
    kept = write_objects(repository, directory, needed)
    drop_packs(one for one in before if one != kept)
    for loose in (directory / "objects").glob("[0-9a-f][0-9a-f]/*"):
        loose.unlink()


def to_join(counts: Sequence[int]) -> int:
    """Return how many of the packs, smallest first, are to become one."""
    last = len(counts) - 1
    while last > 0 and counts[last] >= 2 * counts[last - 1]:
        last -= 1
    taken = last + 1 if last > 0 else 0
    while taken and taken < len(counts) and counts[taken] < 2 * sum(counts[:taken]):
        taken += 1
    return taken


def drop_packs(packs: Iterable[Path]) -> None:
    """Remove packs; the index first, without which git sees none."""
    for index in packs:
        with suppress(FileNotFoundError):
            index.with_name("multi-pack-index").unlink()
        index.unlink(missing_ok=True)
        for file in sorted(index.parent.glob(f"{index.stem}.*")):
            file.unlink(missing_ok=True)


def _ids(index: Path) -> list[str]:
    """Return the ids of the objects in a pack, out of its index."""
    data = index.read_bytes()
    if data[:8] != b"\xfftOc\0\0\0\x02":
        raise ValueError(f"{index} is no index of a pack")
    count = int.from_bytes(data[_NAMES - 4 : _NAMES], "big")
    end = _NAMES + count * _OID
    return [data[at : at + _OID].hex() for at in range(_NAMES, end, _OID)]


def write_objects(
    source: pygit2.Repository, directory: Path, ids: Iterable[str]
) -> Path | None:
    """Write objects of one repository as a pack of a `directory`, durably.

    Returns the index of the pack, None where there are no objects.
    """
    builder = pygit2.PackBuilder(source)
    for oid in ids:
        builder.add(pygit2.Oid(hex=oid))
    if not len(builder):
        return None
    with TemporaryDirectory(prefix=JOINING, dir=directory / "objects") as beside:
        builder.write(beside)
        (index,) = Path(beside).glob("*.idx")
        final = directory / "objects/pack" / index.name
        final.parent.mkdir(exist_ok=True)
        for file in (index.with_suffix(".pack"), index):
            file.replace(final.with_suffix(file.suffix))
            sync_folder(final.parent)
    return final
