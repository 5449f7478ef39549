"""Counts through an export, a recovery, a selection and the doctor."""

from __future__ import annotations

import shutil
from pathlib import Path

import pygit2
import pytest

import koinii
from coordination.quarrel import (
    ATLAS,
    BOREAS,
    CID,
    NOT_P,
    ROOM,
    Clash,
    clash,
    verdict,
)
from koinii.coordination.counts import Outcome, resolve_by_majority
from koinii.coordination.seat import CoordinationSeat
from koinii.remote.doctor import examine
from remote.desks import Clock


@pytest.fixture
def made(seat: CoordinationSeat) -> Clash:
    seat.join(ROOM, agent=CID)
    return clash(seat)


def rule(seat: CoordinationSeat, made: Clash, agent: str = CID) -> Outcome:
    seat.channel(ROOM, agent=CID).vote("for", made.said)
    return resolve_by_majority(seat, made.id, made.said, ROOM, agent=agent)


def restored(seat: CoordinationSeat, folder: Path) -> CoordinationSeat:
    seat.export(folder / "dump")
    copy = koinii.init(folder / "copy", agent="AgentOther", now=Clock())
    copy.import_(folder / "dump")
    return copy


@pytest.mark.parametrize("agrees", [True, False])
def test_an_export_carries_calls_as_their_callers(
    seat: CoordinationSeat, made: Clash, tmp_path: Path, *, agrees: bool
) -> None:
    rule(seat, made)
    if not agrees:
        seat.channel(ROOM, agent=BOREAS).vote("against", made.said)
    told = seat.rehearse_export(tmp_path / "dump")
    assert told.held == 0

    with restored(seat, tmp_path) as copy:
        (text,) = [one.read_text() for one in (tmp_path / "dump").glob("*CxMajority*")]
        assert text.startswith(f"{CID} monotonic ")
        assert "AgentMajority" not in text
        assert verdict(copy) == verdict(seat) == ("true" if agrees else "contradiction")
        assert copy.status().commit == seat.status().commit
        assert [(one.agent, one.reason) for one in copy.held()] == [
            (one.agent, one.reason) for one in seat.held()
        ]
        again = tmp_path / "again"
        copy.export(again)
        for one in (tmp_path / "dump").iterdir():
            if one.name != "meta" and one.is_file():
                assert (again / one.name).read_bytes() == one.read_bytes()
        copy.commit()
        (mine,) = copy.kb.assertions.held()
        assert copy.kb.names.author(mine[0]) == (CID, copy.id)


def test_the_doctor_finds_nothing_in_what_a_count_has_ruled(
    seat: CoordinationSeat, made: Clash
) -> None:
    rule(seat, made)
    seat.commit()
    found = examine(seat.layout)
    assert [one for one in found.checks if one.state != "ok"] == []
    rebuilt = examine(seat.layout, rebuild=True)
    assert [one for one in rebuilt.checks if one.state != "ok"] == []
    assert verdict(seat) == "true"


def test_a_commit_signs_the_call_and_not_the_ruling(
    seat: CoordinationSeat, made: Clash
) -> None:
    ruled = rule(seat, made)
    assert seat.commit() is not None
    assert seat.status().uncommitted == 0
    authors = {seat.kb.names.author(row[0])[0] for row in seat.kb.assertions.held()}
    assert authors == {CID}
    assert ruled.ruling is not None
    seat.retract(ruled.ruling, agent=CID)
    assert seat.commit() is not None
    assert seat.status().uncommitted == 0
    assert verdict(seat) == "contradiction"


def test_a_call_that_no_commit_has_seen_leaves_nothing_to_commit(
    seat: CoordinationSeat, made: Clash
) -> None:
    seat.channel(ROOM, agent=CID).vote("for", made.said)
    seat.assert_(f"(genlCx {ROOM} CxMajority)", context="CxUniverse", agent=CID)
    seat.commit()
    ruled = rule(seat, made)
    assert seat.status().uncommitted == 1
    assert ruled.ruling is not None
    seat.retract(ruled.ruling, agent=CID)
    assert seat.status().uncommitted == 0
    assert seat.commit() is None


def test_a_part_of_the_ballots_is_its_own_tally(
    seat: CoordinationSeat, made: Clash, tmp_path: Path
) -> None:
    hub = tmp_path / "hub.git"
    pygit2.init_repository(str(hub), bare=True)
    seat.remotes.add("origin", str(hub))
    rule(seat, made)
    seat.channel(ROOM, agent=ATLAS).vote("for", made.said)
    seat.channel(ROOM, agent=BOREAS).vote("against", made.said)
    seat.sync()
    with koinii.clone(
        str(hub), tmp_path / "part", agents=[BOREAS, CID], now=Clock()
    ) as part:
        assert part.argue(NOT_P, "CxBoreas").verdict == "true"
        assert [one.reason for one in part.held()] == ["koinii/undisputed"]
        part.pull(everything=True)
        assert verdict(part) == "true"
        assert not part.held()
        assert part.status().commit == seat.status().commit


def test_a_recovered_seat_rules_as_before(
    seat: CoordinationSeat, made: Clash, tmp_path: Path
) -> None:
    hub = tmp_path / "hub.git"
    pygit2.init_repository(str(hub), bare=True)
    seat.remotes.add("origin", str(hub))
    seat.sync()
    place = Path(seat.layout.directory)
    shutil.copytree(place, tmp_path / "backup")
    ruled = rule(seat, made)
    seat.sync()
    before = seat.status().commit
    seat.close()
    shutil.rmtree(place)
    shutil.copytree(tmp_path / "backup", place)
    with koinii.open(place, now=Clock()) as back:
        back.recover()
        assert verdict(back) == "true"
        assert back.status().commit == before
        assert ruled.ruling is not None
        back.retract(ruled.ruling, agent=CID)
        assert verdict(back) == "contradiction"


def test_what_is_held_is_counted_in_one_way(
    seat: CoordinationSeat, made: Clash, tmp_path: Path
) -> None:
    """An import, a pull and a decision count the lines of counts that are without."""
    hub = tmp_path / "hub.git"
    pygit2.init_repository(str(hub), bare=True)
    seat.remotes.add("origin", str(hub))
    rule(seat, made)
    seat.sync()
    with koinii.clone(str(hub), tmp_path / "two", agent="AgentNew", now=Clock()) as two:
        assert not two.held()
        out = two.unfollow(seat.id)
        assert out.held == len(two.held()) > 0
        back = two.follow(seat.id)
        assert (back.back, back.rest, two.held()) == (out.held, 0, [])
        ballot = seat.channel(ROOM, agent=BOREAS).vote("against", made.said)
        seat.sync()
        pulled = two.pull()
        assert pulled.set_aside == len(two.held()) == 1
        assert pulled.received == (
            pulled.new + pulled.already + pulled.waiting + pulled.held
        )
    with koinii.clone(
        str(hub), tmp_path / "late", agent="AgentNew", now=Clock()
    ) as late:
        assert late.cloned is not None
        assert late.cloned.held == len(late.held()) == 1
    seat.export(tmp_path / "export")
    with koinii.init(tmp_path / "three", agent="AgentNew", now=Clock()) as three:
        told = three.import_(tmp_path / "export")
        assert told.held == len(three.held()) == three.status().held == 1
        assert told.lines == told.applied + told.held
        assert told.whole
    assert ballot
