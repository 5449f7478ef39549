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

    def lineage(self, agent: str) -> set[bytes]:
        """Return what the root leads to: walk every edge as often as there are."""
        edges = set()
        for given, signers in self.said(agent, "rotate"):
            old, new = bytes.fromhex(given[1]), hashed(given[2])
            edges.add((old, new))
            if new in signers:
                edges.add((new, old))
        root = self.root(agent)
        found = set() if root is None else {root}
        for _ in edges:
            for start, end in edges:
                if start in found:
                    found.add(end)
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
        if key not in self.lineage(agent):
            return "koinii/name-contested"
        if self.revoked(agent, seat, key, number):
            return "koinii/key-revoked"
        return "koinii/retired" if self.retired(agent, seat, number) else ""

    def revoked(self, agent: str, seat: str, key: bytes, number: int) -> bool:
        lineage = self.lineage(agent)
        heard = [
            given for given, signers in self.said(agent, "revoke") if signers & lineage
        ]
        for about, digest, place, start, _ in heard + self.by_admin("revoke"):
            named = (about, digest) == (agent, key.hex())
            if named and place in ("*", seat) and int(start) <= number:
                return True
        return False

    def retired(self, agent: str, seat: str, number: int) -> bool:
        lineage = self.lineage(agent)
        return any(
            given[2] == seat and int(given[3]) <= number and signers & lineage
            for given, signers in self.said(agent, "retire")
        )

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
