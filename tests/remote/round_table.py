"""Seats around one real repository that say, take back, commit and exchange at random.

One in five calls to the repository fails. After every move the books are compared
with the store that moved; what failed has left nothing half done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

import pygit2

import koinii
from koinii import RemoteSeat
from koinii.errors import KoiniiError, NotFoundError, PartialError, RefusedError
from koinii.kb.comparing import compare
from koinii.remote.exchange import Pulled
from koinii.remote.publish import SEATS
from koinii.seat.reporting import Status
from remote.bookkeeping import Books, Stored, stored
from remote.desks import Clock
from remote.failing_calls import FAILURES, Place

SHARE = 0.2  # of the calls to the repository fail
DEEPEST = 2  # a reply to a reply
CHAIN = DEEPEST + 1  # rounds of sync: what replies falls one seat a round
LOOK_DEEP = 100  # rounds from one recomputation of a whole store to the next
SHOWN = 12  # moves that a failure tells

PLACES = ["CxAnna", "CxBert", "CxBoth", "CxDeploy", "CxDora", "CxPlain", "CxEve"]
THINGS = ["A", "B", "C", "D", "E", "F"]
FACTS = [
    *(
        f"({word} {thing})"
        for thing in THINGS
        for word in ("p", "q", "s", "dog", "cat")
    ),
    *(f"(not ({word} {thing}))" for thing in THINGS for word in ("q", "s")),
    *(f"(r {one} {other})" for one in THINGS for other in THINGS),
    *(f"(weighs {thing} {weight})" for thing in THINGS for weight in ("1.5M", "2")),
    *('(label A "Zürich \\"日本\\"")', "(not (r B A))"),
]
RULES = [
    "(implies (p ?x) (q ?x))",
    "(implies (q ?x) (s ?x))",
    "(set/defaultRule (implies (p ?x) (not (q ?x))))",
    "(set/inertRule (implies (q ?x) (s ?x)))",
    "(implies (and (p ?x) (r ?x ?y)) (linked ?x ?y))",
    "(implies (echoes ?x ?t) (noticed ?t))",
]
SHAPES = [
    "(genlCx CxDeploy CxAnna)",
    "(genlCx CxDeploy CxBert)",
    "(genlCx CxBert CxDeploy)",
    "(genlCx CxPlain CxBoth)",
    "(genlCx CxDora CxPlain)",
    "(channel CxDeploy)",
    "(convened CxPlain)",
    "(symmetric r)",
    "(functional weighs)",
    "(genl dog animal)",
    "(disjoint dog cat)",
]
FOLLOWING = "(targetFollowingPredicate echoes)"
STRENGTHS = [None, None, None, "default", "monotonic"]


class Chair(NamedTuple):
    """A seat, who speaks there, and the books kept of it."""

    seat: RemoteSeat
    agents: list[str]
    books: Books


Verb = Callable[..., bool]  # a chair, hindered or not; False: it failed


class Table:
    """The seats, what they share, and chance."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.source = Random(seed)
        self.folder = folder
        self.bare = folder / "table.git"
        self.chairs: list[Chair] = []
        self.calls = self.failed = 0
        self.moves: list[str] = []
        self.kept: set[str] = set()  # what nobody takes back
        self.depths: dict[str, int] = {}  # how many targets are behind a reply
        self.not_taken: list[str] = []  # the seats that the last pull did not take
        self.failures: list[str] = []  # those that are still to come
        (folder / "tools").mkdir()
        repository = pygit2.init_repository(str(self.bare), bare=True)
        repository.config["gc.autoDetach"] = False  # nothing outlives a call
        repository.config["receive.unpackLimit"] = 1  # all of it in packs

    def sit(self, name: str, *agents: str, keys: dict[str, Path]) -> Chair:
        """Make a seat whose remote is the shared repository."""
        first, *others = agents
        seat = koinii.init(
            self.folder / name, agent=first, key=keys.get(first), now=Clock()
        )
        for agent in others:
            seat.new_agent(agent, key=keys.get(agent))
        seat.remotes.add("origin", str(self.bare))
        chair = Chair(seat, list(agents), Books(seat))
        self.chairs.append(chair)
        return chair

    def close(self) -> None:
        for chair in self.chairs:
            chair.seat.close()

    # Rounds -----------------------------------------------------------------------

    def play(self, rounds: int) -> None:
        """Let a seat that chance names do what chance names, so many times."""
        verbs: dict[Callable[[Chair], None], int] = {
            self.speak: 40, self.commit: 10, self.call_pull: 15, self.call_push: 15,
            self.call_sync: 20,
        }  # fmt: skip
        for number in range(rounds):
            chair = self.source.choice(self.chairs)
            (verb,) = self.source.choices(list(verbs), list(verbs.values()))
            with self.told(number, chair, verb.__name__):
                verb(chair)
                self.check(chair)
                if number % LOOK_DEEP == LOOK_DEEP - 1:
                    check_whole(chair.seat)

    @contextmanager
    def told(self, number: int, chair: Chair, verb: str) -> Iterator[None]:
        """Say in a failure what led to it."""
        self.moves.append(f"round {number}: {chair.agents[0]}'s seat, {verb}")
        try:
            yield
        except BaseException as fault:
            for line in self.moves[-SHOWN:]:
                fault.add_note(line)
            raise

    def tell(self, what: str) -> None:
        self.moves.append(f"    {what}")

    def check(self, chair: Chair) -> None:
        others = {one.seat.id: one.books for one in self.chairs if one is not chair}
        chair.books.check(others)

    # Saying -----------------------------------------------------------------------

    def speak(self, chair: Chair) -> None:
        """Say something or take something back; what is refused changes nothing."""
        agent = self.source.choice(chair.agents)
        before = stored(chair.seat)
        try:
            self._say(chair, agent)
        except (RefusedError, NotFoundError) as refusal:
            self.tell(f"refused: {refusal.code}")
            assert stored(chair.seat) == before

    def say(self, chair: Chair, agent: str, text: str, context: str) -> None:
        """Let an agent say this one thing, and never take it back."""
        said = chair.seat.assert_(text, context=context, agent=agent)
        chair.books.say(agent, [said])
        self.kept.add(said)

    def _say(self, chair: Chair, agent: str) -> None:
        seat, books = chair.seat, chair.books
        kind = self.source.choice(["say"] * 6 + ["unsay", "edit"])
        mine = {f"sha256:{key[2].hex()}" for key in books.said if key[0] == agent}
        mine -= self.kept
        back = self.source.choice(sorted(mine)) if mine else ""
        text, depth = self._sentence(seat)
        context = self._place(agent)
        self.tell(f"{agent}: {kind} {text} in {context}, or not {back[:15]}")
        if kind == "say":
            strength = self.source.choice(STRENGTHS)
            said = seat.assert_(text, context=context, agent=agent, strength=strength)
            books.say(agent, [said])
            self.depths[said] = depth
        elif kind == "unsay" and back:
            gone = seat.speaker(agent).retract(back)
            books.unsay(agent, [gone.locator])
            books.fell(gone.fell)
        elif back:
            edited = seat.edit(add=[text], remove=[back], context=context, agent=agent)
            books.say(agent, edited.added)
            self.depths |= dict.fromkeys(edited.added, depth)
            books.unsay(agent, [back])
            books.fell(edited.fell)

    def _sentence(self, seat: RemoteSeat) -> tuple[str, int]:
        """Return a sentence, and how many targets it has one behind the other."""
        listed = self.source.choice([FACTS, FACTS, FACTS, RULES, SHAPES, [], [], []])
        if listed:
            return self.source.choice(listed), 0
        target, depth = self._target(seat)
        if self.source.random() < 1 / 3:
            return f'(except (sentexHandle "{target}"))', depth
        return f'(echoes Somebody (sentexHandle "{target}"))', depth + 1

    def _target(self, seat: RemoteSeat) -> tuple[str, int]:
        """Return something said, by whomever, that is no reply to a reply."""
        here = {f"sha256:{key[2].hex()}" for key in stored(seat).applied}
        depths = {one: self.depths.get(one, 0) for one in sorted(here)}
        free = [one for one, depth in depths.items() if depth < DEEPEST]
        target = self.source.choice(free)
        return target, depths[target]

    def _place(self, agent: str) -> str:
        """Return where an agent speaks: at home, where all meet, or anywhere."""
        home = agent.replace("Agent", "Cx", 1)
        return self.source.choice([home, home, "CxDeploy", self.source.choice(PLACES)])

    # Moving -----------------------------------------------------------------------

    def commit(self, chair: Chair) -> None:
        chair.books.commit(chair.seat.commit())

    def call_pull(self, chair: Chair) -> None:
        self._call(chair, self.pull)

    def call_push(self, chair: Chair) -> None:
        if chair.books.newest is None:
            return
        self._call(chair, self.push)

    def call_sync(self, chair: Chair) -> None:
        self._call(chair, self.sync)

    def _call(self, chair: Chair, verb: Verb) -> None:
        """Call the repository; so that one in five fails, some are hindered."""
        self.calls += 1
        owing = self.failed < SHARE * self.calls
        if self.source.random() >= (0.6 if owing else 0.1):
            assert verb(chair), "nothing is in the way"
            assert verb == self.push or not self.not_taken
            self._is_done(chair, verb)
            return
        name = self._next_failure()
        self.tell(name)
        place = Place(
            self.bare,
            Path(chair.seat.layout.git),
            SEATS + chair.seat.id,
            self.folder / "tools",
        )
        there = self.tip(chair)
        with FAILURES[name](place, self.source):
            done = verb(chair, hindered=True)
        if done:
            self._is_done(chair, verb)
        else:
            self.failed += 1
            newest = chair.seat.histories.tip(chair.seat.id)
            assert self.tip(chair) in (there, newest), "there it is all or nothing"

    def _next_failure(self) -> str:
        """Return one of all the ways to fail, each before one comes again."""
        if not self.failures:
            self.failures = self.source.sample([*FAILURES], len(FAILURES))
        return self.failures.pop()

    def pull(self, chair: Chair, *, hindered: bool = False) -> bool:
        """Pull; a pull that fails has changed nothing."""
        before = stored(chair.seat)
        status = stands(chair.seat) if hindered else None
        try:
            pulled = chair.seat.pull()
        except KoiniiError as error:
            self._fails(error, hindered=hindered)
            assert (stored(chair.seat), stands(chair.seat)) == (before, status)
            return False
        self._enter(chair, pulled, before)
        return True

    def push(self, chair: Chair, *, hindered: bool = False) -> bool:
        """Push; one that fails has changed nothing here."""
        before = stored(chair.seat)
        status = stands(chair.seat) if hindered else None
        try:
            pushed = chair.seat.push()
        except KoiniiError as error:
            self._fails(error, hindered=hindered)
            assert (stored(chair.seat), stands(chair.seat)) == (before, status)
            return False
        assert pushed.number == len(chair.books.commits) - 1
        return True

    def sync(self, chair: Chair, *, hindered: bool = False) -> bool:
        """Sync; where the push fails, it says what was pulled and committed."""
        before = stored(chair.seat)
        status = stands(chair.seat) if hindered else None
        try:
            pulled, commit, _ = chair.seat.sync()
        except PartialError as error:
            self._fails(error, hindered=hindered)
            self._enter(chair, error.details["pulled"], before)
            chair.books.commit(error.details["commit"])  # type: ignore[arg-type]
            return False
        except KoiniiError as error:
            self._fails(error, hindered=hindered)
            assert (stored(chair.seat), stands(chair.seat)) == (before, status)
            return False
        self._enter(chair, pulled, before)
        chair.books.commit(commit)
        return True

    def _fails(self, error: KoiniiError, *, hindered: bool) -> None:
        self.tell(f"{error.code}: {error.message}")
        if not hindered:
            raise error

    def _enter(self, chair: Chair, pulled: object, before: Stored) -> None:
        assert isinstance(pulled, Pulled)
        chair.books.fell(pulled.fell)
        chair.books.check_counts(pulled, before)
        self.not_taken = [one.seat for one in pulled.troubles if not one.agent]

    def _is_done(self, chair: Chair, verb: Verb) -> None:
        """Compare what a call says it has done with what the repository shows."""
        if verb != self.pull:
            assert self.tip(chair) == chair.seat.histories.tip(chair.seat.id)
        if verb == self.push or self.not_taken:
            return
        peers = {peer.seat: peer for peer in chair.seat.peers()}
        for other in self.chairs:
            tip = self.tip(other)
            if other is not chair and tip:
                assert peers[other.seat.id].tip == tip
                assert not peers[other.seat.id].trouble
        assert not chair.seat.status().refused

    def tip(self, chair: Chair) -> str:
        """Return what the repository shows of a seat, read without git."""
        found = pygit2.Repository(str(self.bare)).references.get(SEATS + chair.seat.id)
        return "" if found is None else str(found.target)

    # The end ----------------------------------------------------------------------

    def rest(self) -> None:
        """Let all sync a few times, nothing in the way; then nothing moves any more."""
        for _ in range(CHAIN):
            self._sync_all()
        for chair in self.chairs:
            with self.told(-1, chair, "the last pull"):
                self.pull(chair)
                self.check(chair)
        for _ in range(2):  # commits say what was pulled last, and are pulled
            self._sync_all()
        for chair in self.chairs:
            pulled, commit, pushed = chair.seat.sync()
            assert (pulled.received, pulled.removed, commit) == (0, 0, None)
            assert not pushed.moved
            check_whole(chair.seat)

    def _sync_all(self) -> None:
        for chair in self.source.sample(self.chairs, len(self.chairs)):
            with self.told(-1, chair, "sync at the end"):
                self.sync(chair)
                self.check(chair)


def stands(seat: RemoteSeat) -> Status:
    """Return where a seat stands; what a remote was seen to show is no part of it."""
    return seat.status()._replace(unpublished={})


def check_whole(seat: RemoteSeat) -> None:
    """Compare a whole store with what follows from the lines in it; O(store)."""
    assert seat.database.quick_check() == []
    found = compare(seat.kb, seat.database, lambda *_: None)
    assert found.is_whole, (found.lost, found.differences)


def believed(seat: RemoteSeat) -> Sequence[str]:
    return sorted(one.locator for one in seat.believed())
