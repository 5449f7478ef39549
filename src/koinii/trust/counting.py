"""Whose word counts, and with which standing (design section 8, decision 7).

Pure: from what agents have signed and what the operator has decided. What is
wrong with an author is a code; '' is nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.note.decisions import ADMIN
from koinii.note.fields import EVERYWHERE
from koinii.note.statements import (
    Grant,
    Retirement,
    Revocation,
    Rotation,
    statement_hash,
)
from koinii.trust.reasons import (
    CONTESTED,
    NOT_ADMIN,
    NOT_GRANTED,
    RETIRED,
    REVOKED,
    UNFOLLOWED,
)
from koinii.trust.rotated import Revoked, Rotated, Turn
from koinii.trust.standing import (
    COOPERATIVE,
    EVERYBODY,
    MEMBER,
    PROOF_TIER,
    Standing,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from koinii.trust.presence import Presence, Signed

OWNING = frozenset({"", REVOKED, RETIRED})  # its contexts are its own all the same


class Pin(NamedTuple):
    """The key that a name stands for here, without regard to grants."""

    key_hash: bytes
    decided: bool  # by the operator, or an own key; else the first one met


class Decisions(NamedTuple):
    """What the operator has decided, and whom the seat has met first."""

    mode: str
    admin: bytes | None  # hash of the pinned admin's key
    pins: Mapping[str, Pin]
    unfollowed: frozenset[str]


class Counting:
    """Weighs authors by everything that is known of all of them."""

    def __init__(self, decisions: Decisions, known: Iterable[Presence]) -> None:
        self._decisions = decisions
        self._present: dict[str, list[Presence]] = {}
        for one in known:
            if one.seat not in decisions.unfollowed:
                self._present.setdefault(one.agent, []).append(one)
        self.grants = self._newest_grants()
        self._lineages: dict[str, frozenset[bytes]] = {}
        self._rotations: dict[str, Rotated] = {}

    # Names and keys ------------------------------------------------------------

    def root(self, agent: str) -> bytes | None:
        """Return the hash of the key that a name stands for; None for none."""
        if agent == ADMIN:
            return self._decisions.admin
        grant, pin = self.grants.get(agent), self._decisions.pins.get(agent)
        if self._decisions.mode == PROOF_TIER:
            return None if grant is None else grant.key.key_hash
        if grant is not None and not (pin is not None and pin.decided):
            return grant.key.key_hash
        return None if pin is None else pin.key_hash

    def lineage(self, agent: str) -> frozenset[bytes]:
        """Return the keys that speak for a name: its own, and those it rotated to."""
        if agent not in self._lineages:
            rotated, root = self._rotated(agent), self.root(agent)
            self._lineages[agent] = rotated.reached(root) if root else frozenset()
        return self._lineages[agent]

    def _rotated(self, agent: str) -> Rotated:
        """Return how the keys of a name follow on each other, as far as they may."""
        if agent not in self._rotations:
            turns = [
                Turn(one.old_key_hash, one.key.key_hash, one.seat, one.number,
                     one.key.key_hash in signers)
                for one, signers in self._said_by(agent)
                if isinstance(one, Rotation)
            ]  # fmt: skip
            self._rotations[agent] = Rotated(turns, list(self._revocations(agent)))
        return self._rotations[agent]

    def _said_by(self, agent: str) -> Iterator[Signed]:
        for presence in self._present.get(agent, ()):
            yield from presence.statements

    def _by_admin(self) -> Iterator[Signed]:
        admin = self._decisions.admin
        return (one for one in self._said_by(ADMIN) if admin in one.signers)

    # Weighing ------------------------------------------------------------------

    def weigh(self, presence: Presence, number: int) -> str:
        """Return why an agent's set of that commit at a seat does not count."""
        agent, key = presence.agent, presence.key_at(number).key_hash
        if presence.seat in self._decisions.unfollowed:
            return UNFOLLOWED
        if agent == ADMIN:
            return "" if key == self._decisions.admin else NOT_ADMIN
        if self._decisions.mode == PROOF_TIER and agent not in self.grants:
            return NOT_GRANTED
        if key not in self.lineage(agent):
            return self._outside(presence, number)
        if self._rotated(agent).is_revoked(key, presence.seat, number):
            return REVOKED
        return RETIRED if self._is_retired(presence, number) else ""

    def _outside(self, presence: Presence, number: int) -> str:
        """Return why a key is not one of the name's: revoked on the way to it, or not.

        Where two keys that follow on one both revoke it, the name is contested.
        """
        lineage = self.lineage(presence.agent)
        earlier = [key.key_hash for start, key in presence.keys if start <= number]
        last = [key for key in earlier if key in lineage]
        if last and len(self._rotated(presence.agent).claimants(last[-1])) < 2:  # noqa: PLR2004 - two
            return REVOKED
        return CONTESTED

    def _revocations(self, agent: str) -> Iterator[Revoked]:
        """Yield what revokes keys of a name, with who signed it; None is the admin."""
        for signed in self._said_by(agent):
            one = signed.statement
            if isinstance(one, Revocation) and one.agent == agent:
                yield Revoked(one.key_hash, one.seat, one.number, signed.signers)
        for signed in self._by_admin():
            one = signed.statement
            if isinstance(one, Revocation) and one.agent == agent:
                yield Revoked(one.key_hash, one.seat, one.number, None)

    def _is_retired(self, presence: Presence, number: int) -> bool:
        """Tell whether the agent has withdrawn it, by the key there or a later one."""
        agent, rotated = presence.agent, self._rotated(presence.agent)
        able = self.lineage(agent) & rotated.following(presence.key.key_hash)
        return any(
            isinstance(one, Retirement)
            and one.seat == presence.seat
            and number >= one.number
            and any(key in able and not rotated.is_revoked_at(key, other.seat)
                    for key in signers)
            for other in self._present.get(agent, ())
            for one, signers in other.statements
        )  # fmt: skip

    # Standing ------------------------------------------------------------------

    def standing(self, agent: str) -> Standing:
        """Return what an agent whose word counts may do."""
        if agent == ADMIN:
            return Standing(arbiter=True)
        if self._decisions.mode == COOPERATIVE:
            return EVERYBODY
        grant = self.grants.get(agent)
        return MEMBER if grant is None else standing_of(grant)

    def roots(self) -> dict[str, bytes]:
        """Return the key that each name stands for, where it stands for one."""
        names = {ADMIN, *self.grants, *self._decisions.pins}
        found = {name: self.root(name) for name in names}
        return {name: root for name, root in found.items() if root is not None}

    def _newest_grants(self) -> dict[str, Grant]:
        """Return the grant in force of each agent: the end of its longest chain."""
        by_hash: dict[bytes, Grant] = {}
        for signed in self._by_admin():
            if isinstance(signed.statement, Grant):
                by_hash[statement_hash(signed.statement)] = signed.statement
        newest: dict[str, tuple[tuple[int, int, bytes], Grant]] = {}
        lengths: dict[bytes, int] = {}
        for digest, grant in by_hash.items():
            rank = _length(digest, by_hash, lengths), grant.time, digest
            if grant.agent not in newest or rank > newest[grant.agent][0]:
                newest[grant.agent] = rank, grant
        return {agent: grant for agent, (_, grant) in newest.items()}


def standing_of(grant: Grant) -> Standing:
    """Return the standing that a grant spells."""
    words = [one.split(" ") for one in grant.standing if one != "member"]
    channels = {what for role, what in words if role == "moderator"}
    return Standing(
        moderator=EVERYWHERE in channels,
        channels=frozenset(channels - {EVERYWHERE}),
        arbiter=["arbiter", EVERYWHERE] in words,
    )


def _length(
    digest: bytes, by_hash: Mapping[bytes, Grant], lengths: dict[bytes, int]
) -> int:
    """Return how many grants of one agent a chain has up to this one."""
    chain: list[bytes] = []
    at: bytes | None = digest
    while at is not None and at in by_hash and at not in lengths:
        chain.append(at)
        before = by_hash[at].previous
        earlier = None if before is None else by_hash.get(before)
        at = before if earlier and earlier.agent == by_hash[at].agent else None
    length = 0 if at is None else lengths.get(at, 0)
    for one in reversed(chain):
        length += 1
        lengths[one] = length
    return lengths[digest]
