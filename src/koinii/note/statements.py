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

A statement of a kind not known here is kept as `OtherStatement` and not
interpreted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeAlias

from koinii.errors import VerificationError
from koinii.note.keys import PublicKey
from koinii.note.signed import (
    Signer,
    Verifier,
    check_name,
    open_note,
    parse_note,
    sign_note,
)

INTRODUCE = "koinii.introduce/v1"
AUTHORED = "koinii.authored/v1"
MAX_COUNT = 2**64 - 1

_HASH = re.compile(r"[0-9a-f]{64}")
_SEAT_ID = re.compile(r"[0-9a-f]{32}")
_COUNT = re.compile(r"0|[1-9][0-9]{0,19}")
_KIND = re.compile(r"koinii\.[a-z]+/v[1-9][0-9]*")
_NOTHING = "-"


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
        names = " ".join(self.mail_names) or _NOTHING
        return _text(
            INTRODUCE, self.agent, self.key.raw.hex(), self.seat, names, self.time
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
        previous = _NOTHING if self.previous is None else self.previous.hex()
        return _text(
            AUTHORED,
            self.agent,
            self.key_hash.hex(),
            self.seat,
            self.number,
            self.size,
            self.root.hex(),
            previous,
        )


@dataclass(frozen=True, slots=True)
class OtherStatement:
    """A statement of a kind that this version keeps and does not interpret."""

    kind: str
    whole: str

    def text(self) -> str:
        """Return the text that is signed."""
        return self.whole


Statement: TypeAlias = Introduction | Authored | OtherStatement


def parse_statement(text: str) -> Statement:
    """Return the statement that `text` spells; it says nothing until signed."""
    kind, *fields = text.removesuffix("\n").split("\n")
    if kind == INTRODUCE:
        statement: Statement = _introduction(fields)
    elif kind == AUTHORED:
        statement = _authored(fields)
    elif _KIND.fullmatch(kind) and all(fields):
        statement = OtherStatement(kind, text)
    else:
        raise _refused("its first line names no kind")
    if statement.text() != text:
        raise _refused("not in its one spelling")
    return statement


def statement_hash(statement: Statement) -> bytes:
    """Return the SHA-256 of the statement's text."""
    return sha256(statement.text().encode()).digest()


def sign_statement(statement: Introduction | Authored, signer: Signer) -> bytes:
    """Return the signed note; the signer has to be the agent with the key named."""
    if parse_statement(statement.text()) != statement:
        raise _refused("not in its one spelling")
    key_hash = signer.verifier.key.key_hash
    if signer.verifier.name != statement.agent or key_hash != _key_hash(statement):
        raise _refused("not to be signed by this name and key")
    return sign_note(statement.text(), [signer])


def open_introduction(data: bytes) -> Introduction:
    """Return the introduction that its own key signed.

    That shows that the key's holder wants the name, not that the name is theirs.
    """
    claimed = parse_statement(parse_note(data).claimed_text)
    if not isinstance(claimed, Introduction):
        raise _refused("not an introduction")
    open_note(data, [claimed.verifier])
    return claimed


def open_authored(data: bytes, key: PublicKey) -> Authored:
    """Return the authored statement that `key` signed under its agent's name."""
    claimed = parse_statement(parse_note(data).claimed_text)
    if not isinstance(claimed, Authored):
        raise _refused("not an authored statement")
    if claimed.key_hash != key.key_hash:
        raise _refused("it names another key")
    open_note(data, [Verifier(claimed.agent, key)])
    return claimed


def _introduction(fields: list[str]) -> Introduction:
    if len(fields) != len(("agent", "key", "seat", "names", "time")):
        raise _refused("an introduction has five fields")
    agent, key, seat, names, time = fields
    return Introduction(
        _name(agent), PublicKey(_unhex(key)), _seat(seat), _names(names), _count(time)
    )


def _authored(fields: list[str]) -> Authored:
    if len(fields) != len(Authored.__slots__):
        raise _refused("an authored statement has seven fields")
    agent, key_hash, seat, number, size, root, previous = fields
    return Authored(
        _name(agent),
        _unhex(key_hash),
        _seat(seat),
        _count(number, least=1),
        _count(size),
        _unhex(root),
        None if previous == _NOTHING else _unhex(previous),
    )


def _key_hash(statement: Introduction | Authored) -> bytes:
    if isinstance(statement, Introduction):
        return statement.key.key_hash
    return statement.key_hash


def _text(*fields: str | int) -> str:
    return "".join(f"{one}\n" for one in fields)


def _names(text: str) -> tuple[str, ...]:
    if text == _NOTHING:
        return ()
    names = tuple(map(_name, text.split(" ")))
    if len(set(names)) != len(names):
        raise _refused("a mail name is listed twice")
    return names


def _name(text: str) -> str:
    check_name(text)
    if text == _NOTHING:
        raise _refused("a name is missing")
    return text


def _unhex(text: str) -> bytes:
    if not _HASH.fullmatch(text):
        raise _refused("no 64 lower-case hex digits where they belong")
    return bytes.fromhex(text)


def _seat(text: str) -> str:
    if not _SEAT_ID.fullmatch(text):
        raise _refused("no seat id where one belongs")
    return text


def _count(text: str, *, least: int = 0) -> int:
    if not _COUNT.fullmatch(text) or not least <= int(text) <= MAX_COUNT:
        raise _refused("no decimal number where one belongs")
    return int(text)


def _refused(reason: str) -> VerificationError:
    return VerificationError(f"not a statement: {reason}", code="koinii/bad-statement")
