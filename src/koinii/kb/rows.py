"""A sentence as the row that stores it, and a row back as its sentence."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import VerificationError
from koinii.terms.encoding import decode_known, encode, encode_symbol, term_key
from koinii.terms.folds import word
from koinii.terms.match import is_ground
from koinii.terms.slices import split
from koinii.terms.term import Keyword, Symbol

if TYPE_CHECKING:
    from koinii.store.sentexes import SentexRow
    from koinii.terms.term import Term

_SEQUENCE_OF_THREE = b"\x0b\x00\x00\x00\x03"
NEGATION = b"\x0b\x00\x00\x00\x02" + encode(Symbol("not"))
_TRUTH = (encode(Keyword("true")), encode(Keyword("false")))


class Stored(NamedTuple):
    """A sentence ready to be a row: its identity and the keys that find it."""

    digest: bytes
    body: bytes
    negative: bool
    keys: list[int]  # functor, first, second, … argument


@lru_cache(maxsize=1024)
def identity_prefix(context: str, negative: int) -> bytes:
    """Return what stands before a sentence's encoding in its identity (B.8.1)."""
    return _SEQUENCE_OF_THREE + encode(Symbol(context)) + _TRUTH[negative]


key_of = lru_cache(maxsize=65536)(term_key)  # of encodings, which hash fast


def key(term: Term) -> int:
    """Return a term's 64-bit key; equal keys are candidates only."""
    return key_of(encode(term))


def key_or_open(term: Term) -> int | None:
    """Return a term's key, None where a variable or wildcard leaves it open."""
    if type(term) is Symbol:
        text = term.text
        return None if text[0] == "?" or text == "_" else key(term)
    return key(term) if is_ground(term) else None


def store_form(context: str, sentence: Term) -> Stored:
    """Return the row form of a canonical sentence in a context.

    Each part is encoded once, for its key and for the body.
    """
    literal = _literal(sentence)
    negative = literal is not sentence
    parts = [
        encode_symbol(part) if type(part) is Symbol else encode(part)
        for part in literal
    ]
    body = b"\x0b%b%b" % (len(parts).to_bytes(4), b"".join(parts))
    if negative:
        body = NEGATION + body
    digest = hashlib.sha256(identity_prefix(context, negative) + body).digest()
    return Stored(digest, body, negative, list(map(key_of, parts)))


def stored_form(context: str, body: bytes) -> Stored:
    """Return the row form of a sentence that is given by its encoding."""
    negative = body.startswith(NEGATION)
    parts = split(body[len(NEGATION) :] if negative else body)
    assert parts is not None  # noqa: S101 - a sentence is a list
    digest = hashlib.sha256(identity_prefix(context, negative) + body).digest()
    return Stored(digest, body, negative, list(map(key_of, parts)))


def _literal(sentence: Term) -> tuple[Term, ...]:
    """Return what stands under the `not` of a sentence, or the sentence."""
    assert isinstance(sentence, tuple)  # noqa: S101 - shape was checked
    literal = sentence[1] if word(sentence) == "not" else sentence
    assert isinstance(literal, tuple)  # noqa: S101 - shape was checked
    return literal


def sentex_row(number: int, context: int, stored: Stored, label: int) -> SentexRow:
    """Return the row of a sentex."""
    keys = stored.keys
    first = keys[1] if len(keys) > 1 else None
    second = keys[2] if len(keys) > 2 else None  # noqa: PLR2004 - positions
    negative = int(stored.negative)
    return (
        number, context, keys[0], first, second, negative, label,
        stored.digest, stored.body,
    )  # fmt: skip


def argument_rows(number: int, keys: list[int]) -> list[tuple[int, int, int]]:
    """Return the rows of the arguments that have no column."""
    return [(key, position, number) for position, key in enumerate(keys[3:], start=3)]


def read_row(context: str, digest: bytes, body: bytes) -> Term:
    """Return a row's sentence after rehashing it against its locator.

    Raises:
        VerificationError: `koinii/row-altered`: the row is not what was stored.
    """
    prefix = identity_prefix(context, body.startswith(NEGATION))
    if hashlib.sha256(prefix + body).digest() != digest:
        raise altered(digest)
    return decode_known(body)


def altered(digest: bytes) -> VerificationError:
    """Return the error of a row that does not hash to its locator, or is gone."""
    return VerificationError(
        f"the stored row of sha256:{digest.hex()} was altered",
        code="koinii/row-altered",
        hint="restore the seat from its remote: koinii clone",
        locator=f"sha256:{digest.hex()}",
    )
