"""Three seats around one bare repository that say, take back, commit and exchange.

Chance decides what; nothing fails. What each seat believed at each of its commits is
written down while it is played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pygit2

import koinii
from koinii import RemoteSeat
from koinii.errors import NotFoundError, RefusedError
from remote.desks import Clock, make_key

THINGS = ["A", "B", "C", "D"]
FACTS = [
    *(f"({word} {thing})" for word in "pqs" for thing in THINGS),
    *(f"(not ({word} {thing}))" for word in "pqs" for thing in THINGS),
    *(f"(weighs {thing} {number})" for thing in THINGS for number in (1, 2)),
]
RULES = [
    "(implies (p ?x) (q ?x))",
    "(set/defaultRule (implies (q ?x) (not (s ?x))))",
    "(implies (and (p ?x) (s ?x)) (odd ?x))",
]
SHAPES = [
    "(functional weighs)",
    "(channel CxDeploy)",
    "(genlCx CxDeploy CxAnna)",
    "(genlCx CxDeploy CxBert)",
    "(genlCx CxCleo CxDeploy)",
    "(genl p q)",
]
ECHOES = "(targetFollowingPredicate echoes)"
SITTING = {
    "anna": ["AgentAnna", "AgentBoth"],
    "bert": ["AgentBert", "AgentBoth", "AgentTwin"],
    "cleo": ["AgentCleo", "AgentTwin"],
}


class Believed(dict[int, frozenset[str]]):
    """The locators that a seat believed at each of its commits."""


class LongTable:
    """The seats, what they share, and what each said and believed."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.source = Random(seed)
        self.bare = folder / "table.git"
        pygit2.init_repository(str(self.bare), bare=True)
        keys = {name: str(make_key(folder / name)) for name in ("AgentBoth",)}
        clock = Clock()
        self.seats: dict[str, RemoteSeat] = {}
        self.believed: dict[str, Believed] = {}
        self.said: dict[str, list[tuple[str, str]]] = {}
        for name, agents in SITTING.items():
            seat = koinii.init(folder / name, agent=agents[0], now=clock)
            for agent in agents[1:]:
                seat.new_agent(agent, key=keys.get(agent))
            seat.remotes.add("origin", str(self.bare))
            self.seats[name] = seat
            self.believed[seat.id] = Believed()
            self.said[name] = []

    def play(self, commits: int) -> None:
        """Go on until there are so many commits more."""
        until = self.commits + commits
        while self.commits < until:
            name = self.source.choice([*self.seats])
            self.speak(name)
            act: Callable[[str], None] = self.source.choices(
                [self.commit, self.pull, self.sync], [8, 1, 2]
            )[0]
            act(name)

    @property
    def commits(self) -> int:
        """How many there are by now, of all seats."""
        return sum(map(len, self.believed.values()))

    def close(self) -> None:
        for seat in self.seats.values():
            seat.close()

    # Moves ------------------------------------------------------------------------

    def speak(self, name: str) -> None:
        """Say one to three things, or take some back; what is refused is not said."""
        for _ in range(self.source.randint(1, 3)):
            try:
                self._speak(name)
            except (RefusedError, NotFoundError):
                continue

    def _speak(self, name: str) -> None:
        seat, mine = self.seats[name], self.said[name]
        if mine and self.source.random() < 0.3:
            locator, agent = mine.pop(self.source.randrange(len(mine)))
            seat.retract(locator, agent=agent)
            return
        agent = self.source.choice(SITTING[name])
        text = self.source.choice(
            [*FACTS, *RULES * 2, *SHAPES * 2, ECHOES, *["r"] * 12]
        )
        place = self.source.choice([None, None, "CxDeploy"])
        strength = self.source.choice([None, None, "monotonic"])
        if text == "r":
            text, strength = self._reply(seat), None
        if text in (*SHAPES, ECHOES):
            place = strength = None
        said = seat.assert_(text, agent=agent, context=place, strength=strength)
        mine.append((said, agent))

    def _reply(self, seat: RemoteSeat) -> str:
        targets = sorted(one.locator for one in seat.believed())
        target = self.source.choice(targets or ["sha256:" + "0" * 64])
        word = self.source.choice(["echoes Somebody", "echoes Somebody", "except"])
        return f'({word} (sentexHandle "{target}"))'

    def commit(self, name: str) -> None:
        self.seats[name].commit()
        self.note(name)

    def pull(self, name: str) -> None:
        self.seats[name].pull()

    def sync(self, name: str) -> None:
        self.seats[name].sync()
        self.note(name)

    def note(self, name: str) -> None:
        """Write down what the newest commit believed, as the seat itself says."""
        seat = self.seats[name]
        number = seat.log(1)[0].number if seat.log(1) else 0
        if number and number not in self.believed[seat.id]:
            locators = frozenset(one.locator for one in seat.believed())
            self.believed[seat.id][number] = locators

    def set_mode(self, name: str, mode: str) -> None:
        """Weigh by another mode from now on."""
        settings = Path(self.seats[name].layout.config)
        text = settings.read_text()
        old = "cooperative" if mode == "proof-tier" else "proof-tier"
        settings.write_text(text.replace(old, mode))
        self.seats[name].forget_config()
        self.seats[name].align()


@contextmanager
def long_table(folder: Path, seed: int) -> Iterator[LongTable]:
    """Give three seats that have not said anything."""
    table = LongTable(folder, seed)
    try:
        yield table
    finally:
        table.close()
