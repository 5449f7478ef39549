"""Locators: the content address of a sentence in a context (koinii B.8).

A locator is `sha256:` and 64 lower-case hex digits over the identity bytes.
It is the sentex's handle everywhere outside the store.
"""

from __future__ import annotations

import re
from hashlib import sha256

from koinii.errors import UsageError
from koinii.terms.canonical import canonical
from koinii.terms.encoding import identity
from koinii.terms.reader import read
from koinii.terms.term import Symbol, Term

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NewType

    Locator = NewType("Locator", str)
else:
    Locator = str  # a plain string at run time; the type is for readers

_LOCATOR = re.compile(r"sha256:[0-9a-f]{64}")
_PREFIX = re.compile(r"(?:sha256:)?([0-9a-f]{8,64})")
_HINT = "a locator is sha256: and 64 hex digits; 8 of them are enough to name one"


def digest(context: Symbol, sentence: Term) -> bytes:
    """Return the 32 bytes of the locator of a canonical sentence."""
    return sha256(identity(context, sentence)).digest()


def locate(context: Symbol | str, sentence: Term) -> Locator:
    """Return the locator that a canonical sentence has, stored or not.

    Text is read, and a sentence given as text brought to its canonical form.
    """
    place = context if isinstance(context, Symbol) else Symbol(context)
    if isinstance(sentence, str):
        sentence = canonical(read(sentence))
    return Locator(f"sha256:{digest(place, sentence).hex()}")


def locator_of(raw: bytes) -> Locator:
    """Return the locator whose digest is `raw`, 32 bytes."""
    return Locator(f"sha256:{raw.hex()}")


def leaf(raw: bytes) -> bytes:
    """Return the hash of the commit tree's leaf for the locator with that digest.

    The leaf's data is the text of the locator (RFC 6962 section 2.1).
    """
    return sha256(b"\0sha256:" + raw.hex().encode()).digest()


def raw_digest(locator: Locator) -> bytes:
    """Return the 32 bytes that a locator spells."""
    return bytes.fromhex(locator[7:])


def parse_locator(text: object) -> Locator:
    """Return `text` as a locator; `UsageError` if it is not a whole one."""
    if not isinstance(text, str) or not _LOCATOR.fullmatch(text):
        raise UsageError(f"not a locator: {_shown(text)}", hint=_HINT, given=text)
    return Locator(text)


def parse_prefix(text: object) -> str:
    """Return the hex digits, 8 or more, of a locator or the beginning of one.

    Raises `UsageError` for anything else, of whatever type.
    """
    match = _PREFIX.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise UsageError(
            f"not a locator or the beginning of one: {_shown(text)}",
            hint=_HINT,
            given=text,
        )
    return match[1]


def _shown(given: object) -> str:
    return ascii(given[:80]) if isinstance(given, str) else type(given).__name__
