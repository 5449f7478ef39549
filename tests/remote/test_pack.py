"""Stock git and libgit2 read our packs, and no kill leaves a half of one."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pygit2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import SurroundingsError, VerificationError
from koinii.remote.commit import commit_object
from koinii.remote.pack import (
    GitObject,
    index,
    object_id,
    store_pack,
    write_pack,
)
from koinii.remote.tree import FILE, Entry, write_tree

Plain = Callable[..., str]
SEAT = "0123456789abcdef" * 2

EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def published(*bodies: bytes) -> tuple[str, list[GitObject]]:
    """A commit of one file a body: its id and all its objects."""
    blobs: list[GitObject] = [(b"blob", body) for body in bodies]
    entries = [
        Entry(f"file-{number}", FILE, object_id(*blob))
        for number, blob in enumerate(blobs)
    ]
    tree: GitObject = (b"tree", write_tree(entries))
    data = commit_object(object_id(*tree), None, "a commit", SEAT, 1_700_000_000_000)
    return object_id(b"commit", data), [*blobs, tree, (b"commit", data)]


def test_ids_are_those_of_git() -> None:
    assert object_id(b"blob", b"") == EMPTY_BLOB
    assert object_id(b"tree", b"") == EMPTY_TREE


@pytest.mark.parametrize(
    "bodies",
    [
        [b""],
        [b"x", b"x", b"y"],
        [bytes(size) for size in (15, 16, 17, 2047, 2048, 2049, 300_000)],
        [b"%d" % number for number in range(700)],
    ],
)
def test_stock_git_and_libgit2_read_everything_back(
    bodies: list[bytes], bare: Path, plain: Plain
) -> None:
    tip, objects = published(*bodies)

    store_pack(bare, write_pack(objects))

    plain(bare, "update-ref", "refs/heads/main", tip)
    assert plain(bare, "fsck", "--strict", "--full") == ""
    plain(bare, "verify-pack", *map(str, (bare / "objects/pack").glob("*.idx")))
    odb = pygit2.Repository(str(bare)).odb
    for kind, data in objects:
        oid = object_id(kind, data)
        assert plain(bare, "cat-file", "-t", oid) == kind.decode()
        assert odb.read(oid)[1] == data


@given(st.lists(st.binary(max_size=40), max_size=40))
def test_the_index_is_the_one_git_writes(
    tmp_path_factory: pytest.TempPathFactory, bodies: list[bytes]
) -> None:
    pack = write_pack([(b"blob", body) for body in bodies])
    folder = tmp_path_factory.mktemp("pack")
    (folder / "x.pack").write_bytes(pack)

    subprocess.run(
        ["git", "index-pack", "--index-version=2", "x.pack"],
        cwd=folder,
        check=True,
        capture_output=True,
    )

    assert index(pack) == (folder / "x.idx").read_bytes()


def test_each_object_is_packed_once() -> None:
    pack = write_pack([(b"blob", b"x"), (b"blob", b"y"), (b"blob", b"x")])

    assert int.from_bytes(pack[8:12], "big") == 2
    assert pack == write_pack([(b"blob", b"x"), (b"blob", b"y")])


def test_storing_again_changes_nothing(bare: Path) -> None:
    pack = write_pack(published(b"x")[1])
    first = store_pack(bare, pack)
    before = {path: path.stat().st_mtime_ns for path in first.parent.iterdir()}

    assert store_pack(bare, pack) == first
    assert {p: p.stat().st_mtime_ns for p in first.parent.iterdir()} == before
    assert sorted(path.name for path in before) == [
        f"pack-{pack[-20:].hex()}{ending}" for ending in (".idx", ".pack")
    ]


@pytest.mark.parametrize("kept", ["tmp_{}.pack", "{}.pack", "tmp_{}.idx"])
def test_bc_018_a_kill_between_the_steps_is_mended_by_storing_again(
    kept: str, bare: Path, plain: Plain
) -> None:
    tip, objects = published(b"x" * 500)
    pack = write_pack(objects)
    name = f"pack-{pack[-20:].hex()}"
    torn = bare / "objects/pack" / kept.format(name)
    torn.write_bytes(pack[:100])

    store_pack(bare, pack)

    assert plain(bare, "cat-file", "-t", tip) == "commit"
    plain(bare, "fsck", "--strict", "--full")


def test_bc_018_a_pack_torn_under_its_index_is_written_again(
    bare: Path, plain: Plain
) -> None:
    tip, objects = published(b"x" * 500)
    pack = write_pack(objects)
    stored = store_pack(bare, pack)
    stored.chmod(0o644)
    stored.write_bytes(b"")

    store_pack(bare, pack)

    assert plain(bare, "cat-file", "-t", tip) == "commit"


def test_bc_073_a_full_disk_is_named_and_leaves_nothing_behind(bare: Path) -> None:
    pack = write_pack([(b"blob", bytes(range(256)) * 40), (b"blob", b"z")])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(pack) // 2, hard))
    try:
        with pytest.raises(SurroundingsError) as caught:
            store_pack(bare, pack)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert caught.value.code == "koinii/disk-full"
    assert list((bare / "objects/pack").iterdir()) == []
    assert store_pack(bare, pack).exists()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "objects").write_text("a file")

    with pytest.raises(SurroundingsError) as caught:
        store_pack(tmp_path, write_pack([]))

    assert str(tmp_path) in str(caught.value.details["file"])


def test_bc_132_an_altered_pack_gets_no_index() -> None:
    pack = bytearray(write_pack(published(b"x" * 90, b"y")[1]))
    for position in range(len(pack)):
        pack[position] ^= 1
        with pytest.raises(VerificationError):
            index(bytes(pack))
        pack[position] ^= 1
    assert index(bytes(pack))
