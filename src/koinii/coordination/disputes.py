"""Disputes: the clashes that a context sees, page by page (spec B.4).

A dispute is a clash of which both sides are believed and that the context sees
unmasked. How many others there are costs nothing: a page reads a page, and one
look at each kind of clash that stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.coordination.dispute_id import Disputed, DisputeId, find_id
from koinii.coordination.marks import OPEN, RESOLVED, Marks
from koinii.coordination.observing import Observer
from koinii.errors import UsageError
from koinii.kb.standing import STRENGTHS, Side, clash_of
from koinii.seat.arguments import count, maybe_text, text
from koinii.store.episodes import Episode, Episodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.seat.seat import Seat
    from koinii.store.episodes import Key
    from koinii.terms.term import Term

PAGE = 50
FIRST, MOST = 4, 512  # read at once where all are looked through, more each time
_BEGINNING = (-1, (b"", b"", 0))
_LAST_KIND = 1 << 32  # after whatever kind of clash two sentexes are in
CONTRADICTION, CONFLICT = "contradiction", "conflict"


class Dispute(NamedTuple):
    """A dispute that stands; times in ms by the clock of this seat."""

    id: DisputeId
    kind: str  # "rebuttal", "functional" or "disjoint"
    dispute_class: str  # "conflict" where both sides are known, else "contradiction"
    sides: tuple[Side, Side]  # in the order of content
    state: str  # "open", "notified" or "stale"
    since: int  # when it began to stand here
    notified_at: int | None
    stale_at: int | None
    stale_reason: str | None

    @property
    def cursor(self) -> str:
        """Where those begin that come after it."""
        first, second = self.id
        return f"{self.since}.{first.hex()}.{second.hex()}"


class Page(NamedTuple):
    """Some disputes, the oldest first, and where the next page begins."""

    rows: list[Dispute]
    cursor: str | None  # None where these are the last


class Disputes:
    """The disputes of one seat."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._marks = Marks(seat)

    # Reading ---------------------------------------------------------------------

    def in_context(
        self, context: str | None, *, after: str | None = None, limit: int = PAGE
    ) -> Page:
        """Return a page of what a context sees in dispute, the oldest first.

        Without a context: of what any sees. `after` is the cursor of the page before;
        disputes that ended meanwhile make none be missed, those that began come last.
        """
        place, most = maybe_text(context, "context"), count(limit, "limit")
        if most == 0:
            raise UsageError("limit is 1 or more", argument="limit")
        start = _BEGINNING if after is None else _read_cursor(after)
        with self._seat.kb.view():
            found = self._episodes(place, start, most + 1)
            rows = [*map(self._dispute, found[:most])]
            more = bool(rows) and len(found) > most
            return Page(rows, rows[-1].cursor if more else None)

    def every(
        self, context: str | None, *, after: str | None = None
    ) -> Iterator[Dispute]:
        """Yield all that a context sees in dispute, the oldest first.

        In the memory of a page, and read as far as they are taken; what is written
        meanwhile may show or not.
        """
        limit = FIRST
        page = self.in_context(context, after=after, limit=limit)
        yield from page.rows
        while page.cursor is not None:
            limit = min(2 * limit, MOST)
            page = self.in_context(context, after=page.cursor, limit=limit)
            yield from page.rows

    def pending(
        self, context: str | None, *, after: str | None = None
    ) -> Iterator[Dispute]:
        """Yield the open ones, of which nobody was told, as `every` does."""
        found = self.every(context, after=after)
        return (one for one in found if one.state == OPEN)

    def any_in(self, context: str) -> bool:
        """Tell whether a context sees any dispute."""
        with self._seat.kb.view():
            return bool(self._episodes(text(context, "context"), _BEGINNING, 1))

    def disputed(self, sentence: str | Term, context: str) -> bool:
        """Tell whether a context gives a sentence and its negation: two asks."""
        return self._seat.argue(sentence, context).verdict == CONTRADICTION

    def find(self, dispute: Disputed) -> Dispute | None:
        """Return a dispute that stands, whoever sees it; None for no other."""
        with self._seat.kb.view():
            named = find_id(self._seat, dispute)
            for episode in Episodes(self._seat.database.connection).of(*named):
                return self._dispute(episode)
        return None

    def state(self, dispute: Disputed) -> str:
        """Return `open`, `notified` or `stale`; `resolved` for what does not stand."""
        with self._seat.kb.view():
            named = find_id(self._seat, dispute)
            if not self._marks.stands(named):
                return RESOLVED
            return self._marks.of(named).state

    def _episodes(
        self, context: str | None, after: tuple[int, Key], limit: int
    ) -> list[Episode]:
        rows = Episodes(self._seat.database.connection)
        sights = rows.sights()
        if context is not None:
            observer = Observer(self._seat.kb.parts, context)
            sights = [*filter(observer.sees, sights)]
        return rows.page(sights, after, limit)

    def _dispute(self, episode: Episode) -> Dispute:
        pair = (episode.lo, episode.hi, episode.kind, episode.sight)
        clash = clash_of(self._seat.kb.parts, pair)
        known = all(side.strength == STRENGTHS[1] for side in clash.sides)
        named = DisputeId(episode.first, episode.second)
        marked = self._marks.of(named)
        return Dispute(
            named,
            clash.kind,
            CONFLICT if known else CONTRADICTION,
            clash.sides,
            marked.state,
            episode.since,
            *marked,
        )

    # Marking ---------------------------------------------------------------------

    def mark_notified(self, dispute: Disputed, at: int | None = None) -> bool:
        """Mark that a dispute was told, at a time in ms or now.

        False, and nothing done, where it was marked before or does not stand.
        """
        named = find_id(self._seat, dispute)
        return self._marks.put_notified(named, self._time(at))

    def mark_stale(
        self, dispute: Disputed, at: int | None = None, reason: str = "TimedOut"
    ) -> bool:
        """Mark that a dispute was left too long, with a symbol that says why.

        It stands as before. False as for `mark_notified`.
        """
        named = find_id(self._seat, dispute)
        return self._marks.put_stale(named, self._time(at), text(reason, "reason"))

    def reopen(self, dispute: Disputed) -> int:
        """Withdraw the marks on a dispute; return how many there were."""
        return self._marks.clear(find_id(self._seat, dispute))

    def _time(self, at: int | None) -> int:
        return self._seat.now() if at is None else count(at, "at")


def _read_cursor(given: str) -> tuple[int, Key]:
    try:
        since, first, second = text(given, "after").split(".")
        return int(since), (bytes.fromhex(first), bytes.fromhex(second), _LAST_KIND)
    except ValueError:
        raise UsageError(
            f"not the cursor of a page: {given[:200]}",
            code="bad-cursor",
            hint="give the cursor that the page before has",
        ) from None
