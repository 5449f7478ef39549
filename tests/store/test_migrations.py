"""A store is upgraded only when asked, whole or not at all, its backup first."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from koinii.errors import SurroundingsError
from koinii.kb import vocabulary
from koinii.kb.base import KnowledgeBase
from koinii.store import migrations
from koinii.store.database import Database, open_store
from koinii.terms import read, write
from seat.made import copy_of_two, open_seat

CAFE, LONG = '(p "Caf\u00e9" A)', f'(p "{"x" * 5000}")'


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store of the first version with something in it."""
    path = copy_of_two(tmp_path)
    with open_seat(path) as seat:
        seat.load([CAFE, LONG, *(f"(n {number})" for number in range(500))])
        seat.commit()
        seat.assert_("(p Later)", strength="monotonic")
    return path / ".koinii" / "store.db"


@pytest.fixture
def steps(tmp_path: Path) -> tuple[str, ...]:
    """The first version and two that follow it."""
    second = tmp_path / "0002.sql"
    second.write_text(
        "-- Notes; a table with data; made in steps.\n"
        "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;\n"
        "INSERT INTO note (text)\n"
        "    WITH RECURSIVE up (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up\n"
        "    WHERE n < 20000) SELECT 'note ' || n FROM up;\n"
    )
    third = tmp_path / "0003.sql"
    third.write_text("ALTER TABLE author ADD COLUMN shown TEXT;\n")
    return (*migrations.STEPS, str(second), str(third))


def connect(path: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(path, isolation_level=None))


