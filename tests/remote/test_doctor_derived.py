"""The doctor works out anew what follows, names what differs, and makes it again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import VerificationError
from koinii.remote.doctor import Examined, examine
from koinii.seat.check import Check
from koinii.seat.check_contents import NAMED
from koinii.seat.records import Commit
from remote.desks import Clock, room


@pytest.fixture
def seat() -> Iterator[RemoteSeat]:
    """A seat where a rule has drawn something, closed."""
    with room() as folder:
        with koinii.init(str(folder / "seat"), agent="AgentAnna", now=Clock()) as made:
            made.assert_("(implies (uses ?x ?y) (needs ?y))")
            made.load(f"(uses Prod Part{number})" for number in range(10))
            made.commit()
        yield made


def derived(found: Examined) -> list[Check]:
    return [one for one in found.checks if one.name in ("derived", "asserted")]


def alter(seat: RemoteSeat, statement: str) -> None:
    with sqlite3.connect(seat.layout.store) as connection:
        assert connection.execute(statement).rowcount > 0
    connection.close()


def history(seat: RemoteSeat) -> list[Commit]:
    with koinii.open(seat.layout.directory) as again:
        return again.log()


def test_what_is_whole_is_told_with_its_root(seat: RemoteSeat) -> None:
    (one,) = derived(examine(seat.layout))
    assert one.state == "ok"
    assert history(seat)[0].id in one.found


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("UPDATE sentex SET functor = functor + 1 WHERE id IN"
         " (SELECT max(sentex) FROM assertion)", "functor of sha256:"),
        ("UPDATE sentex SET first = first + 1 WHERE id IN"
         " (SELECT max(sentex) FROM assertion)", "first of sha256:"),
        ("UPDATE sentex SET label = 0 WHERE id IN"
         " (SELECT max(conclusion) FROM justification)", "stored is not believed"),
        ("DELETE FROM justification WHERE conclusion IN"
         " (SELECT max(conclusion) FROM justification)", "justifies nothing"),
    ],
)  # fmt: skip
def test_an_altered_row_is_found_and_mended(
    statement: str, named: str, seat: RemoteSeat
) -> None:
    before = history(seat)
    alter(seat, statement)
    found = examine(seat.layout)
    assert not found.whole
    (one,) = derived(found)
    assert one.next == "koinii doctor --rebuild"
    assert named in one.found

    mended = examine(seat.layout, rebuild=True)
    assert mended.whole
    (done,) = mended.done
    assert done.count("sha256:") == 2
    assert f"after: {before[0].id}" in done
    assert history(seat) == before


def test_of_many_rows_some_are_named(seat: RemoteSeat) -> None:
    alter(seat, "UPDATE sentex SET second = 1 WHERE second IS NOT NULL")
    *some, more = derived(examine(seat.layout))
    assert len(some) == NAMED
    assert more.found.endswith("more rows are not what follows")


def test_what_an_author_said_is_not_made_up(seat: RemoteSeat) -> None:
    alter(
        seat,
        "UPDATE sentex SET body = x'00' WHERE id IN"
        " (SELECT max(sentex) FROM assertion)",
    )
    asserted, rest = derived(examine(seat.layout))
    assert asserted.found.startswith("sha256:")
    assert "clone" in asserted.next
    assert "1 assertions were altered" in rest.found
    before = Path(seat.layout.store).read_bytes()
    with pytest.raises(VerificationError) as caught:
        examine(seat.layout, rebuild=True)
    assert asserted.found.split(": ")[0] in caught.value.message
    assert Path(seat.layout.store).read_bytes() == before


def test_whoever_waits_is_told(seat: RemoteSeat) -> None:
    told: list[str] = []
    examine(seat.layout, rebuild=True, watch=lambda doing, _: told.append(doing))
    assert list(dict.fromkeys(told)) == [
        "checking", "settling", "copying", "comparing",
    ]  # fmt: skip
