"""Whose lines are held, and which names stand for another key than elsewhere.

What `reviewing` has stored, for those that only read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.seat.modes import mode_of
from koinii.trust.reasons import CONTESTED
from koinii.trust.standing import PROOF_TIER

if TYPE_CHECKING:
    from koinii.seat.parts import Parts

Who = tuple[str, str]  # agent, seat


class Contest(NamedTuple):
    """One name with two keys; lines of the other key are held."""

    agent: str
    seat: str
    pinned: str  # the fingerprint of the key that it stands for, '' if not known
    other: str
    decided: bool  # by the operator or a grant; else somebody has to
    hint: str  # what decides it, '' where that is done


def refused(seat: Parts) -> dict[Who, str]:
    """Return the agents whose lines are held, each with the reason, by seat."""
    weighed = seat.histories.weighed()
    return {who: refusal for who, (refusal, _) in weighed.items() if refusal}


def contests(seat: Parts) -> list[Contest]:
    """Return the names that stand for another key here than elsewhere."""
    contested = sorted(who for who, why in refused(seat).items() if why == CONTESTED)
    if not contested:
        return []
    counting, known = seat.weighing()
    keys = {key.key_hash: key for one in known.values() for _, key in one.keys}
    keys |= {grant.key.key_hash: grant.key for grant in counting.grants.values()}
    found = []
    for agent, place in contested:
        pinned = keys.get(counting.root(agent) or b"")
        stands_for = "" if pinned is None else pinned.fingerprint
        other = known[agent, place].key.fingerprint
        decided = _is_decided(seat, agent)
        hint = "" if decided else _way_to_decide(seat, agent, place, stands_for, other)
        found.append(Contest(agent, place, stands_for, other, decided, hint))
    return found


def _is_decided(seat: Parts, agent: str) -> bool:
    """Tell whether somebody has said whose a name is; that it is our own says not."""
    pin = seat.histories.pins().get(agent)
    is_granted = agent in seat.weighing().counting.grants
    if (
        mode_of(seat.database.connection) == PROOF_TIER
        or pin is None
        or not pin.decided
    ):
        return is_granted
    return pin.by_operator or seat.histories.agent(agent, seat.id) is None


def _way_to_decide(seat: Parts, agent: str, place: str, pinned: str, other: str) -> str:
    """Return what works at this seat to decide for a key."""
    if seat.histories.agent(agent, seat.id) is not None:
        return (
            f"koinii agent trust {agent} {pinned} keeps the name here; koinii unfollow "
            f"{place[:8]} leaves that seat; or go on here under another name"
        )
    keeps = f", koinii agent trust {agent} {pinned} keeps it" * bool(pinned)
    return f"koinii agent trust {agent} {other} makes it stand for that one{keeps}"
