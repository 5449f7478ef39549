"""A seat is found as git finds a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from koinii.errors import SurroundingsError
from koinii.seat.layout import Layout, find
from koinii.seat.parts import open_parts


def seat_at(path: Path) -> Path:
    (path / ".koinii").mkdir(parents=True)
    (path / "seat.toml").touch()
    return path


def found(start: Path, asked: Path | None = None) -> Path:
    return Path(find(str(start), asked=None if asked is None else str(asked)).directory)


def test_it_is_looked_for_upward(tmp_path: Path) -> None:
    seat = seat_at(tmp_path / "seat")
    deep = seat / "a" / "b"
    deep.mkdir(parents=True)
    assert found(deep) == found(seat) == seat


def test_the_nearest_seat_is_meant(tmp_path: Path) -> None:
    outer = seat_at(tmp_path / "outer")
    inner = seat_at(outer / "part" / "inner")
    (inner / "notes").mkdir()
    assert found(inner / "notes") == inner
    assert found(outer / "part") == outer


def test_a_link_leads_to_the_same_seat(tmp_path: Path) -> None:
    seat = seat_at(tmp_path / "seat")
    (seat / "sub").mkdir()
    link = tmp_path / "elsewhere" / "link"
    link.parent.mkdir()
    link.symlink_to(seat / "sub")
    assert found(link) == seat
    assert found(tmp_path, asked=link) == seat


def test_half_a_seat_is_none(tmp_path: Path) -> None:
    outer = seat_at(tmp_path / "outer")
    half = seat_at(outer / "half")
    (half / "seat.toml").unlink()
    assert found(half) == outer


def test_settings_without_their_state_are_not_passed_over(tmp_path: Path) -> None:
    outer = seat_at(tmp_path / "outer")
    half = seat_at(outer / "half")
    (half / ".koinii").rmdir()
    with pytest.raises(SurroundingsError) as caught:
        found(half)
    assert caught.value.code == "koinii/unfinished-seat"


def test_a_file_of_that_name_is_no_state(tmp_path: Path) -> None:
    (tmp_path / "seat.toml").touch()
    (tmp_path / ".koinii").touch()
    assert not Layout(str(tmp_path)).is_seat()


def test_none_found_says_where_it_looked(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    with pytest.raises(SurroundingsError) as caught:
        found(deep)
    assert caught.value.code == "koinii/no-seat"
    looked = caught.value.details["looked"]
    assert isinstance(looked, list)
    assert looked[:3] == [str(deep), str(deep.parent), str(tmp_path)]
    assert looked[-1] == "/"
    assert "koinii init" in caught.value.hint


def test_what_was_asked_for_is_not_replaced(tmp_path: Path) -> None:
    here = seat_at(tmp_path / "here")
    other = seat_at(tmp_path / "other")
    assert found(here, asked=other) == other
    for wrong in (tmp_path / "missing", here / "seat.toml"):
        with pytest.raises(SurroundingsError, match="no directory") as caught:
            found(here, asked=wrong)
        assert caught.value.code == "koinii/no-seat"
    (tmp_path / "empty").mkdir()
    with pytest.raises(SurroundingsError, match="no seat"):
        found(here, asked=tmp_path / "empty")


def test_to_open_what_is_no_seat_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SurroundingsError) as caught:
        open_parts(str(tmp_path))
    assert caught.value.code == "koinii/no-seat"
    seat_at(tmp_path / "hollow")
    with pytest.raises(SurroundingsError) as caught:
        open_parts(str(tmp_path / "hollow"))
    assert caught.value.code == "koinii/no-store"
