"""A bit that turned between a write and a commit does not get under a head."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from koinii.errors import VerificationError
from koinii.seat.seat import Seat
from koinii.store import meta
from koinii.terms.locator import leaf, raw_digest
from seat.made import copy_of_two, open_seat


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Seat]:
    with open_seat(copy_of_two(tmp_path)) as opened:
        for number in range(3):
            opened.assert_(f"(before {number})")
            opened.commit()
        yield opened


def turned(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


def turn(seat: Seat, table: str, column: str, where: str, of: bytes) -> None:
    """Turn the last bit of one stored value."""
    with seat.database.write() as connection:
        (value,) = connection.execute(
            f"SELECT {column} FROM {table} WHERE {where}", {"of": of}
        ).fetchone()
        done = connection.execute(
            f"UPDATE {table} SET {column} = :new WHERE {where}",
            {"of": of, "new": turned(value)},
        )
        assert done.rowcount == 1


PLACES = {
    "record": ("sentex", "body", "digest = :of"),
    "its locator": ("sentex", "digest", "digest = :of"),
    "leaf of the line": (
        "assertion", "leaf", "sentex = (SELECT id FROM sentex WHERE digest = :of)"
    ),
    "leaf of what is believed": ("leaf", "hash", "hash = :of"),
    "record of the history": ("history", "record", "number = 2"),
    "leaf of the history": ("history", "leaf", "number = 2"),
    "newest record": ("history", "record", "number = 3"),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_bc_132_a_bit_that_turned_is_not_signed(place: str, seat: Seat) -> None:
    digest = raw_digest(seat.assert_("(new Claim)"))
    of_line = leaf(digest) if place == "leaf of what is believed" else digest
    table, column, where = PLACES[place]
    turn(seat, table, column, where, of_line)
    before = (seat.histories.head(seat.id), seat.files.listing())

    with pytest.raises(VerificationError) as caught:
        seat.commit()

    assert caught.value.code in ("koinii/row-altered", "koinii/history-altered")
    if "history" in place or "newest" in place:
        assert caught.value.details["number"] == (3 if place == "newest record" else 2)
    elif place != "its locator":
        assert caught.value.details["locator"] == f"sha256:{digest.hex()}"
    assert (seat.histories.head(seat.id), seat.files.listing()) == before


def test_bc_132_a_held_line_is_read_again_too(seat: Seat) -> None:
    seat.assert_("(said There)", context="CxDeploy")
    author = seat.kb.names.author_id("AgentAtlas", seat.id)
    assert author is not None
    context = seat.kb.names.make_context("CxDeploy")
    digest = raw_digest(seat.locate("(said There)", "CxDeploy"))
    line = "default 1 (said There)"
    with seat.kb.write():
        seat.kb.set_aside(author, [digest])
        seat.kb.assertions.hold([(author, context, digest, b"x" * 32, line, "x")])
    with pytest.raises(VerificationError):
        seat.commit()


@pytest.mark.parametrize("new", [[], ["(new Claim)"]])
def test_bc_132_a_root_that_was_kept_and_turned_is_worked_out_again(
    new: list[str], seat: Seat
) -> None:
    for sentence in new:
        seat.assert_(sentence)
    root, size = seat.kb.root()
    epoch = meta.epoch(seat.database.connection)
    with seat.database.write() as connection:
        kept = f"{epoch} {turned(root).hex()} {size}"
        meta.put(connection, "root", kept)
    made = seat.commit()
    assert (made is None) == (not new)
    assert seat.log(1)[0].id == f"sha256:{root.hex()}"
    assert seat.kb.root() == (root, size)


def test_what_is_whole_is_committed(seat: Seat) -> None:
    seat.assert_("(new Claim)")
    seat.assert_("(other Claim)", agent="AgentBoreas")
    made = seat.commit()
    assert made is not None
    assert made.number == 4
