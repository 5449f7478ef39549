"""Three seats around one repository that talk, settle, and hear each other late.

Every act is done twice: the second time comes to the same and moves nothing. What is
done, and to what, is chosen by numbers, so that the same numbers are the same story.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, TypeVar

import pygit2

import koinii
from koinii.coordination.adjudication import Adjudication
from koinii.coordination.channel import Channel
from koinii.coordination.counts import count_ballots, resolve_by_majority
from koinii.coordination.dispute_id import DisputeId
from koinii.coordination.local import Local
from koinii.coordination.seat import CoordinationSeat
from koinii.errors import KoiniiError, NotFoundError, RefusedError
from koinii.kb.contexts import own_context
from koinii.terms.locator import locator_of
from remote.bookkeeping import Stored, stored
from remote.desks import Clock, make_key
from remote.round_table import check_whole

ROOM, OTHER_ROOM, COUNCIL = "CxDeploy", "CxOther", "CxCouncil"
SITTING = {
    "one": ("AgentAnna", "AgentBoth", "AgentEve"),
    "two": ("AgentBert", "AgentBoth", "AgentFinn"),
    "three": ("AgentCleo", "AgentDora", "AgentGail"),
}
JUDGES = ("AgentEve", "AgentFinn", "AgentGail")  # who seldom take a side
AGENTS = sorted({agent for agents in SITTING.values() for agent in agents})
HERE = [(at, agent) for at, agents in enumerate(SITTING.values()) for agent in agents]
CLAIMS = (
    "(up A)", "(up A)", "(up A)", "(not (up A))", "(not (up A))", "(not (up A))",
    "(up B)", "(not (up B))", "(hot A)", "(cores A 8)", "(cores A 16)", "(linked A B)",
    "(not (linked B A))", "(implies (hot ?x) (not (up ?x)))",
    "(implies (contested ?x) (watched ?x))",
)  # fmt: skip
SHAPES = ("(functional cores)", "(symmetric linked)")
ROUNDS = 12  # of syncs in which all has to come to rest
APART = ("koinii/bundle-needs", "koinii/nothing-new")  # what a stick may lack

T = TypeVar("T")
Result = object


def pick(among: Sequence[T], number: int) -> T:
    return among[number % len(among)]


class State(NamedTuple):
    """What an act could move: lines but marks, belief, and what stands in dispute."""

    lines: Stored
    commit: str
    inputs: str
    disputes: list[DisputeId]


def state(seat: CoordinationSeat) -> State:
    status = seat.status()
    found = sorted(one.id for one in seat.disputes.every(None))
    return State(without_marks(stored(seat)), status.commit, status.inputs, found)


def without_marks(found: Stored) -> Stored:
    applied = {key: leaf for key, leaf in found.applied.items() if key[0] != "koinii"}
    return found._replace(applied=applied)


class Heard(NamedTuple):
    """All that seats which have heard the same have to agree on."""

    commit: str
    inputs: str
    held: set[tuple[str, str, str, str, str]]
    waiting: set[tuple[str, str, str, tuple[str, ...]]]
    disputes: dict[str, list[tuple[DisputeId, str, str]]]
    verdicts: dict[tuple[str, str], str]
    quarantined: list[str]
    tallies: dict[str, object]


def heard(seat: CoordinationSeat) -> Heard:
    status = seat.status()
    places = sorted({one.context for one in seat.believed()} - {"CxDisputes"})
    told = seat.held(), seat.waiting()
    claims = [one.locator for one in seat.believed() if one.context in HOMES]
    return Heard(
        status.commit,
        status.inputs,
        {(one.agent, one.seat, one.context, one.line, one.reason) for one in told[0]},
        {(one.agent, one.seat, one.line, one.missing) for one in told[1]},
        {place: seen(seat, place) for place in [*places, ROOM, COUNCIL]}
        | {"": seen(seat, None)},
        {
            (text, place): seat.argue(text, place).verdict
            for text in CLAIMS if not text.startswith("(implies")
            for place in (ROOM, COUNCIL)
        },
        [*map(str, Adjudication(seat).quarantined(ROOM))],
        {one: count_ballots(seat, one, ROOM) for one in sorted(claims)},
    )  # fmt: skip


HOMES = {own_context(agent) for agent in AGENTS}


def seen(seat: CoordinationSeat, place: str | None) -> list[tuple[DisputeId, str, str]]:
    found = seat.disputes.every(place)
    return sorted((one.id, one.dispute_class, one.kind) for one in found)


def lay(folder: Path) -> None:
    """Make three seats that know each other, and where they meet."""
    hub = folder / "hub.git"
    repository = pygit2.init_repository(str(hub), bare=True)
    repository.config["gc.autoDetach"] = False
    key = str(make_key(folder / "both"))
    with ExitStack() as stack:
        seats = []
        for name, (first, *more) in SITTING.items():
            made = koinii.init(folder / name, agent=first, now=Clock())
            seat = stack.enter_context(made)
            for other in more:
                seat.new_agent(other, key=key if other == "AgentBoth" else None)
            seat.remotes.add("origin", str(hub))
            seats.append(seat)
        seats[0].new_channel(ROOM)
        for seat in seats:
            seat.sync()
        for seat in seats[:2]:
            seat.join(ROOM)
        for seat in seats * 2:
            seat.sync()


class Debate:
    """A copy of the three seats, in one story."""

    def __init__(self, laid: Path, folder: Path) -> None:
        shutil.copytree(laid, folder, dirs_exist_ok=True)
        self.folder, self.hub = folder, folder / "hub.git"
        self.seats = [self._open(folder / name) for name in SITTING]
        self.bundles: list[Path] = []
        self.done: list[str] = []  # what was said, told and carried, by verb

    def _open(self, path: Path) -> CoordinationSeat:
        seat = koinii.open(path, now=Clock())
        seat.remotes.remove("origin")
        seat.remotes.add("origin", str(self.hub))
        return seat

    def close(self) -> None:
        for seat in self.seats:
            seat.close()

    # Acts ---------------------------------------------------------------------------

    def act(self, verb: str, who: int, what: int, which: int) -> None:
        """Let one agent do one thing, twice."""
        at, agent = pick(HERE, who)
        if agent in JUDGES and verb in ("claim", "dispute") and which % 8:
            verb = "rule"
        seat = self.seats[at]
        if verb == "mark":
            self.mark(seat)
            return
        doing: Callable[..., Result] = getattr(self, f"_{verb}")
        before = state(seat)
        call = doing(seat, agent, what, which)
        if call is None:
            return
        assert callable(call)
        first, now = outcome(call), state(seat)
        if isinstance(first, Refusal):
            assert now == before, f"{verb}: what is refused changes nothing"
        else:
            self.done.append(verb)
        again = outcome(call)
        assert state(seat) == now, f"{verb}: done again, it moves nothing"
        if verb not in ("withdraw", "unquarantine", "restore"):
            assert again == first, f"{verb}: done again, it comes to the same"

    def _room(self, seat: CoordinationSeat, agent: str) -> Channel:
        """The channel as one who may not have joined it."""
        return Channel(Local(seat), ROOM, agent)

    def _join(self, seat: CoordinationSeat, agent: str, what: int, _: int) -> Result:
        place = pick((ROOM, ROOM, OTHER_ROOM), what)
        return lambda: seat.join(place, agent=agent)

    def _open_room(self, seat: CoordinationSeat, agent: str, _: int, __: int) -> Result:
        return lambda: seat.new_channel(OTHER_ROOM, agent=agent)

    def _claim(
        self, seat: CoordinationSeat, agent: str, what: int, which: int
    ) -> Result:
        strength = "monotonic" if which % 10 == 0 else None
        said = pick(CLAIMS, what)
        return lambda: self._room(seat, agent).assert_(said, strength=strength)

    def _shape(self, seat: CoordinationSeat, agent: str, what: int, _: int) -> Result:
        said = pick(SHAPES, what)
        return lambda: seat.assert_(said, context="CxUniverse", agent=agent)

    def _pose(self, seat: CoordinationSeat, agent: str, what: int, _: int) -> Result:
        asked = pick(("(whichAreUp Site)", "(howMany cores A)"), what)
        return lambda: self._room(seat, agent).pose(asked)

    def _answer(
        self, seat: CoordinationSeat, agent: str, what: int, which: int
    ) -> Result:
        target = said_here(seat, what)
        content = pick(("(up A)", "(cores A 8)"), which)
        return lambda: self._room(seat, agent).answer(content, target)

    def _endorse(self, seat: CoordinationSeat, agent: str, what: int, _: int) -> Result:
        target = said_here(seat, what)
        return lambda: self._room(seat, agent).endorse(target)

    def _justify(self, seat: CoordinationSeat, agent: str, what: int, _: int) -> Result:
        target = said_here(seat, what)
        return lambda: self._room(seat, agent).justify("(seen Log)", target)

    def _dispute(self, seat: CoordinationSeat, agent: str, what: int, _: int) -> Result:
        target = said_here(seat, what)
        return lambda: self._room(seat, agent).dispute(target)

    def _vote(
        self, seat: CoordinationSeat, agent: str, what: int, which: int
    ) -> Result:
        sides = disputed_sides(seat)
        target = pick(sides, what) if sides else said_here(seat, what)
        stance = pick(("for", "against"), which)
        return lambda: self._room(seat, agent).vote(stance, target)

    def _not_understood(
        self, seat: CoordinationSeat, agent: str, what: int, _: int
    ) -> Result:
        target = said_here(seat, what)
        return lambda: self._room(seat, agent).not_understood(target)

    def _refuse(self, seat: CoordinationSeat, agent: str, what: int, _: int) -> Result:
        target = said_here(seat, what)
        return lambda: self._room(seat, agent).refuse(target)

    def _reply_many(
        self, seat: CoordinationSeat, agent: str, what: int, which: int
    ) -> Result:
        target = said_here(seat, what)
        said = [
            f'(answers {agent} (hot A) (sentexHandle "{target}"))',
            f'(endorses {agent} (sentexHandle "{target}"))',
            pick((*CLAIMS, "(up ?x"), which),
        ]
        return lambda: self._room(seat, agent).reply_many(said)

    def _withdraw(
        self, seat: CoordinationSeat, agent: str, what: int, _: int
    ) -> Result:
        """Take back anything that the agent has said here, be it a ruling or a mask."""
        mine = said_by(seat, agent)
        if not mine:
            return None
        target = pick(mine, what)
        return lambda: self._room(seat, agent).retract(target)

    # Settling -----------------------------------------------------------------------

    def _rule(
        self, seat: CoordinationSeat, agent: str, what: int, which: int
    ) -> Result:
        named = standing(seat, what, agent if which % 4 else "")
        if named is None:
            return None
        side = pick(named.locators, which)
        return lambda: Adjudication(seat).rule(agent, named, side, ROOM)

    def _count(
        self, seat: CoordinationSeat, agent: str, what: int, which: int
    ) -> Result:
        named = standing(seat, what)
        if named is None:
            return None
        side = pick(named.locators, which)

        def count() -> Result:
            found = resolve_by_majority(seat, named, side, ROOM, agent=agent)
            return found._replace(withdrawn=[])  # the first time alone there are any

        return count

    def _quarantine(
        self, seat: CoordinationSeat, agent: str, what: int, _: int
    ) -> Result:
        target = said_here(seat, what)
        return lambda: Adjudication(seat).quarantine(target, ROOM, agent=agent)

    def _unquarantine(
        self, seat: CoordinationSeat, agent: str, what: int, _: int
    ) -> Result:
        masked = Adjudication(seat).quarantined(ROOM)
        if not masked:
            return None
        target = pick(masked, what)
        return lambda: Adjudication(seat).unquarantine(target, ROOM, agent=agent)

    def _disregard(
        self, seat: CoordinationSeat, agent: str, what: int, _: int
    ) -> Result:
        mine = said_by(seat, agent)
        if not mine:
            return None
        target = pick(mine, what)
        return lambda: seat.stances.disregard(target, agent=agent)

    def _restore(self, seat: CoordinationSeat, agent: str, what: int, _: int) -> Result:
        masks = seat.stances.disregards(agent=agent)
        if not masks:
            return None
        mask = pick(masks, what).mask
        return lambda: seat.stances.restore(mask, agent=agent)

    def _believe_own(
        self, seat: CoordinationSeat, agent: str, _: int, __: int
    ) -> Result:
        return lambda: seat.stances.believe_own(agent=agent)

    def _convene(
        self, seat: CoordinationSeat, agent: str, what: int, which: int
    ) -> Result:
        some = [pick(AGENTS, what), pick(AGENTS, which)]
        return lambda: seat.stances.convene(COUNCIL, some, agent=agent)

    def mark(self, seat: CoordinationSeat) -> None:
        """Tell of disputes and find them old: the seat's own affair, and no line."""
        before, owing = state(seat), seat.status().uncommitted
        told = Adjudication(seat, timeout_ms=0).poll(ROOM)
        assert Adjudication(seat, timeout_ms=0).poll(ROOM) == ([], [])
        assert state(seat) == before
        assert seat.status().uncommitted == owing
        if told.notified:
            self.done.append("mark")

    # Carrying -----------------------------------------------------------------------

    def carry(self, verb: str, at: int, which: int) -> None:
        """Commit, push or pull, twice; or by a stick, now or much later."""
        seat = pick(self.seats, at)
        if verb == "bundle":
            self._bundle(seat, all_seats=bool(which % 2))
        elif verb == "apply":
            self._apply(seat, which)
        else:
            for _ in range(2):
                getattr(seat, verb)()
            self.done.append(verb)

    def _bundle(self, seat: CoordinationSeat, *, all_seats: bool) -> None:
        file = self.folder / f"{len(self.bundles)}.bundle"
        if not isinstance(
            outcome(lambda: seat.bundles.create(file, all_seats=all_seats)), Refusal
        ):
            self.bundles.append(file)

    def _apply(self, seat: CoordinationSeat, which: int) -> None:
        if not self.bundles:
            return
        file = pick(self.bundles, which)
        for _ in range(2):
            if isinstance(outcome(lambda: seat.bundles.apply(file)), Refusal):
                return
        self.done.append("apply")

    # The end ------------------------------------------------------------------------

    def rest(self, order: Sequence[int]) -> None:
        """Sync until nobody hears or says anything new, and nothing is amiss."""
        for _ in range(ROUNDS):
            done = [self.seats[at].sync() for at in order]
            if not any(pulled.moved or one or two.moved for pulled, one, two in done):
                assert [pulled.troubles for pulled, _, _ in done] == [[], [], []]
                return
        raise AssertionError("there is no end to what is told")

    def check(self) -> None:
        """All seats agree, a newcomer with them; and each was what it says."""
        one, *others = map(heard, self.seats)
        for other in others:
            differences(one, other)
        self._check_newcomer(one)
        for seat in self.seats:
            check_whole(seat)
            found = koinii.audit(str(self.hub), seat.id)
            assert found.equal, found.missing
            assert found.rebuilt == one.commit

    def _check_newcomer(self, one: Heard) -> None:
        path = self.folder / "new"
        with koinii.clone(str(self.hub), path, agent="AgentNew", now=Clock()) as seat:
            assert seat.cloned is not None
            assert seat.cloned.whole
            differences(one, heard(seat))


