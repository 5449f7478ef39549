"""Everything that follows is worked out anew, and comes out as it was kept.

Whatever was done to a seat, a recomputation beside it finds nothing; whatever
row is altered behind its back is named, and made again from what is asserted.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.engine_driver import Driver
from kb.engine_game import Game
from kb.engine_moves import Move, beginnings, moves
from kb.permuted_scenarios import SCENARIOS
from kb.permuting import Scenario, make
from koinii.errors import SurroundingsError, VerificationError
from koinii.kb.base import KnowledgeBase
from koinii.kb.comparing import MOST, Comparison, compare
from koinii.kb.recomputing import rebuild
from koinii.kb.vocabulary import sentences
from koinii.seat.seat import Seat
from koinii.store.database import Database, open_store
from koinii.store.sentexes import BELIEVED, DEFEATED, KNOWN, WAITING
from koinii.terms import read
from seat.made import ATLAS, BOREAS, copy_of_two, fast_directory, open_seat

RULE = "(implies (and (uses ?x ?y) (on ?y ?z)) (reaches ?x ?z))"


def untold(doing: str, more: int) -> None:
    """Nobody watches."""


def compared(seat: Seat) -> Comparison:
    return compare(seat.kb, seat.database, untold)


def rows_of(database: Database) -> dict[str, list[tuple[object, ...]]]:
    """What rebuilding may not touch, and what has to come out of it the same."""
    connection = database.connection
    told = {
        "assertions": "SELECT * FROM assertion ORDER BY sentex, author",
        "held": "SELECT * FROM held ORDER BY digest",
        "history": "SELECT * FROM history ORDER BY seat, number",
        "change": "SELECT * FROM change ORDER BY author, context, digest",
        "labels": "SELECT digest, label, body FROM sentex ORDER BY digest",
        "leaves": "SELECT hash FROM leaf ORDER BY hash",
        "events": "SELECT * FROM event ORDER BY number",
    }
    return {name: connection.execute(sql).fetchall() for name, sql in told.items()}


def assert_recomputes(kb: KnowledgeBase, database: Database) -> None:
    """Nothing differs; and made again, in place, everything is as before."""
    found = compare(kb, database, untold)
    assert found.differences == []
    assert found.is_whole
    assert found.root == kb.root()
    before = rows_of(database)
    rebuilt = rebuild(kb, database, untold)
    assert rebuilt == (found.root, found.root, False)
    assert rows_of(database) == before
    assert compare(kb, database, untold).is_whole


# Whatever was done ---------------------------------------------------------------


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory where there is one."""
    with tempfile.TemporaryDirectory(dir=fast_directory()) as name:
        yield Path(name)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_every_scenario_recomputes(scenario: Scenario, folder: Path) -> None:
    with open_seat(copy_of_two(folder)) as seat:
        for at in range(len(scenario.moves)):
            make(seat, scenario.moves, at)
        assert_recomputes(seat.kb, seat.database)


@given(first=beginnings(), then=st.lists(moves(), max_size=20))
@settings(max_examples=10, deadline=None)
def test_whatever_is_said_recomputes(first: list[Move], then: list[Move]) -> None:
    driver, game = Driver(), Game(sentences())
    try:
        for move in [*first, *then]:
            deed = game.deed(move)
            if deed is not None:
                driver.play(game, deed)
        assert_recomputes(driver.kb, driver.database)
    finally:
        driver.close()


@pytest.mark.parametrize("left", ["CxOne", "CxTwo"])
def test_what_stands_in_several_places_recomputes(left: str, folder: Path) -> None:
    """Also where it has left one of them and come back, after the other."""
    with open_seat(copy_of_two(folder)) as seat:
        seat.assert_("(implies (hot ?x) (warm ?x))", agent=BOREAS)
        for place in ("CxOne", "CxTwo"):
            for own in ("CxAtlas", "CxBoreas"):
                seat.assert_(f"(genlCx {place} {own})", context="CxUniverse")
        seat.assert_("(hot A)")
        seat.retract(seat.locate(f"(genlCx {left} CxBoreas)", "CxUniverse"))
        seat.assert_(f"(genlCx {left} CxBoreas)", context="CxUniverse")
        warm = read("(warm A)")
        places = {one.context for one in seat.believed() if one.sentence == warm}
        assert places == {"CxOne", "CxTwo"}
        assert_recomputes(seat.kb, seat.database)


