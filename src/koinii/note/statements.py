"""What agents sign about themselves and their claims, as text.

A statement is a signed note (`koinii.note`) whose text has its kind on the first
line and one field on each further line. An agent's name is the name of its key
in the note. The hash of a statement is the SHA-256 of its text, without the
signatures.

    koinii.introduce/v1     koinii.authored/v1
    agent                   agent
    public key, 64 hex      SHA-256 of the public key, 64 hex
    seat id                 seat id
    mail names, or -        commit number
    time in ms              size
                            root, 64 hex
                            hash of the previous one, 64 hex, or -

The kinds by which it is decided whose word counts are in `decisions`. A statement
of a kind not known here is kept as `OtherStatement` and not interpreted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Self, TypeAlias

from koinii.note import decisions
from koinii.note import fields as field
from koinii.note.decisions import (
    Grant,
    RemoteStatement,
    Retirement,
    Revocation,
    Rotation,
)
from koinii.note.signed import (
    Signer,
    Verifier,
    open_note,
    parse_note,
    sign_note,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from koinii.note.keys import PublicKey

INTRODUCE = "koinii.introduce/v1"
AUTHORED = "koinii.authored/v1"

_KIND = re.compile(r"koinii\.[a-z]+/v[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class Introduction:
    """An agent's key, as the agent presents it at a seat; signed by that key."""

    agent: str
    key: PublicKey
    seat: str
    mail_names: tuple[str, ...]
    time: int

    def text(self) -> str:
        """Return the text that is signed."""
        names = " ".join(self.mail_names) or field.NOTHING
        return field.lines(
            INTRODUCE, self.agent, self.key.raw.hex(), self.seat, names, self.time
        )

    @classmethod
    def read(cls, given: list[str]) -> Self:
        """Read the fields."""
        agent, key, seat, names, time = field.expect(given, 5, "an introduction")
        return cls(
            field.name(agent),
            field.key(key),
            field.seat(seat),
            field.names(names),
            field.count(time),
        )

    @property
    def verifier(self) -> Verifier:
        """Return the name and key that sign this agent's statements."""
        return Verifier(self.agent, self.key)


@dataclass(frozen=True, slots=True)
class Authored:
    """The root over all lines of an agent at a seat, since a commit of that seat."""

    agent: str
    key_hash: bytes
    seat: str
    number: int
    size: int
    root: bytes
    previous: bytes | None

    def text(self) -> str:
        """Return the text that is signed."""
        return field.lines(
            AUTHORED,
            self.agent,
            self.key_hash.hex(),
            self.seat,
            self.number,
            self.size,
            self.root.hex(),
            field.maybe_hex(self.previous),
        )

    @classmethod
    def read(cls, given: list[str]) -> Self:
        """Read the fields."""
        agent, key, seat, number, size, root, previous = field.expect(
            given, 7, "an authored statement"
        )
        return cls(
            field.name(agent),
            field.unhex(key),
            field.seat(seat),
            field.count(number, least=1),
            field.count(size),
            field.unhex(root),
            field.maybe_unhex(previous),
        )


@dataclass(frozen=True, slots=True)
class OtherStatement:
    """A statement of a kind that this version keeps and does not interpret."""

    kind: str
    whole: str

    def text(self) -> str:
        """Return the text that is signed."""
        return self.whole


Known: TypeAlias = (
    Introduction
    | Authored
    | Grant
    | Rotation
    | Revocation
    | Retirement
    | RemoteStatement
)
Statement: TypeAlias = Known | OtherStatement

_READERS: Mapping[str, Callable[[list[str]], Known]] = {
    INTRODUCE: Introduction.read,
    AUTHORED: Authored.read,
    decisions.GRANT: Grant.read,
    decisions.ROTATE: Rotation.read,
    decisions.REVOKE: Revocation.read,
    decisions.RETIRE: Retirement.read,
    decisions.REMOTE: RemoteStatement.read,
}


