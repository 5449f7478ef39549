"""Quarantine: a moderator's mask on a claim, so that a channel does without it.

The author goes on believing it; the channel, and whoever sees the channel, sees
neither the claim nor what follows from it there. Taken back, all returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.coordination.local import Local
from koinii.coordination.meeting import declared
from koinii.coordination.words import handle, named_in
from koinii.errors import NotFoundError, UsageError
from koinii.kb import query
from koinii.kb.checking import NO_TARGET
from koinii.seat.arguments import text
from koinii.seat.speaking import digest_of
from koinii.terms.locator import (
    Locator,
    locate,
    locator_of,
    parse_locator,
    parse_prefix,
    raw_digest,
)
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

    The claim need not be here any more. A notice tells whose masks still hide it.

    Raises:
        NotFoundError: `koinii/no-such-handle`: no such claim, or it is not masked.
        RefusedError: `koinii/not-own-assertion`: another agent masked it.
    """
    speaker = seat.speaker(agent)
    with seat.kb.write():
        place, target = declared(seat, channel), _masked(seat, claim, channel)
        found = seat.kb.find(raw_digest(locate(place, (_EXCEPT, handle(target)))))
        if found is None:
            raise NotFoundError(
                f"{target} is not masked in {channel}",
                code=NO_TARGET,
                hint=f"koinii quarantine --in {channel} lists what is",
                locator=target,
            )
        speaker.retract(found.locator)
        others = {
            seat.kb.names.author(row[1])[0] for row in seat.kb.asserted_by(found.id)
        }
    if others:
        seat.notices.append(
            f"{channel} goes on without it: {', '.join(sorted(others))} masked it too"
        )
    return locator_of(found.digest)


def quarantined(seat: Seat, channel: str) -> list[Locator]:
    """Return what is masked by masks that stand in a channel, sorted; here or not."""
    place = text(channel, "channel")
    masks = seat.kb.matching((_EXCEPT, _WHICH), place, "exact")
    named = [named_in(query.split(one.sentence)[1][-1]) for one in masks]
    return sorted({Locator(one) for one in named if one and _is_locator(one)})


def _is_locator(named: str) -> bool:
    """Tell a locator from what another seat's mask has in place of one."""
    try:
        parse_locator(named)
    except UsageError:
        return False
    return True


def _mask(seat: Seat, claim: str) -> Term:
    return _EXCEPT, handle(Local(seat).sentex(claim).locator)


def _masked(seat: Seat, claim: str, channel: str) -> Locator:
    """Return what a locator or its beginning names among what is masked, or is here."""
    digest = digest_of(claim)
    if digest is not None:
        return locator_of(digest)
    prefix = f"sha256:{parse_prefix(claim)}"
    found = [one for one in quarantined(seat, channel) if one.startswith(prefix)]
    return found[0] if len(found) == 1 else locator_of(Local(seat).sentex(claim).digest)
