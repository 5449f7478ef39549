"""Deciding which key a contested name stands for here (design section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import NotFoundError, RefusedError
from koinii.note import PublicKey
from koinii.seat.reviewing import review

if TYPE_CHECKING:
    from koinii.seat.parts import Parts


class Trusted(NamedTuple):
    """Whom a name stands for now, and how many lines moved with that."""

    agent: str
    fingerprint: str
    seats: list[str]  # where that key speaks
    held: int  # lines that counted and are held now
    back: int  # lines that were held and count now


def trust_key(seat: Parts, agent: str, fingerprint: str) -> Trusted:
    """Make a name stand for the key of that fingerprint, in one transaction.

    What is stored is reviewed: the lines of the other keys move to held, those
    of this one back. Trusting the other key later moves them again.

    Raises:
        NotFoundError: `koinii/unknown-agent`, `koinii/unknown-fingerprint`.
        RefusedError: `koinii/own-agent`: the name speaks here with its own key.
    """
    with seat.kb.write():
        keys = _keys(seat, agent)
        key = _key(agent, fingerprint, keys)
        own = keys.get(seat.id)
        if own not in (None, key):
            raise _own(agent, own)
        before = _held(seat)
        seat.histories.pin(agent, key.key_hash.hex(), decided=True)
        review(seat)
        after = _held(seat)
    seats = [one for one, other in keys.items() if other == key]
    return Trusted(agent, fingerprint, seats, len(after - before), len(before - after))


def _keys(seat: Parts, agent: str) -> dict[str, PublicKey]:
    """Return the keys that introduced themselves by a name, by seat."""
    rows = [row for row in seat.histories.agents() if row.name == agent]
    if not rows:
        raise NotFoundError(
            f"nobody named {agent} is known here",
            code="koinii/unknown-agent",
            hint="koinii agent lists those that are",
            agent=agent,
        )
    return {row.seat: PublicKey(row.public_key) for row in rows}


def _key(agent: str, fingerprint: str, keys: dict[str, PublicKey]) -> PublicKey:
    known = {key.fingerprint: key for key in keys.values()}
    if fingerprint not in known:
        raise NotFoundError(
            f"no {agent} has introduced itself with the key {fingerprint}; "
            f"known is {', '.join(sorted(known))}",
            code="koinii/unknown-fingerprint",
            hint=f"koinii agent trust {agent} {min(known)}",
            agent=agent,
            known=sorted(known),
        )
    return known[fingerprint]


def _own(agent: str, own: PublicKey) -> RefusedError:
    return RefusedError(
        f"{agent} speaks at this seat with the key {own.fingerprint}, so here the "
        "name cannot stand for another",
        code="koinii/own-agent",
        hint="decide it at a seat where that agent does not speak, or go on here "
        "under another name: koinii agent new AgentOther",
        agent=agent,
        own=own.fingerprint,
    )


def _held(seat: Parts) -> set[tuple[int, int, bytes]]:
    return {row[:3] for row in seat.kb.assertions.held()}
