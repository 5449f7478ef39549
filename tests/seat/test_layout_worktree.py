"""The seat of a linked working tree of git is that of the main one (BC-046)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from koinii.errors import SurroundingsError
from koinii.seat.layout import find


def git(folder: Path, *words: str) -> None:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    subprocess.run(
        [
            "git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b",
            "-c", "protocol.file.allow=always", *words,
        ],
        check=True,
        capture_output=True,
        env={**clean, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"},
    )  # fmt: skip


def repository(path: Path) -> Path:
    path.mkdir()
    git(path, "init", "-q")
    git(path, "commit", "-q", "--allow-empty", "-m", "first")
    return path


def seat_at(path: Path) -> Path:
    (path / ".koinii").mkdir(parents=True)
    (path / "seat.toml").touch()
    return path


def found(start: Path) -> Path:
    return Path(find(str(start), asked=None).directory)


@pytest.fixture
def main(tmp_path: Path) -> Path:
    return repository(tmp_path / "main")


def linked(main: Path, path: Path) -> Path:
    git(main, "worktree", "add", "-q", "--detach", str(path))
    return path


def test_the_main_tree_holds_the_seat(main: Path, tmp_path: Path) -> None:
    seat_at(main)
    tree = linked(main, tmp_path / "elsewhere" / "tree")
    (tree / "a" / "b").mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(tree / "a")
    for start in (main, tree, tree / "a" / "b", link):
        assert found(start) == main
        assert Path(find("/", asked=str(start)).directory) == main


def test_a_folder_of_the_main_tree_may_hold_it(main: Path, tmp_path: Path) -> None:
    """The settings are checked out in both trees, the state is in one."""
    seat_at(main / "desk")
    (main / "desk" / "notes").mkdir()
    for tree in (tmp_path / "beside", main / "trees" / "within"):
        linked(main, tree)
        (tree / "desk" / "notes").mkdir(parents=True)
        (tree / "desk" / "seat.toml").touch()
        assert found(tree / "desk" / "notes") == main / "desk"
        with pytest.raises(SurroundingsError):
            found(tree)


def test_settings_alone_are_of_no_other_seat(main: Path, tmp_path: Path) -> None:
    """What the main tree would not find there is not found here either."""
    seat_at(main)
    tree = linked(main, tmp_path / "tree")
    for desk in (main / "desk", tree / "desk"):
        desk.mkdir()
        (desk / "seat.toml").touch()
        with pytest.raises(SurroundingsError) as caught:
            found(desk)
        assert caught.value.code == "koinii/unfinished-seat"
    (tree / "seat.toml").touch()
    assert found(tree) == main


def test_an_own_seat_wins(main: Path, tmp_path: Path) -> None:
    seat_at(main)
    tree = linked(main, tmp_path / "tree")
    (tree / "sub").mkdir()
    inner = seat_at(repository(tree / "inner"))
    assert found(inner) == inner
    assert found(tree / "sub") == main
    assert found(seat_at(tree) / "sub") == tree


def test_the_main_tree_comes_before_what_is_above(main: Path, tmp_path: Path) -> None:
    above = seat_at(tmp_path / "above")
    tree = linked(main, above / "tree")
    assert found(tree) == above
    assert found(tree) != seat_at(main)
    assert found(tree) == main


def test_a_submodule_is_no_linked_tree(main: Path, tmp_path: Path) -> None:
    source = repository(tmp_path / "source")
    seat_at(source)
    git(main, "submodule", "--quiet", "add", str(source), "part")
    assert (main / "part" / ".git").is_file()
    with pytest.raises(SurroundingsError):
        found(main / "part")
    seat_at(main)
    assert found(main / "part") == main


def test_a_tree_of_a_bare_repository_has_no_main_one(tmp_path: Path) -> None:
    main = repository(tmp_path / "main")
    bare = tmp_path / "hub.git"
    git(tmp_path, "clone", "-q", "--bare", str(main), str(bare))
    seat_at(tmp_path / "hub.git")
    tree = linked(bare, tmp_path / "tree")
    with pytest.raises(SurroundingsError):
        found(tree)


def test_a_relative_link_is_read_from_its_tree(main: Path, tmp_path: Path) -> None:
    seat_at(main)
    tree = linked(main, tmp_path / "tree")
    (tree / ".git").write_text("gitdir: ../main/.git/worktrees/tree\n")
    assert found(tree) == main


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"gitdir:",
        b"gitdir: \xff",
        b"gitdir: /",
        b"gitdir: a\x00b",
        b"hello\n",
        b"\x00" * 9000,
    ],
)
def test_what_is_no_link_leads_nowhere(text: bytes, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_bytes(text)
    with pytest.raises(SurroundingsError, match=r"or above it$"):
        found(tree)


def test_none_found_says_that_it_looked_there_too(main: Path, tmp_path: Path) -> None:
    tree = linked(main, tmp_path / "tree")
    (tree / "sub").mkdir()
    with pytest.raises(SurroundingsError, match="main working tree") as caught:
        found(tree / "sub")
    assert str(main) in caught.value.message
    looked = caught.value.details["looked"]
    assert isinstance(looked, list)
    places = [tree / "sub", tree, main / "sub", main, tmp_path]
    assert looked[:5] == [str(place) for place in places]
