"""Settling a dispute by the ballots of a channel's members (spec B.5, design 8).

Whoever calls a count says its outcome in a line of its own, which has effect at each
seat exactly while that seat's tally agrees; `seat/counting.py` sees to that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.coordination.dispute_id import find_id
from koinii.coordination.sides import sides_of
from koinii.errors import RefusedError
from koinii.kb.contexts import MAJORITY, UNIVERSE
from koinii.seat.arguments import text
from koinii.seat.ballots import Tally, tally
from koinii.seat.counting import call_count, calls_of
from koinii.seat.disputing import is_disputed
from koinii.seat.modes import mode_of
from koinii.seat.undeclared import no_channel
from koinii.terms.locator import locator_of
from koinii.terms.term import Symbol
from koinii.trust.counts import AGAINST, Count, opposite
from koinii.trust.standing import COOPERATIVE

if TYPE_CHECKING:
    from koinii.coordination.dispute_id import Disputed, DisputeId
    from koinii.seat.seat import Seat
    from koinii.terms.locator import Locator


class Outcome(NamedTuple):
    """What a count came to; `withdrawn` are the caller's own earlier rulings."""

    for_: int
    against: int
    outcome: str  # "for", "against" or "tie"
    ruling: Locator | None
    withdrawn: list[Locator]
    voters_verified: bool  # false in mode cooperative, where keys introduce themselves


def count_ballots(seat: Seat, claim: str, channel: str) -> Tally:
    """Return the tally of a claim in a channel; nothing is written."""
    place = text(channel, "channel")
    with seat.kb.view():
        return tally(seat.kb, seat.resolve(claim), place)


def resolve_by_majority(
    seat: Seat, dispute: Disputed, claim: str, channel: str, *, agent: str | None = None
) -> Outcome:
    """Count, and say what the count has ruled; a tie says nothing.

    The agent's other rulings of counts on this dispute are withdrawn, in the same
    operation.

    Raises:
        NotFoundError: `koinii/unknown-locator`; `koinii/no-such-handle`: a side is not
            stored here, or the two do not clash.
        RefusedError: `koinii/not-a-side`: the claim is no side of the dispute;
            `koinii/no-channel`; `koinii/not-counted`: a claim that counts made, or a
            dispute that there is for what they have ruled alone.
    """
    speaker = seat.speaker(agent)
    text(channel, "channel")
    with seat.kb.write():
        named = find_id(seat, dispute)
        digest = _counted(seat, claim, named, channel)
        found = seat.kb.find(digest)
        assert found is not None  # noqa: S101 - it was resolved
        counted = tally(seat.kb, digest, channel)
        author = speaker.begin()
        before = {row[2] for row in calls_of(seat, author, named)}
        ruling = None
        if counted.outcome != "tie":
            upheld = found.sentence
            if counted.outcome == AGAINST:
                upheld = opposite(upheld)
            edge = Symbol("genlCx"), Symbol(channel), Symbol(MAJORITY)
            speaker.edit([edge], [], UNIVERSE)
            said = Count(counted.root, channel, digest, found.context, (named,))
            ruling = call_count(seat, author, upheld, said)
        gone = sorted(before - {ruling})
        for one in gone:
            seat.drop_held(author, one)
    return Outcome(
        counted.for_,
        counted.against,
        counted.outcome,
        None if ruling is None else locator_of(ruling),
        [locator_of(one) for one in gone],
        mode_of(seat.database.connection) != COOPERATIVE,
    )


def _counted(seat: Seat, claim: str, dispute: DisputeId, channel: str) -> bytes:
    """Return the digest of a claim that can be counted."""
    digest = seat.resolve(claim)
    sides = {one.digest: one for one in sides_of(seat, dispute)}
    if digest not in sides:
        raise RefusedError(
            f"{locator_of(digest)} is no side of that dispute",
            code="koinii/not-a-side",
            hint="koinii disputes shows the sides of each",
            locator=locator_of(digest),
        )
    if channel not in seat.channels():
        raise no_channel(seat, channel)
    if sides[digest].context == MAJORITY:
        raise _not_counted("what a count has ruled cannot be counted itself", digest)
    if not is_disputed(seat.kb, dispute):
        raise _not_counted(
            "that dispute is there for what counts have ruled alone", digest
        )
    return digest


def _not_counted(why: str, claim: bytes) -> RefusedError:
    return RefusedError(
        why,
        code="koinii/not-counted",
        hint="vote on the claim that was counted, and count again",
        locator=locator_of(claim),
    )
