"""What `koinii doctor` sees without git: place, locks, keys and contents."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from koinii.note import PrivateKey, write_private_key
from koinii.seat import check_place, disk
from koinii.seat.check import Check, looked
from koinii.seat.check_contents import check_store, check_waiting
from koinii.seat.check_keys import check_keys
from koinii.seat.check_place import LEAST_FREE
from koinii.seat.clock import now_ms
from koinii.seat.disk import file_system_of
from koinii.seat.layout import Layout
from koinii.seat.seat import Seat
from koinii.store.assertions import HeldRow
from koinii.store.histories import Head
from koinii.store.lock import WriterLock, holder_of
from seat.made import ATLAS, BOREAS, copy_of_two, open_seat

HOLD = """
import sys, time
from koinii.store.lock import WriterLock
WriterLock(sys.argv[1], wait_seconds=1).acquire()
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def seat(tmp_path: Path) -> Seat:
    return open_seat(copy_of_two(tmp_path))


def wrong(checks: Iterable[Check]) -> list[Check]:
    return [one for one in checks if one.state != "ok"]


def place(layout: Layout, now: int | None = None) -> dict[str, Check]:
    checks = check_place.check_place(layout, now_ms() if now is None else now)
    return {one.name: one for one in checks}


# The place -------------------------------------------------------------------


def test_all_is_well_with_a_new_seat(seat: Seat) -> None:
    checks = [*place(seat.layout).values(), *check_keys(seat)]
    checks += [*check_store(seat), *check_waiting(seat)]
    assert wrong(checks) == []
    assert all(one.found and not one.next for one in checks)


def test_settings_that_cannot_be_read(seat: Seat) -> None:
    Path(seat.layout.config).write_text("format = 2\n")
    found = place(seat.layout)["settings"]
    assert found.state == "attention"
    assert "format is 2" in found.found


def test_a_lock_tells_who_holds_it_and_for_how_long(seat: Seat) -> None:
    path = seat.layout.store + ".lock"
    assert holder_of(path + ".none") is None
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, path], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        before = Path(path).stat()
        fresh = place(seat.layout)["lock"]
        stale = place(seat.layout, now_ms() + 90_000)["lock"]
        assert Path(path).stat().st_mtime_ns == before.st_mtime_ns
        os.kill(child.pid, signal.SIGKILL)
    assert (fresh.state, stale.state) == ("ok", "attention")
    assert f"process {child.pid} has held it" in fresh.found
    assert stale.next == f"ps -p {child.pid}"
    assert place(seat.layout)["lock"] == Check("lock", "ok", "free")


def test_to_ask_who_holds_a_lock_takes_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    lock = WriterLock(path, wait_seconds=1)
    lock.acquire()
    holder = holder_of(path)
    assert holder is not None
    assert holder.process == str(os.getpid())
    lock.release()
    assert holder_of(path) is None
    lock.acquire()
    lock.release()


def test_a_full_disk(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    here = os.statvfs(seat.layout.state)
    free = here.f_bavail * here.f_frsize
    monkeypatch.setattr(check_place, "LEAST_FREE", free + LEAST_FREE)
    assert place(seat.layout)["disk"].state == "attention"


MOUNTS = r"""
/dev/a / ext4 rw 0 0
/dev/b /home xfs rw 0 0
server:/x /home/ann nfs4 rw 0 0
none /home/ann/local tmpfs rw 0 0
//s/y /mnt/two\040words cifs rw 0 0
old /srv ext4 rw 0 0
new /srv fuse.sshfs rw 0 0
short
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "ext4"),
        ("/var/seat", "ext4"),
        ("/home/bob", "xfs"),
        ("/home/ann", "nfs4"),
        ("/home/ann/seat", "nfs4"),
        ("/home/anna/seat", "xfs"),
        ("/home/ann/local/seat", "tmpfs"),
        ("/mnt/two words/seat", "cifs"),
        ("/srv/seat", "fuse.sshfs"),
    ],
)
def test_the_file_system_of_a_path(path: str, kind: str) -> None:
    assert file_system_of(path, MOUNTS) == kind
    assert file_system_of(path, "") == ""


@pytest.mark.parametrize(
    ("kind", "state"), [("nfs4", "attention"), ("9p", "attention"), ("xfs", "ok")]
)
def test_a_store_on_a_network(
    kind: str, state: str, seat: Seat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "mounts"
    table.write_text(f"x / {kind} rw 0 0\n")
    monkeypatch.setattr(disk, "MOUNTS", table)
    assert place(seat.layout)["file system"].state == state
    table.unlink()
    assert place(seat.layout)["file system"].state == "unknown"


# The keys --------------------------------------------------------------------


def key_faults(seat: Seat) -> list[Check]:
    return wrong(check_keys(seat))


@pytest.mark.parametrize("name", ["seat", ATLAS, BOREAS])
def test_each_key_is_looked_at(name: str, seat: Seat, tmp_path: Path) -> None:
    path = Path(seat.layout.keys) / name
    path.chmod(0o640)
    (open_to_others,) = key_faults(seat)
    assert open_to_others.next == f"chmod 600 {path}"
    path.chmod(0o600)
    assert key_faults(seat) == []

    kept = path.rename(tmp_path / "kept")
    (missing,) = key_faults(seat)
    assert str(path) in missing.found
    assert "backup" in missing.next

    write_private_key(path, PrivateKey.generate())
    (strange,) = key_faults(seat)
    assert str(path) in strange.found

    path.write_bytes(b"no key")
    assert len(key_faults(seat)) == 1
    shutil.copy2(kept, path)
    assert key_faults(seat) == []


def test_a_directory_open_to_others(seat: Seat) -> None:
    Path(seat.layout.keys).chmod(0o755)
    (found,) = key_faults(seat)
    assert found.next == f"chmod 700 {seat.layout.keys}"


# What is in the store --------------------------------------------------------


def test_what_waits_for_somebody(seat: Seat) -> None:
    author = 1
    row: HeldRow = (author, 1, b"d" * 32, b"l" * 32, "line", "koinii/foreign-context")
    with seat.database.write():
        seat.kb.names.make_author(ATLAS, seat.id)
        seat.kb.names.make_context("CxBoreas")
        seat.kb.assertions.hold([row])
        seat.histories.refuse("AgentEve", "e" * 32, "agents/x", "a bad hash")
        seat.histories.put_head(Head("f" * 32, b"", 3, "", "", "it went back"))
    found = {one.name: one for one in check_waiting(seat)}
    assert set(found) == {"held", "authors", "seats"}
    assert found["held"].next == "koinii held"
    assert "koinii/foreign-context" in found["held"].found
    assert "a bad hash" in found["authors"].found
    assert "it went back" in found["seats"].found


def test_a_damaged_store(seat: Seat) -> None:
    seat.load([f"(n {number})" for number in range(2000)])
    path = Path(seat.layout.store)
    seat.close()
    with path.open("r+b") as file:
        size = path.stat().st_size
        file.seek(size // 2 // 8192 * 8192)
        file.write(b"\xff" * 16384)
    with open_seat(Path(seat.layout.directory)) as again:
        (found,) = looked("store", lambda: check_store(again))
    assert found.state == "attention"
    assert "doctor --fix" in found.next
