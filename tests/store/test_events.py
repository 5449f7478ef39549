"""The ring of events: bounded by number and by length, numbered for ever."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from koinii.store import events
from koinii.store.database import Database, create, open_store
from koinii.store.events import KEPT, Events


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = create(str(tmp_path / "store"))
    yield made
    made.close()


def letters(connection: sqlite3.Connection) -> int:
    return sum(len(body) for _, body in Events(connection).after(0))


def test_numbers_go_on_and_the_oldest_go(database: Database) -> None:
    rows = Events(database.connection)
    assert (rows.newest(), rows.oldest(), rows.after(0)) == (0, 0, [])
    with database.write():
        numbers = [rows.append(f"event {n}") for n in range(1, KEPT + 11)]
    assert numbers == list(range(1, KEPT + 11))
    assert (rows.oldest(), rows.newest()) == (11, KEPT + 10)
    kept = rows.after(0)
    assert [number for number, _ in kept] == list(range(11, KEPT + 11))
    assert rows.after(KEPT + 8) == kept[-2:]
    assert rows.after(KEPT, 1) == [(KEPT + 1, f"event {KEPT + 1}")]


def test_what_is_undone_takes_no_number(database: Database) -> None:
    rows = Events(database.connection)
    with pytest.raises(ZeroDivisionError), database.write():
        rows.append("lost")
        raise ZeroDivisionError
    with database.write():
        assert rows.append("first") == 1


def test_large_events_push_out_more(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "KEPT_LETTERS", 400)
    monkeypatch.setattr(events, "_LARGE", 10)
    rows = Events(database.connection)
    with database.write():
        for _ in range(10):
            rows.append("x" * 100)
            assert letters(database.connection) <= 400
        assert rows.newest() - rows.oldest() == 3
        rows.append("y" * 800)
    assert (rows.oldest(), rows.newest()) == (11, 11)


def test_a_wait_ends_when_another_connection_writes(database: Database) -> None:
    began, elsewhere = time.monotonic(), open_store(database.path)
    assert Events(elsewhere.connection).wait(0, 0.05) == 0
    assert time.monotonic() - began >= 0.05
    elsewhere.close()
    left: list[float] = []

    def reader() -> None:
        own = open_store(database.path)
        left.append(Events(own.connection).wait(0, 30))
        own.close()

    thread = threading.Thread(target=reader)
    thread.start()
    time.sleep(3 * events.LOOK_SECONDS)
    assert left == []
    with database.write():
        Events(database.connection).append("one")
    thread.join(10)
    assert 20 < left[0] < 30


def test_a_wait_for_what_is_there_is_none(database: Database) -> None:
    with database.write():
        Events(database.connection).append("one")
    assert Events(database.connection).wait(0, 30) > 29
