"""Locks that were left: at a remote told with file and age, here removed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from koinii import RemoteSeat
from koinii.errors import SurroundingsError
from koinii.remote.git_failures import in_words
from koinii.remote.publish import own_ref
from remote import journeys
from remote.desks import room
from remote.journeys import HUB, at, make_hub
from remote.servers import git_daemon


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with room() as folder:
        yield folder


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    (tmp_path / "served").mkdir()
    return make_hub(tmp_path / "served")


@pytest.fixture
def seat(tmp_path: Path, hub: Path) -> Iterator[RemoteSeat]:
    with journeys.seat(tmp_path, "anna", str(hub)) as made:
        made.assert_("(a B)")
        made.sync()
        made.assert_("(c D)")
        yield made


def left(file: Path, seconds: int) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    then = time.time() - seconds
    os.utime(file, (then, then))
    return file


def locked(seat: RemoteSeat, name: str = "origin") -> SurroundingsError:
    with pytest.raises(SurroundingsError) as caught:
        seat.push(name)
    assert caught.value.code == "koinii/remote-locked"
    assert seat.status().unpublished[name]
    return caught.value


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_bc_068_a_lock_at_a_remote_is_told_with_its_file_and_age_and_left(
    form: str, seat: RemoteSeat, hub: Path
) -> None:
    seat.remotes.add("hub", form.format(hub))
    seat.commit()
    lock = left(hub / f"{own_ref(seat)}.lock", 3 * 3600)

    error = locked(seat, "hub")

    file = str(error.details["file"])
    assert (error.exit_code, lock.samefile(file)) == (5, True)
    assert "3 hours ago" in error.message
    assert 3 * 3600 <= int(str(error.details["age"])) < 3 * 3600 + 60
    assert error.hint == f"try again; if no push is running there, remove {file}"
    assert lock.exists()
    lock.unlink()
    assert seat.sync("hub")[2].moved
    assert at(hub, "rev-parse", own_ref(seat)) == seat.histories.tip(seat.id)


def test_bc_068_behind_a_server_the_age_is_for_who_looks_there(
    seat: RemoteSeat, hub: Path
) -> None:
    """What lies at that path on this machine is another file, or none."""
    seat.commit()
    lock = left(hub / f"{own_ref(seat)}.lock", 3 * 3600)
    with git_daemon(hub.parent) as server:
        seat.remotes.add("daemon", server.url(HUB))

        error = locked(seat, "daemon")

        assert error.details["age"] is None
        file = str(error.details["file"])
        assert lock.samefile(file)
        assert f"ls -l {file} there tells its age" in error.hint
        assert lock.exists()
        lock.unlink()
        assert seat.sync("daemon")[2].moved


def test_bc_068_whatever_a_killed_git_left_here_is_in_nobodys_way(
    seat: RemoteSeat, hub: Path
) -> None:
    own = Path(seat.layout.git)
    lies = [
        left(own / name, seconds)
        for seconds, name in enumerate(
            [
                f"{own_ref(seat)}.lock",
                "packed-refs.lock",
                "HEAD.lock",
                "config.lock",
                "objects/info/commit-graph.lock",
                "objects/pack/tmp_pack_abc",
                "objects/pack/tmp_idx_abc",
            ]
        )
    ]

    assert seat.sync()[2].moved

    assert not any(file.exists() for file in lies)
    assert at(hub, "rev-parse", own_ref(seat)) == seat.histories.tip(seat.id)


def test_a_span_is_cut_to_its_largest_unit() -> None:
    told = [in_words(one) for one in (0, 1, 119, 120, 7199, 7200, 172_799, 172_800)]
    assert told == [
        "0 seconds", "1 second", "119 seconds", "2 minutes",
        "119 minutes", "2 hours", "47 hours", "2 days",
    ]  # fmt: skip
