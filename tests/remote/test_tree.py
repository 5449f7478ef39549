"""Trees and commits are the ones git would write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import VerificationError
from koinii.remote.commit import commit_object, open_commit, sign_commit
from koinii.remote.pack import object_id, store_pack, write_pack
from koinii.remote.tree import (
    DIRECTORY,
    FILE,
    Changed,
    Entry,
    changed_trees,
    read_tree,
    write_tree,
)

Plain = Callable[..., str]
Directories = dict[str, list[Entry]]

SEAT = "0123456789abcdef" * 2
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
OID = object_id(b"blob", b"x")
ARMOUR = "-----BEGIN SSH SIGNATURE-----\nU1NIU0lH\nAAAA\n-----END SSH SIGNATURE-----\n"

# Names that sort otherwise as files than as directories, at two depths.
FILES = st.sampled_from(["x", "b/x", "b-/x", "b.c", "b0", "b/d/x", "b/d.e", "b/d0/x"])
CHANGES = st.dictionaries(FILES, st.none() | st.integers(0, 3), max_size=6)


def blob(value: int) -> bytes:
    return b"%d" % value


def apply(directories: Directories, changes: dict[str, int | None]) -> Changed:
    """Publish the changes and keep the directories, as a seat would."""
    changed = changed_trees(
        lambda path: directories.get(path, []),
        {
            path: None if value is None else object_id(b"blob", blob(value))
            for path, value in changes.items()
        },
    )
    directories.update(changed.directories)
    return changed


@given(st.lists(CHANGES, max_size=4))
def test_the_tree_is_that_of_its_files_whatever_came_before(
    steps: list[dict[str, int | None]],
) -> None:
    directories: Directories = {}
    files: dict[str, int] = {}
    root = EMPTY_TREE
    for changes in steps:
        root = apply(directories, changes).root
        for path, value in changes.items():
            files.pop(path, None)
            if value is not None:
                files[path] = value

    fresh = apply({}, dict(files))
    assert root == fresh.root
    assert all(directories[path] for path in fresh.directories if path)


def test_stock_git_writes_the_same_tree(bare: Path, plain: Plain) -> None:
    paths = ["x", "b/x", "b-/x", "b.c", "b0", "b/d/x", "b/d.e", "b/d0/x", "é/z"]
    changed = apply({}, dict.fromkeys(paths, 1))
    oid = plain(bare, "hash-object", "-w", "--stdin", data=blob(1))
    for path in paths:
        info = f"100644,{oid},{path}"
        plain(bare, "update-index", "--add", "--cacheinfo", info)
    store_pack(bare, write_pack([(b"blob", blob(1)), *changed.objects]))

    assert plain(bare, "write-tree") == changed.root
    listed = plain(bare, "-c", "core.quotePath=false", "ls-tree", "-r", changed.root)
    assert [line.split("\t")[1] for line in listed.splitlines()] == sorted(paths)


def test_only_touched_directories_are_read() -> None:
    directories: Directories = {}
    apply(directories, {"a/b/c": 1, "a/d/e": 1, "f/g": 1})
    asked: list[str] = []

    def entries_of(path: str) -> list[Entry]:
        asked.append(path)
        return directories[path]

    changed = changed_trees(entries_of, {"a/b/c": OID})

    assert sorted(asked) == ["", "a", "a/b"]
    assert sorted(changed.directories) == ["", "a", "a/b"]
    assert len(changed.objects) == 3


def test_empty_directories_vanish_up_to_the_root() -> None:
    directories: Directories = {}
    apply(directories, {"a/b/c": 1})

    changed = apply(directories, {"a/b/c": None})

    assert changed.root == EMPTY_TREE
    assert changed.objects == [(b"tree", b"")]
    assert changed.directories == {"": [], "a": [], "a/b": []}


@pytest.mark.parametrize("changes", [{"a": 1, "a/b": 1}, {"a/b": 1}, {"c": 1}])
def test_a_file_where_a_directory_stands_is_a_fault_of_ours(
    changes: dict[str, int | None],
) -> None:
    directories: Directories = {"": [Entry("a", FILE, OID), Entry("c", DIRECTORY, OID)]}
    with pytest.raises(AssertionError):
        apply(directories if len(changes) == 1 else {}, changes)


@given(st.sets(st.sampled_from("abcdefg")), st.data())
def test_reading_a_written_tree_gives_its_entries(
    names: set[str], data: st.DataObject
) -> None:
    modes = st.sampled_from([FILE, DIRECTORY])
    entries = [Entry(name, data.draw(modes), OID) for name in names]

    assert sorted(read_tree(write_tree(entries))) == sorted(entries)


RAW = bytes.fromhex(OID)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"120000 link\x00" + RAW, "120000"),
        (b"160000 module\x00" + RAW, "160000"),
        (b"100755 run\x00" + RAW, "100755"),
        (b"100664 wide\x00" + RAW, "100664"),
        (b"040000 zero\x00" + RAW, "040000"),
        (b"100644 \x00" + RAW, "not allowed"),
        (b"100644 .\x00" + RAW, "not allowed"),
        (b"40000 ..\x00" + RAW, "not allowed"),
        (b"40000 .GIT\x00" + RAW, "not allowed"),
        (b"100644 a/b\x00" + RAW, "not allowed"),
        (b"100644 \xff\x00" + RAW, "UTF-8"),
        (b"100644 a\x00" + RAW[:19], "cut short"),
        (b"100644 a", "cut short"),
        (b"100644", "cut short"),
        (b"100644 b\x00" + RAW + b"100644 a\x00" + RAW, "out of order"),
        (b"100644 a\x00" + RAW + b"100644 a\x00" + RAW, "doubled"),
        (b"100644 a\x00" + RAW + b"40000 a\x00" + RAW, "doubled"),
    ],
)
def test_bc_081_a_hostile_tree_is_refused_by_name(data: bytes, reason: str) -> None:
    with pytest.raises(VerificationError, match=reason) as caught:
        read_tree(data, "agents/AgentA")

    assert caught.value.details["path"] == "agents/AgentA"


@pytest.mark.parametrize("parent", [None, OID])
@pytest.mark.parametrize("armour", [None, ARMOUR])
def test_reading_a_written_commit_gives_what_it_says(
    parent: str | None, armour: str | None, bare: Path, plain: Plain
) -> None:
    message = "Publish 3 claims\n\nKoinii-Commit: 7\n"
    payload = commit_object(EMPTY_TREE, parent, message, SEAT, 1_700_000_000_999)
    data = payload if armour is None else sign_commit(payload, armour)

    commit = open_commit(data)

    assert (commit.tree, commit.parent, commit.message) == (EMPTY_TREE, parent, message)
    assert (commit.seat_id, commit.seconds) == (SEAT, 1_700_000_000)
    assert commit.signed == payload
    assert commit.armour == armour
    oid = plain(bare, "hash-object", "-t", "commit", "-w", "--stdin", data=data)
    assert oid == object_id(b"commit", data)


def test_stock_git_shows_the_commit(bare: Path, plain: Plain) -> None:
    data = commit_object(EMPTY_TREE, None, "x\n\nKoinii-Commit: 7", SEAT, 5_000)
    store_pack(bare, write_pack([(b"tree", b""), (b"commit", data)]))
    oid = object_id(b"commit", data)
    form = "--format=%an|%ae|%aI|%cn|%(trailers:key=Koinii-Commit)"

    assert plain(bare, "show", "-s", form, oid) == (
        f"koinii seat {SEAT}|seat@koinii|1970-01-01T00:00:05+00:00"
        f"|koinii seat {SEAT}|Koinii-Commit: 7"
    )
    plain(bare, "fsck", "--strict", "--full", oid)


GOOD = commit_object(EMPTY_TREE, OID, "x", SEAT, 5_000)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"parent ", b"parent " + OID.encode() + b"\nparent "),
        (b"tree 4", b"tree A"),
        (b" 5 +0000", b" 05 +0000"),
        (b" 5 +0000", b" 5 +0100"),
        (b" 5 +0000", b" -5 +0000"),
        (b" 5 +0000", b" 99999999999999999999 +0000"),
        (b"author koinii", b"author another"),
        (b"committer ", b"committer x"),
        (b"<seat@koinii>", b"<>"),
        (SEAT.encode(), b"x" * 32),
        (b"\n\nx", b"\nencoding latin-1\n\nx"),
        (b"\n\nx", b"\ngpgsig \n\n\nx"),
        (b"\nx\n", b"\nx"),
        (b"\nx\n", b"\n\xff\n"),
        (GOOD, b""),
        (GOOD, b"tree " + EMPTY_TREE.encode()),
    ],
)
def test_another_spelling_of_a_commit_is_refused(old: bytes, new: bytes) -> None:
    assert old in GOOD
    with pytest.raises(VerificationError):
        open_commit(GOOD.replace(old, new))
