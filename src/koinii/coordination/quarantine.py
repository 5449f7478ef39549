"""Quarantine: a moderator's mask on a claim, so that a channel does without it.

The author goes on believing it; the channel, and whoever sees the channel, sees
neither the claim nor what follows from it there. Taken back, all returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.coordination.local import Local
from koinii.coordination.meeting import declared
from koinii.coordination.words import handle, named_in
from koinii.kb import query
from koinii.terms.locator import Locator, locate
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from koinii.seat.seat import Seat
    from koinii.terms.term import Term

_EXCEPT = Symbol("except")
_WHICH = Symbol("?which")


def quarantine(
    seat: Seat, claim: str, channel: str, *, agent: str | None = None
) -> Locator:
    """Mask a claim in a channel; return the mask's locator.

    Raises:
        NotFoundError: `koinii/no-such-handle`.
        RefusedError: `koinii/no-channel`; `koinii/no-standing`: no moderator.
    """
    speaker = seat.speaker(agent)
    with seat.kb.write():
        place, mask = declared(seat, channel), _mask(seat, claim)
        return speaker.assert_one(mask, place, None)


def unquarantine(
    seat: Seat, claim: str, channel: str, *, agent: str | None = None
) -> Locator:
    """Take the agent's mask on a claim in a channel back; return the mask's locator.

    Raises:
        NotFoundError: `koinii/no-such-handle`: no such claim, or it is not masked.
        RefusedError: `koinii/not-own-assertion`: another agent masked it.
    """
    speaker = seat.speaker(agent)
    with seat.kb.write():
        place, mask = declared(seat, channel), _mask(seat, claim)
        return speaker.retract(Local(seat).sentex(locate(place, mask)).locator).locator


def quarantined(seat: Seat, channel: str) -> list[Locator]:
    """Return what is masked by masks that stand in a channel, sorted."""
    masks = seat.kb.matching((_EXCEPT, _WHICH), channel, "exact")
    named = [named_in(query.split(one.sentence)[1][-1]) for one in masks]
    return sorted({Locator(one) for one in named if one is not None})


def _mask(seat: Seat, claim: str) -> Term:
    return _EXCEPT, handle(Local(seat).sentex(claim).locator)
