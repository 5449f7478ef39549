"""What agents hold: their own beliefs, where they differ, what they disregard (B.6).

A stance is read in the agent's belief context, which sees nothing until the agent lets
it. Gathering several in a convened context shows where they clash, and removing that
edge ends it; nothing is copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.coordination.words import handle, named_in
from koinii.errors import RefusedError
from koinii.kb.contexts import UNIVERSE, belief_context, own_context
from koinii.kb.contexts.structure import EXCEPT
from koinii.kb.rows import key_of
from koinii.seat.arguments import parse, several, text
from koinii.terms.locator import Locator, locator_of
from koinii.terms.printer import write
from koinii.terms.term import Symbol
from koinii.trust.names import check_agent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from koinii.kb.query import Bindings
    from koinii.seat.seat import Seat
    from koinii.terms.term import Term

_EDGE, _BELIEVES, _EXCEPT = map(Symbol, ("genlCx", "believes", "except"))


class Stance(NamedTuple):
    """One side of a disagreement: whose it is, and what it says."""

    agent: str
    sentence: Term
    locator: Locator


class Disagreement(NamedTuple):
    """A contradiction between what gathered agents hold."""

    between: list[str]
    sides: list[Stance]


class Disregard(NamedTuple):
    """A mask of an agent on its own statement.

    It has effect while the agent is the only one who asserts the target.
    """

    mask: str  # locators
    target: str
    in_force: bool


class Stances:
    """What the agents known at a seat hold."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat

    # What an agent would say --------------------------------------------------

    def believe_own(self, *, agent: str | None = None) -> str:
        """Let an agent's belief context see what the agent says; return the former."""
        speaker = self._seat.speaker(agent)
        belief = belief_context(speaker.agent)
        edge = _EDGE, Symbol(belief), Symbol(speaker.own_context)
        speaker.edit([edge], [], UNIVERSE)
        return belief

    def would_believe(
        self, agent: str, sentence: str | Term, *, asker: str = UNIVERSE
    ) -> bool:
        """Tell whether an agent holds a sentence, with what it believes behind it."""
        return any(True for _ in self.project(agent, sentence, asker=asker))

    def project(
        self, agent: str, goal: str | Term, *, asker: str = UNIVERSE
    ) -> Iterator[Bindings]:
        """Yield the answers to a goal as an agent would give them.

        `asker` is a context that has to see that `believes` is modal, as all do; what
        it holds itself does not count.
        """
        asked = _BELIEVES, Symbol(_agent(agent)), parse(goal)
        return self._seat.ask(asked, context=text(asker, "asker"))

    # Where agents differ ------------------------------------------------------

    def convene(
        self, context: str, agents: Iterable[str], *, agent: str | None = None
    ) -> list[Locator]:
        """Gather what agents hold in one context; return the edges' locators.

        It takes a moderator. Gathering more of them later, or the same again, is the
        same as gathering all at once.

        Raises:
            RefusedError: `koinii/foreign-context`: the context is somebody's own;
                `koinii/no-standing`.
        """
        place = Symbol(text(context, "context"))
        said: list[Term] = [(Symbol("convened"), place)]
        for one in several(agents, "agents"):
            said.append((_EDGE, place, Symbol(belief_context(_agent(one)))))
        return self._seat.speaker(agent).edit(said, [], UNIVERSE).added[1:]

    def convened_agents(self, context: str) -> list[str]:
        """Return the agents whose beliefs a context sees, by name."""
        sees = self._seat.kb.lattice().sees
        place = text(context, "context")
        known = set(self._seat.kb.structure.rows.agents())
        return sorted(one for one in known if sees(place, belief_context(one)))

    def disagreements(self, context: str) -> list[Disagreement]:
        """Return where gathered agents contradict each other, in the order of content.

        What stands in the convened context itself is nobody's stance.
        """
        with self._seat.kb.view():
            whose = {}
            for one in self.convened_agents(context):
                whose[belief_context(one)] = whose[own_context(one)] = one
            clashes = self._seat.contradictions(context)
        return [
            Disagreement(
                sorted({whose[side.context] for side in clash.sides}),
                [
                    Stance(whose[side.context], parse(side.sentence), side.locator)
                    for side in clash.sides
                ],
            )
            for clash in clashes
            if all(side.context in whose for side in clash.sides)
        ]

    # What an agent disregards -------------------------------------------------

    def disregard(self, target: str, *, agent: str | None = None) -> Locator:
        """Hide an agent's own statement from whoever sees what the agent says.

        It stays stored and believed where it is; `restore` takes the mask away.

        Raises:
            NotFoundError: `koinii/unknown-locator`.
            RefusedError: `koinii/not-own-statement`: others assert it as well, or the
                agent does not at this seat.
        """
        speaker = self._seat.speaker(agent)
        with self._seat.kb.write():
            digest = self._seat.resolve(target)
            self._check_sole(digest, speaker.author, speaker.agent)
            mask = _EXCEPT, handle(locator_of(digest))
            return speaker.edit([mask], [], speaker.own_context).added[0]

    def restore(self, mask: str, *, agent: str | None = None) -> Locator:
        """Take a mask away again; return its whole locator."""
        return self._seat.retract(mask, agent=agent)

    def disregards(self, *, agent: str | None = None) -> list[Disregard]:
        """Return what an agent disregards at this seat, by locator; O(masks here)."""
        speaker, kb = self._seat.speaker(agent), self._seat.kb
        found = []
        with kb.view():
            rows = kb.sentexes.of_functor(key_of(EXCEPT), kb.sentexes.next_id())
            for one in map(kb.get, rows):
                target = _target(one.sentence)
                authors = {row[1] for row in kb.asserted_by(one.id)}
                if one.context == speaker.own_context and speaker.author in authors:
                    found.append(Disregard(one.locator, target, kb.is_believed(one)))
        return sorted(found)

    def _check_sole(self, digest: bytes, author: int | None, agent: str) -> None:
        found = self._seat.kb.find(digest)
        assert found is not None  # noqa: S101 - it was resolved
        authors = {row[1] for row in self._seat.kb.asserted_by(found.id)}
        if authors == {author}:
            return
        names = sorted(self._seat.kb.names.author(one) for one in authors)
        by = ", ".join(f"{name} at seat {seat[:8]}" for name, seat in names)
        is_one = "is not the only one who says" if author in authors else "does not say"
        raise RefusedError(
            f"{agent} {is_one} {write(found.sentence)} here: {by or 'it is concluded'}",
            code="koinii/not-own-statement",
            hint="an agent disregards what it alone has said; say the opposite instead",
            agent=agent,
            authors=[name for name, _ in names],
            locator=found.locator,
        )


def _agent(name: str) -> str:
    check_agent(text(name, "agent"))
    return name


def _target(mask: Term) -> str:
    assert isinstance(mask, tuple)  # noqa: S101 - it is an `except`
    return named_in(mask[1]) or write(mask[1])
