"""Disputes, marks and rulings between seats, through a repository of real git."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

import koinii
from coordination.quarrel import ATLAS, BOREAS, CID, DAN, NOT_P, ROOM, P, gives, verdict
from koinii import RemoteSeat
from koinii.coordination.adjudication import Adjudication
from koinii.coordination.dispute_id import DisputeId, dispute_id
from koinii.coordination.disputes import Disputes
from koinii.errors import RefusedError
from remote.desks import Clock, make_key


class Meeting(NamedTuple):
    """Atlas at one seat, Boreas at another, arbiters at the third."""

    atlas: RemoteSeat
    boreas: RemoteSeat
    court: RemoteSeat
    id: DisputeId

    def sync(self, *order: RemoteSeat) -> None:
        for seat in [*(order or self[:3])] * 2:
            seat.sync()


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    path = tmp_path / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", path], check=True)
    return path


@pytest.fixture
def meeting(tmp_path: Path, bare: Path) -> Iterator[Meeting]:
    """All know each other, and that they disagree."""
    agents = {"atlas": [ATLAS], "boreas": [BOREAS], "court": [CID, DAN]}
    with ExitStack() as stack:
        seats = []
        for name, (first, *more) in agents.items():
            path = str(tmp_path / name)
            seat = stack.enter_context(koinii.init(path, agent=first, now=Clock()))
            for other in more:
                seat.new_agent(other)
            seat.remotes.add("origin", str(bare))
            seats.append(seat)
        atlas, boreas, court = seats
        atlas.new_channel(ROOM)
        atlas.sync()
        for seat in (boreas, court):
            seat.sync()
        atlas.join(ROOM)
        boreas.join(ROOM)
        said, denied = atlas.assert_(P), boreas.assert_(NOT_P)
        made = Meeting(atlas, boreas, court, dispute_id(said, denied))
        made.sync()
        yield made


def seen(seat: RemoteSeat) -> list[DisputeId]:
    return [one.id for one in Disputes(seat).in_context(ROOM).rows]


def agreed(meeting: Meeting) -> bool:
    return len({seat.status().commit for seat in meeting[:3]}) == 1


def test_a_dispute_has_one_id_at_all_seats(meeting: Meeting) -> None:
    assert [seen(seat) for seat in meeting[:3]] == [[meeting.id]] * 3
    assert agreed(meeting)


def test_a_ruling_settles_it_everywhere_and_its_withdrawal_reopens_it(
    meeting: Meeting,
) -> None:
    told = {seat.id: Adjudication(seat).notify(ROOM) for seat in meeting[:3]}
    assert all(len(one) == 1 for one in told.values())
    ruling = Adjudication(meeting.court).rule(CID, meeting.id, P, ROOM)
    meeting.sync()
    for seat in meeting[:3]:
        assert Disputes(seat).state(meeting.id) == "resolved"
        assert (verdict(seat), gives(seat, NOT_P)) == ("true", False)
        who = Adjudication(seat).who_ruled(ruling)
        assert who == Adjudication(meeting.court).who_ruled(ruling)
        assert who is not None
        assert (who.arbiter, who.dispute_ids) == (CID, frozenset([meeting.id]))
        assert Adjudication(seat).standing_rulings(CID, meeting.id) == [who]
    assert agreed(meeting)

    meeting.court.retract(ruling, agent=CID)
    meeting.sync()
    for seat in meeting[:3]:
        assert Disputes(seat).state(meeting.id) == "open"  # a new episode: no marks
        assert verdict(seat) == "contradiction"
        assert Adjudication(seat).who_ruled(ruling) is None
        assert len(Adjudication(seat).notify(ROOM)) == 1
    assert agreed(meeting)


def test_a_reversal_travels_in_one_step(meeting: Meeting) -> None:
    adjudication = Adjudication(meeting.court)
    adjudication.rule(CID, meeting.id, P, ROOM)
    meeting.sync()
    adjudication.rule(CID, meeting.id, NOT_P, ROOM)
    meeting.sync()
    for seat in meeting[:3]:
        assert verdict(seat) == "false"
        assert not seat.conflicts()


def test_a_second_dispute_is_added_to_a_ruling_that_travelled(
    meeting: Meeting,
) -> None:
    adjudication = Adjudication(meeting.court)
    ruling = adjudication.rule(CID, meeting.id, P, ROOM)
    meeting.sync()
    meeting.court.join(ROOM, agent=DAN)
    other = meeting.court.assert_(NOT_P, agent=DAN)
    second = dispute_id(meeting.atlas.locate(P, "CxAtlas"), other)
    adjudication.rule(CID, second, P, ROOM)
    meeting.sync()
    for seat in meeting[:3]:
        who = Adjudication(seat).who_ruled(ruling)
        assert who is not None
        assert who.dispute_ids == {meeting.id, second}


def test_two_arbiters_who_disagree_make_one_conflict_that_all_see(
    meeting: Meeting,
) -> None:
    one = Adjudication(meeting.court).rule(CID, meeting.id, P, ROOM)
    other = Adjudication(meeting.court).rule(DAN, meeting.id, NOT_P, ROOM)
    meeting.sync()
    for seat in meeting[:3]:
        (left,) = Disputes(seat).in_context(ROOM).rows
        assert (left.id, left.dispute_class) == (dispute_id(one, other), "conflict")
        assert Disputes(seat).state(meeting.id) == "resolved"
    assert agreed(meeting)


def test_a_party_here_is_a_party_there(meeting: Meeting) -> None:
    """What an arbiter said at another seat convicts it at this one."""
    adjudication = Adjudication(meeting.boreas)
    with pytest.raises(RefusedError) as no:
        adjudication.rule(BOREAS, meeting.id, P, ROOM)
    assert no.value.code == "arbiter-is-party"


def test_an_arbiter_at_two_seats_withdraws_at_each(
    tmp_path: Path, meeting: Meeting
) -> None:
    """A ruling at another seat stands beside this one's until it is withdrawn."""
    key = make_key(tmp_path / "eve")
    for seat in meeting[:2]:
        seat.new_agent("AgentEve", key=str(key))
    meeting.sync()
    first = Adjudication(meeting.atlas).rule("AgentEve", meeting.id, P, ROOM)
    meeting.sync()
    there = Adjudication(meeting.boreas)
    second = there.rule("AgentEve", meeting.id, NOT_P, ROOM)
    standing = [one.locator for one in there.standing_rulings("AgentEve", meeting.id)]
    assert sorted(standing) == sorted([first, second])
    assert len(meeting.boreas.conflicts(ROOM)) == 1
    assert Adjudication(meeting.atlas).rule("AgentEve", meeting.id, NOT_P, ROOM)
    meeting.sync()
    for seat in meeting[:3]:
        assert verdict(seat) == "false"
        assert not seat.conflicts()
        (one,) = Adjudication(seat).standing_rulings("AgentEve", meeting.id)
        assert one.locator == second


