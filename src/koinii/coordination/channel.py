"""A channel as one agent takes part in it: what it says there, and reads (spec B.3).

It holds nothing of the conversation: everything said is in the base, and reads look
anywhere, since agents speak in contexts of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.coordination import acts
from koinii.coordination.words import handle
from koinii.errors import RefusedError
from koinii.kb.contexts import own_context
from koinii.seat.arguments import parse, several, text
from koinii.terms.term import Symbol
from koinii.trust.names import check_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from koinii.coordination.medium import Medium
    from koinii.kb.following import Event
    from koinii.kb.query import Bindings
    from koinii.kb.sentex import Sentex
    from koinii.seat.speaking import EditReport, RetractReport
    from koinii.terms.locator import Locator
    from koinii.terms.term import Term

SPEAKS = "CxSpeechActs"


class Subscription(NamedTuple):
    """A listener of a channel; `stop` may be called twice."""

    medium: Medium
    stop: Callable[[], None]


def join(medium: Medium, channel: str, agent: str, speaks: str = SPEAKS) -> Channel:
    """Make a channel see what an agent says, and the agent the acts.

    Joining again changes nothing.

    Raises:
        RefusedError: `koinii/reserved-name`, `naming`: a name that no agent may have.
    """
    check_agent(text(agent, "agent"))
    own = own_context(agent)
    edges = [
        (Symbol("genlCx"), Symbol(channel), Symbol(own)),
        (Symbol("genlCx"), Symbol(own), Symbol(speaks)),
    ]
    medium.edit(agent=agent, add=edges, remove=[], context=None)
    return Channel(medium, channel, agent)


class Channel:
    """One agent in one channel, over any medium."""

    def __init__(self, medium: Medium, channel: str, agent: str) -> None:
        self.medium = medium
        self.channel = text(channel, "channel")
        self.agent = text(agent, "agent")
        self.context = own_context(self.agent)

    # Saying ------------------------------------------------------------------

    def assert_(
        self,
        sentence: str | Term,
        *,
        creator: str | None = None,
        strength: str | None = None,
    ) -> Locator:
        """Claim something in the agent's own context.

        Raises:
            RefusedError: `koinii/creator-mismatch`: another's name.
        """
        if creator is not None and creator != self.agent:
            raise RefusedError(
                f"{self.agent} cannot speak as {creator}",
                code="koinii/creator-mismatch",
                hint=f"join as {creator}, whose key signs what it says",
                agent=self.agent,
                creator=creator,
            )
        said = parse(sentence)
        return acts.assert_(self.medium, self.agent, said, strength=strength)

    def pose(self, question: str | Term) -> Locator:
        """Ask a question; answers name its locator."""
        return acts.pose(self.medium, self.agent, parse(question))

    def answer(self, content: str | Term, target: str) -> Locator:
        """Answer a question, or any other sentex."""
        return acts.answer(self.medium, self.agent, parse(content), target)

    def endorse(self, target: str) -> Locator:
        """Stand by a claim."""
        return acts.endorse(self.medium, self.agent, target)

    def justify(self, ground: str | Term, target: str) -> Locator:
        """Give a ground for a claim."""
        return acts.justify(self.medium, self.agent, parse(ground), target)

    def dispute(self, target: str) -> Locator:
        """Object to a claim, and say the opposite; return the objection's locator."""
        return acts.dispute(self.medium, self.agent, target)

    def vote(self, stance: str, target: str) -> Locator:
        """Cast a ballot `for` or `against` a claim."""
        return acts.vote(self.medium, self.agent, stance, target)

    def not_understood(self, target: str) -> Locator:
        """Tell that one can make nothing of a message."""
        return acts.not_understood(self.medium, self.agent, target)

    def refuse(self, target: str) -> Locator:
        """Tell that one will not do what a message asks."""
        return acts.refuse(self.medium, self.agent, target)

    def retract(self, target: str) -> RetractReport:
        """Take back what this agent has said."""
        return acts.retract(self.medium, self.agent, target)

    def reply_many(self, sentences: Iterable[str | Term]) -> EditReport:
        """Say several things in one operation, or none of them.

        Raises:
            RefusedError: `koinii/reply-inadmissible`; `problems` in the details name
                each entry that cannot be said, and why. Nothing was written.
        """
        said = list(several(sentences, "sentences"))
        problems = self.medium.check_edit(
            agent=self.agent, add=said, remove=[], context=None
        )
        if problems:
            first = problems[0]
            raise RefusedError(
                f"nothing was said: entry {first.index} is refused ({first.message})"
                + (f", and {len(problems) - 1} more" if len(problems) > 1 else ""),
                code="koinii/reply-inadmissible",
                hint=first.hint,
                problems=problems,
            )
        return self.medium.edit(
            agent=self.agent, add=map(parse, said), remove=[], context=None
        )

    # Listening ---------------------------------------------------------------

    def subscribe(
        self,
        callback: Callable[[Event], object],
        *,
        goal: str | Term | None = None,
        context: str | None = None,
    ) -> Subscription:
        """Hear what moves from now on, all agents of the channel if none is named.

        Without a goal every change is heard, of any context.
        """
        fits = None if goal is None else parse(goal)
        place = context if context is not None or goal is None else self.channel
        stop = self.medium.subscribe(callback, goal=fits, context=place)
        return Subscription(self.medium, stop)

    # Reading -----------------------------------------------------------------

    def query(self, goal: str | Term, context: str | None = None) -> Iterator[Bindings]:
        """Ask what the channel, or another context, sees."""
        return self.medium.query(parse(goal), context or self.channel)

    def answers_to(self, target: str) -> list[Sentex]:
        """Return the answers that name a sentex, wherever they stand."""
        return self._replies("answers", target, 1)

    def endorsements_of(self, target: str) -> list[Sentex]:
        """Return the endorsements of a claim, wherever they stand."""
        return self._replies("endorses", target, 0)

    def open_queries(self) -> list[Sentex]:
        """Return every question that is believed, answered or not, of any channel."""
        pattern = Symbol("queries"), Symbol("?agent"), Symbol("?question")
        return list(self.medium.matching(pattern, None))

    def _replies(self, word: str, target: str, parts: int) -> list[Sentex]:
        named = handle(self.medium.sentex(target).locator)
        between = [Symbol(f"?{at}") for at in range(parts)]
        pattern = Symbol(word), Symbol("?agent"), *between, named
        return list(self.medium.matching(pattern, None))


def speaker_of(reply: Sentex) -> str:
    """Return whose act a sentex is."""
    assert isinstance(reply.sentence, tuple)  # noqa: S101 - an act is a list
    speaker = reply.sentence[1]
    assert isinstance(speaker, Symbol)  # noqa: S101 - an act names its agent
    return speaker.name


def answer_content(reply: Sentex) -> Term | None:
    """Return what an answer says, None for any other act."""
    said = reply.sentence
    is_answer = isinstance(said, tuple) and said[:1] == (Symbol("answers"),)
    return said[2] if is_answer and isinstance(said, tuple) else None
