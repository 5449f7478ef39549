"""What people read of heads: who has cosigned them, and who told two histories."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from koinii.seat.reporting import Peer
    from koinii.seat.witnessing import Cosigner, Forked

_SHORT = len("sha256:") + 8


def cosigned(rows: Iterable[Cosigner], time: Callable[[int], str]) -> list[str]:
    """Return a line for each seat that has cosigned a head."""
    return [f"commit {one.number} by {one.seat} at {time(one.time)}" for one in rows]


def fork(one: Forked) -> str:
    """Return the two heads of a seat and how far they are the same."""
    heads = " and ".join(f"{head.number} {head.root[:_SHORT]}" for head in one.heads)
    shared = "not known how far" if one.prefix is None else f"up to commit {one.prefix}"
    decided = ", and is followed all the same" if one.decided else ""
    return f"signed two histories, with the heads {heads}; the same {shared}{decided}"


def forks(rows: Iterable[Forked]) -> list[str]:
    """Return a line for each seat that told two histories."""
    return [f"{one.seat} {fork(one)}" for one in rows]


def undecided(rows: Iterable[Forked]) -> list[str]:
    """Return what to type about each seat that stays at the common prefix."""
    return [
        f"seat {one.seat} has signed two histories and stays where they are the same; "
        f"koinii follow {one.seat} goes on with what the remote shows, koinii unfollow "
        f"{one.seat} leaves it"
        for one in rows
        if not one.decided
    ]


def peer(one: Peer, time: Callable[[int], str]) -> list[str]:
    """Return another seat, then who has cosigned its heads, and its fork."""
    words = [f"{one.seat} commit {one.number}", *["not followed"] * (not one.follows)]
    if one.ahead:
        words.append(f"its clock is ahead by {one.ahead // 1000} s")
    told = [] if one.fork is None else [fork(one.fork)]
    trouble = one.trouble if one.fork is None else ""
    below = [*told, *(f"cosigned: {line}" for line in cosigned(one.cosigned, time))]
    return [" ".join([*words, trouble]).rstrip(), *(f"  {line}" for line in below)]
