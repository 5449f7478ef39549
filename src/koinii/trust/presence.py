"""One agent at one seat: its keys there, and what it has signed, in order.

The file of its statements begins with the introduction and only grows. Whatever
in it does not verify refuses all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import VerificationError
from koinii.note.decisions import ADMIN
from koinii.note.signed import Verifier, open_note, parse_note
from koinii.note.statements import (
    Grant,
    Introduction,
    OtherStatement,
    Retirement,
    Revocation,
    Rotation,
    Statement,
    parse_statement,
)
from koinii.trust.statements import split_statements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from koinii.note.keys import PublicKey


class Signed(NamedTuple):
    """A statement, and the hashes of the keys that signed it."""

    statement: Statement
    signers: tuple[bytes, ...]


class Presence(NamedTuple):
    """An agent at a seat; `keys` with the commit from which each one signs."""

    agent: str
    seat: str
    keys: tuple[tuple[int, PublicKey], ...]
    statements: tuple[Signed, ...]

    @property
    def introduction(self) -> Introduction:
        """What stands first in the file."""
        first = self.statements[0].statement
        assert isinstance(first, Introduction)  # noqa: S101 - it was read as one
        return first

    @property
    def key(self) -> PublicKey:
        """The newest key."""
        return self.keys[-1][1]

    def key_at(self, number: int) -> PublicKey:
        """Return the key that signs the set of a commit."""
        return [key for start, key in self.keys if start <= number][-1]


def open_presence(data: bytes, agent: str, seat: str) -> Presence:
    """Return what a file shows of an agent at a seat, every signature checked.

    Raises:
        VerificationError: of whatever there is not signed as it has to be.
    """
    return _Reader(agent, seat, is_known=False).read(data)


def known_presence(text: str, agent: str, seat: str) -> Presence:
    """Return the same of a file that was checked before; signatures are not, again."""
    return _Reader(agent, seat, is_known=True).read(text.encode())


def check_grown(before: str, now: bytes) -> None:
    """Refuse a file that lacks a statement it once had, or has it elsewhere."""
    old, new = _texts(before.encode()), _texts(now)
    if new[: len(old)] != old:
        raise _refused("statements that stood there before are gone or changed")


def _texts(data: bytes) -> list[str]:
    return [parse_note(note).claimed_text for note in split_statements(data)]


class _Reader:
    """Reads one file, statement by statement."""

    def __init__(self, agent: str, seat: str, *, is_known: bool) -> None:
        self._agent = agent
        self._seat = seat
        self._is_known = is_known
        self._keys: list[tuple[int, PublicKey]] = []

    def read(self, data: bytes) -> Presence:
        notes = split_statements(data)
        if not notes:
            raise _refused("it is empty")
        statements = [self._introduction(notes[0]), *map(self._later, notes[1:])]
        return Presence(self._agent, self._seat, tuple(self._keys), tuple(statements))

    def _introduction(self, note: bytes) -> Signed:
        one = _parse(note)
        if not isinstance(one, Introduction):
            raise _refused("it does not begin with an introduction")
        if (one.agent, one.seat) != (self._agent, self._seat):
            raise _refused(f"it does not introduce {self._agent} at this seat")
        self._keys.append((0, one.key))
        return Signed(one, self._signers(note, [one.key]))

    def _later(self, note: bytes) -> Signed:
        one = _parse(note)
        mine = [key for _, key in self._keys]
        match one:
            case Rotation():
                signed = self._rotation(note, one)
                self._keys.append((one.number, one.key))
                return signed
            case Revocation() if self._agent in (one.agent, ADMIN):
                return Signed(one, self._signers(note, mine))
            case Retirement() if one.agent == self._agent:
                return Signed(one, self._signers(note, mine))
            case Grant() if self._agent == ADMIN:
                return Signed(one, self._signers(note, mine))
            case OtherStatement():
                return Signed(one, self._signers(note, mine))
        raise _refused(f"a statement does not belong in the file of {self._agent}")

    def _rotation(self, note: bytes, one: Rotation) -> Signed:
        start, key = self._keys[-1]
        if self._agent == ADMIN:
            raise _refused("the admin's key is the admin; it is not rotated")
        if (one.agent, one.seat) != (self._agent, self._seat):
            raise _refused("a rotation is of another agent or seat")
        if one.old_key_hash != key.key_hash or one.number < start:
            raise _refused("a rotation does not follow on the key before it")
        if one.key in [other for _, other in self._keys]:
            raise _refused("a rotation goes back to an earlier key")
        signers = self._signers(note, [key, one.key])
        if key.key_hash not in signers:
            raise _refused("a rotation is not signed by the old key")
        return Signed(one, signers)

    def _signers(self, note: bytes, keys: Sequence[PublicKey]) -> tuple[bytes, ...]:
        """Return which of these keys signed; at least one has to."""
        verifiers = {one.key_id: one for one in self._verifiers(keys)}
        if self._is_known and len(verifiers) == len(keys):
            lines = {(one.name, one.key_id) for one in parse_note(note).lines}
            signers = [
                one for hint, one in verifiers.items() if (self._agent, hint) in lines
            ]
        else:  # a hint of four bytes can be made to fit two keys
            signers = list(open_note(note, self._verifiers(keys)).signers)
        return tuple(one.key.key_hash for one in signers)

    def _verifiers(self, keys: Sequence[PublicKey]) -> list[Verifier]:
        return [Verifier(self._agent, key) for key in keys]


def _parse(note: bytes) -> Statement:
    return parse_statement(parse_note(note).claimed_text)


def _refused(reason: str) -> VerificationError:
    return VerificationError(
        f"not the statements of an agent: {reason}", code="koinii/bad-statements"
    )
