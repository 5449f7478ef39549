"""What sentences name: `(sentexHandle "<locator>")` anywhere within them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import KoiniiError
from koinii.terms.encoding import decode_known
from koinii.terms.locator import parse_locator, raw_digest
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from koinii.terms.term import Term

_HANDLE = Symbol("sentexHandle")
_MARK = b"\x00\x00\x00\x00\x0csentexHandle"


def targets_of(body: bytes) -> list[bytes]:
    """Return the digests of the well-formed locators that a sentence names."""
    if _MARK not in body:
        return []
    return list(dict.fromkeys(_named(decode_known(body))))


def _named(term: Term) -> list[bytes]:
    if type(term) is not tuple:
        return []
    if len(term) == 2 and term[0] == _HANDLE and type(term[1]) is str:  # noqa: PLR2004 - a handle
        return _digest(term[1])
    return [found for part in term for found in _named(part)]


def _digest(text: str) -> list[bytes]:
    try:
        return [raw_digest(parse_locator(text))]
    except KoiniiError:
        return []  # it names nothing
