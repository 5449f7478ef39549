"""The room of a store, and what is given back of it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from koinii.errors import SurroundingsError
from koinii.store.compacting import LEAST, Room, compact, room_of
from koinii.store.database import Database, create, open_store

ROWS = 2_000
BODY = "x" * 2_000


@pytest.fixture
def store(tmp_path: Path) -> Database:
    database = create(str(tmp_path / "store.db"), lock_wait=0.05)
    with database.write() as connection:
        connection.executemany(
            "INSERT INTO meta VALUES (?, ?)",
            [(f"row{number}", BODY) for number in range(ROWS)],
        )
    return database


def drop(store: Database, first: int) -> None:
    with store.write() as connection:
        connection.executemany(
            "DELETE FROM meta WHERE key = ?",
            [(f"row{number}",) for number in range(first, ROWS)],
        )


def kept(path: str) -> int:
    with closing(open_store(path)) as database:
        assert database.quick_check() == []
        rows = database.connection.execute(
            "SELECT count(*) FROM meta WHERE key LIKE 'row%'"
        )
        return int(rows.fetchone()[0])


def test_what_is_free_is_given_back_and_the_rest_stays(store: Database) -> None:
    before = room_of(store)
    assert not before.pays
    drop(store, 100)
    assert room_of(store).pays
    assert compact(store)
    after = room_of(store)
    assert (after.free, after.log) == (0, 0)
    assert after.file < before.file + before.log - LEAST
    assert not compact(store)
    store.close()
    assert kept(store.path) == 100


def test_a_file_is_not_written_again_for_little(store: Database) -> None:
    drop(store, ROWS - 100)
    assert room_of(store).free > 0
    assert not compact(store)
    assert room_of(store).log == 0


@pytest.mark.parametrize(
    ("room", "answer"),
    [
        (Room(4 * LEAST, 0, LEAST), "pays"),
        (Room(4 * LEAST + 4, 0, LEAST), "no"),
        (Room(LEAST, 0, LEAST - 1), "no"),
        (Room(100 * LEAST, 0, 24 * LEAST), "no"),
    ],
)
def test_it_pays_from_a_quarter_on_and_not_below_a_megabyte(
    room: Room, answer: str
) -> None:
    assert room.pays is (answer == "pays")


def test_somebody_reads_meanwhile(store: Database) -> None:
    drop(store, 100)
    with closing(sqlite3.connect(store.path)) as reader:
        reader.execute("BEGIN")
        (count,) = reader.execute("SELECT count(*) FROM meta").fetchone()
        assert compact(store)
        assert reader.execute("SELECT count(*) FROM meta").fetchone() == (count,)
    store.close()
    assert kept(store.path) == 100


def test_nobody_writes_meanwhile(store: Database) -> None:
    with closing(open_store(store.path, lock_wait=0.05)) as other:
        with other.write(), pytest.raises(SurroundingsError) as caught:
            compact(store)
        assert caught.value.code == "koinii/locked"
