"""Reading the change feed: what moved since a number, in any process (A.14, A.15).

A cursor is the number of the last event that was read. The ring keeps the newest
events; whoever comes back too late is told how many are lost, and reads the base
again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import UsageError
from koinii.kb.feed import ADDED, DERIVED, LAGGED, PREMISE
from koinii.kb.goals import Moved, goal_of
from koinii.store.events import Events
from koinii.terms.locator import parse_prefix
from koinii.terms.reader import read

if TYPE_CHECKING:
    from koinii.kb.base import KnowledgeBase, Sentex
    from koinii.kb.goals import Goal
    from koinii.kb.query import Bindings
    from koinii.store.database import Connection
    from koinii.terms.term import Term

ANYTHING = goal_of(None, None)


class Justification(NamedTuple):
    """A reason for a conclusion, the first in the order of content."""

    rule: Sentex
    strict: bool
    facts: list[Sentex]


class Added(NamedTuple):
    """What has come to be believed."""

    locator: str
    context: str
    sentence: Term
    premise: bool
    justification: Justification | None  # as of the reading; None of a premise
    bindings: Bindings | None = None  # None where no goal was given


class Removed(NamedTuple):
    """What is stored and no longer believed."""

    locator: str
    context: str
    sentence: Term
    reason: str  # defeated, unsupported or waiting
    bindings: Bindings | None = None


class Event(NamedTuple):
    """The net change of one operation; entries in the order of content.

    `lagged` counts the events up to this number that cannot be told any more: the
    ring has passed them, or one was too large. Such an event has no entries.
    """

    number: int
    added: list[Added]
    removed: list[Removed]
    lagged: int = 0


class Batch(NamedTuple):
    """Events, the cursor to go on from, and how many events are lost."""

    events: list[Event]
    cursor: int
    lagged: int


class _Entry(NamedTuple):
    what: str  # added or removed
    locator: str
    moved: Moved
    note: str


class Told(NamedTuple):
    """An event as it was written; `lagged` as in `Event`."""

    number: int
    entries: list[_Entry]
    lagged: int = 0


class Feed:
    """The reading side of the change feed of one base."""

    def __init__(self, kb: KnowledgeBase, connection: Connection) -> None:
        self._kb = kb
        self._rows = Events(connection)
        self._reasons: dict[bytes, Justification | None] = {}

    def newest(self) -> int:
        """Return the number of the newest event, 0 before the first."""
        return self._rows.newest()

    def check_cursor(self, cursor: object) -> int:
        """Return a cursor that can be read from.

        Raises:
            UsageError: `bad-cursor`: not a natural number, or ahead of the newest.
        """
        newest = self.newest()
        if type(cursor) is int and 0 <= cursor <= newest:
            return cursor
        raise UsageError(
            f"{str(cursor)[:80]} is no number of an event here; the newest is {newest}",
            code="bad-cursor",
            hint="go on from the number of the last event you have seen",
            newest=newest,
        )

    def wait(self, cursor: int, seconds: float) -> float:
        """Wait for an event past a cursor; return the time that is left."""
        return self._rows.wait(cursor, seconds)

    def since(
        self, cursor: int, goal: Goal = ANYTHING, *, limit: int | None = None
    ) -> Batch:
        """Return what moved past a cursor, as far as it fits a goal.

        `limit` is how many events are read at most; the cursor tells how far.
        """
        told = self.read(cursor, limit)
        fitting = (self.fit(one, goal) for one in told)
        events = [event for event in fitting if event is not None]
        reached = told[-1].number if told else cursor
        return Batch(events, reached, sum(event.lagged for event in events))

    def read(self, cursor: int, limit: int | None = None) -> list[Told]:
        """Return the events past a cursor; the first may stand for what is lost."""
        self._reasons.clear()
        rows = self._rows.after(cursor, -1 if limit is None else limit)
        lost = rows[0][0] - 1 - cursor if rows else 0
        told = [Told(rows[0][0] - 1, [], lost)] if lost else []
        return told + [_read(number, body) for number, body in rows]

    def fit(self, told: Told, goal: Goal) -> Event | None:
        """Return an event as far as it fits a goal, None where nothing of it does."""
        self._kb.structure.check()
        event = Event(told.number, [], [], told.lagged)
        for entry in told.entries:
            bindings = goal.match(entry.moved, self._kb.structure)
            if bindings is not None:
                self._take(event, entry, None if goal == ANYTHING else bindings)
        return event if event.added or event.removed or event.lagged else None

    def _take(self, event: Event, entry: _Entry, bindings: Bindings | None) -> None:
        what, locator, (context, digest, sentence), note = entry
        if what == ADDED:
            reason = self._justification(digest) if note == DERIVED else None
            event.added.append(
                Added(locator, context, sentence, note == PREMISE, reason, bindings)
            )
        else:
            event.removed.append(Removed(locator, context, sentence, note, bindings))

    def _justification(self, digest: bytes) -> Justification | None:
        """Return why a conclusion is there now, None where it is gone."""
        if digest not in self._reasons:
            self._reasons[digest] = self._found_justification(digest)
        return self._reasons[digest]

    def _found_justification(self, digest: bytes) -> Justification | None:
        found = self._kb.find(digest)
        supports = [] if found is None else self._kb.supports(found.id)
        if not supports:
            return None
        first = supports[0]
        return Justification(first.rule, first.strict, first.facts)


def _read(number: int, body: str) -> Told:
    if body == LAGGED:
        return Told(number, [], 1)
    return Told(number, list(map(_entry, body.split("\n"))))


def _entry(line: str) -> _Entry:
    what, locator, context, note, text = line.split(" ", 4)
    digest = bytes.fromhex(parse_prefix(locator))
    return _Entry(what, locator, Moved(context, digest, read(text)), note)
