"""What reading disputes costs, counted with 10 and with 10,000 of them open.

Rows that the store returns, and SQLite's steps but for trees a level deeper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from coordination.quarrel import BOREAS, CID, DAN, ROOM, make_seat
from kb.counting import counting_connections, counts_of
from koinii import RemoteSeat
from koinii.coordination.adjudication import Adjudication
from koinii.coordination.contested import rests_on_contested
from koinii.coordination.dispute_id import dispute_id
from koinii.coordination.disputes import Disputes
from remote.desks import Clock
from seat.made import fast_directory

FEW, MANY = 10, 10_000
SLACK = 1.5  # trees grow a level or two deeper
SIDE = "CxAside"


def loaded(path: Path, size: int) -> RemoteSeat:
    """A seat with so many disputes in CxDeploy, the newest two in CxAside too."""
    seat = make_seat(path, Clock())
    seat.load(f"(reliable Host{at})" for at in range(size))
    denials = (f"(not (reliable Host{at}))" for at in range(size))
    seat.load(denials, agent=BOREAS)
    seat.new_channel(SIDE)
    for agent in (CID, DAN):
        seat.join(SIDE, agent=agent)
    seat.assert_("(genlCx CxDeploy CxAside)")
    for at in range(2):
        seat.assert_(f"(light Host{at})", agent=CID)
        seat.assert_(f"(not (light Host{at}))", agent=DAN)
    seat.assert_("(implies (reliable ?x) (steady ?x))", context=ROOM)
    return seat


def at(seat: RemoteSeat, sentence: str, context: str) -> str:
    return seat.locate(sentence, context)


def named(seat: RemoteSeat, number: int = 3) -> tuple[str, str]:
    said = at(seat, f"(reliable Host{number})", "CxAtlas")
    return said, at(seat, f"(not (reliable Host{number}))", "CxBoreas")


def page_after(seat: RemoteSeat) -> object:
    disputes = Disputes(seat)
    first = disputes.in_context(ROOM, limit=3)
    return disputes.in_context(ROOM, after=first.cursor, limit=3)


Work = Callable[[RemoteSeat], object]
WORK: dict[str, Work] = {
    "a page": lambda seat: Disputes(seat).in_context(ROOM, limit=5),
    "the page after": page_after,
    "a page where there are few": lambda seat: Disputes(seat).in_context(SIDE),
    "a page where there is none": lambda seat: Disputes(seat).in_context("CxCid"),
    "any": lambda seat: Disputes(seat).any_in(ROOM),
    "any where there is none": lambda seat: Disputes(seat).any_in("CxAtlas"),
    "the named read": lambda seat: Disputes(seat).disputed("(reliable Host3)", ROOM),
    "the state of one": lambda seat: Disputes(seat).state(named(seat)),
    "one": lambda seat: Disputes(seat).find(named(seat)),
    "what a conclusion rests on": lambda seat: rests_on_contested(
        seat, "(steady Host3)", ROOM
    ),
    "nothing is overdue": lambda seat: Adjudication(seat).sweep(ROOM),
    "a mark": lambda seat: Disputes(seat).mark_notified(named(seat)),
    "a mark withdrawn": lambda seat: Disputes(seat).reopen(named(seat)),
    "a ruling": lambda seat: Adjudication(seat).rule(
        CID, named(seat, 4), "(reliable Host4)", ROOM
    ),
    "another ruling": lambda seat: Adjudication(seat).rule(
        CID, named(seat, 5), "(not (reliable Host5))", ROOM
    ),
    "who ruled": lambda seat: Adjudication(seat).who_ruled(
        at(seat, "(reliable Host4)", "CxCid")
    ),
    "what stands": lambda seat: Adjudication(seat).standing_rulings(
        CID, dispute_id(*named(seat, 4))
    ),
}


@pytest.fixture(scope="module")
def seats() -> Iterator[tuple[RemoteSeat, RemoteSeat]]:
    with (
        TemporaryDirectory(dir=fast_directory()) as folder,
        counting_connections(),
        loaded(Path(folder) / "few", FEW) as few,
        loaded(Path(folder) / "many", MANY) as many,
    ):
        yield few, many


@pytest.mark.parametrize("name", WORK)
def test_it_costs_the_same(seats: tuple[RemoteSeat, RemoteSeat], name: str) -> None:
    few, many = (
        counts_of(seat.database.connection, lambda seat=seat: WORK[name](seat))  # type: ignore[misc]
        for seat in seats
    )
    assert few.steps > 0
    assert (many.returned, many.written) == (few.returned, few.written)
    assert many.steps <= few.steps * SLACK + 200


def test_a_scan_is_noticed(seats: tuple[RemoteSeat, RemoteSeat]) -> None:
    few, many = (
        counts_of(seat.database.connection, seat.contradictions) for seat in seats
    )
    assert many.returned > 100 * few.returned


def test_the_work_does_what_it_says(tmp_path: Path) -> None:
    with loaded(tmp_path / "seat", FEW) as seat:
        found = {name: work(seat) for name, work in WORK.items()}
        disputes = Disputes(seat)
        assert len([*disputes.every(ROOM)]) == FEW + 2 - 2
        assert len(disputes.in_context(SIDE).rows) == 2
        assert disputes.state(named(seat, 4)) == "resolved"
        assert disputes.state(named(seat)) == "open"
    assert found["the named read"]
    assert found["what a conclusion rests on"]
    assert found["a mark"]
    assert found["a mark withdrawn"] == 1
    assert found["who ruled"]
    assert found["what stands"]
    assert not found["any where there is none"]
