"""A stored row is rehashed when it is read: damage is an error, never an answer."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from koinii.errors import VerificationError
from koinii.kb.base import KnowledgeBase
from koinii.kb.writing import Said
from koinii.store.database import create
from koinii.terms import read
from reference import seat_twin as twin

ALTERED, SOUND = "(p Tom 1)", "(not (q Ann))"
DIGEST = bytes.fromhex(twin.locator("CxA", ALTERED)[7:])
BODY = twin.encoded(ALTERED)
Reading = Callable[[KnowledgeBase], object]

# Every way to the row that does not go by its digest, context or place.
READINGS: dict[str, Reading] = {
    "ask": lambda base: list(base.ask(read("(p ?x ?y)"), None)),
    "ask for all of it": lambda base: list(base.ask(read(ALTERED), None)),
    "ask by its second argument": lambda base: list(base.ask(read("(p ?x 1)"), None)),
    "a join": lambda base: list(base.ask(read("(and (not (q ?x)) (p ?y ?z))"), None)),
    "matching": lambda base: base.matching(read("(p ?x ?y)"), None, "any"),
    "believed": lambda base: list(base.believed()),
    "its row": lambda base: base.get(number_of(base)),
}
BY_DIGEST: dict[str, Reading] = {
    "find": lambda base: base.find(DIGEST),
    "its prefix": lambda base: base.find_prefix(DIGEST.hex()[:60]),
}


@pytest.fixture
def base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    database = create(str(tmp_path / "store.db"))
    base = KnowledgeBase(database)
    with base.write():
        author = base.names.make_author("AgentAtlas", "0" * 32)
        said = [Said("CxA", read(text), text, 0, 1, None) for text in (ALTERED, SOUND)]
        said.append(Said("CxB", read("(r B)"), "(r B)", 0, 1, None))
        base.put(author, said, replace=False, journal=True)
    yield base
    database.close()


def number_of(base: KnowledgeBase) -> int:
    """The row that the tests change: the first that its author wrote."""
    row = base._connection.execute("SELECT min(sentex) FROM assertion").fetchone()
    assert isinstance(row[0], int)
    return row[0]


def alter(base: KnowledgeBase, column: str, value: object) -> None:
    """Change the row behind the base's back."""
    number = number_of(base)
    (path,) = [row[2] for row in base._connection.execute("PRAGMA database_list")]
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(
            f"UPDATE sentex SET {column} = ? WHERE id = ?", (value, number)
        )
    connection.close()


def flips(data: bytes) -> Iterator[bytes]:
    """The bytes with one bit of one byte changed, each byte in turn."""
    for at in range(len(data)):
        yield data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]


def assert_refused(base: KnowledgeBase, readings: dict[str, Reading]) -> None:
    for name, reading in readings.items():
        with pytest.raises(VerificationError) as caught:
            pytest.fail(f"{name}: {reading(base)}")
        assert caught.value.code == "koinii/row-altered", name
        assert caught.value.exit_code == 6


def assert_others_read(base: KnowledgeBase) -> None:
    assert list(base.ask(read("(not (q ?x))"), None)) == [{"?x": read("Ann")}]
    assert list(base.ask(read("(r ?x)"), "CxB", "exact")) == [{"?x": read("B")}]
    assert base.find(bytes.fromhex(twin.locator("CxA", SOUND)[7:])) is not None


def test_the_rows_are_where_the_test_changes_them(base: KnowledgeBase) -> None:
    row = base._connection.execute(
        "SELECT digest, body FROM sentex WHERE id = ?", (number_of(base),)
    )
    assert row.fetchone() == (DIGEST, BODY)
    for reading in (READINGS | BY_DIGEST).values():
        assert reading(base)


def test_a_changed_body_is_never_an_answer(base: KnowledgeBase) -> None:
    for body in [*flips(BODY), BODY[:-1], BODY + b"\0", b"", twin.encoded(SOUND)]:
        alter(base, "body", body)
        assert_refused(base, READINGS | BY_DIGEST)
        assert_others_read(base)
    alter(base, "body", BODY)
    assert base.find(DIGEST)


def test_a_changed_digest_is_never_an_answer(base: KnowledgeBase) -> None:
    for digest in [*flips(DIGEST), DIGEST[:-1], b""]:
        alter(base, "digest", digest)
        by_changed: dict[str, Reading] = {
            "find": lambda base, one=digest: base.find(one),  # type: ignore[misc]
            "find what it was": lambda base: base.find(DIGEST),
        }
        assert_refused(base, READINGS | by_changed)
        assert_others_read(base)


def test_a_changed_context_is_never_an_answer(base: KnowledgeBase) -> None:
    place = base.names.context_id("CxA")
    other = base.names.context_id("CxB")
    assert place is not None
    by_context: dict[str, Reading] = {
        "its new context": lambda base: list(base.ask(read("(p ?x ?y)"), "CxB"))
    }
    alter(base, "context", other)
    assert_refused(base, READINGS | BY_DIGEST | by_context)
    assert_others_read(base)
    for bit in range(8):
        alter(base, "context", place ^ 1 << bit)
        assert_refused(base, READINGS | BY_DIGEST)
        assert_others_read(base)


def test_a_row_that_is_gone_is_missed(base: KnowledgeBase) -> None:
    base._connection.execute("DELETE FROM sentex WHERE id = ?", (number_of(base),))
    assert_refused(base, {"find": lambda base: base.find(DIGEST)})
    assert_others_read(base)
