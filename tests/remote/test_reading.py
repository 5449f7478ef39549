"""What was fetched is bounded before it is inflated, and refused by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from koinii.errors import VerificationError
from koinii.remote.commit import commit_object
from koinii.remote.pack import GitObject, object_id, store_pack, write_pack
from koinii.remote.reading import Blob, Bounds, Objects
from koinii.remote.tree import DIRECTORY, FILE, Entry, changed_trees, write_tree

SEAT = "0123456789abcdef" * 2

BOUNDED = """
import resource, sys
from pathlib import Path
from koinii.errors import VerificationError
from koinii.remote.reading import Objects
resource.setrlimit(resource.RLIMIT_DATA, (200_000_000, 200_000_000))
try:
    Objects(Path(sys.argv[1])).read(sys.argv[2], int(sys.argv[3]))
except VerificationError as refusal:
    print(refusal.details["what"])
"""


def committed(tree: str) -> tuple[str, GitObject]:
    data = commit_object(tree, None, "x", SEAT, 0)
    return object_id(b"commit", data), (b"commit", data)


def stored(bare: Path, files: dict[str, bytes]) -> str:
    """Store a commit of the files in one pack; return its id."""
    ids = {path: object_id(b"blob", data) for path, data in files.items()}
    changed = changed_trees(lambda _: [], ids)
    tip, commit = committed(changed.root)
    blobs: list[GitObject] = [(b"blob", data) for data in files.values()]
    store_pack(bare, write_pack([*blobs, *changed.objects, commit]))
    return tip


def stored_tree(bare: Path, trees: list[bytes]) -> str:
    """Store trees as they are, under a commit of the last; return its id."""
    tip, commit = committed(object_id(b"tree", trees[-1]))
    objects: list[GitObject] = [(b"tree", data) for data in trees]
    store_pack(bare, write_pack([*objects, (b"blob", b"x"), commit]))
    return tip


def what(bare: Path, tip: str, bounds: Bounds | None = None) -> str:
    """Why the tree of a commit is refused."""
    with pytest.raises(VerificationError) as caught:
        Objects(bare, bounds).list_files(tip)
    return str(caught.value.details.get("what") or caught.value.code)


FILES = {
    "README.md": b"read me",
    "agents/AgentA/claims/CxA/0/1.kb": b"+ a\n",
    "agents/AgentA/claims/CxA/1/8.kb": b"",
    "posts/0.kb": bytes(5000),
}
X = object_id(b"blob", b"x")


def test_files_are_listed_with_their_sizes_and_read(bare: Path) -> None:
    objects = Objects(bare)
    tip = stored(bare, FILES)

    files = objects.list_files(tip)

    assert files == {
        path: Blob(object_id(b"blob", data), len(data)) for path, data in FILES.items()
    }
    for path, blob in files.items():
        assert objects.read(blob.oid, blob.size, path) == FILES[path]
    assert objects.read_commit(tip).seat_id == SEAT


def test_what_is_stored_later_is_found(bare: Path) -> None:
    objects = Objects(bare)
    first = stored(bare, FILES)
    assert len(objects.list_files(first)) == 4

    second = stored(bare, {"new": b"new"})

    assert list(objects.list_files(second)) == ["new"]


def test_a_limit_holds_for_each_read(bare: Path) -> None:
    objects = Objects(bare)
    blob = objects.list_files(stored(bare, FILES))["posts/0.kb"]

    with pytest.raises(VerificationError) as caught:
        objects.read(blob.oid, blob.size - 1, "posts/0.kb")

    assert caught.value.details["path"] == "posts/0.kb"
    assert caught.value.details["what"] == "size"


@pytest.mark.parametrize(
    ("bounds", "reason"),
    [
        (Bounds(depth=5), "depth"),
        (Bounds(entries=10), "entries"),
        (Bounds(path=30), "path"),
        (Bounds(file=4999), "file"),
        (Bounds(total=5010), "total"),
    ],
)
def test_bc_121_a_tree_beyond_a_bound_is_refused(
    bounds: Bounds, reason: str, bare: Path
) -> None:
    tip = stored(bare, FILES)

    assert what(bare, tip, bounds) == reason
    within = Bounds(depth=6, entries=11, path=31, file=5000, total=5011)
    assert len(Objects(bare, within).list_files(tip)) == 4


def test_bc_121_trees_that_multiply_are_refused_by_their_count(bare: Path) -> None:
    """Eight levels of sixty names for one tree: 60^8 files in 12 kB."""
    trees = [write_tree([Entry("x", FILE, X)])]
    for _ in range(7):
        below = object_id(b"tree", trees[-1])
        trees.append(write_tree([Entry(f"{n}", DIRECTORY, below) for n in range(60)]))

    assert what(bare, stored_tree(bare, trees), Bounds(entries=1000)) == "entries"


def test_bc_121_a_chain_of_trees_is_refused_by_its_depth(bare: Path) -> None:
    trees = [write_tree([Entry("x", FILE, X)])]
    for _ in range(5000):
        below = object_id(b"tree", trees[-1])
        trees.append(write_tree([Entry("d", DIRECTORY, below)]))

    assert what(bare, stored_tree(bare, trees)) == "depth"


def test_bc_121_a_huge_tree_is_refused_by_its_header(bare: Path) -> None:
    entries = [Entry(f"{n:030}", FILE, X) for n in range(150_000)]

    assert what(bare, stored_tree(bare, [write_tree(entries)])) == "size"


def test_bc_121_a_huge_commit_message_is_refused_by_its_header(bare: Path) -> None:
    data = commit_object(object_id(b"tree", b""), None, "x" * 10_000_000, SEAT, 0)
    store_pack(bare, write_pack([(b"tree", b""), (b"commit", data)]))

    assert what(bare, object_id(b"commit", data)) == "size"


def test_bc_121_a_bomb_is_refused_without_inflating_it(bare: Path) -> None:
    """300 MB of zeros are 300 kB in a pack; they never come into memory."""
    subprocess.run(
        ["sh", "-c", "head -c 300000000 /dev/zero | git hash-object -w --stdin"],
        cwd=bare,
        check=True,
        capture_output=True,
    )
    (loose,) = bare.glob("objects/??/*")
    bomb, name = loose.parent.name + loose.name, "objects/pack/pack"
    subprocess.run(
        ["git", "-c", "core.bigFileThreshold=1m", "pack-objects", "-q", name],
        cwd=bare,
        input=f"{bomb}\n".encode(),
        check=True,
        capture_output=True,
    )

    def refused(limit: int) -> bytes:
        words = [sys.executable, "-c", BOUNDED, str(bare), bomb, str(limit)]
        return subprocess.run(words, capture_output=True, check=False).stdout

    assert refused(1000) == b"size\n"
    assert refused(300_000_000) != b"size\n", "there is no room to inflate it"


@pytest.mark.parametrize(
    "tree",
    [
        b"120000 a\x00" + bytes.fromhex(X),
        b"160000 a\x00" + bytes.fromhex(X),
        b"100755 a\x00" + bytes.fromhex(X),
        b"100644 ..\x00" + bytes.fromhex(X),
    ],
)
def test_bc_062_links_submodules_executables_are_refused(
    tree: bytes, bare: Path
) -> None:
    assert what(bare, stored_tree(bare, [tree])) == "koinii/bad-tree"


@pytest.mark.parametrize(
    "tree",
    [
        b"40000 a\x00" + bytes.fromhex(X),
        b"100644 a\x00" + bytes.fromhex(object_id(b"tree", b"")),
    ],
)
def test_an_object_of_another_kind_than_its_mode_is_refused(
    tree: bytes, bare: Path
) -> None:
    assert what(bare, stored_tree(bare, [b"", tree])) == "kind"


def test_a_tag_or_a_tree_is_no_commit(bare: Path) -> None:
    stored(bare, FILES)

    assert what(bare, X) == "missing"
    assert what(bare, object_id(b"blob", FILES["README.md"])) == "kind"


def test_bc_066_a_missing_object_is_named(bare: Path) -> None:
    gone = object_id(b"blob", b"never stored")
    tree = write_tree([Entry("a", FILE, gone)])

    with pytest.raises(VerificationError, match=gone) as caught:
        Objects(bare).list_files(stored_tree(bare, [tree]))

    assert caught.value.details["path"] == "a"


@pytest.mark.parametrize("keep", [0, 1])
def test_bc_018_a_pack_that_was_cut_is_missing_not_endless(
    keep: int, bare: Path
) -> None:
    tip = stored(bare, FILES)
    (pack,) = bare.glob("objects/pack/*.pack")
    pack.chmod(0o644)
    pack.write_bytes(pack.read_bytes()[: keep * pack.stat().st_size // 2])

    assert what(bare, tip) in {"missing", "damaged"}


def test_bc_018_loose_objects_are_not_read(bare: Path) -> None:
    """A loose object that is cut short keeps libgit2 busy for ever."""
    data = commit_object(object_id(b"tree", b""), None, "x" * 200, SEAT, 0)
    oid = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=bare,
        input=data,
        check=True,
        capture_output=True,
    )
    (loose,) = bare.glob("objects/??/*")
    loose.chmod(0o644)
    loose.write_bytes(loose.read_bytes()[: loose.stat().st_size // 2])

    assert what(bare, oid.stdout.decode().strip()) == "missing"


def test_bc_132_any_flipped_bit_in_a_pack_is_noticed(bare: Path) -> None:
    """Whatever byte is altered, what is read is right or refused."""
    tip = stored(bare, {"a": b"a" * 40, "b/c": b"0123456789"})
    (pack,) = bare.glob("objects/pack/*.pack")
    pack.chmod(0o644)
    good = pack.read_bytes()
    for position in range(len(good)):
        pack.write_bytes(
            good[:position] + bytes([good[position] ^ 4]) + good[position + 1 :]
        )
        objects = Objects(bare)
        try:
            files = objects.list_files(tip)
            read = {path: objects.read(f.oid, 99, path) for path, f in files.items()}
        except VerificationError:
            continue
        assert read == {"a": b"a" * 40, "b/c": b"0123456789"}


def test_bc_030_a_repository_of_another_owner_is_read(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No repository is opened, so no rule about owners or configuration has a say."""
    tip = stored(bare, FILES)
    (bare / "config").write_text("[core]\n\trepositoryformatversion = 99\n")
    monkeypatch.setenv("GIT_DIR", "/nowhere")

    assert len(Objects(bare).list_files(tip)) == 4


def test_bc_099_a_read_only_repository_is_read(bare: Path) -> None:
    tip = stored(bare, FILES)
    before = {path: path.stat().st_mtime_ns for path in bare.rglob("*")}
    for folder in [bare, *(path for path in before if path.is_dir())]:
        folder.chmod(0o555)

    try:
        assert len(Objects(bare).list_files(tip)) == 4
    finally:
        for folder in [bare, *(path for path in before if path.is_dir())]:
            folder.chmod(0o755)
    assert {path: path.stat().st_mtime_ns for path in bare.rglob("*")} == before
