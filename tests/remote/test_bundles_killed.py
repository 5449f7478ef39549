"""Killed anywhere while a bundle is made or taken: nothing lost, nothing half there."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from koinii.remote.checking_bundles import verify_alone
from remote.bundled import Pair, apart, say
from remote.desks import SOAK, Desk, make_desk, room, says

KILLS = 60 if SOAK else 4

# Says, commits and makes bundles; or takes whatever lies on the stick, again and again.
WORKER = """
import sys
from pathlib import Path
import koinii
verb, path, stick = sys.argv[1:]
with koinii.open(path) as seat:
    print("ready", flush=True)
    for number in range(100000):
        if verb == "create":
            seat.assert_(f"(said {number} {seat.status().number})")
            seat.commit()
            seat.bundles.create(Path(stick, "whole"))
        else:
            for file in sorted(Path(stick).iterdir()):
                seat.bundles.apply(file)
"""


@pytest.fixture(scope="module")
def desks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Desk]:
    folder = tmp_path_factory.mktemp("desks")
    names = {"anna": "AgentAnna", "bert": "AgentBert"}
    return {name: make_desk(folder, name, [agent]) for name, agent in names.items()}


@pytest.fixture
def pair(desks: dict[str, Desk]) -> Iterator[Pair]:
    with room() as folder, apart(desks, folder) as both:
        yield both


def kill(verb: str, seat: koinii.RemoteSeat, pair: Pair, seconds: float) -> None:
    """Let a process work for a while, and kill it with all that it started."""
    words = [verb, seat.layout.directory, str(pair.stick)]
    child = subprocess.Popen(
        [sys.executable, "-c", WORKER, *words],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    time.sleep(seconds)
    found = gits_of(child.pid)
    for one in [child.pid, *found]:
        os.kill(one, signal.SIGKILL) if alive(one) else None
    _, said = child.communicate()
    assert child.returncode == -signal.SIGKILL, said.decode()


def gits_of(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(one) for one in path.read_text(encoding="ascii").split()]


def alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def test_a_bundle_is_whole_or_not_there_whatever_is_killed(pair: Pair) -> None:
    chance = random.Random(1)
    for _ in range(KILLS):
        kill("create", pair.anna, pair, chance.uniform(0, 0.25))
        if pair.file("whole").exists():
            assert verify_alone(str(pair.file("whole"))).whole
        say(pair.anna, f"(after {len(says(pair.anna))})")
        pair.anna.bundles.create(pair.file("whole"))
        assert [one.name for one in pair.stick.iterdir()] == ["whole"]
        pair.bert.bundles.apply(pair.file("whole"))
        assert says(pair.bert) == says(pair.anna)
    assert pair.bert.status().commit == pair.anna.status().commit


def test_a_bundle_is_taken_whole_whatever_is_killed(pair: Pair) -> None:
    chance = random.Random(2)
    for number in range(1, KILLS + 1):
        lines = "\n".join(f"(number {number} {one})" for one in range(200))
        pair.anna.load(lines.splitlines())
        pair.anna.commit()
        file = f"{number:03}"
        pair.anna.bundles.create(pair.file(file), since=number - 1)
        kill("apply", pair.bert, pair, chance.uniform(0, 0.15))
        found = pair.bert.bundles.apply(pair.file(file))
        assert found.troubles == []
        assert says(pair.bert) == says(pair.anna)
        assert not pair.bert.git.faults()
    assert pair.bert.status().commit == pair.anna.status().commit