def test_marks_never_travel_and_move_no_commit(meeting: Meeting, bare: Path) -> None:
    before = [seat.status().commit for seat in meeting[:3]]
    Adjudication(meeting.atlas, timeout_ms=0).poll(ROOM)
    assert Disputes(meeting.atlas).state(meeting.id) == "stale"
    assert [seat.status().commit for seat in meeting[:3]] == before
    assert meeting.atlas.commit() is None
    meeting.atlas.assert_("(light Q)")
    meeting.sync()
    assert [Disputes(seat).state(meeting.id) for seat in meeting[1:3]] == ["open"] * 2
    assert Disputes(meeting.atlas).state(meeting.id) == "stale"
    assert agreed(meeting)
    assert in_repository(bare, "light Q")
    assert not in_repository(bare, "dispute[NS]")


def in_repository(bare: Path, pattern: str) -> bool:
    """Tell whether anything that any seat has shown has such a text."""
    found = subprocess.run(
        ["git", "-C", bare, "grep", "-q", "-e", pattern, *refs(bare)], check=False
    )
    assert found.returncode in (0, 1)
    return found.returncode == 0


def refs(bare: Path) -> list[str]:
    told = subprocess.run(
        ["git", "-C", bare, "for-each-ref", "--format=%(refname)", "refs/koinii/seats"],
        check=True,
        capture_output=True,
        text=True,
    )
    found = told.stdout.split()
    assert len(found) == 3
    return found


def test_a_ruling_may_arrive_before_its_dispute(
    meeting: Meeting, tmp_path: Path, bare: Path
) -> None:
    ruling = Adjudication(meeting.court).rule(CID, meeting.id, P, ROOM)
    meeting.sync()
    with koinii.init(str(tmp_path / "late"), agent="AgentLate", now=Clock()) as late:
        late.remotes.add("origin", str(bare))
        late.pull(agents=[CID])
        assert Adjudication(late).who_ruled(ruling)
        assert Disputes(late).state(meeting.id) == "resolved"
        late.pull(everything=True)
        assert (verdict(late), seen(late)) == ("true", [])
        assert Adjudication(late).standing_rulings(CID, meeting.id)
        assert late.status().commit == meeting.court.status().commit