def test_a_reply_of_two_authors_of_whom_one_falls_recomputes(folder: Path) -> None:
    """One takes it back with what it names, in one operation; so the other's falls."""
    with open_seat(copy_of_two(folder)) as seat:
        claim = seat.assert_("(hot A)")
        reply = f'(endorses AgentAtlas (sentexHandle "{claim}"))'
        for agent in (ATLAS, BOREAS):
            said = seat.assert_(reply, agent=agent, context="CxDeploy")
        done = seat.edit(add=[], remove=[said, claim], agent=ATLAS)
        assert [one.agent for one in done.fell] == [BOREAS]
        assert not seat.waiting()
        assert_recomputes(seat.kb, seat.database)


# What is altered -----------------------------------------------------------------


@pytest.fixture
def seat(folder: Path) -> Iterator[Seat]:
    """A seat with everything in it that is derived."""
    with open_seat(copy_of_two(folder)) as seat:
        seat.new_channel("CxDeploy")
        seat.join("CxDeploy")
        seat.join("CxDeploy", agent=BOREAS)
        seat.assert_(RULE, context="CxDeploy")
        seat.assert_("(functional primary)", context="CxDeploy")
        seat.assert_("(uses Prod Postgres)")
        target = seat.assert_("(on Postgres Rack1)", agent=BOREAS)
        seat.assert_("(seen Postgres Rack1 Monday Here)")
        seat.assert_("(primary Prod East)")
        seat.assert_("(primary Prod West)", agent=BOREAS)
        seat.assert_(
            "(not (reaches Prod Rack1))", context="CxDeploy", strength="monotonic"
        )
        seat.assert_(f'(endorses AgentAtlas (sentexHandle "{target}"))')
        seat.load([f'(endorses AgentBoreas (sentexHandle "sha256:{"0" * 64}"))'])
        seat.search("postgres")
        seat.commit()
        yield seat


def alter(seat: Seat, statement: str) -> None:
    """Change the store behind the seat's back."""
    with sqlite3.connect(seat.layout.store) as connection:
        cursor = connection.execute(statement)
        assert cursor.rowcount > 0, statement
    connection.close()


def test_everything_is_there_to_be_altered(seat: Seat) -> None:
    connection = seat.database.connection
    for table in (
        "argument", "target", "leaf", "rule", "trigger", "footing", "footing_on",
        "firing", "ingredient", "justification", "clash", "sight", "sight_on",
    ):  # fmt: skip
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0], table
    labels = {bits for (bits,) in connection.execute("SELECT label FROM sentex")}
    assert {BELIEVED, BELIEVED | KNOWN, DEFEATED, WAITING} <= labels
    assert_recomputes(seat.kb, seat.database)


FACT = "digest IN (SELECT digest FROM sentex JOIN assertion ON sentex = id)"
DERIVED = "id IN (SELECT conclusion FROM justification)"
ALTERED = {
    "functor": f"UPDATE sentex SET functor = functor + 1 WHERE {FACT}",
    "first": f"UPDATE sentex SET first = 7 WHERE {DERIVED}",
    "second": f"UPDATE sentex SET second = NULL WHERE {FACT} AND second IS NOT NULL",
    "negative": f"UPDATE sentex SET negative = 1 - negative WHERE {FACT}",
    "label": f"UPDATE sentex SET label = 0 WHERE {FACT} AND label = 1",
    "body": f"UPDATE sentex SET body = x'00' WHERE {DERIVED}",
    "context": f"UPDATE sentex SET context = 1 WHERE {FACT} AND context <> 1",
    "sentence": f"DELETE FROM sentex WHERE {DERIVED}",
    "further argument": "DELETE FROM argument",
    "named locator": "DELETE FROM target",
    "leaf": "DELETE FROM leaf WHERE hash < x'80'",
    "rule": "UPDATE rule SET strict = 1 - strict",
    "trigger": "UPDATE trigger SET position = position + 1",
    "firing": "DELETE FROM justification",
    "ingredient": "DELETE FROM ingredient",
    "places": "UPDATE footing SET places = ''",
    "what places depend on": "DELETE FROM footing_on",
    "conclusions": "UPDATE firing SET conclusions = x''",
    "no footing": "DELETE FROM footing",
    "no firing": "DELETE FROM firing",
    "clash": "DELETE FROM clash",
    "seen": "UPDATE sight SET state = state & ~1",
    "falls": "UPDATE sight SET state = (state | 2) - (state & 2)",
    "what sights depend on": "DELETE FROM sight_on",
    "no sight": "DELETE FROM sight",
    "an unreadable footing": "UPDATE footing SET key = randomblob(9)",
    "an unreadable place": "UPDATE footing SET places = '1 x'",
    "an unreadable sight": "UPDATE sight SET key = randomblob(9)",
    "an unreadable firing": "UPDATE firing SET facts = x'01'",
    "the shipped words": "DELETE FROM sentex WHERE label & 8",
    "a shipped sentence": "UPDATE sentex SET body = x'00' WHERE label & 8",
}


