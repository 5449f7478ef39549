"""The medium of this process: each call is one of the seat's own verbs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import KoiniiError, NotFoundError
from koinii.kb.checking import NO_TARGET

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import NoReturn

    from koinii.kb.following import Batch, Event
    from koinii.kb.query import Bindings
    from koinii.kb.sentex import Sentex
    from koinii.seat.seat import Seat
    from koinii.seat.speaking import EditReport, RetractReport
    from koinii.seat.trying import EditProblem
    from koinii.terms.locator import Locator
    from koinii.terms.term import Term


class Local:
    """A `Medium` over an open seat."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat

    def assert_(
        self, sentence: Term, *, agent: str, context: str | None, strength: str | None
    ) -> Locator:
        """Put a sentence forward for an agent."""
        return self.seat.assert_(
            sentence, agent=agent, context=context, strength=strength
        )

    def edit(
        self,
        *,
        agent: str,
        add: Iterable[Term],
        remove: Iterable[str],
        context: str | None,
    ) -> EditReport:
        """Add, then remove, whole or not at all."""
        return self.seat.edit(add=add, remove=remove, context=context, agent=agent)

    def check_edit(
        self,
        *,
        agent: str,
        add: Iterable[object],
        remove: Iterable[str],
        context: str | None,
    ) -> list[EditProblem]:
        """Return why an edit would be refused; nothing is stored."""
        return self.seat.check_edit(
            add=add,  # type: ignore[arg-type]  # what is no sentence is a problem of it
            remove=remove, context=context, agent=agent,
        )  # fmt: skip

    def retract(self, locator: str, *, agent: str) -> RetractReport:
        """Withdraw an agent's own assertion."""
        return self.seat.speaker(agent).retract(locator)

    def sentex(self, locator: str) -> Sentex:
        """Return what a locator names.

        Raises:
            NotFoundError: `koinii/no-such-handle`.
        """
        try:
            found = self.seat.kb.find(self.seat.resolve(locator))
        except NotFoundError as error:
            raise NotFoundError(
                error.message, code=NO_TARGET, hint=error.hint, **error.details
            ) from error
        assert found is not None  # noqa: S101 - it was resolved in this store
        return found

    def matching(self, pattern: Term, context: str | None) -> Iterator[Sentex]:
        """Yield what is believed and fits one literal."""
        scope = "any" if context is None else "exact"
        yield from self.seat.kb.matching(pattern, context, scope)

    def query(self, goal: Term, context: str) -> Iterator[Bindings]:
        """Yield the answers that a context gives."""
        return self.seat.ask(goal, context=context)

    def subscribe(
        self,
        callback: Callable[[Event], object],
        *,
        goal: Term | None,
        context: str | None,
    ) -> Callable[[], None]:
        """Call a listener on the thread that writes; return how to stop that."""
        token = self.seat.watch(callback, goal=goal, context=context)

        def stop() -> None:
            self.seat.unwatch(token)

        return stop

    def feed_open(self) -> int:
        """Refuse: `koinii/no-wire-feed`; here `subscribe` calls at once."""
        _no_feed()

    def feed_poll(
        self, cursor: int, *, goal: Term | None, context: str | None
    ) -> Batch:
        """Refuse: `koinii/no-wire-feed`."""
        _no_feed()


def _no_feed() -> NoReturn:
    raise KoiniiError(
        "there is no feed to poll in this process: listen with subscribe",
        code="koinii/no-wire-feed",
        hint="seat.events() follows the change feed of a store by cursor",
    )
