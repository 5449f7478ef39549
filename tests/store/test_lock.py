"""One writer at a time, in line, for a bounded time, and it says who holds it."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from koinii.errors import SurroundingsError
from koinii.store.database import Database, create, open_store
from koinii.store.lock import WriterLock
from seat.children import child, line_of
from seat.made import copy_of_two, fast_directory, open_seat

PROCESSES, EACH = 8, 50


def write_one(database: Database, key: str) -> None:
    with database.write() as connection:
        connection.execute("INSERT INTO meta VALUES (?, 1)", (key,))


def keys(database: Database) -> list[str]:
    rows = database.connection.execute("SELECT key FROM meta WHERE key LIKE 'own%'")
    return sorted(key for (key,) in rows)


def open_impatient(path: Path, wait: float = 0.2) -> Database:
    return open_store(str(path / ".koinii" / "store.db"), lock_wait=wait)


def test_bc_033_eight_processes_lose_nothing_and_nobody_starves() -> None:
    with ExitStack() as stack:
        where = Path(fast_directory() or "/tmp") / f"koinii-lock-{os.getpid()}"  # noqa: S108
        where.mkdir()
        stack.callback(shutil.rmtree, where)
        path = copy_of_two(where)
        running = [
            stack.enter_context(child("assert", path, f"N{number}", str(EACH)))
            for number in range(PROCESSES)
        ]
        told = [process.communicate(timeout=60) for process in running]

        assert [errors for _, errors in told] == [""] * PROCESSES
        lines = [line for output, _ in told for line in output.splitlines()]
        longest = [float(line.split()[1]) for line in lines if line[0] == "l"]
        locators = [line for line in lines if line[0] == "s"]
        assert len(set(locators)) == len(locators) == PROCESSES * EACH
        assert max(longest) < 10, longest
        with open_seat(path) as seat:
            assert {one.locator for one in seat.believed()} == set(locators)


def test_threads_write_in_turn(tmp_path: Path) -> None:
    path = str(tmp_path / "store.db")
    create(path).close()

    def work(name: int) -> None:
        database = open_store(path)
        for number in range(20):
            write_one(database, f"own {name} {number}")
        database.close()

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    database = open_store(path)
    assert len(keys(database)) == 80
    database.close()


def test_bc_007_a_wait_is_bounded_and_names_the_holder(tmp_path: Path) -> None:
    path = copy_of_two(tmp_path)
    with child("hold", path) as holder:
        assert line_of(holder) == "held"
        database = open_impatient(path)
        begun = time.monotonic()

        with pytest.raises(SurroundingsError, match=str(holder.pid)) as caught:
            write_one(database, "own")

        assert time.monotonic() - begun < 2
        assert caught.value.code == "koinii/locked"
        assert caught.value.exit_code == 5
        assert caught.value.details["holder"] == str(holder.pid)
        assert caught.value.hint
        assert keys(database) == []  # reading needs no lock

        holder.kill()
        holder.wait()
        write_one(database, "own")
        assert keys(database) == ["own"]
        database.close()


def test_a_waiter_is_served_when_the_holder_is_killed(tmp_path: Path) -> None:
    path = copy_of_two(tmp_path)
    with child("hold", path) as holder:
        assert line_of(holder) == "held"
        database = open_impatient(path, 20)
        threading.Timer(0.3, holder.kill).start()
        begun = time.monotonic()
        write_one(database, "own")
        assert 0.2 < time.monotonic() - begun < 10
        database.close()


def test_an_interrupted_wait_holds_nothing(tmp_path: Path) -> None:
    path = copy_of_two(tmp_path)
    with child("hold", path) as holder:
        assert line_of(holder) == "held"
        database = open_impatient(path, 20)
        with pytest.raises(KeyboardInterrupt):
            interrupt_soon()
            write_one(database, "own lost")

        holder.kill()
        holder.wait()
        other = open_impatient(path, 5)
        write_one(other, "own")
        write_one(database, "own too")
        assert keys(other) == ["own", "own too"]
        other.close()
        database.close()


def interrupt_soon() -> None:
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()


def test_a_waiting_program_ends_at_ctrl_c(tmp_path: Path) -> None:
    path = copy_of_two(tmp_path)
    with child("hold", path) as holder:
        assert line_of(holder) == "held"
        with child("assert", path, "N1", "1") as waiter:
            time.sleep(0.5)
            waiter.send_signal(signal.SIGINT)
            assert waiter.wait(timeout=5) != 0
        assert holder.poll() is None


def test_a_write_that_fails_gives_the_lock_back(tmp_path: Path) -> None:
    path = str(tmp_path / "store.db")
    database = create(path)
    other = open_store(path, lock_wait=0.2)
    with pytest.raises(ZeroDivisionError), database.write():
        raise ZeroDivisionError
    write_one(other, "own")
    with database.write(), pytest.raises(SurroundingsError, match=str(os.getpid())):
        write_one(other, "own too")
    database.close()
    other.close()


def test_a_write_inside_a_write_is_a_part_of_it(tmp_path: Path) -> None:
    database = create(str(tmp_path / "store.db"))
    with pytest.raises(ZeroDivisionError), database.write():
        write_one(database, "own")
        raise ZeroDivisionError
    assert keys(database) == []
    database.close()


def test_a_part_may_fail_alone(tmp_path: Path) -> None:
    database = create(str(tmp_path / "store.db"))
    undone: list[str] = []
    database.undone.append(lambda: undone.append("forget"))
    with database.write():
        write_one(database, "own first")
        with pytest.raises(ZeroDivisionError), database.savepoint():
            write_one(database, "own lost")
            raise ZeroDivisionError
        with database.savepoint():
            write_one(database, "own last")
        assert undone == ["forget"]
    assert keys(database) == ["own first", "own last"]
    database.close()


def test_a_lock_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    database = create(str(path))
    (tmp_path / "store.db.lock").mkdir()
    with pytest.raises(SurroundingsError, match=r"store\.db\.lock") as caught:
        write_one(database, "own")
    assert caught.value.code == "koinii/no-lock"
    (tmp_path / "store.db.lock").rmdir()
    write_one(database, "own")
    database.close()


def descriptors() -> int:
    return sum(1 for _ in Path("/dev/fd").iterdir())


def test_nothing_stays_open_when_a_wait_runs_out(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    first, second = (WriterLock(path, wait_seconds=0.02) for _ in range(2))
    first.acquire()
    before = descriptors()
    for _ in range(5):
        with pytest.raises(SurroundingsError):
            second.acquire()
        second.release()
    first.release()
    deadline = time.monotonic() + 5
    while descriptors() > before - 1:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    second.acquire()
    second.release()


@pytest.mark.parametrize("way", ["symlink", "relative"])
def test_bc_003_one_store_has_one_lock_whatever_its_path(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tmp_path / "real"
    real.mkdir()
    database = create(str(real / "store.db"))
    other_path = Path("store.db")
    monkeypatch.chdir(real)
    if way == "symlink":
        (tmp_path / "link").symlink_to(real)
        other_path = tmp_path / "link" / "store.db"
    other = open_store(str(other_path), lock_wait=0.1)
    with database.write(), pytest.raises(SurroundingsError) as caught:
        write_one(other, "own")
    assert caught.value.code == "koinii/locked"
    write_one(other, "own")
    assert keys(database) == ["own"]
    database.close()
    other.close()


def test_what_was_acknowledged_is_on_disk(tmp_path: Path) -> None:
    path = str(tmp_path / "store.db")
    for database in (create(path), open_store(path)):
        pragmas = {
            name: database.connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "trusted_schema")
        }
        assert pragmas == {"journal_mode": "wal", "synchronous": 2, "trusted_schema": 0}
        database.close()
