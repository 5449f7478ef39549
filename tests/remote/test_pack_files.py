"""Packs joined without git stay few, and hold what they held."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pygit2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.remote.libgit import Libgit
from koinii.remote.pack import object_id, store_pack, write_pack
from koinii.remote.pack_files import join_packs, packs_in, to_join
from remote.desks import room
from remote.stock_git import GIT

Counts = st.lists(st.integers(1, 10_000), max_size=60).map(sorted)


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing."""
    with room() as folder:
        yield folder


@given(Counts)
def test_after_joining_each_has_twice_the_objects_of_all_smaller_ones(
    counts: list[int],
) -> None:
    taken = to_join(counts)
    assert taken != 1
    left = sorted([*([sum(counts[:taken])] if taken else []), *counts[taken:]])
    assert sum(left) == sum(counts)
    for at in range(1, len(left)):
        assert left[at] >= 2 * left[at - 1]
    assert to_join(left) == 0


def test_packs_are_few_and_hold_every_object(tmp_path: Path) -> None:
    git = Libgit(tmp_path / "own")
    git.init()
    stored = set()
    for number in range(40):
        bodies = [b"%d %d" % (number, one) for one in range(number % 7 + 1)]
        store_pack(git.directory, write_pack((b"blob", body) for body in bodies))
        stored |= {object_id(b"blob", body) for body in bodies}
        if not number % 8:
            join_packs(pygit2.Repository(str(git.directory)), git.directory)
            assert len(packs_in(git.directory)) <= 8
    join_packs(pygit2.Repository(str(git.directory)), git.directory)
    assert len(packs_in(git.directory)) <= 8
    done = subprocess.run(
        [GIT, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"],
        cwd=git.directory, capture_output=True, check=True, text=True,
    )  # fmt: skip
    assert set(done.stdout.split()) == stored
    assert not list(git.directory.glob("objects/tmp_*"))


def test_what_a_killed_joining_left_is_cleared(tmp_path: Path) -> None:
    git = Libgit(tmp_path / "own")
    git.init()
    beside = git.directory / "objects/tmp_koinii_x"
    beside.mkdir()
    (beside / "pack-x.pack").touch()
    assert git.clear_stale_locks() == [beside / "pack-x.pack"]
    for number in range(3):
        store_pack(git.directory, write_pack([(b"blob", b"%d" % number)]))
    assert git.repack_when(3)
    assert len(packs_in(git.directory)) == 1
