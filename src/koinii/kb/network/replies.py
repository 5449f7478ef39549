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
    named = map(_digest, _handles(decode_known(body)))
    return list(dict.fromkeys(one for one in named if one is not None))


def misnamed(body: bytes) -> list[Term]:
    """Return what a sentence has in place of a locator, and so names nothing by."""
    if _MARK not in body:
        return []
    return [one for one in _handles(decode_known(body)) if _digest(one) is None]


def _handles(term: Term) -> list[Term]:
    if type(term) is not tuple:
        return []
    if len(term) == 2 and term[0] == _HANDLE:  # noqa: PLR2004 - a handle
        return [term[1], *_handles(term[1])]
    return [found for part in term for found in _handles(part)]


def _digest(named: Term) -> bytes | None:
    if type(named) is not str:
        return None
    try:
        return raw_digest(parse_locator(named))
    except KoiniiError:
        return None
