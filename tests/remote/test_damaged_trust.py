"""Rows that decide who counts, damaged one by one: named, and nothing is signed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import VerificationError
from koinii.remote.doctor import examine
from koinii.seat.check import Check
from remote.desks import Clock, hand_over, make_desk, room

WATCH = "AgentWatch"
THEIRS = "name = 'AgentAtlas'"
FAULTS = {
    "statements that are none": (
        f"UPDATE agent SET statements = 'x' WHERE {THEIRS}",
        "statements of AgentAtlas",
    ),
    "no statements": (
        f"UPDATE agent SET statements = '' WHERE {THEIRS}",
        "statements of AgentAtlas",
    ),
    "a statement that is changed": (
        "UPDATE agent SET statements = replace(statements, 'AgentAtlas', 'AgentOther')"
        f" WHERE {THEIRS}",
        "statements of AgentAtlas",
    ),
    "own statements": (
        f"UPDATE agent SET statements = 'x' WHERE name = '{WATCH}'",
        f"statements of {WATCH}",
    ),
    "another key": (
        f"UPDATE agent SET public_key = zeroblob(32) WHERE {THEIRS}",
        "statements of AgentAtlas",
    ),
    "a set of theirs": (
        "UPDATE input SET statement = 'x' WHERE author ="
        " (SELECT max(author) FROM input)",
        "signed set of AgentAtlas",
    ),
    "a set of ours": (
        "UPDATE input SET statement = 'x' WHERE author ="
        " (SELECT min(author) FROM input)",
        f"signed set of {WATCH}",
    ),
    "a set of another size": (
        "UPDATE input SET size = 7 WHERE author = (SELECT max(author) FROM input)",
        "signed set of AgentAtlas",
    ),
    "a cosignature": (
        "UPDATE cosignature SET note = 'x'",
        "cosignature of seat ",
    ),
    "the time of a cosignature": (
        "UPDATE cosignature SET time = time + 1",
        "cosignature of seat ",
    ),
    "a head": ("UPDATE head SET checkpoint = 'x' WHERE seat = :theirs", "head of seat"),
    "our head": ("UPDATE head SET checkpoint = 'x' WHERE seat = :ours", "head of seat"),
    "the key of a head": (
        "UPDATE head SET public_key = zeroblob(32) WHERE seat = :theirs",
        "head of seat",
    ),
    "no key at all": (
        "UPDATE head SET public_key = x'00' WHERE seat = :theirs",
        "head of seat",
    ),
    "no pin": ("DELETE FROM pin WHERE agent = 'AgentAtlas'", "key that AgentAtlas"),
    "a pin that is none": (
        "UPDATE pin SET key_hash = 'xyz' WHERE agent = 'AgentAtlas'",
        "key that AgentAtlas",
    ),
}


@pytest.fixture
def seat() -> Iterator[RemoteSeat]:
    with room() as folder:
        path = make_desk(folder, "atlas", ["AgentAtlas"]).path
        with koinii.open(str(path), now=Clock()) as atlas:
            atlas.assert_("(p A)")
            atlas.commit()
            path = make_desk(folder, "watch", [WATCH]).path
            with koinii.open(str(path), now=Clock()) as watch:
                watch.assert_("(p W)")
                hand_over(atlas, watch)
                watch.commit()
                yield watch


def trust(seat: RemoteSeat) -> list[Check]:
    return [one for one in examine(seat.layout).checks if one.name == "trust"]


def damage(seat: RemoteSeat, statement: str) -> None:
    (theirs,) = [one.seat for one in seat.peers()]
    with seat.database.write() as connection:
        done = connection.execute(statement, {"theirs": theirs, "ours": seat.id})
        assert done.rowcount >= 1
    seat.forget_weighing()


def test_a_whole_store(seat: RemoteSeat) -> None:
    (one,) = trust(seat)
    assert (one.state, one.found) == (
        "ok",
        "2 introductions and 2 heads, as signed",
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_each_row_is_named(seat: RemoteSeat, fault: str) -> None:
    statement, named = FAULTS[fault]
    damage(seat, statement)
    found = trust(seat)
    assert {one.state for one in found} == {"attention"}
    assert any(named in one.found for one in found), found
    assert all("restore a backup" in one.next for one in found)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_commit_names_it_or_goes_on(seat: RemoteSeat, fault: str) -> None:
    statement, named = FAULTS[fault]
    damage(seat, statement)
    directory: Path = Path(seat.layout.directory)
    seat.close()
    with koinii.open(str(directory), now=Clock()) as again:
        try:
            again.assert_("(p Later)")
            again.commit(cosign=True)
        except VerificationError as error:
            assert error.code == "koinii/row-altered", error
            assert named in error.message
            assert "koinii doctor" in error.hint
        again.database.connection.execute("SELECT 1")