def version(path: Path) -> int:
    with connect(path) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of the tables of the first version, in its first columns."""
    columns = {"author": "id, agent, seat"}
    with connect(path) as connection:
        names = [
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name != 'note'"
                " AND name NOT LIKE 'sqlite%' ORDER BY name"
            )
        ]
        return {
            name: connection.execute(
                f"SELECT {columns.get(name, '*')} FROM {name} ORDER BY 1, 2"
            ).fetchall()
            for name in names
        }


def checksums(directory: Path) -> dict[str, str]:
    return {
        one.name: sha256(one.read_bytes()).hexdigest()
        for one in directory.iterdir()
        if one.is_file()
    }


def upgrade(path: Path, steps: tuple[str, ...]) -> int:
    with connect(path) as connection:
        return migrations.upgrade(connection, str(path), steps)


def refused(path: Path) -> SurroundingsError:
    """How opening is refused; no file may change by it."""
    before = checksums(path.parent)
    with pytest.raises(SurroundingsError) as caught:
        open_store(str(path))
    assert checksums(path.parent) == before
    assert caught.value.exit_code == 5
    assert str(path) in caught.value.message
    return caught.value


# Opening ----------------------------------------------------------------------


@pytest.mark.parametrize("number", [2, 99])
def test_bc_027_a_newer_store_is_refused_untouched(store: Path, number: int) -> None:
    with connect(store) as connection:
        connection.execute(f"PRAGMA user_version = {number}")
    error = refused(store)
    assert error.code == "koinii/newer-store"
    assert (error.details["version"], error.details["known"]) == (number, 1)
    assert "newer koinii" in error.hint


def test_an_older_store_is_refused_untouched(store: Path) -> None:
    with connect(store) as connection:
        connection.execute("PRAGMA user_version = 0")
    error = refused(store)
    assert error.code == "koinii/old-store"
    assert "upgrade" in error.hint


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "koinii/no-store"),
        (b"not a database at all, but long enough to be looked at" * 40, "damaged"),
        (b"SQLite format 3\0" + b"\xff" * 4000, "damaged"),
    ],
)
def test_what_is_no_store_is_named(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(content)
    assert code in refused(path).code


def test_another_programs_database_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with connect(path) as connection:
        connection.execute("CREATE TABLE meta (key, value)")
    assert refused(path).code == "koinii/no-store"


def test_a_missing_store_is_named(tmp_path: Path) -> None:
    error = refused(tmp_path / "store.db")
    assert error.code == "koinii/no-store"
    assert not list(tmp_path.iterdir())


def test_bc_018_a_truncated_store_is_named(store: Path) -> None:
    whole = store.read_bytes()
    for size in (len(whole) // 2, 8192, 4096, 100, 0):
        store.write_bytes(whole[:size])
        with pytest.raises(SurroundingsError) as caught:
            read_all(store)
        assert caught.value.code in ("koinii/damaged-store", "koinii/no-store")
        assert caught.value.hint or size == 0
    store.write_bytes(whole)
    assert read_all(store) == 503


def read_all(store: Path) -> int:
    with open_seat(store.parent.parent) as seat:
        return len(list(seat.believed()))


# Upgrading --------------------------------------------------------------------


def test_bc_065_an_upgrade_changes_no_row_and_is_done_once(
    store: Path, steps: tuple[str, ...]
) -> None:
    before = rows(store)

    assert upgrade(store, steps) == 1
    assert version(store) == 3
    assert rows(store) == before
    after = checksums(store.parent)
    assert upgrade(store, steps) == 3
    assert checksums(store.parent) == after


def test_the_backup_is_the_store_as_it_was(store: Path, steps: tuple[str, ...]) -> None:
    before = rows(store)
    backup = store.with_name("store.db.v1.bak")
    backup.write_bytes(b"an older try")
    store.with_name("store.db.v1.bak.part").write_bytes(b"cut short")

    upgrade(store, steps)

    assert rows(backup) == before
    assert not store.with_name("store.db.v1.bak.part").exists()
    database = open_store(str(backup))  # the older program reads it
    shipped = len(vocabulary.sentences())
    assert KnowledgeBase(database).sentexes.count() == 503 + shipped
    database.close()


def test_bc_109_after_an_upgrade_all_is_found_under_its_old_locator(
    store: Path, steps: tuple[str, ...]
) -> None:
    with open_seat(store.parent.parent) as seat:
        located = {write(one.sentence): one.locator for one in seat.believed()}
        root = seat.kb.root()
    upgrade(store, steps)
    with connect(store) as connection:
        base = KnowledgeBase(Database(connection, None, str(store)))
        for text, locator in located.items():
            found = base.find(bytes.fromhex(locator[7:]))
            assert found is not None
            assert write(found.sentence) == text
        for spelling in ("Caf\u00e9", "Cafe\u0301"):  # composed and decomposed
            assert list(base.ask(read(f'(p "{spelling}" ?x)'), None)) == [
                {"?x": read("A")}
            ]
        assert base.root() == root


@pytest.mark.parametrize(
    "broken",
    ["CREATE TABLE note (id);\nCREATE TABLE note (id);\n", "DELETE FROM nowhere;\n"],
)
def test_bc_094_a_step_that_fails_leaves_the_old_store(
    store: Path, steps: tuple[str, ...], tmp_path: Path, broken: str
) -> None:
    bad = tmp_path / "bad.sql"
    bad.write_text(broken)
    before = rows(store)

    for _ in range(2):
        with pytest.raises(sqlite3.OperationalError):
            upgrade(store, (*steps[:2], str(bad)))
        assert version(store) == 1
        assert rows(store) == before
        open_store(str(store)).close()

    assert upgrade(store, steps) == 1
    assert version(store) == 3


def test_bc_094_a_full_disk_leaves_the_old_store(
    store: Path, steps: tuple[str, ...]
) -> None:
    before = rows(store)
    with connect(store) as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 4}")
        with pytest.raises(sqlite3.OperationalError, match="full"):
            migrations.upgrade(connection, str(store), steps)
        assert not connection.in_transaction
    assert (version(store), rows(store)) == (1, before)
    assert upgrade(store, steps) == 1


UPGRADE = """
import sqlite3, sys
from koinii.store import migrations
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
print("ready", flush=True)
sys.stdin.read(1)
migrations.upgrade(connection, sys.argv[1], tuple(sys.argv[2:]))
print("done", flush=True)
"""


def moments() -> Iterator[float]:
    rng = Random(94)
    for _ in range(12):
        yield rng.random() * 0.06


def test_bc_094_killed_at_any_moment_it_is_old_or_new(
    store: Path, steps: tuple[str, ...]
) -> None:
    whole = store.read_bytes()
    before = rows(store)
    for moment in moments():
        store.write_bytes(whole)
        with subprocess.Popen(
            [sys.executable, "-c", UPGRADE, str(store), *steps],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            assert process.stdin is not None
            assert process.stdout.readline() == b"ready\n"
            process.stdin.write(b"\n")
            process.stdin.flush()
            time.sleep(moment)
            os.kill(process.pid, signal.SIGKILL)
            done = process.stdout.read() == b"done\n"
        assert version(store) in ((3,) if done else (1, 3))
        assert rows(store) == before
        if version(store) == 1:
            read_all(store)  # the older program goes on
            assert upgrade(store, steps) == 1
        assert (version(store), rows(store)) == (3, before)
        for left in store.parent.glob("store.db?*"):
            left.unlink()
