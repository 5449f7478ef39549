"""The seats this one has seen, and whom its operator follows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import NotFoundError, RefusedError, UsageError
from koinii.seat.held import keys_without_effect
from koinii.seat.reviewing import review
from koinii.store.heads import GOES_ON

if TYPE_CHECKING:
    from koinii.seat.parts import Parts

_PREFIX = re.compile(r"[0-9a-f]{8,32}")
_WHOLE = 32  # hex digits of a seat id


class Followed(NamedTuple):
    """What following a seat, or following it no more, has moved."""

    seat: str
    follows: bool
    held: int  # lines that counted and are held now
    back: int  # lines that were held and count now
    rest: int  # lines of a seat that is followed, and held all the same


def follow(seat: Parts, peer: str) -> Followed:
    """Follow a seat, also beyond those that a pull follows by itself.

    What is held of it because it was not followed counts again. Of a seat that told
    two histories the next pull takes what the remote shows.
    """
    return _decide(seat, resolve_peer(seat, peer, is_new=True), follows=True)


def unfollow(seat: Parts, peer: str) -> Followed:
    """Follow a seat no more: in one settle all that its authors say is held.

    Its statements count for nothing either. `follow` undoes it.
    """
    found = resolve_peer(seat, peer, is_new=True)
    if found == seat.id:
        raise RefusedError(
            "this is that seat, and it follows itself",
            code="koinii/own-seat",
            hint="koinii peers lists the others",
        )
    return _decide(seat, found, follows=False)


def resolve_peer(seat: Parts, prefix: str, *, is_new: bool = False) -> str:
    """Return the id of a known seat by its first 8 hex digits and more.

    `is_new` also takes the whole id of one that was never seen.

    Raises:
        UsageError: no hex digits, or `koinii/ambiguous-seat`.
        NotFoundError: `koinii/unknown-seat`.
    """
    if not _PREFIX.fullmatch(prefix):
        raise UsageError(
            f"{prefix!r} is no seat's id",
            hint="the first 8 hex digits and more; koinii peers lists them",
        )
    known = {head.seat for head in seat.histories.heads()}
    known |= {seat.id, *(row.seat for row in seat.histories.agents())}
    known |= seat.histories.followed() | seat.histories.unfollowed()
    found = sorted(one for one in known if one.startswith(prefix))
    if len(found) > 1:
        raise UsageError(
            f"{prefix} begins {len(found)} seat ids: {', '.join(found)}",
            code="koinii/ambiguous-seat",
            hint="give more digits",
            candidates=found,
        )
    if not found and is_new and len(prefix) == _WHOLE:
        return prefix
    if not found:
        raise NotFoundError(
            f"no seat {prefix} is known here",
            code="koinii/unknown-seat",
            hint="koinii peers lists them; koinii pull meets new ones",
            seat=prefix,
        )
    return found[0]


def _decide(seat: Parts, peer: str, *, follows: bool) -> Followed:
    with seat.kb.write():
        before = keys_without_effect(seat)
        seat.histories.follow(peer, follows=follows)
        if follows:
            seat.heads.decide(peer, GOES_ON)
        review(seat)
        after = keys_without_effect(seat)
        rest = sum(seat.kb.names.author(row[0])[1] == peer for row in after)
    moved = len(after - before), len(before - after)
    return Followed(peer, follows, *moved, rest if follows else 0)
