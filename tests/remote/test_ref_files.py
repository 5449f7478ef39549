"""Refs as git keeps them in files: what we write git reads, and the other way."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from koinii.errors import KoiniiError, SurroundingsError, UsageError
from koinii.remote.ref_files import RefFiles
from remote.desks import examples, room
from remote.stock_git import GIT

NAMES = [f"refs/koinii/{one}" for one in ("a", "b", "c/d", "c/e/f")]


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [GIT, *arguments], cwd=folder, capture_output=True, check=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing."""
    with room() as folder:
        yield folder


@pytest.fixture
def made(tmp_path: Path) -> tuple[Path, list[str]]:
    """A repository that stock git made, and ids of objects in it."""
    git(tmp_path, "init", "-q", "--bare", "made")
    folder = tmp_path / "made"
    oids = []
    for number in range(3):
        (tmp_path / "body").write_text(str(number))
        oids.append(git(folder, "hash-object", "-w", str(tmp_path / "body")))
    return folder, oids


def shown(folder: Path) -> dict[str, str]:
    lines = git(folder, "for-each-ref", "--format=%(refname) %(objectname)")
    return dict(line.split(" ") for line in lines.splitlines())


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["put", "git puts", "delete", "git deletes", "packs"]),
        st.sampled_from(NAMES),
    ),
    max_size=8,
)


@settings(max_examples=examples(15))
@given(STEPS)
def test_we_and_git_see_the_same_refs(steps: list[tuple[str, str]]) -> None:
    with room() as folder:
        check(folder, steps)


def check(folder: Path, steps: list[tuple[str, str]]) -> None:
    git(folder, "init", "-q", "--bare", "made")
    made = folder / "made"
    (folder / "body").write_text("x")
    oid = git(made, "hash-object", "-w", str(folder / "body"))
    refs, expected = RefFiles(made), dict[str, str]()
    for what, name in steps:
        if what == "put":
            refs.put(name, oid)
        elif what == "git puts":
            git(made, "update-ref", name, oid)
        elif what == "delete":
            refs.delete(name)
        elif what == "git deletes":
            git(made, "update-ref", "-d", name)
        else:
            git(made, "pack-refs", "--all", "--prune")
        if "put" in what:
            expected[name] = oid
        elif "delete" in what:
            expected.pop(name, None)
    assert refs.below("refs") == shown(made) == expected
    assert {name: refs.read(name) for name in NAMES} == {
        name: expected.get(name) for name in NAMES
    }
    assert not list(made.rglob("*.lock"))


def test_a_ref_moves_only_from_the_value_expected(
    made: tuple[Path, list[str]],
) -> None:
    folder, (one, two, three) = made
    refs = RefFiles(folder)
    refs.move(NAMES[0], one, None)
    git(folder, "pack-refs", "--all")
    for old in (None, three):
        with pytest.raises(KoiniiError) as caught:
            refs.move(NAMES[0], two, old)
        assert caught.value.code == "koinii/ref-moved"
    refs.move(NAMES[0], two, one)
    assert shown(folder) == {NAMES[0]: two}


def test_a_folder_that_is_empty_is_not_in_the_way(
    made: tuple[Path, list[str]],
) -> None:
    folder, (one, *_) = made
    refs = RefFiles(folder)
    refs.put("refs/koinii/c/d", one)
    with pytest.raises(SurroundingsError):
        refs.put("refs/koinii/c", one)
    refs.delete("refs/koinii/c/d")
    refs.put("refs/koinii/c", one)
    assert shown(folder) == {"refs/koinii/c": one}
    with pytest.raises(SurroundingsError):
        refs.put("refs/koinii/c/d", one)


def test_a_packed_ref_is_deleted_and_the_others_stay(
    made: tuple[Path, list[str]],
) -> None:
    folder, (one, two, _) = made
    tagger = ("-c", "user.name=x", "-c", "user.email=x@y")
    git(folder, *tagger, "tag", "-a", "-m", "x", "kept", one)
    git(folder, "update-ref", NAMES[0], two)
    before = shown(folder)
    git(folder, "pack-refs", "--all", "--prune")

    RefFiles(folder).delete(NAMES[0])

    assert shown(folder) == {"refs/tags/kept": before["refs/tags/kept"]}
    assert git(folder, "rev-parse", "kept^{}") == one


def test_what_is_torn_is_named(made: tuple[Path, list[str]]) -> None:
    folder, (one, *_) = made
    refs = RefFiles(folder)
    refs.put(NAMES[0], one)
    (folder / NAMES[1]).write_text("0123")
    with pytest.raises(SurroundingsError) as caught:
        refs.read(NAMES[1])
    assert caught.value.code == "koinii/damaged-ref"
    assert refs.below("refs") == {NAMES[0]: one}
    for torn in (b"\0" * 60, b"\xff\xfe", f"{one[:30]} refs/x\n".encode()):
        (folder / "packed-refs").write_bytes(torn)
        with pytest.raises(SurroundingsError) as caught:
            refs.below("refs/koinii")
        assert caught.value.code == "koinii/damaged-repository"


@pytest.mark.parametrize("name", ["refs/../x", "HEAD", "refs/a.lock", "/etc/passwd"])
def test_a_name_that_is_no_ref_is_never_a_path(
    name: str, made: tuple[Path, list[str]]
) -> None:
    folder, (one, *_) = made
    refs = RefFiles(folder)
    calls: list[Callable[[], object]] = [
        lambda: refs.put(name, one),
        lambda: refs.delete(name),
        lambda: refs.read(name),
    ]
    for call in calls:
        with pytest.raises(UsageError):
            call()