def parse_statement(text: str) -> Statement:
    """Return the statement that `text` spells; it says nothing until signed."""
    kind, *given = text.removesuffix("\n").split("\n")
    reader = _READERS.get(kind)
    if reader is not None:
        statement: Statement = reader(given)
    elif _KIND.fullmatch(kind) and all(given):
        statement = OtherStatement(kind, text)
    else:
        raise field.refused("its first line names no kind")
    if statement.text() != text:
        raise field.refused("not in its one spelling")
    return statement


def statement_hash(statement: Statement) -> bytes:
    """Return the SHA-256 of the statement's text."""
    return sha256(statement.text().encode()).digest()


def sign_statement(statement: Known, *signers: Signer) -> bytes:
    """Return the signed note; who signs has to be one that readers take it from."""
    if parse_statement(statement.text()) != statement:
        raise field.refused("not in its one spelling")
    if not all(_may_sign(statement, signer.verifier) for signer in signers):
        raise field.refused("not to be signed by this name and key")
    return sign_note(statement.text(), signers)


def _may_sign(statement: Known, signer: Verifier) -> bool:
    """Tell whether a statement may be signed by this name and key, as far as it says.

    A revocation and a retirement do not name the key that signs them.
    """
    key_hash = signer.key.key_hash
    match statement:
        case Introduction() | RemoteStatement():
            keys = {statement.key.key_hash}
        case Authored():
            keys = {statement.key_hash}
        case Rotation():
            keys = {statement.old_key_hash, statement.key.key_hash}
        case _:
            keys = {key_hash}
    names = {statement.agent}
    if isinstance(statement, Grant):
        names = {decisions.ADMIN}
    elif isinstance(statement, Revocation):
        names.add(decisions.ADMIN)
    return signer.name in names and key_hash in keys


def open_introduction(data: bytes) -> Introduction:
    """Return the introduction that its own key signed.

    That shows that the key's holder wants the name, not that the name is theirs.
    """
    claimed = parse_statement(parse_note(data).claimed_text)
    if not isinstance(claimed, Introduction):
        raise field.refused("not an introduction")
    open_note(data, [claimed.verifier])
    return claimed


def open_authored(data: bytes, key: PublicKey) -> Authored:
    """Return the authored statement that `key` signed under its agent's name."""
    claimed = parse_statement(parse_note(data).claimed_text)
    if not isinstance(claimed, Authored):
        raise field.refused("not an authored statement")
    if claimed.key_hash != key.key_hash:
        raise field.refused("it names another key")
    open_note(data, [Verifier(claimed.agent, key)])
    return claimed


def open_remote(data: bytes) -> RemoteStatement:
    """Return the statement of a remote that the key it names signed."""
    claimed = parse_statement(parse_note(data).claimed_text)
    if not isinstance(claimed, RemoteStatement):
        raise field.refused("not a remote's statement")
    open_note(data, [Verifier(decisions.ADMIN, claimed.key)])
    return claimed


def open_statement(
    data: bytes, name: str, keys: Iterable[PublicKey]
) -> tuple[Statement, Sequence[PublicKey]]:
    """Return a statement that one of these keys signed under a name, and which did.

    A line of any of them that is not good refuses it.

    Raises:
        VerificationError: none of them signed it (`koinii/unknown-key`).
    """
    note = open_note(data, [Verifier(name, key) for key in keys])
    return parse_statement(note.text), [one.key for one in note.signers]


__all__ = [
    "AUTHORED",
    "INTRODUCE",
    "Authored",
    "Grant",
    "Introduction",
    "Known",
    "OtherStatement",
    "RemoteStatement",
    "Retirement",
    "Revocation",
    "Rotation",
    "Statement",
    "open_authored",
    "open_introduction",
    "open_remote",
    "open_statement",
    "parse_statement",
    "sign_statement",
    "statement_hash",
]
