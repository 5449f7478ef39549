"""Deciding which key a contested name stands for here (design section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import RefusedError
from koinii.note import PublicKey
from koinii.seat.contests import refused
from koinii.seat.deciding import find_key
from koinii.seat.held import keys_without_effect
from koinii.seat.modes import mode_of
from koinii.seat.reviewing import review
from koinii.trust.standing import PROOF_TIER

if TYPE_CHECKING:
    from koinii.seat.parts import Parts


class Trusted(NamedTuple):
    """Whom a name stands for now, and how many lines moved with that."""

    agent: str
    fingerprint: str
    seats: list[str]  # where what it says counts now
    held: int  # lines that counted and are held now
    back: int  # lines that were held and count now


def trust_key(seat: Parts, agent: str, fingerprint: str) -> Trusted:
    """Make a name stand for the key of that fingerprint, in one transaction.

    It may be any key by which the name has spoken; those that it rotated to count
    with it. What is stored is reviewed: the lines of the other keys move to held,
    those of this one back. Trusting the other key later moves them again.

    Raises:
        NotFoundError: `koinii/unknown-agent`, `koinii/unknown-fingerprint`.
        RefusedError: `koinii/own-agent`: the name speaks here with a key that is
            not of that one's lineage; `koinii/admin-decides`.
    """
    with seat.kb.write():
        key = find_key(seat, agent, fingerprint)
        _check_mode(seat, agent, fingerprint)
        before = keys_without_effect(seat)
        seat.histories.pin(agent, key.key_hash.hex(), decided=True, by_operator=True)
        seat.forget_weighing()
        _check_own(seat, agent)
        review(seat)
        after = keys_without_effect(seat)
    rows = [row for row in seat.histories.agents() if row.name == agent]
    without = refused(seat)
    seats = [row.seat for row in rows if (agent, row.seat) not in without]
    return Trusted(agent, fingerprint, seats, len(after - before), len(before - after))


def _check_mode(seat: Parts, agent: str, fingerprint: str) -> None:
    if mode_of(seat.database.connection) == PROOF_TIER:
        raise RefusedError(
            "in mode proof-tier a name stands for the key that the admin has granted",
            code="koinii/admin-decides",
            hint=f"koinii admin grant {agent} --key {fingerprint}, at the seat of the "
            "admin",
            agent=agent,
        )


def _check_own(seat: Parts, agent: str) -> None:
    """Refuse to take the name from an agent of this seat."""
    row = seat.histories.agent(agent, seat.id)
    if row is None:
        return
    own = PublicKey(row.public_key)
    if own.key_hash not in seat.weighing().counting.lineage(agent):
        raise RefusedError(
            f"{agent} speaks at this seat with the key {own.fingerprint}, so here the "
            "name cannot stand for another",
            code="koinii/own-agent",
            hint="decide it at a seat where that agent does not speak, or go on here "
            "under another name: koinii agent new AgentOther",
            agent=agent,
            own=own.fingerprint,
        )
