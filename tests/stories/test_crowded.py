"""Several processes at one seat: all that was acknowledged is there, once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from remote.desks import SOAK, room, says

PROCESSES = 4
ROUNDS = 40 if SOAK else 4
WORK = """
import sys
import koinii

name, path, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
for number in range(rounds):
    with koinii.open(path) as seat:
        seat.assert_(f"(said Process{name} {number})")
        pulled, _, pushed = seat.sync()
        assert pulled.whole, pulled
        print(f"(said Process{name} {number})", flush=True)
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    with room() as made:
        yield made


def test_bc_067_many_sync_one_seat_at_once(folder: Path) -> None:
    remote = folder / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    paths = [folder / "anna", folder / "bert"]
    for path, agent in zip(paths, ("AgentAnna", "AgentBert"), strict=True):
        with koinii.init(str(path), agent=agent) as seat:
            seat.remotes.add("origin", f"file://{remote}")
    children = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                WORK,
                str(number),
                str(paths[number % 2]),
                str(ROUNDS),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ,
        )
        for number in range(PROCESSES)
    ]
    answers = [child.communicate() for child in children]

    assert [child.returncode for child in children] == [0] * PROCESSES, answers
    acknowledged = [line for out, _ in answers for line in out.splitlines()]
    assert len(acknowledged) == PROCESSES * ROUNDS
    with koinii.clone(str(remote), str(folder / "new"), agent="AgentZoe") as fresh:
        assert fresh.cloned and fresh.cloned.whole
        assert sorted(said[3] for said in says(fresh)) == sorted(acknowledged)
    for path in paths:
        with koinii.open(str(path)) as seat:
            numbers = [commit.number for commit in reversed(seat.log())]
            assert numbers == list(range(1, len(numbers) + 1))
