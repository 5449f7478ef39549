"""A seat's operations over its set of live lines, and the cascade.

Decision 6, "One operation". All a seat keeps is every line it was given, who
owns what and who has which standing; lines that the boundary does not let in
are held, and everything else is recomputed whole by `engine_twin`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from koinii.terms.term import Term
from reference.encoding_twin import encoded
from reference.engine_frame_twin import (
    EDGE,
    EVERYWHERE,
    MASK,
    UNIVERSE,
    Assertion,
    Author,
    Sentex,
    Standing,
    World,
)
from reference.engine_twin import Belief

Line = tuple[str, str, str, bytes]  # agent, seat, context, encoded sentence
Admits = Callable[[Assertion, World], bool]


class Event(NamedTuple):
    """The net change of one operation, by locator."""

    added: set[str]
    removed: set[str]


def admitted(one: Assertion, world: World) -> bool:
    """The write boundary as far as the engine needs it (design section 8).

    A member writes in its own contexts, and says what they see, and that a context
    that is nobody's sees its own; everything else takes a moderator; nobody says
    what another's context sees.
    """
    row = sentex_of(one)
    moderator = world.standing_of(one.author).moderator
    if row.word() in EVERYWHERE and one.context != UNIVERSE:
        return False
    if row.word() == EDGE:
        sub, above = (world.owners.get(end, ("", False)) for end in row.arguments())
        if sub[0] not in ("", one.agent):
            return False
        is_own, brings_own = (end == (one.agent, False) for end in (sub, above))
        return moderator or is_own or brings_own
    if row.word() in ("channel", "convened") and row.arguments()[0] in world.owners:
        return False
    if one.context in world.owners and (row.word() == MASK or not row.is_structural()):
        return world.owners[one.context][0] == one.agent
    owner, _ = world.owners.get(one.context, (one.agent, False))
    return moderator and owner == one.agent


class TwinSeat:
    """One seat, and what it believes after its newest operation."""

    def __init__(
        self,
        name: str,
        vocabulary: Iterable[tuple[str, Term]] = (),
        local: Iterable[str] = ("CxDisputes",),
        admits: Admits = admitted,
    ) -> None:
        self.name = name
        self.vocabulary = tuple(vocabulary)
        self.local = frozenset(local)
        self.admits = admits
        self.lines: dict[Line, Assertion] = {}
        self.owners: dict[str, tuple[str, bool]] = {}
        self.standing: dict[Author, Standing] = {}
        self.belief = Belief(self.world())

    def world(self) -> World:
        bare = World((), self.owners, self.standing, self.local, self.vocabulary)
        live = tuple(one for one in self.lines.values() if self.admits(one, bare))
        return World(live, self.owners, self.standing, self.local, self.vocabulary)

    def would_hold(self, one: Assertion) -> bool:
        """Whether the boundary would refuse this line."""
        return not self.admits(one, self.world())

    # What agents of this seat do -----------------------------------------------

    def assert_(
        self,
        agent: str,
        context: str,
        sentence: Term,
        strength: str = "default",
        wrappers: Iterable[str] = (),
    ) -> Event:
        one = Assertion(
            agent, self.name, context, sentence, strength, frozenset(wrappers)
        )
        return self._applied([said_again(self.lines.get(line_of(one)), one)], [])

    def retract(self, agent: str, locator: str) -> Event:
        return self.edit(agent, [], [locator])

    def edit(self, agent: str, add: list[Assertion], remove: list[str]) -> Event:
        added = [said_again(self.lines.get(line_of(one)), one) for one in add]
        mine = {**self.lines, **{line_of(one): one for one in added}}
        gone = [
            line
            for line, one in mine.items()
            if one.author == (agent, self.name) and sentex_of(one).locator in remove
        ]
        return self._applied(added, gone)

    # What comes from elsewhere -------------------------------------------------

    def merge(self, seat: str, lines: Iterable[Assertion]) -> Event:
        """Another seat's live lines, whole: what is no longer said there goes."""
        said = {line_of(one): one for one in lines if one.seat == seat}
        gone = [line for line in self.lines if line[1] == seat and line not in said]
        return self._applied(list(said.values()), gone)

    def unfollow(self, seat: str) -> Event:
        """Its lines leave without being retracted."""
        kept = {line: one for line, one in self.lines.items() if line[1] != seat}
        self.lines = kept
        return self._settled()

    # Trust ---------------------------------------------------------------------

    def introduce(self, agent: str) -> Event:
        self.owners["Cx" + agent.removeprefix("Agent")] = agent, False
        self.owners["CxAgent" + agent] = agent, True
        return self._settled()

    def set_standing(self, author: Author, *, arbiter: bool, moderator: bool) -> Event:
        self.standing[author] = Standing(arbiter, moderator)
        return self._settled()

    # One operation -------------------------------------------------------------

    def _applied(self, additions: list[Assertion], withdrawals: list[Line]) -> Event:
        """Additions, then withdrawals, then what falls with what they took away."""
        before = self.belief.believed
        if additions:
            self.lines.update({line_of(one): one for one in additions})
            self.belief = Belief(self.world())
        rows, gone = self.belief.stored, set(withdrawals)
        withdrawn: dict[Line, Assertion] = {}
        while gone:
            withdrawn |= {line: self.lines.pop(line) for line in gone}
            self.belief = Belief(self.world())
            gone = self._falling(rows - self.belief.stored, withdrawn)
        return changes(before, self.belief.believed)

    def _falling(
        self, departed: set[Sentex], withdrawn: Mapping[Line, Assertion]
    ) -> set[Line]:
        """Own authors' replies to what departed, and their masks on their own."""
        frame = self.belief.frame
        spoke = {(one.author, sentex_of(one)) for one in withdrawn.values()}
        live = [one for one in self.world().assertions if one.seat == self.name]
        return {
            line_of(one)
            for one in live
            for row in [sentex_of(one)]
            for target in departed
            if target.locator in row.named()
            if (
                frame.follows(row)
                and (frame.is_local(row) or not frame.is_local(target))
            )
            or (row.word() == MASK and (one.author, target) in spoke)
        }

    def _settled(self) -> Event:
        before = self.belief.believed
        self.belief = Belief(self.world())
        return changes(before, self.belief.believed)


def sentex_of(one: Assertion) -> Sentex:
    return Sentex(one.context, one.sentence)


def line_of(one: Assertion) -> Line:
    return one.agent, one.seat, one.context, encoded(one.sentence)


def said_again(earlier: Assertion | None, later: Assertion) -> Assertion:
    """The stronger strength; a rule unwrapped where either time it was."""
    if earlier is None:
        return later
    strong = "monotonic" in (earlier.strength, later.strength)
    return later._replace(
        strength="monotonic" if strong else "default",
        wrappers=earlier.wrappers & later.wrappers,
    )


def changes(before: set[Sentex], after: set[Sentex]) -> Event:
    return Event(
        {row.locator for row in after - before},
        {row.locator for row in before - after},
    )