def differences(one: Heard, other: Heard) -> None:
    """Compare part by part, so that a failure shows the part."""
    for name, mine, theirs in zip(Heard._fields, one, other, strict=True):
        assert mine == theirs, name


class Refusal(NamedTuple):
    code: str


def outcome(call: Callable[[], Result]) -> Result:
    """Return what a call comes to; a refusal by its code."""
    try:
        return call()
    except (RefusedError, NotFoundError) as refusal:
        return Refusal(refusal.code)
    except KoiniiError as refusal:
        if refusal.code in APART:
            return Refusal(refusal.code)
        raise


def said_here(seat: CoordinationSeat, number: int) -> str:
    """Return something that stands here, claims of agents more often than the rest."""
    every = {locator_of(key[2]) for key in without_marks(stored(seat)).applied}
    claims = {seat.locate(text, home) for text in CLAIMS for home in HOMES} & every
    return pick(sorted(claims if claims and number % 4 else every), number // 4)


def said_by(seat: CoordinationSeat, agent: str) -> list[str]:
    lines = stored(seat).lines
    mine = {key[2] for key in lines if key[:2] == (agent, seat.id)}
    return sorted(map(locator_of, mine))


def standing(
    seat: CoordinationSeat, number: int, arbiter: str = ""
) -> DisputeId | None:
    """Return a dispute that stands, one on which an agent takes no side."""
    own = own_context(arbiter)
    found = [
        one.id for one in seat.disputes.every(None)
        if all(side.context != own for side in one.sides)
    ]  # fmt: skip
    return pick(sorted(found), number) if found else None


def disputed_sides(seat: CoordinationSeat) -> list[str]:
    return sorted(
        {side for one in seat.disputes.every(None) for side in one.id.locators}
    )
