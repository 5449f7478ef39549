"""What a user names to be written takes nothing away that is there and is not ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import KoiniiError, RefusedError, SurroundingsError
from koinii.remote.doctor import examine
from koinii.seat.check import ATTENTION
from remote.desks import Clock, room

OURS = "# v2 git bundle\n"


@pytest.fixture
def folder() -> Iterator[Path]:
    with room() as path:
        yield path


@pytest.fixture
def seat(folder: Path) -> Iterator[RemoteSeat]:
    with koinii.init(folder / "seat", agent="AgentAnna", now=Clock()) as opened:
        opened.assert_("(is anna)")
        opened.commit()
        yield opened


def files(folder: Path) -> dict[Path, bytes]:
    """Return what stands in every file that only people and keys write."""
    kept = [one for one in folder.rglob("*") if one.is_file()]
    return {
        one: one.read_bytes()
        for one in kept
        if ".db" not in one.name and "git" not in one.parts
    }


def refused(seat: RemoteSeat, path: Path) -> str:
    """Return the one code with which a place for a bundle is refused."""
    calls: list[Callable[[Path], object]] = [
        seat.bundles.create, seat.bundles.rehearse_create,
    ]  # fmt: skip
    codes = set()
    for call in calls:
        with pytest.raises(RefusedError) as error:
            call(path)
        assert error.value.hint
        codes.add(error.value.code)
    (code,) = codes
    return code


@pytest.mark.parametrize("data", ["Chapter 1\n", "# v3 git bundle\n", OURS[:-1], "#"])
def test_a_bundle_replaces_no_other_file(
    seat: RemoteSeat, folder: Path, data: str
) -> None:
    path = folder / "thesis.txt"
    path.write_text(data)
    before = files(folder)
    assert refused(seat, path) == "koinii/other-file"
    assert files(folder) == before


def test_a_bundle_replaces_a_bundle_and_what_is_empty(
    seat: RemoteSeat, folder: Path
) -> None:
    path = folder / "empty"
    path.touch()
    made = seat.bundles.create(path)
    seat.assert_("(is more)")
    seat.commit()
    again = seat.bundles.create(path)
    assert [one.number for one in (*made.seats, *again.seats)] == [1, 2]
    assert path.read_bytes().startswith(OURS.encode())


@pytest.mark.parametrize(
    "name",
    ["seat.toml", ".koinii/keys/seat", ".koinii/store.db", ".koinii/git/new",
     "other/seat.toml", "other/.koinii/new", "linked/seat"],
)  # fmt: skip
def test_nothing_is_written_into_a_seat(seat: RemoteSeat, name: str) -> None:
    place = Path(seat.layout.directory)
    (place / "other" / ".koinii").mkdir(parents=True)
    (place / "linked").symlink_to(place / ".koinii" / "keys")
    before = files(place)
    assert refused(seat, place / name) == "koinii/seat-file"
    for call in (seat.export, seat.rehearse_export):
        with pytest.raises(RefusedError) as error:
            call(place / name)
        assert error.value.code == "koinii/seat-file"
    assert files(place) == before


def test_a_place_that_cannot_be_written_is_told_with_what_helps(
    seat: RemoteSeat, folder: Path
) -> None:
    with pytest.raises(SurroundingsError) as missing:
        seat.bundles.create(folder / "none" / "x")
    assert missing.value.hint.startswith("make the directory first")
    (folder / "file").touch()
    for call in (seat.bundles.create, seat.export):
        with pytest.raises(SurroundingsError) as other:
            call(folder / "file" / "x")
        assert other.value.hint == "name a place that can be written"


@pytest.mark.parametrize("lost", [b"# v2 git bundle\n", b"", None])
def test_of_a_lost_seat_key_the_key_is_named(
    seat: RemoteSeat, lost: bytes | None
) -> None:
    """Nothing tells people to take away what shows that this is no copy."""
    key = Path(seat.layout.seat_key)
    if lost is None:
        key.unlink()
    else:
        key.write_bytes(lost)
    seat.assert_("(is more)")
    with pytest.raises(KoiniiError) as error:
        seat.commit()
    told = [error.value.message + error.value.hint]
    told += [
        one.found + one.next
        for one in examine(seat.layout).checks
        if one.state == ATTENTION
    ]
    assert len(told) > 1
    assert all(str(key) in one and "instance" not in one for one in told)
    assert not any("rm " in one for one in told)
