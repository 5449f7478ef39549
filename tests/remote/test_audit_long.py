"""Every commit of 200, by three seats that disagree, audited from the remote alone."""

from __future__ import annotations

from itertools import pairwise

import koinii
from koinii.history.record import CommitRecord, decode_record
from remote.desks import room
from remote.long_table import SITTING, Believed, LongTable, long_table

COMMITS = 200
SEED = 20_261


def records(table: LongTable, name: str) -> list[CommitRecord]:
    seat = table.seats[name]
    found = [
        decode_record(data) for data in seat.histories.records(seat.id, 1, 1 << 20)
    ]
    assert all(isinstance(one, CommitRecord) for one in found)
    return found  # type: ignore[return-value]


def grant_all(table: LongTable) -> None:
    """Make an admin at one seat, which grants all that it has met."""
    anna = table.seats["anna"]
    anna.sync()
    anna.admin_init()
    for agents in SITTING.values():
        for agent in agents:
            if agent == "AgentTwin":
                continue  # two keys: nobody of that name is granted anything
            anna.grant(agent, ["moderator", "arbiter"])
    table.sync("anna")


def play(table: LongTable) -> None:
    """Rotate a key, let an admin be met, and be strict for a while at one seat."""
    table.play(60)
    table.seats["anna"].rotate_agent("AgentAnna")
    table.play(40)
    grant_all(table)
    table.play(20)
    table.set_mode("bert", "proof-tier")
    table.play(40)
    table.set_mode("bert", "cooperative")
    table.play(COMMITS - table.commits)
    for name in [*table.seats] * 2:
        table.sync(name)


def test_every_commit_of_a_long_history_is_rebuilt() -> None:
    with room() as folder, long_table(folder, SEED) as table:
        play(table)
        assert table.commits >= COMMITS
        assert_it_was_eventful(table)
        for name, seat in table.seats.items():
            recorded = records(table, name)
            audited = list(koinii.audit_all(str(table.bare), seat.id))
            assert [one.missing for one in audited] == [None] * len(recorded)
            assert [one.rebuilt for one in audited] == [
                one.commit_id for one in recorded
            ]
            assert [one.size for one in audited] == [one.size for one in recorded]
            assert all(one.equal for one in audited)
            assert [one.number for one in audited] == [*range(1, len(recorded) + 1)]
        check_turns(table)


def assert_it_was_eventful(table: LongTable) -> None:
    """Check that what an audit has to stand was there."""
    bert, cleo = table.seats["bert"], table.seats["cleo"]
    modes = {one.trust for one in records(table, "bert")}
    assert len(modes) > 3
    assert any(
        one.held != records(table, "bert")[0].held for one in records(table, "bert")
    )
    assert {one.agent for one in bert.status().contested} == {"AgentTwin"}
    assert bert.admin() is not None
    assert any(cleo.contradictions() + cleo.conflicts())
    assert any(not cleo.kb.asserted_by(one.id) for one in cleo.believed())
    for believed in table.believed.values():
        numbers = sorted(believed)
        pairs = pairwise(numbers)
        gone = [believed[a] - believed[b] for a, b in pairs]
        assert sum(map(bool, gone)) > 5, "what was believed ceases to be"


def check_turns(table: LongTable) -> None:
    """Compare the log of a single belief with what was written down."""
    seat = table.seats["anna"]
    believed = table.believed[seat.id]
    ever = sorted(frozenset[str]().union(*believed.values()))
    locator = max(ever, key=lambda one: len(turned(believed, one)))
    found = seat.turns(locator)
    assert not found.unknown
    assert [(one.number, one.believed) for one in found.turns[::-1]] == turned(
        believed, locator
    )
    assert len(found.turns) > 2


def turned(believed: Believed, locator: str) -> list[tuple[int, bool]]:
    """Return where belief in one locator turned, as it was written down."""
    found, was = [], False
    for number in sorted(believed):
        now = locator in believed[number]
        if now != was:
            found.append((number, now))
        was = now
    return found
