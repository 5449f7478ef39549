"""Marks on disputes: what was told of one, and what was found to be old.

    (disputeNotified (dispute (sentexHandle lo) (sentexHandle hi)) at)
    (disputeStale    (dispute (sentexHandle lo) (sentexHandle hi)) at reason)

They stand in `CxDisputes`, said by the seat itself; the engine deletes them when the
clash no longer stands, so they are there for one episode of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.writing import Said
from koinii.store.episodes import Episodes
from koinii.terms.canonical import canonical
from koinii.terms.printer import write
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from koinii.coordination.dispute_id import DisputeId
    from koinii.kb.sentex import Sentex
    from koinii.seat.seat import Seat
    from koinii.terms.term import Term

CONTEXT = "CxDisputes"
AUTHOR = "koinii"
OPEN, NOTIFIED, STALE, RESOLVED = "open", "notified", "stale", "resolved"
_NOTIFIED, _STALE = Symbol("disputeNotified"), Symbol("disputeStale")
_AT, _REASON = Symbol("?at"), Symbol("?reason")


class Marked(NamedTuple):
    """What is marked of one dispute; times in ms, None where it is not."""

    notified_at: int | None = None
    stale_at: int | None = None
    stale_reason: str | None = None

    @property
    def state(self) -> str:
        """The state of the dispute, which stands."""
        if self.stale_at is not None:
            return STALE
        return OPEN if self.notified_at is None else NOTIFIED


class Marks:
    """Reads and writes the marks of one seat; each call costs a few look-ups."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat

    def of(self, dispute: DisputeId) -> Marked:
        """Return what is marked of a dispute."""
        told, old = self._told(dispute), self._old(dispute)
        notified = [_number(one.sentence, 2) for one in told]
        stale = [(_number(one.sentence, 2), _word(one.sentence, 3)) for one in old]
        at, reason = min(stale, default=(None, None))
        return Marked(min(notified, default=None), at, reason)

    def put_notified(self, dispute: DisputeId, at: int) -> bool:
        """Mark that a dispute was told.

        False where it is marked already or does not stand.
        """
        with self._seat.kb.write():
            if self._told(dispute) or not self.stands(dispute):
                return False
            self._say((_NOTIFIED, dispute.term(), at))
        return True

    def put_stale(self, dispute: DisputeId, at: int, reason: str) -> bool:
        """Mark that a dispute was left too long; False as `put_notified`."""
        with self._seat.kb.write():
            if self._old(dispute) or not self.stands(dispute):
                return False
            self._say((_STALE, dispute.term(), at, Symbol(reason)))
        return True

    def clear(self, dispute: DisputeId) -> int:
        """Withdraw the marks on a dispute; return how many there were."""
        with self._seat.kb.write():
            found = [*self._told(dispute), *self._old(dispute)]
            author = self._author()
            digests = [one.digest for one in found]
            return self._seat.kb.drop(author, digests, journal=False)

    def stands(self, dispute: DisputeId) -> bool:
        """Tell whether both sides are believed and somebody sees them together."""
        return bool(Episodes(self._seat.database.connection).of(*dispute))

    def _told(self, dispute: DisputeId) -> list[Sentex]:
        return self._matching((_NOTIFIED, dispute.term(), _AT))

    def _old(self, dispute: DisputeId) -> list[Sentex]:
        return self._matching((_STALE, dispute.term(), _AT, _REASON))

    def _matching(self, pattern: Term) -> list[Sentex]:
        return self._seat.kb.matching(pattern, CONTEXT, "exact")

    def _say(self, sentence: Term) -> None:
        form = canonical(sentence)
        said = Said(CONTEXT, form, write(form), 0, self._seat.now(), None)
        self._seat.kb.put(self._author(), [said], replace=False, journal=False)

    def _author(self) -> int:
        return self._seat.kb.names.make_author(AUTHOR, self._seat.id)


def _number(sentence: Term, place: int) -> int:
    assert isinstance(sentence, tuple)  # noqa: S101 - it matched
    found = sentence[place]
    return found if isinstance(found, int) else 0


def _word(sentence: Term, place: int) -> str:
    assert isinstance(sentence, tuple)  # noqa: S101 - it matched
    return write(sentence[place])
