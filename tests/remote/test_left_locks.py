"""A lock that our own killed push left at a remote that is a directory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import KoiniiError
from koinii.remote.remoteref import REMOTE_REF
from remote.desks import room, sitting
from stories.test_groups_killed import kill_all

PUSH = "import sys, koinii; koinii.open(sys.argv[1]).push()"
HOOK = """#!/bin/sh
read -r _ _ ref
if [ "$1" = prepared ] && [ "$ref" = "{ref}" ]; then
    touch "{sign}"
    sleep 60
fi
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    with room() as made:
        yield made


@pytest.fixture
def hub(folder: Path) -> Path:
    bare = folder / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    return bare


@pytest.fixture
def seat(folder: Path, hub: Path) -> Iterator[RemoteSeat]:
    with sitting(folder, hub) as sit:
        yield sit("anna")


def push_and_kill(seat: RemoteSeat, hub: Path, ref: str) -> Path:
    """Kill a push with all it started while it holds the lock; return the lock."""
    sign = hub.parent / "sign"
    hook = hub / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(HOOK.format(ref=ref, sign=sign))
    hook.chmod(0o755)
    words = [sys.executable, "-c", PUSH, seat.layout.directory]
    with subprocess.Popen(words, start_new_session=True) as child:
        deadline = time.monotonic() + 30
        while not sign.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        kill_all(child.pid)
        assert child.wait() == -signal.SIGKILL
    hook.unlink()
    sign.unlink()
    lock = hub / f"{ref}.lock"
    assert lock.exists()
    return lock


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_bc_068_what_a_killed_push_of_ours_left_is_removed_and_told(
    scheme: str, seat: RemoteSeat, hub: Path
) -> None:
    seat.remotes.remove("origin")
    seat.remotes.add("origin", f"{scheme}{hub}")
    lock = push_and_kill(seat, hub, f"refs/koinii/seats/{seat.id}")

    pushed = seat.push()

    assert pushed.moved
    assert not lock.exists()
    (notice,) = seat.notices
    assert str(lock) in notice
    assert not seat.push().moved
    assert len(seat.notices) == 1


def test_without_git_it_is_removed_as_well(
    seat: RemoteSeat, hub: Path, request: pytest.FixtureRequest
) -> None:
    lock = push_and_kill(seat, hub, f"refs/koinii/seats/{seat.id}")
    request.getfixturevalue("without_git")

    assert seat.push().moved
    assert not lock.exists()
    assert len(seat.notices) == 1


def test_what_it_left_on_the_remotes_own_ref_is_removed_too(
    seat: RemoteSeat, hub: Path
) -> None:
    lock = push_and_kill(seat, hub, REMOTE_REF)

    assert seat.push().face_written
    assert not lock.exists()


def test_another_seat_is_told_and_removes_nothing(
    seat: RemoteSeat, folder: Path, hub: Path
) -> None:
    lock = push_and_kill(seat, hub, REMOTE_REF)
    with sitting(folder, hub) as sit:
        bert = sit("bert")
        for _ in range(2):
            with pytest.raises(KoiniiError) as caught:
                bert.push()
            assert caught.value.code == "koinii/remote-locked"
            assert lock.samefile(str(caught.value.details["file"]))
            assert str(caught.value.details["file"]) in caught.value.hint
    assert lock.exists()


def test_a_push_elsewhere_meanwhile_forgets_nothing(
    seat: RemoteSeat, folder: Path, hub: Path
) -> None:
    lock = push_and_kill(seat, hub, f"refs/koinii/seats/{seat.id}")
    other = folder / "other.git"
    subprocess.run(["git", "init", "-q", "--bare", str(other)], check=True)
    seat.remotes.add("other", str(other))
    seat.push("other")
    assert lock.exists()

    assert seat.push().moved
    assert not lock.exists()


def test_bc_068_a_lock_that_no_push_of_ours_left_is_left(
    seat: RemoteSeat, hub: Path
) -> None:
    seat.push()
    lock = hub / f"refs/koinii/seats/{seat.id}.lock"
    lock.touch()
    os.utime(lock, (0, 0))
    seat.assert_("(said more)")
    seat.commit()
    for _ in range(2):
        with pytest.raises(KoiniiError) as caught:
            seat.push()
        assert caught.value.code == "koinii/remote-locked"
    assert lock.exists()
    lock.unlink()
    assert seat.push().moved


def test_a_lock_that_somebody_holds_and_lets_go_is_waited_for(
    seat: RemoteSeat, hub: Path
) -> None:
    lock = push_and_kill(seat, hub, f"refs/koinii/seats/{seat.id}")
    holder = subprocess.Popen(["sh", "-c", f"sleep 1; rm {lock}"])

    assert seat.push().moved
    assert not seat.notices
    assert holder.wait() == 0


def test_where_nothing_can_be_noted_a_push_works(seat: RemoteSeat, hub: Path) -> None:
    seat.push()
    Path(seat.layout.git, "koinii-pushing").mkdir()
    seat.assert_("(said more)")
    seat.commit()

    assert seat.push().moved
    assert koinii.clone(str(hub), str(hub.parent / "new"), agent="AgentZoe").cloned
