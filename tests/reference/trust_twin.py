"""Who counts, worked out the long way from the texts of statements alone.

Shares no code with the project. A presence is what one agent has signed at one
seat: `(agent, seat, [(text, signers), ...])`, the introduction first; a key is the
SHA-256 of its raw bytes.
"""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

ROOT = "AdminRoot"
Signed = tuple[str, frozenset[bytes]]


class Presence(NamedTuple):
    agent: str
    seat: str
    signed: list[Signed]


class Decisions(NamedTuple):
    mode: str
    admin: bytes | None
    pins: dict[str, tuple[bytes, bool]]  # key, decided by the operator
    unfollowed: set[str]


class Grant(NamedTuple):
    agent: str
    key: bytes
    standing: list[str]
    previous: str
    time: int


def fields(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def hashed(raw: str) -> bytes:
    return sha256(bytes.fromhex(raw)).digest()


class Twin:
    """One look at everything that is known."""

    def __init__(self, decisions: Decisions, presences: list[Presence]) -> None:
        self.decisions = decisions
        self.heard = [one for one in presences if one.seat not in decisions.unfollowed]

    # Statements ----------------------------------------------------------------

    def said(self, agent: str, kind: str) -> list[tuple[list[str], frozenset[bytes]]]:
        return [
            (fields(text)[1:], signers)
            for one in self.heard
            if one.agent == agent
            for text, signers in one.signed
            if fields(text)[0] == f"koinii.{kind}/v1"
        ]

    def by_admin(self, kind: str) -> list[list[str]]:
        return [
            given
            for given, signers in self.said(ROOT, kind)
            if self.decisions.admin in signers
        ]

    def all_grants(self) -> dict[str, Grant]:
        """Return every grant of the admin by its hash."""
        found = {}
        for agent, key, standing, previous, time in self.by_admin("grant"):
            text = "\n".join(
                ["koinii.grant/v1", agent, key, standing, previous, time, ""]
            )
            one = Grant(agent, hashed(key), standing.split(", "), previous, int(time))
            found[sha256(text.encode()).hexdigest()] = one
        return found

    def grant(self, agent: str) -> Grant | None:
        grants = self.all_grants()

        def length(digest: str) -> int:
            before = grants[digest].previous
            if before in grants and grants[before].agent == agent:
                return 1 + length(before)
            return 1

        own = [digest for digest, one in grants.items() if one.agent == agent]
        ranked = sorted(own, key=lambda one: (length(one), grants[one].time, one))
        return grants[ranked[-1]] if ranked else None

    # Names ---------------------------------------------------------------------

    def root(self, agent: str) -> bytes | None:
        if agent == ROOT:
            return self.decisions.admin
        grant = self.grant(agent)
        key, decided = self.decisions.pins.get(agent, (None, False))
        if self.decisions.mode == "proof-tier":
            return grant.key if grant else None
        if decided:
            return key
        return grant.key if grant else key

    def turns(self, agent: str) -> list[tuple[bytes, bytes, str, int, bool]]:
        found = []
        for given, signers in self.said(agent, "rotate"):
            old, new = bytes.fromhex(given[1]), hashed(given[2])
            found.append((old, new, given[3], int(given[4]), new in signers))
        return found

    def all_revoked(
        self, agent: str
    ) -> list[tuple[bytes, str, int, frozenset[bytes] | None]]:
        """Return (key, seat, from, who signed); None for the admin."""
        own = [(given, by) for given, by in self.said(agent, "revoke")]
        every = [*own, *((given, None) for given in self.by_admin("revoke"))]
        return [
            (bytes.fromhex(given[1]), given[2], int(given[3]), by)
            for given, by in every
            if given[0] == agent
        ]

    def ahead(self, agent: str) -> set[tuple[bytes, bytes]]:
        """Return the rotations that no admin, and not the old key, has ended."""
        return {
            (old, new)
            for old, new, seat, number, _ in self.turns(agent)
            if not any(
                key == old
                and place in ("*", seat)
                and start <= number
                and (by is None or old in by)
                for key, place, start, by in self.all_revoked(agent)
            )
        }

    def after(self, agent: str, key: bytes) -> set[bytes]:
        """Return a key with all that rotations lead to from it."""
        edges, found = self.ahead(agent), {key}
        for _ in edges:
            found |= {new for old, new in edges if old in found}
        return found

    def revokers(self, agent: str, key: bytes) -> set[bytes]:
        """Return the next keys of a key that revoke it, or lead to one that does."""
        by = [
            signers - {key}
            for about, _, _, signers in self.all_revoked(agent)
            if about == key and signers is not None
        ]
        return {
            new
            for old, new in self.ahead(agent)
            if old == key and any(self.after(agent, new) & one for one in by)
        }

    def lineage(self, agent: str) -> set[bytes]:
        """Return what the root leads to: walk every edge as often as there are."""
        root = self.root(agent)
        found = set() if root is None else {root}
        turns = self.turns(agent)
        for _ in turns:
            for old, new in self.ahead(agent):
                if old in found and not self.revokers(agent, old) - {new}:
                    found.add(new)
            for old, new, _, _, both in turns:
                if both and new in found:
                    found.add(old)
        return found

    # Authors -------------------------------------------------------------------

    def key(self, presence: Presence, number: int) -> bytes:
        key = b""
        for text, _ in presence.signed:
            kind, *given = fields(text)
            if kind == "koinii.introduce/v1":
                key = hashed(given[1])
            if kind == "koinii.rotate/v1" and int(given[4]) <= number:
                key = hashed(given[2])
        return key

    def weigh(self, presence: Presence, number: int) -> str:
        agent, seat = presence.agent, presence.seat
        key = self.key(presence, number)
        if seat in self.decisions.unfollowed:
            return "koinii/unfollowed"
        if agent == ROOT:
            return "" if key == self.decisions.admin else "koinii/not-admin"
        if self.decisions.mode == "proof-tier" and self.grant(agent) is None:
            return "koinii/not-granted"
        lineage = self.lineage(agent)
        if key not in lineage:
            before = [self.key(presence, at) for at in range(number + 1)]
            known = [one for one in before if one in lineage]
            alone = known and len(self.revokers(agent, known[-1])) < 2
            return "koinii/key-revoked" if alone else "koinii/name-contested"
        if self.revoked(agent, seat, key, number):
            return "koinii/key-revoked"
        return "koinii/retired" if self.retired(presence, number) else ""

    def revoked(self, agent: str, seat: str, key: bytes, number: int | None) -> bool:
        """Tell whether a key is revoked there, at a commit or (None) at any."""
        return any(
            about == key
            and place in ("*", seat)
            and (number is None or start <= number)
            and (by is None or by & self.after(agent, key))
            for about, place, start, by in self.all_revoked(agent)
        )

    def retired(self, presence: Presence, number: int) -> bool:
        agent = presence.agent
        newest = self.key(presence, 2**64)
        able = self.lineage(agent) & self.after(agent, newest)
        for one in self.heard:
            for text, signers in one.signed if one.agent == agent else ():
                kind, *given = fields(text)
                if kind != "koinii.retire/v1" or given[2] != presence.seat:
                    continue
                good = {
                    key
                    for key in signers & able
                    if not self.revoked(agent, one.seat, key, None)
                }
                if int(given[3]) <= number and good:
                    return True
        return False

    # Standing ------------------------------------------------------------------

    def standing(self, agent: str) -> tuple[bool, set[str], bool]:
        """Return whether it moderates everywhere, where else, whether it is arbiter."""
        if agent == ROOT:
            return False, set(), True
        if self.decisions.mode == "cooperative":
            return True, set(), True
        grant = self.grant(agent)
        words = grant.standing if grant else []
        places = {one.split()[1] for one in words if one.startswith("moderator ")}
        return "*" in places, places - {"*"}, "arbiter *" in words
