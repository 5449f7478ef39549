"""Following what moves: polls of the change feed, and listeners of one open seat.

Listeners are called on the thread that wrote, once what it wrote is durable, in the
order in which they registered, each with the events since then that fit its goal,
those of other processes too (A.14). All of them get what was worked out before the
first was called. A listener may read, write and unwatch: what it writes is a later
event. One that raises loses that event only, which a warning tells; the write stands
and the others are called.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import RefusedError, UsageError
from koinii.kb.goals import goal_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from koinii.kb.following import Batch, Event, Feed
    from koinii.kb.goals import Goal
    from koinii.store.database import Database
    from koinii.terms.term import Term

    Callback: TypeAlias = Callable[[Event], object]

MAX_ROUNDS = 64  # of listeners writing because listeners have written
LONGEST_WAIT = 30_000  # ms


def poll(
    feed: Feed,
    since: int | None,
    pattern: Term | None,
    context: str | None,
    *,
    wait_ms: int,
    limit: int | None,
) -> Batch:
    """Return what moved past a cursor and fits; see `Seat.events`.

    Raises:
        UsageError: `bad-cursor`; or no time to wait.
        RefusedError: `not-watchable`: the goal is no literal.
    """
    goal = goal_of(pattern, context)
    cursor = feed.newest() if since is None else feed.check_cursor(since)
    if wait_ms < 0:
        raise UsageError(f"wait_ms is {wait_ms}", hint="0 or more, in milliseconds")
    batch = feed.since(cursor, goal, limit=limit)
    left = min(wait_ms, LONGEST_WAIT) / 1000
    while left and not batch.events:
        left = feed.wait(batch.cursor, left)
        batch = feed.since(batch.cursor, goal, limit=limit)
    return batch


class _Listener(NamedTuple):
    callback: Callback
    goal: Goal
    since: int  # the newest event when it registered


class Listeners:
    """Who listens to a seat; a seat without any has none of these."""

    def __init__(self, feed: Feed, database: Database) -> None:
        self._feed = feed
        self._listeners: dict[int, _Listener] = {}
        self._tokens = 0
        self._cursor = feed.newest()
        self._is_telling = False
        self._committed = database.committed

    def add(self, callback: Callback, pattern: Term | None, context: str | None) -> int:
        """Register a listener and return its token, which is never used again.

        Raises:
            RefusedError: `not-watchable`: the goal is no literal, or the listener
                cannot be called.
        """
        if not callable(callback):
            raise RefusedError(
                f"a listener is called, and {callback!r} cannot be",
                code="not-watchable",
                hint="seat.watch(print)",
            )
        goal, newest = goal_of(pattern, context), self._feed.newest()
        if not self._listeners:
            self._cursor = newest
            self._committed.append(self._tell)
        self._tokens += 1
        self._listeners[self._tokens] = _Listener(callback, goal, newest)
        return self._tokens

    def remove(self, token: int) -> bool:
        """Take a listener out; tell whether it was there."""
        known = self._listeners.pop(token, None) is not None
        if known and not self._listeners:
            self._committed.remove(self._tell)
        return known

    def tokens(self) -> list[int]:
        """Return the tokens of those that listen, the first first."""
        return list(self._listeners)

    def _tell(self) -> None:
        """Tell of what has moved; what listeners write is told after that."""
        if self._is_telling:
            return
        self._is_telling = True
        faults: list[str] = []
        try:
            self._tell_all(faults)
        finally:
            self._is_telling = False
        for fault in faults:
            warnings.warn(fault, RuntimeWarning, stacklevel=2)

    def _tell_all(self, faults: list[str]) -> None:
        for _ in range(MAX_ROUNDS):
            newest = self._feed.newest()
            if newest == self._cursor or not self._listeners:
                return
            calls = self._calls(newest)
            self._cursor = newest
            for token, listener, event in calls:
                if token in self._listeners:
                    faults += _call(token, listener, event)
        faults.append(
            f"listeners have written because listeners wrote, {MAX_ROUNDS} times over; "
            f"the events after {self._cursor} are not told"
        )
        self._cursor = self._feed.newest()

    def _calls(self, newest: int) -> list[tuple[int, _Listener, Event]]:
        """Return who is to be called with what: event by event, then in order."""
        calls = []
        for told in self._feed.read(self._cursor):
            for token, listener in self._listeners.items():
                if listener.since < told.number <= newest:
                    event = self._feed.fit(told, listener.goal)
                    if event is not None:
                        calls.append((token, listener, event))
        return calls


def _call(token: int, listener: _Listener, event: Event) -> list[str]:
    try:
        listener.callback(event)
    except Exception as error:  # noqa: BLE001 - it is told, and the others are called
        return [f"listener {token} failed at event {event.number}: {error!r}"]
    return []
