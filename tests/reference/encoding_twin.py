"""Bytes and addresses of terms, from the table of spec B.8.1.

Shares no code with `koinii`: it reads the attributes of the values only.
Contents are compared by these bytes, never by `==` (`1 == 1.0 == True`).
"""

import re
from hashlib import sha256
from struct import pack

from koinii.terms.term import Char, Decimal, Keyword, Ratio, Symbol, Term

_LOCATOR = re.compile(r"sha256:[0-9a-f]{64}")


class Content:
    """A term that is equal to another exactly when their bytes are."""

    __slots__ = ("body", "term")

    def __init__(self, term: Term) -> None:
        self.term = term
        self.body = encoded(term)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Content) and self.body == other.body

    def __hash__(self) -> int:
        return hash(self.body)

    def __repr__(self) -> str:
        return f"Content({self.term!r})"


def locator(context: str, sentence: Term) -> str:
    negative = isinstance(sentence, tuple) and sentence[:1] == (Symbol("not"),)
    truth = Keyword("false" if negative else "true")
    whole = encoded((Symbol(context), truth, sentence))
    return f"sha256:{sha256(whole).hexdigest()}"


def is_locator(term: Term) -> bool:
    return isinstance(term, str) and _LOCATOR.fullmatch(term) is not None


def encoded(term: Term) -> bytes:
    if isinstance(term, tuple):
        return b"\x0b" + int32(len(term)) + b"".join(map(encoded, term))
    if isinstance(term, Symbol):
        return b"\x0a" + named(term)
    if isinstance(term, Keyword):
        return b"\x09" + named(term)
    if isinstance(term, str):
        return b"\x08" + sized(term.encode())
    if isinstance(term, Char):
        return b"\x0c" + int32(ord(term.value))
    return number(term)


def number(term: Term) -> bytes:
    if term is None:
        return b"\x00"
    if isinstance(term, bool):
        return b"\x02" if term else b"\x01"
    if isinstance(term, int):
        small = -(2**63) <= term < 2**63
        return b"\x03" + pack(">q", term) if small else b"\x04" + big(term)
    if isinstance(term, float):
        return b"\x05" + pack(">d", term)
    if isinstance(term, Ratio):
        return b"\x06" + big(term.numerator) + big(term.denominator)
    assert isinstance(term, Decimal)
    return b"\x07" + big(term.unscaled) + int32(term.scale)


def named(name: Symbol | Keyword) -> bytes:
    space = b"\0" if name.namespace is None else b"\1" + sized(name.namespace.encode())
    return space + sized(name.name.encode())


def sized(data: bytes) -> bytes:
    return int32(len(data)) + data


def int32(value: int) -> bytes:
    return value.to_bytes(4, "big")


def big(value: int) -> bytes:
    """Minimal two's complement."""
    size = 1
    while not -(2 ** (8 * size - 1)) <= value < 2 ** (8 * size - 1):
        size += 1
    return sized(value.to_bytes(size, "big", signed=True))
