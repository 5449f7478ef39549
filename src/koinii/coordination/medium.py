"""The base as those who talk over it see it, wherever it is (spec B.3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from koinii.kb.following import Batch, Event
    from koinii.kb.query import Bindings
    from koinii.kb.sentex import Sentex
    from koinii.seat.speaking import EditReport, RetractReport
    from koinii.seat.trying import EditProblem
    from koinii.terms.locator import Locator
    from koinii.terms.term import Term


class Medium(Protocol):
    """What a conversation needs of a base; each call may be one to a daemon.

    Errors are those of the seat's own verbs, whichever medium it is.
    """

    def assert_(
        self, sentence: Term, *, agent: str, context: str | None, strength: str | None
    ) -> Locator:
        """Put a sentence forward for an agent."""

    def edit(
        self,
        *,
        agent: str,
        add: Iterable[Term],
        remove: Iterable[str],
        context: str | None,
    ) -> EditReport:
        """Add, then remove, whole or not at all."""

    def check_edit(
        self,
        *,
        agent: str,
        add: Iterable[object],
        remove: Iterable[str],
        context: str | None,
    ) -> list[EditProblem]:
        """Return why an edit would be refused; nothing is stored."""

    def retract(self, locator: str, *, agent: str) -> RetractReport:
        """Withdraw an agent's own assertion."""

    def sentex(self, locator: str) -> Sentex:
        """Return what a locator, or the beginning of one, names.

        Raises:
            NotFoundError: `koinii/no-such-handle`.
        """

    def matching(self, pattern: Term, context: str | None) -> Iterator[Sentex]:
        """Yield what is believed and fits: in exactly this context, or in any."""

    def query(self, goal: Term, context: str) -> Iterator[Bindings]:
        """Yield the answers that a context gives."""

    def subscribe(
        self,
        callback: Callable[[Event], object],
        *,
        goal: Term | None,
        context: str | None,
    ) -> Callable[[], None]:
        """Call a listener with what moves from now on; return how to stop that."""

    def feed_open(self) -> int:
        """Return a cursor that stands at now."""

    def feed_poll(
        self, cursor: int, *, goal: Term | None, context: str | None
    ) -> Batch:
        """Return what has moved since a cursor."""