@pytest.mark.parametrize("name", ALTERED)
def test_what_is_altered_is_named_and_mended(name: str, seat: Seat) -> None:
    before, root = rows_of(seat.database), seat.kb.root()
    alter(seat, ALTERED[name])
    altered = rows_of(seat.database)

    found = compared(seat)
    assert found.total > 0
    assert 0 < len(found.differences) <= MOST
    assert all(one.stored != one.due for one in found.differences)
    assert name not in KINDS or name in {one.kind for one in found.differences}
    assert found.root == root
    assert rows_of(seat.database) == altered  # it only looks

    rebuilt = rebuild(seat.kb, seat.database, untold)
    after = rows_of(seat.database)
    if rebuilt.moved:
        assert after.pop("events")[:-1] == before.pop("events")
    assert after == before
    assert rebuilt.after == root == seat.kb.root()
    assert compared(seat).is_whole
    assert seat.search("postgres").found


KINDS = {
    "functor", "first", "second", "negative", "label", "body", "sentence",
    "further argument", "named locator", "leaf", "rule", "trigger", "firing", "clash",
}  # fmt: skip


def test_a_kept_root_that_is_not_that_of_the_leaves(seat: Seat) -> None:
    root = seat.kb.root()
    alter(seat, "UPDATE meta SET value = replace(value, 'a', 'b') WHERE key = 'root'")
    (found,) = compared(seat).differences
    assert found.kind == "root"
    assert found.due == f"{root[0].hex()} of {root[1]}"
    rebuild(seat.kb, seat.database, untold)
    assert compared(seat).is_whole


def test_no_more_are_named_than_can_be_read(seat: Seat) -> None:
    seat.load([f"(n {number})" for number in range(3 * MOST)])
    alter(seat, "UPDATE sentex SET first = 0 WHERE first IS NOT NULL")
    found = compared(seat)
    assert len(found.differences) == MOST
    assert found.total > 3 * MOST


# What is lost --------------------------------------------------------------------

LOST = {
    "its body": f"UPDATE sentex SET body = x'00' WHERE {FACT} AND NOT {DERIVED}",
    "its digest": f"UPDATE sentex SET digest = randomblob(32) WHERE {FACT}",
    "its row": f"DELETE FROM sentex WHERE {FACT} AND NOT {DERIVED}",
    "its strength": "UPDATE assertion SET strength = 1 - strength",
    "no strength": "UPDATE assertion SET strength = 5",
    "its time": "UPDATE assertion SET created = created + 1",
    "its extras": "UPDATE assertion SET extras = '(a)'",
    "its wrappers": "UPDATE assertion SET wrappers = 3",
    "its context": "UPDATE assertion SET context = context + 1000",
}


@pytest.mark.parametrize("name", LOST)
def test_what_an_author_said_is_never_rebuilt(name: str, seat: Seat) -> None:
    alter(seat, LOST[name])
    before = rows_of(seat.database)
    found = compared(seat)
    assert not found.is_whole
    with pytest.raises(VerificationError) as caught:
        rebuild(seat.kb, seat.database, untold)
    assert caught.value.code == "koinii/row-altered"
    assert found.lost[0].split(": ")[0] in caught.value.message
    assert rows_of(seat.database) == before


# Where it is done ----------------------------------------------------------------


def test_a_seat_that_can_only_be_read_is_compared(seat: Seat) -> None:
    seat.close()
    store = Path(seat.layout.store)
    store.chmod(0o444)
    directory = store.parent
    directory.chmod(0o555)
    try:
        before = sorted(directory.iterdir())
        database = open_store(str(store))
        database._lock = None  # root may write anywhere
        kb = KnowledgeBase(database)
        assert compare(kb, database, untold).is_whole
        with pytest.raises(SurroundingsError):
            rebuild(kb, database, untold)
        database.close()
        assert sorted(directory.iterdir()) == before
    finally:
        directory.chmod(0o755)


def test_it_is_told_what_is_done(seat: Seat) -> None:
    told: list[tuple[str, int]] = []
    compare(seat.kb, seat.database, lambda doing, more: told.append((doing, more)))
    assert list(dict.fromkeys(doing for doing, _ in told)) == [
        "copying", "checking", "settling", "comparing",
    ]  # fmt: skip
    (count,) = seat.database.connection.execute(
        "SELECT count(*) FROM assertion"
    ).fetchone()
    for doing in ("checking", "settling"):
        assert sum(more for one, more in told if one == doing) >= count
