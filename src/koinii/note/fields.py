"""The fields of statements: one spelling each, read and written as lines."""

from __future__ import annotations

import re

from koinii.errors import VerificationError
from koinii.note.keys import PublicKey
from koinii.note.signed import check_name

NOTHING = "-"
EVERYWHERE = "*"
MAX_COUNT = 2**64 - 1
MAX_REASON = 1000  # letters

_HASH = re.compile(r"[0-9a-f]{64}")
_SEAT_ID = re.compile(r"[0-9a-f]{32}")
_COUNT = re.compile(r"0|[1-9][0-9]{0,19}")


def lines(*fields: str | int) -> str:
    """Return the text of a statement, one field a line."""
    return "".join(f"{one}\n" for one in fields)


def expect(fields: list[str], count: int, kind: str) -> list[str]:
    """Return the fields of a statement, of which there have to be so many."""
    if len(fields) != count:
        raise refused(f"{kind} has {count} fields, and here are {len(fields)}")
    return fields


def name(text: str) -> str:
    """Read a name: of an agent, of a mailbox."""
    check_name(text)
    if text == NOTHING:
        raise refused("a name is missing")
    return text


def names(text: str) -> tuple[str, ...]:
    """Read names with one space between them, `-` for none."""
    if text == NOTHING:
        return ()
    found = tuple(map(name, text.split(" ")))
    if len(set(found)) != len(found):
        raise refused("a mail name is listed twice")
    return found


def unhex(text: str) -> bytes:
    """Read 32 bytes: a hash, a root, a key."""
    if not _HASH.fullmatch(text):
        raise refused("no 64 lower-case hex digits where they belong")
    return bytes.fromhex(text)


def maybe_unhex(text: str) -> bytes | None:
    """Read a hash, `-` for none."""
    return None if text == NOTHING else unhex(text)


def maybe_hex(data: bytes | None) -> str:
    """Write a hash, `-` for none."""
    return NOTHING if data is None else data.hex()


def key(text: str) -> PublicKey:
    """Read a public key; a weak or non-canonical one is refused."""
    return PublicKey(unhex(text))


def seat(text: str) -> str:
    """Read a seat id."""
    if not _SEAT_ID.fullmatch(text):
        raise refused("no seat id where one belongs")
    return text


def seat_or_all(text: str) -> str:
    """Read a seat id, or `*` for every seat."""
    return text if text == EVERYWHERE else seat(text)


def count(text: str, *, least: int = 0) -> int:
    """Read a decimal number below 2**64."""
    if not _COUNT.fullmatch(text) or not least <= int(text) <= MAX_COUNT:
        raise refused("no decimal number where one belongs")
    return int(text)


def reason(text: str) -> str:
    """Read a line of words for people."""
    if text != text.strip() or not text.isprintable() or not text:
        raise refused("a reason is one line of words")
    if len(text) > MAX_REASON:
        raise refused("a reason is one line of words, at most 1,000 letters")
    return text


def refused(why: str) -> VerificationError:
    """Return the refusal of text that is no statement."""
    return VerificationError(f"not a statement: {why}", code="koinii/bad-statement")
