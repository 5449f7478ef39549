"""Statements that decide whose word counts: keys replaced and withdrawn, standing.

    koinii.grant/v1          koinii.rotate/v1     koinii.revoke/v1   koinii.retire/v1
    agent                    agent                agent              agent
    public key               old key hash         key hash           key hash
    standing                 new public key       seat id or *       seat id
    hash of the one before   seat id              from number        from number
    time in ms               from number          reason

    koinii.remote/v1
    admin's public key
    format version
    time in ms

A grant and a remote's statement are signed by the admin, under the name
`AdminRoot`; the others by the agent, a revocation by either.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from koinii.note import fields as field
from koinii.note.keys import PublicKey

GRANT = "koinii.grant/v1"
ROTATE = "koinii.rotate/v1"
REVOKE = "koinii.revoke/v1"
RETIRE = "koinii.retire/v1"
REMOTE = "koinii.remote/v1"
ADMIN = "AdminRoot"

MEMBER = "member"
_STANDING = re.compile(r"member|(?:moderator|arbiter) \*|moderator Cx[^\s,]{1,126}")
_BETWEEN = ", "


@dataclass(frozen=True, slots=True)
class Grant:
    """What an agent may do beyond its own context, all of it, by the admin's word."""

    agent: str
    key: PublicKey
    standing: tuple[str, ...]
    previous: bytes | None  # hash of the grant that this one replaces
    time: int

    def text(self) -> str:
        """Return the text that is signed."""
        return field.lines(
            GRANT,
            self.agent,
            self.key.raw.hex(),
            _BETWEEN.join(self.standing),
            field.maybe_hex(self.previous),
            self.time,
        )

    @classmethod
    def read(cls, given: list[str]) -> Self:
        """Read the fields."""
        agent, key, standing, previous, time = field.expect(given, 5, "a grant")
        return cls(
            field.name(agent),
            field.key(key),
            _standing(standing),
            field.maybe_unhex(previous),
            field.count(time),
        )


@dataclass(frozen=True, slots=True)
class Rotation:
    """An agent's new key at a seat; sets from that commit on are signed with it."""

    agent: str
    old_key_hash: bytes
    key: PublicKey
    seat: str
    number: int

    def text(self) -> str:
        """Return the text that is signed."""
        return field.lines(
            ROTATE,
            self.agent,
            self.old_key_hash.hex(),
            self.key.raw.hex(),
            self.seat,
            self.number,
        )

    @classmethod
    def read(cls, given: list[str]) -> Self:
        """Read the fields."""
        agent, old, key, seat, number = field.expect(given, 5, "a rotation")
        return cls(
            field.name(agent),
            field.unhex(old),
            field.key(key),
            field.seat(seat),
            field.count(number, least=1),
        )


@dataclass(frozen=True, slots=True)
class Revocation:
    """A key whose sets count no more, from a commit on, at a seat or at all (`*`)."""

    agent: str
    key_hash: bytes
    seat: str
    number: int
    reason: str

    def text(self) -> str:
        """Return the text that is signed."""
        return field.lines(
            REVOKE, self.agent, self.key_hash.hex(), self.seat, self.number, self.reason
        )

    @classmethod
    def read(cls, given: list[str]) -> Self:
        """Read the fields."""
        agent, key, seat, number, reason = field.expect(given, 5, "a revocation")
        return cls(
            field.name(agent),
            field.unhex(key),
            field.seat_or_all(seat),
            field.count(number),
            field.reason(reason),
        )


@dataclass(frozen=True, slots=True)
class Retirement:
    """An agent's word that what it said at a seat, from a commit on, is withdrawn."""

    agent: str
    key_hash: bytes
    seat: str
    number: int

    def text(self) -> str:
        """Return the text that is signed."""
        return field.lines(
            RETIRE, self.agent, self.key_hash.hex(), self.seat, self.number
        )

    @classmethod
    def read(cls, given: list[str]) -> Self:
        """Read the fields."""
        agent, key, seat, number = field.expect(given, 4, "a retirement")
        return cls(
            field.name(agent), field.unhex(key), field.seat(seat), field.count(number)
        )


@dataclass(frozen=True, slots=True)
class RemoteStatement:
    """Whose a remote is: the key that grants standing to those who meet there."""

    key: PublicKey
    version: int
    time: int

    agent = ADMIN

    def text(self) -> str:
        """Return the text that is signed."""
        return field.lines(REMOTE, self.key.raw.hex(), self.version, self.time)

    @classmethod
    def read(cls, given: list[str]) -> Self:
        """Read the fields."""
        key, version, time = field.expect(given, 3, "a remote's statement")
        return cls(field.key(key), field.count(version, least=1), field.count(time))


def _standing(text: str) -> tuple[str, ...]:
    """Read a standing: sorted, nothing twice."""
    found = tuple(text.split(_BETWEEN))
    if list(found) != sorted(set(found)) or not all(map(_STANDING.fullmatch, found)):
        raise field.refused("a standing is none of member, moderator, arbiter")
    return found
