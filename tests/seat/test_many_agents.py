"""More agents than one record holds: several commits at once, and nothing is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from koinii.history.record import CommitRecord, decode_record
from koinii.history.roots import agents_root, heads_root
from koinii.seat import authoring, records
from koinii.seat.seat import Seat
from koinii.store.histories import Head
from seat.made import Clock, add_agent, make_seat, open_seat

AGENTS = [f"AgentA{number}" for number in range(120)]


@pytest.fixture
def crowded(tmp_path: Path) -> Seat:
    seat = make_seat(tmp_path / "seat", now=Clock())
    with seat.database.write():
        for agent in AGENTS:
            add_agent(seat, agent)
    return seat


def record(seat: Seat, number: int) -> CommitRecord:
    data = seat.histories.record(seat.id, number)
    assert data is not None
    found = decode_record(data)
    assert isinstance(found, CommitRecord)
    return found


def test_a_commit_of_120_agents_is_two(crowded: Seat) -> None:
    with crowded.database.write():
        for agent in AGENTS:
            crowded.assert_("(a B)", agent=agent)

    made = crowded.commit()

    assert made is not None
    assert made.number == 2
    first, second = record(crowded, 1), record(crowded, 2)
    assert len(first.agents) <= authoring.MOST
    assert len(first.agents) + len(second.agents) == 120
    assert first.agents.keys() | second.agents.keys() == set(AGENTS)
    for kept in (first, second):
        assert len(kept.encode()) <= 16_384
    assert first.agents_root == agents_root((a, *r) for a, r in first.agents.items())
    both = {**first.agents, **second.agents}
    assert second.agents_root == agents_root((a, *r) for a, r in both.items())
    assert crowded.status().uncommitted == 0
    assert crowded.commit() is None
    crowded.close()
    with open_seat(Path(crowded.layout.directory)) as again:
        assert again.status().commit == made.id


def test_what_comes_to_nothing_holds_nothing_up(crowded: Seat) -> None:
    """The first hundred touched say nothing new; the others do."""
    with crowded.database.write():
        for agent in AGENTS[:110]:
            crowded.assert_("(a B)", agent=agent)
        for agent in AGENTS[:110]:
            crowded.retract(crowded.locate("(a B)", f"Cx{agent[5:]}"), agent=agent)
        crowded.assert_("(a C)", agent=AGENTS[119])

    made = crowded.commit()

    assert made is not None
    assert crowded.status().uncommitted == 0
    assert list(record(crowded, made.number).agents) == [AGENTS[119]]
    crowded.close()


def test_the_longest_names_fit(tmp_path: Path) -> None:
    seat = make_seat(tmp_path / "seat", now=Clock())
    names = [f"Agent{'X' * 119}{number:04}" for number in range(90)]
    with seat.database.write():
        for agent in names:
            add_agent(seat, agent)
            seat.assert_("(a B)", agent=agent)
    made = seat.commit()
    assert made is not None
    sizes = [len(record(seat, n + 1).agents) for n in range(made.number)]
    assert sum(sizes) == 90
    assert min(sizes) > 10
    seat.close()


def test_more_heads_than_a_record_holds_wait_for_the_next(tmp_path: Path) -> None:
    seat = make_seat(tmp_path / "seat", now=Clock())
    others = [f"{number:032x}" for number in range(1, 151)]
    with seat.database.write():
        for other in others:
            seat.histories.append(other, [(1, b"one", b"1" * 32), (2, b"2", b"2" * 32)])
            seat.histories.put_head(Head(other, b"k" * 32, 1, "", "", ""))
    bound: dict[str, tuple[int, bytes]] = {}
    for number, moved in enumerate([64, 64, 22], start=1):
        seat.assert_(f"(a B{number})")
        seat.commit()
        made = record(seat, number)
        assert len(made.heads) == moved <= records.MOST_HEADS
        bound |= made.heads
        assert made.heads_root == heads_root((s, *row) for s, row in bound.items())
    assert set(bound) == set(others)
    for other in others:
        seat.histories.put_head(Head(other, b"k" * 32, 2, "", "", ""))
    seat.assert_("(a C)")
    seat.commit()
    bound |= record(seat, 4).heads
    assert record(seat, 4).heads_root == heads_root((s, *r) for s, r in bound.items())
    assert sorted(number for number, _ in bound.values()) == [1] * 86 + [2] * 64
    seat.close()
