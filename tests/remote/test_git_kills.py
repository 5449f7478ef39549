"""Killed anywhere in a store, move and push, the same again mends everything."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from koinii.errors import SurroundingsError
from koinii.remote.repository import Git

Plain = Callable[..., str]

SEAT = "0123456789abcdef" * 2
REF = f"refs/koinii/seats/{SEAT}"

# Stores ten packs and moves the own ref and the remote's, one after the other.
WRITER = """
import sys
from pathlib import Path
from koinii.remote.commit import commit_object
from koinii.remote.pack import object_id, store_pack, write_pack
from koinii.remote.repository import Git
from koinii.remote.tree import changed_trees
seat, ref = sys.argv[4], "refs/koinii/seats/" + sys.argv[4]
git = Git(Path(sys.argv[1]), interactive=sys.argv[3] == "1")
old, parent = git.ls_remote(sys.argv[2], ref).get(ref), None
print("ready", flush=True)
for number in range(10):
    body = b"%d" % number * 20000
    oid = object_id(b"blob", body)
    changed = changed_trees(lambda _: [], {"posts/0.kb": oid})
    data = commit_object(changed.root, parent, "x", seat, number * 1000)
    store_pack(git.directory, write_pack([(b"blob", body), *changed.objects,
                                          (b"commit", data)]))
    parent = object_id(b"commit", data)
    git.restore_ref(ref, parent)
    if old is None or git.is_ancestor(old, parent):
        git.push_and_confirm(sys.argv[2], parent, ref, old)
        old = parent
"""


def writer(own: Path, hub: Path, *, interactive: bool) -> subprocess.Popen[bytes]:
    words = [str(own), str(hub), "1" if interactive else "0", SEAT]
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, *words],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def finish(own: Path, hub: Path) -> None:
    """Do it again as an operator would: clear here, and there what we are told."""
    git = Git(own)
    git.clear_stale_locks()
    for _ in range(3):
        again = writer(own, hub, interactive=True)
        _, said = again.communicate(timeout=60)
        if again.returncode == 0:
            return
        assert b"koinii/" in said or b"is there, of a git" in said or b"lock" in said
        for lock in [*hub.rglob("refs/**/*.lock"), *hub.glob("*.lock")]:
            lock.unlink()
    raise AssertionError(said.decode())


@pytest.mark.parametrize("after", [0.0, 0.03, 0.06, 0.1, 0.15, 0.25])
@pytest.mark.parametrize("killed", ["group", "process"])
def test_bc_070_a_push_killed_half_way_is_done_again(
    after: float,
    killed: str,
    tmp_path: Path,
    bare: Path,
    plain: Plain,
) -> None:
    own = tmp_path / "own"
    Git(own).init()
    child = writer(own, bare, interactive=killed == "group")
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    time.sleep(after)
    if killed == "group":
        os.killpg(child.pid, signal.SIGKILL)
    else:
        child.kill()
    child.communicate()

    finish(own, bare)

    git = Git(own)
    tip = git.read_ref(REF)
    assert tip is not None
    assert git.ls_remote(str(bare), REF) == {REF: tip}
    assert plain(bare, "rev-list", "--count", REF) == "10"
    for directory in (own, bare):
        plain(directory, "fsck", "--strict", "--full")
    assert git.clear_stale_locks() == []


def test_bc_007_a_command_after_a_kill_is_bounded(tmp_path: Path) -> None:
    """Locks that look held, fresh and of the future: two seconds and a bit."""
    git = Git(tmp_path / "own")
    git.init()
    fresh = git.directory / "packed-refs.lock"
    future = git.directory / "HEAD.lock"
    fresh.touch()
    future.touch()
    os.utime(future, (2**33, 2**33))
    start = time.monotonic()

    assert set(git.clear_stale_locks()) == {fresh, future}
    assert time.monotonic() - start < 5


def test_bc_068_a_lock_that_goes_by_itself_is_waited_for(tmp_path: Path) -> None:
    git = Git(tmp_path / "own")
    git.init()
    lock = git.directory / "packed-refs.lock"
    lock.touch()
    holder = subprocess.Popen(["sh", "-c", f"sleep 0.5; rm {lock}"])

    assert git.clear_stale_locks() == []
    assert holder.wait() == 0


def test_bc_073_no_room_in_the_own_repository_is_told(tmp_path: Path) -> None:
    git = Git(tmp_path / "own")
    (tmp_path / "own").write_text("a file where the repository belongs")

    with pytest.raises(SurroundingsError) as caught:
        git.init()

    assert caught.value.code == "koinii/not-writable"
