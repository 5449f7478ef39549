"""Killed at any moment: nothing acknowledged is lost, and nothing needs repair."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from remote.desks import SOAK, room, says

NURSERY = Path(__file__).with_name("nursery.py")
TESTS = Path(__file__).parent.parent
PATIENCE = 5.0  # seconds until a child is stopped again
KILLS = 1_000 if SOAK else 50
INTERRUPTS = 100 if SOAK else 10
AGENTS = {"anna": "AgentAnna", "bert": "AgentBert"}


class Nursery:
    """The process whose children are killed."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "log"
        self._process = subprocess.Popen(
            [sys.executable, str(NURSERY)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(TESTS)},
        )

    def stop_after(
        self,
        seat: Path,
        seconds: float,
        seed: int,
        how: signal.Signals,
        *,
        family: bool = False,
    ) -> list[list[str]]:
        """Let a child work at a seat, stop it, and return what it wrote down.

        `family` stops the gits that the child runs as well, at the same moment.
        """
        self._log.unlink(missing_ok=True)
        order = {"seat": str(seat), "log": str(self._log), "seed": str(seed)}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        pid = int(self._answer("pid"))
        time.sleep(seconds)
        for one in [pid, *(gits_of(pid) if family else [])]:
            with suppress(ProcessLookupError):
                os.kill(one, how)
        self._await_end(pid, how)
        self._answer("ended")
        if not self._log.exists():
            return []
        lines = self._log.read_text(encoding="utf-8").splitlines()
        written = [line.split(" ", 1) for line in lines]
        assert not [line for line in written if line[0] == "failed"], written
        return written

    def _await_end(self, pid: int, how: signal.Signals) -> None:
        """Stop the child again if it goes on.

        Python drops an interrupt where it can raise none, as in a weak reference's
        callback; a person presses the keys a second time.
        """
        ended = self._process.stdout
        assert ended is not None
        while not select.select([ended], [], [], PATIENCE)[0]:
            with suppress(ProcessLookupError):
                os.kill(pid, how)

    def _answer(self, word: str) -> str:
        assert self._process.stdout is not None
        first, rest = self._process.stdout.readline().split(" ", 1)
        assert first == word
        return rest

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def gits_of(pid: int) -> list[int]:
    """Return the processes below one, but not those that serve the remote."""
    found: list[int] = []
    for one in children(pid):
        if not any(word in command(one) for word in (b"receive-pack", b"upload-pack")):
            found += [one, *gits_of(one)]
    return found


def children(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [int(word) for word in text.split()]


def command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


class World:
    """Two seats, their remote, and what was acknowledged so far."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bare = folder / "bare.git"
        git(folder, "init", "-q", "--bare", str(self.bare))
        git(self.bare, "config", "receive.autoGc", "false")  # fsck looks meanwhile
        self.said: dict[str, dict[str, bool]] = {name: {} for name in AGENTS}
        for name, agent in AGENTS.items():
            with koinii.init(str(folder / name), agent=agent) as seat:
                seat.remotes.add("origin", f"file://{self.bare}")
                seat.sync()

    def heard(self, name: str, written: list[list[str]]) -> None:
        """Check a seat right after its child was stopped, without any repair."""
        for word, rest in written:
            if word in ("said", "unsaid"):
                self.said[name][rest] = word == "said"
        with koinii.open(str(self.folder / name)) as seat:
            self._check_said(name, seat, written)
            committed = [int(rest) for word, rest in written if word == "committed"]
            assert seat.status().number >= max(committed, default=0)
            pushed = [rest.split()[1] for word, rest in written if word == "pushed"]
            for tip in pushed:
                git(
                    self.bare,
                    "merge-base",
                    "--is-ancestor",
                    tip,
                    f"refs/koinii/seats/{seat.id}",
                )

    def _check_said(
        self, name: str, seat: RemoteSeat, written: list[list[str]]
    ) -> None:
        """What came last may have been taken back before a word of it was written."""
        here = {text for agent, _, _, text in says(seat) if agent == AGENTS[name]}
        last = {rest for word, rest in written[-1:]}
        for text, lives in self.said[name].items():
            assert (text in here) == lives or text in last, text
        self.said[name] = {text: text in here for text in self.said[name].keys() | here}

    def check_repositories(self) -> None:
        git(self.bare, "fsck", "--strict", "--no-dangling")
        for name in AGENTS:
            git(
                self.folder / name / ".koinii" / "git",
                "fsck",
                "--strict",
                "--no-dangling",
            )

    def agree(self) -> None:
        """Both sync, twice quietly, and hold the same, with all that was said."""
        with (
            koinii.open(str(self.folder / "anna")) as anna,
            koinii.open(str(self.folder / "bert")) as bert,
        ):
            for seat in (anna, bert, anna):
                assert seat.sync()[0].whole
            for seat in (anna, bert):
                pulled, commit, pushed = seat.sync()
                assert (pulled.received, commit, pushed.moved) == (0, None, False)
            assert says(anna) == says(bert)
            assert anna.status().commit == bert.status().commit
            assert anna.status().inputs == bert.status().inputs
            live = {
                text
                for said in self.said.values()
                for text, lives in said.items()
                if lives
            }
            assert {text for _, _, _, text in says(anna)} == live
        self.check_repositories()


def git(directory: Path, *arguments: str) -> None:
    done = subprocess.run(
        ["git", "-C", str(directory), *arguments], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.fixture
def world() -> Iterator[World]:
    with room() as folder:
        yield World(folder)


@pytest.fixture
def nursery(world: World) -> Iterator[Nursery]:
    made = Nursery(world.folder)
    yield made
    made.close()


def test_bc_007_bc_070_killed_at_any_moment(world: World, nursery: Nursery) -> None:
    chance = random.Random(20_261_130)
    for number in range(KILLS):
        name = chance.choice(sorted(AGENTS))
        seconds = chance.random() ** 2
        written = nursery.stop_after(
            world.folder / name,
            seconds,
            number,
            signal.SIGKILL,
            family=number % 3 > 0,
        )
        world.heard(name, written)
        if number % 10 == 9:
            world.check_repositories()

    world.agree()


def test_interrupted_in_the_middle_of_push_and_pull(
    world: World, nursery: Nursery
) -> None:
    chance = random.Random(7)
    for number in range(INTERRUPTS):
        name = chance.choice(sorted(AGENTS))
        seconds = 0.1 + chance.random() / 2
        written = nursery.stop_after(
            world.folder / name, seconds, number, signal.SIGINT
        )
        assert written[-1] == ["interrupted"]
        world.heard(name, written[:-1])

    world.agree()
