"""Whole process groups killed in push, pull, sync and clone, gits and all.

What was acknowledged is there after the next plain command, and nobody has to mend
anything by hand: neither here, nor at a remote that is a directory, where what
receives a push is a child of ours and dies with it.
"""

from __future__ import annotations

import json
import os
import random
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
from remote.servers import Server, git_daemon
from stories.test_killed import children, git

NURSERY = Path(__file__).with_name("group_nursery.py")
TESTS = Path(__file__).parent.parent
KILLS = 1_000 if SOAK else 100
VERBS = ("push", "pull", "sync", "clone")
AGENTS = {"anna": "AgentAnna", "bert": "AgentBert", "cleo": "AgentCleo"}
BOUND = 10.0  # seconds that the next plain command may take
BASE = 20  # claims that each seat has to begin with

# The remote takes its time while it holds a lock, so that kills often leave one.
HOOK = """#!/bin/sh
[ "$1" != prepared ] || sleep 0.03
"""


class Killed:
    """The process whose groups are killed, and what the last of them wrote."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "log"
        self._process = subprocess.Popen(
            [sys.executable, str(NURSERY)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(TESTS)},
        )

    def after(self, seconds: float, **order: str) -> list[list[str]]:
        """Let a group work, kill all of it, and return what was acknowledged."""
        self._log.unlink(missing_ok=True)
        words = json.dumps({**order, "log": str(self._log)})
        assert self._process.stdin is not None
        self._process.stdin.write(words + "\n")
        self._process.stdin.flush()
        pid = int(self._answer("pid"))
        time.sleep(seconds)
        kill_all(pid)
        self._answer("ended")
        if not self._log.exists():
            return []
        lines = self._log.read_text(encoding="utf-8").splitlines()
        written = [line.split(" ", 1) for line in lines]
        assert not [line for line in written if line[0] == "failed"], written
        return written

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


def kill_all(pid: int) -> None:
    """Kill a process and all below it, in whatever group and session they are.

    Each is stopped before one looks at its children, so that none is started unseen.
    """
    for one in [*stopped(pid)]:
        with suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def stopped(pid: int) -> Iterator[int]:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
    yield pid
    for one in children(pid):
        yield from stopped(one)


class World:
    """Three seats that reach one repository by path, by file:// and by git://."""

    def __init__(self, folder: Path, server: Server) -> None:
        self.folder = folder
        self.bare = folder / "hub.git"
        self.urls = {
            "anna": str(self.bare),
            "bert": f"file://{self.bare}",
            "cleo": server.url("hub.git"),
        }
        self.said: dict[str, dict[str, bool]] = {name: {} for name in AGENTS}
        for name, agent in AGENTS.items():
            with koinii.init(str(folder / name), agent=agent) as seat:
                seat.remotes.add("origin", self.urls[name])
                texts = [f"(began {name} {number})" for number in range(BASE)]
                seat.load(texts)
                self.said[name] = dict.fromkeys(texts, True)
                seat.sync()

    def hear(self, name: str, written: list[list[str]]) -> None:
        """Check a seat right after its group was killed, without any repair."""
        for word, rest in written:
            if word in ("said", "unsaid"):
                self.said[name][rest] = word == "said"
        with koinii.open(str(self.folder / name)) as seat:
            self._check_said(name, seat, {rest for _, rest in written[-1:]})
            committed = [int(rest) for word, rest in written if word == "committed"]
            assert seat.status().number >= max(committed, default=0)
            pushed = [rest.split()[1] for word, rest in written if word == "pushed"]
            for tip in pushed[-1:]:
                ref = f"refs/koinii/seats/{seat.id}"
                git(self.bare, "merge-base", "--is-ancestor", tip, ref)

    def _check_said(self, name: str, seat: RemoteSeat, last: set[str]) -> None:
        """What came last may have been taken back before a word of it was written."""
        here = {text for agent, _, _, text in says(seat) if agent == AGENTS[name]}
        for text, lives in self.said[name].items():
            assert (text in here) == lives or text in last, text
        self.said[name] = {text: text in here for text in self.said[name].keys() | here}

    def go_on(self, name: str) -> None:
        """The next plain command is in time, and shows the remote all that is here."""
        start = time.monotonic()
        with koinii.open(str(self.folder / name)) as seat:
            pulled, _, pushed = seat.sync()
            assert pulled.whole, pulled
            git(self.bare, "rev-parse", "--verify", f"{pushed.ref}^{{commit}}")
            shown = subprocess.check_output(
                ["git", "-C", str(self.bare), "rev-parse", pushed.ref], text=True
            )
            assert shown.strip() == pushed.tip == seat.histories.tip(seat.id)
        assert time.monotonic() - start < BOUND

    def clone_again(self, path: Path, url: str) -> None:
        """The same clone again ends with all that was pushed."""
        with koinii.clone(url, str(path), agent="AgentZoe") as fresh:
            assert fresh.cloned is not None
            assert fresh.cloned.whole
            told = {text for *_, text in says(fresh)}
            began = {text for text in told if text.startswith("(began")}
            assert len(began) == BASE * len(AGENTS)

    def agree(self) -> None:
        """All sync, twice quietly, and hold the same, with all that was said."""
        for name in [*AGENTS, *AGENTS, *AGENTS]:
            self.go_on(name)
        roots = set()
        for name in AGENTS:
            with koinii.open(str(self.folder / name)) as seat:
                pulled, commit, pushed = seat.sync()
                assert (pulled.received, commit, pushed.moved) == (0, None, False)
                roots.add(seat.status().commit)
                told = {text for *_, text in says(seat)}
            assert told == {
                text for said in self.said.values() for text, lives in said.items()
                if lives
            }  # fmt: skip
            git(self.folder / name / ".koinii" / "git", "fsck", "--no-dangling")
        assert len(roots) == 1
        git(self.bare, "fsck", "--strict", "--no-dangling")


@pytest.fixture
def world() -> Iterator[World]:
    with room() as folder:
        bare = folder / "hub.git"
        git(folder, "init", "-q", "--bare", "--template=", str(bare))
        hook = bare / "hooks" / "reference-transaction"
        hook.parent.mkdir()
        hook.write_text(HOOK)
        hook.chmod(0o755)
        with git_daemon(folder) as server:
            yield World(folder, server)


@pytest.fixture
def killed(world: World) -> Iterator[Killed]:
    made = Killed(world.folder)
    yield made
    made.close()


def test_bc_070_groups_killed_at_any_moment(world: World, killed: Killed) -> None:
    chance = random.Random(20_261_201)
    for number in range(KILLS):
        name = chance.choice(sorted(AGENTS))
        verb = VERBS[number % len(VERBS)]
        path = world.folder / (f"zoe{number}" if verb == "clone" else name)
        written = killed.after(
            chance.random() ** 2 / 2,
            verb=verb,
            seat=str(path),
            url=world.urls[name],
            seed=str(number),
        )
        if verb == "clone":
            if not written:
                world.clone_again(path, world.urls[name])
            continue
        world.hear(name, written)
        if number % 3 == 0:
            world.go_on(name)

    world.agree()
