"""What becomes of disputes: told, left too long, ruled on, kept out (spec B.5).

Every write is an agent's own line, or a mark of the seat's in `CxDisputes`. A ruling
ends the episode of the dispute, and with it the marks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.coordination import contested, counts, judging, quarantine, rulings
from koinii.coordination.disputes import Dispute, Disputes
from koinii.coordination.marks import NOTIFIED, STALE
from koinii.seat.arguments import count, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from koinii.coordination.counts import Outcome
    from koinii.coordination.dispute_id import Disputed
    from koinii.coordination.rulings import Ruling
    from koinii.kb.sentex import Sentex
    from koinii.seat.ballots import Tally
    from koinii.seat.seat import Seat
    from koinii.terms.locator import Locator
    from koinii.terms.term import Term

    Sink: TypeAlias = Callable[[Dispute], object]

TIMEOUT_MS = 24 * 60 * 60 * 1000
TIMED_OUT = "TimedOut"


class Tick(NamedTuple):
    """What one look at a channel found new."""

    notified: list[Dispute]
    stale: list[Dispute]


class Adjudication:
    """The ways in which one seat deals with disputes."""

    def __init__(
        self,
        seat: Seat,
        *,
        timeout_ms: int = TIMEOUT_MS,
        notify_sink: Sink | None = None,
        stale_sink: Sink | None = None,
    ) -> None:
        self.timeout_ms = count(timeout_ms, "timeout_ms")
        self.notify_sink = notify_sink
        self.stale_sink = stale_sink
        self._seat = seat
        self._disputes = Disputes(seat)

    # Telling -----------------------------------------------------------------------

    def notify(self, channel: str) -> list[Dispute]:
        """Tell of each open dispute that a channel sees, once while it stands.

        It is marked first: where the sink raises, this one counts as told and the
        rest stay open; `disputes.reopen` lets it be told again.
        """
        return [*self.notifying(channel)]

    def notifying(self, channel: str) -> Iterator[Dispute]:
        """Do as `notify` and yield each as soon as it was told."""
        for dispute in self._disputes.pending(channel):
            at = self._seat.now()
            if self._disputes.mark_notified(dispute.id, at):
                told = dispute._replace(state=NOTIFIED, notified_at=at)
                _tell(self.notify_sink, told)
                yield told

    def sweep(self, channel: str) -> list[Dispute]:
        """Mark what a channel sees and has stood for longer than the timeout.

        It stands as before; once while it does, as `notify`.
        """
        return [*self.sweeping(channel)]

    def sweeping(self, channel: str) -> Iterator[Dispute]:
        """Do as `sweep` and yield each as soon as it was told."""
        at = self._seat.now()
        for dispute in self.overdue(channel, at):
            if self._disputes.mark_stale(dispute.id, at, TIMED_OUT):
                told = dispute._replace(
                    state=STALE, stale_at=at, stale_reason=TIMED_OUT
                )
                _tell(self.stale_sink, told)
                yield told

    def overdue(self, channel: str, at: int) -> Iterator[Dispute]:
        """Yield what has stood for longer than the timeout at a time and is unmarked.

        The oldest come first, so those that are younger are not read.
        """
        return self._overdue(text(channel, "channel"), count(at, "at"))

    def _overdue(self, channel: str, at: int) -> Iterator[Dispute]:
        for dispute in self._disputes.every(channel):
            if dispute.since >= at - self.timeout_ms:
                return
            if dispute.state != STALE:
                yield dispute

    def poll(self, channel: str) -> Tick:
        """Notify, then sweep."""
        return Tick(self.notify(channel), self.sweep(channel))

    # Ruling ------------------------------------------------------------------------

    def rule(
        self, arbiter: str, dispute: Disputed, upheld: str | Term, channel: str
    ) -> Locator:
        """Uphold one side as an arbiter; see `judging.rule`."""
        return judging.rule(self._seat, arbiter, dispute, upheld, channel)

    def who_ruled(self, locator: str) -> Ruling | None:
        """Return the ruling that a locator names, None where it names none."""
        return rulings.who_ruled(self._seat, locator)

    def standing_rulings(self, arbiter: str, dispute: Disputed) -> list[Ruling]:
        """Return an arbiter's believed rulings on a dispute, by content."""
        return rulings.standing_rulings(self._seat, arbiter, dispute)

    def tally(self, claim: str, channel: str) -> Tally:
        """Return how a channel's members vote on a claim; nothing is written."""
        return counts.count_ballots(self._seat, claim, channel)

    def resolve_by_majority(
        self,
        dispute: Disputed,
        claim: str,
        channel: str,
        *,
        agent: str | None = None,
    ) -> Outcome:
        """Count the ballots on a side, and rule by them; see `counts`."""
        return counts.resolve_by_majority(
            self._seat, dispute, claim, channel, agent=agent
        )

    # Living with it ------------------------------------------------------------------

    def contested_premises(self, sentence: str | Term, context: str) -> list[Sentex]:
        """Return what a sentence rests on that a context sees in dispute."""
        return contested.contested_premises(self._seat, sentence, context)

    def rests_on_contested(self, sentence: str | Term, context: str) -> bool:
        """Tell whether anything that a sentence rests on is in dispute."""
        return contested.rests_on_contested(self._seat, sentence, context)

    def quarantine(
        self, claim: str, channel: str, *, agent: str | None = None
    ) -> Locator:
        """Mask a claim in a channel, as a moderator; return the mask's locator."""
        return quarantine.quarantine(self._seat, claim, channel, agent=agent)

    def unquarantine(
        self, claim: str, channel: str, *, agent: str | None = None
    ) -> Locator:
        """Take the agent's mask on a claim back."""
        return quarantine.unquarantine(self._seat, claim, channel, agent=agent)

    def quarantined(self, channel: str) -> list[Locator]:
        """Return what is masked by masks that stand in a channel, sorted."""
        return quarantine.quarantined(self._seat, channel)


def _tell(sink: Sink | None, dispute: Dispute) -> None:
    if sink is not None:
        sink(dispute)
