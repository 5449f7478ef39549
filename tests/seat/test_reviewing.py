"""Where a line ends does not depend on what was known when it came."""

from __future__ import annotations

import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import RefusedError, UsageError
from koinii.note import read_private_key
from koinii.seat.reviewing import review
from koinii.seat.seat import Seat
from reference import seat_twin as twin

FOREIGN, CONTESTED = "koinii/foreign-context", "koinii/name-contested"


class World:
    """Remotes and seats of one test, closed at its end."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.seats: list[RemoteSeat] = []

    def close(self) -> None:
        for seat in self.seats:
            seat.close()

    def remote(self, name: str) -> str:
        path = str(self.directory / name)
        subprocess.run(["git", "init", "-q", "--bare", path], check=True)
        return path

    def seat(self, name: str, agent: str, *remotes: str) -> RemoteSeat:
        seat = koinii.init(str(self.directory / name), agent=agent)
        self.seats.append(seat)
        for number, remote in enumerate(remotes):
            seat.remotes.add(f"r{number}", remote)
        return seat


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> World:
    made = World(tmp_path)
    request.addfinalizer(made.close)
    return made


def shown(seat: Seat) -> tuple[object, ...]:
    """What a seat believes, what it holds and why, and its roots."""
    held = sorted((one.agent, one.line, one.context, one.reason) for one in seat.held())
    status = seat.status()
    said = sorted((one.context, one.locator) for one in seat.believed())
    return said, held, status.commit, status.inputs


def reasons(seat: Seat) -> dict[str, str]:
    return {one.line.split(" ", 2)[2]: one.reason for one in seat.held()}


def test_a_line_before_its_owner_ends_as_one_after_it(world: World) -> None:
    first, last = world.remote("first"), world.remote("last")
    writer = world.seat("writer", "AgentBoreas", first, last)
    owner = world.seat("owner", "AgentCedar", first, last)
    writer.load(["(p A)", "(not (p B))"], context="CxCedar")
    writer.load(["(p A)", "(channel CxCedar)", "(channel CxDeploy)"])
    writer.load(["(p Belief)"], context="CxAgentAgentCedar")
    owner.load(["(p C)", "(p A)"])
    writer.commit()
    owner.commit()
    early = world.seat("early", "AgentEarly", first)
    late = world.seat("late", "AgentLate", last)
    together = world.seat("together", "AgentTogether", first)

    writer.push("r0")
    early.pull("r0")
    assert early.held() == []
    assert twin.locator("CxCedar", "(p A)") in {one.locator for one in early.believed()}
    owner.push("r1")
    late.pull("r0")
    writer.push("r1")
    owner.push("r0")
    for seat in (early, late, together):
        seat.pull("r0")

    assert shown(early) == shown(late) == shown(together)
    assert reasons(early) == {
        "(p A)": FOREIGN,
        "(not (p B))": FOREIGN,
        "(p Belief)": FOREIGN,
        "(channel CxCedar)": FOREIGN,
    }
    assert early.channels() == ["CxDeploy"]
    (found,) = [
        one for one in early.believed("CxCedar") if one.locator == located("(p A)")
    ]
    assert len(early.kb.asserted_by(found.id)) == 1


def located(sentence: str) -> str:
    return twin.locator("CxCedar", sentence)


def test_ones_own_line_is_held_too_and_can_be_taken_back(world: World) -> None:
    remote = world.remote("remote")
    writer = world.seat("writer", "AgentBoreas", remote)
    owner = world.seat("owner", "AgentCedar", remote)
    writer.load(["(p A)", "(p B)"], context="CxCedar")
    writer.commit()
    before = writer.histories.inputs()
    writer.push("r0")
    owner.commit()
    owner.push("r0")

    writer.pull("r0")
    assert reasons(writer) == {"(p A)": FOREIGN, "(p B)": FOREIGN}
    assert list(writer.believed()) == []
    writer.commit()
    assert writer.histories.inputs()[0] == before[0]  # held lines are still said
    with pytest.raises(RefusedError):
        writer.assert_("(p C)", context="CxCedar")

    writer.retract(located("(p A)"))
    assert writer.status().uncommitted == 1
    writer.commit()
    live = {
        twin.Place("AgentBoreas", "CxCedar", "(p B)"): twin.Live(
            0, int(writer.held()[0].line.split()[1])
        )
    }
    (row,) = [row for row in writer.histories.inputs() if row.number == 3]
    assert (row.root, row.size) == twin.authored(live, "AgentBoreas")
    writer.push("r0")
    owner.pull("r0")
    assert reasons(owner) == {"(p B)": FOREIGN}


def test_a_contested_name_and_back(world: World) -> None:
    remote = world.remote("remote")
    one = world.seat("one", "AgentAtlas", remote)
    two = world.seat("two", "AgentAtlas", remote)
    watcher = world.seat("watcher", "AgentWatch", remote)
    one.load(["(p One)", "(p Both)"])
    two.load(["(p Two)", "(p Both)"])
    two.load(["(p Third)"], context="CxDeploy")
    one.commit()
    two.commit()
    one.push("r0")
    watcher.pull("r0")
    two.push("r0")
    watcher.pull("r0")
    first = shown(watcher)

    assert reasons(watcher) == dict.fromkeys(
        ["(p Two)", "(p Both)", "(p Third)"], CONTESTED
    )
    assert contested(watcher) == {two.id}
    trust(watcher, two)
    assert reasons(watcher) == dict.fromkeys(["(p One)", "(p Both)"], CONTESTED)
    assert contested(watcher) == {one.id}
    watcher.pull("r0")  # moves nothing back
    assert reasons(watcher) == dict.fromkeys(["(p One)", "(p Both)"], CONTESTED)

    trust(watcher, one)
    assert shown(watcher) == first


def contested(seat: Seat) -> set[str]:
    return {agent.seat for agent in seat.agents() if agent.contested}


def trust(seat: Seat, other: Seat) -> None:
    """Let AgentAtlas stand for the key it has at another seat."""
    key = seat.histories.agent("AgentAtlas", other.id)
    assert key is not None
    with seat.kb.write():
        seat.histories.pin(
            "AgentAtlas", sha256(key.public_key).hexdigest(), decided=True
        )
        review(seat)


def test_a_name_here_keeps_its_key(world: World) -> None:
    seat = world.seat("seat", "AgentAtlas")
    path = Path(seat.layout.agent_key("AgentAtlas"))
    key = read_private_key(path).public

    seat.new_agent("AgentAtlas", key=str(path))
    with pytest.raises(UsageError) as caught:
        seat.new_agent("AgentAtlas")

    assert caught.value.code == "koinii/already-an-agent"
    assert read_private_key(path).public == key
    assert [one.fingerprint for one in seat.agents()] == [key.fingerprint]
    assert [one.name for one in path.parent.iterdir() if one.name[0] == "."] == []


def test_no_agent_is_named_for_a_channel(world: World) -> None:
    seat = world.seat("seat", "AgentAtlas")
    seat.new_channel("CxDeploy")
    with pytest.raises(RefusedError, match="channel") as caught:
        seat.new_agent("AgentDeploy")
    assert caught.value.code == "koinii/reserved-name"
