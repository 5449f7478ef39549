"""Reading changes nothing, and works where nothing can be changed."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from seat import child as reader
from seat.children import child
from seat.made import copy_of_two, open_seat


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory that every user may enter."""
    path = Path(tempfile.mkdtemp(prefix="koinii-read-"))
    path.chmod(0o755)
    yield path
    for one in [path, *path.rglob("*")]:
        one.chmod(0o755)
    shutil.rmtree(path)


def made(path: Path) -> Path:
    """A seat with a commit and something after it."""
    seat_path = copy_of_two(path)
    with open_seat(seat_path) as seat:
        seat.new_channel("CxDeploy")
        seat.load(["(p 1)", "(p 2)", "(not (p 1))"])
        seat.commit()
    return seat_path


def checksums(path: Path) -> dict[str, str]:
    return {
        str(one.relative_to(path)): sha256(one.read_bytes()).hexdigest()
        for one in sorted(path.rglob("*"))
        if one.is_file()
    }


def lock_up(path: Path) -> None:
    """Leave nobody the right to write, and everybody the right to read."""
    for one in [path, *path.rglob("*")]:
        one.chmod(0o555 if one.is_dir() else 0o444)


def told(path: Path) -> list[str]:
    with child("read", path) as process:
        output, errors = process.communicate(timeout=30)
    assert errors == ""
    return output.splitlines()


def test_bc_027_reading_changes_no_file(tmp_path: Path) -> None:
    path = made(tmp_path)
    before = checksums(path)
    with open_seat(path) as seat:
        first = reader.answers(seat)
        assert checksums(path).items() >= before.items()
    assert checksums(path) == before
    with open_seat(path) as seat:
        assert reader.answers(seat) == first


def test_bc_099_a_read_only_copy_gives_the_same_answers(place: Path) -> None:
    path = made(place)
    lock_up(path)
    before = checksums(path)

    as_owner, as_nobody, *codes = told(path)

    assert json.loads(as_owner) == json.loads(as_nobody)
    assert codes == ["koinii/read-only"] * 4
    assert checksums(path) == before


def test_bc_099_a_seat_in_use_is_read_by_who_may_not_write(place: Path) -> None:
    path = made(place)
    with open_seat(path) as owner:
        owner.retract(owner.assert_("(p 1)", context="CxDeploy"))
        lock_up(path)
        as_owner, as_nobody, *codes = told(path)
        assert json.loads(as_owner) == json.loads(as_nobody)
        assert codes == ["koinii/read-only"] * 4


def test_a_log_left_by_a_kill_is_named_where_it_cannot_be_mended(place: Path) -> None:
    path = made(place)
    with open_seat(path) as owner:
        owner.assert_("(p 3)")
        copy = Path(shutil.copytree(path, place / "copy"))
    (copy / ".koinii" / "store.db-shm").unlink()
    lock_up(copy)
    with child("open", copy) as process:
        assert process.communicate(timeout=30) == ("koinii/unfolded-log\n", "")
