"""Terms as bytes: the type-tagged encoding of koinii B.8.1.

Two values are one value exactly when their encodings are equal. Lengths and
counts are four bytes, big-endian; every value begins with one tag byte.

    00 nil            03 int in 64 bits    06 ratio      09 keyword    0C char
    01 false          04 other int         07 decimal    0A symbol
    02 true           05 double            08 string     0B list
"""

from __future__ import annotations

from functools import lru_cache
from math import isfinite
from struct import pack

from koinii.terms.spelling import check_string, uncanonical
from koinii.terms.term import (
    MAX_DEPTH,
    Char,
    Decimal,
    Keyword,
    Ratio,
    Symbol,
    Term,
    check_integer,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_INT64 = 1 << 63
_MAX_KEPT = 256  # longer names are encoded anew, so that the cache stays small


def encode(term: Term) -> bytes:
    """Return the bytes of a term.

    Raises `RefusedError`, code `koinii/uncanonical-value`, for a Python value
    that is no term; the same values that `printer.write` refuses.
    """
    return _encode(term, 0)


def _encode(term: Term, depth: int) -> bytes:
    kind = type(term)
    if kind is Symbol:
        return encode_symbol(term)  # type: ignore[arg-type]
    if kind is tuple:
        if depth >= MAX_DEPTH:
            raise uncanonical(f"lists are nested deeper than {MAX_DEPTH}", term)
        count = len(term)  # type: ignore[arg-type]
        parts = [_encode(item, depth + 1) for item in term]  # type: ignore[union-attr]
        return b"\x0b" + count.to_bytes(4, "big") + b"".join(parts)
    encoder = _ENCODERS.get(kind)
    if encoder is None:
        raise uncanonical(f"{kind.__name__} is no kind of value", term)
    return encoder(term)


def encode_symbol(symbol: Symbol) -> bytes:
    """Return the bytes of a symbol; those of common names are remembered."""
    if len(symbol.text) > _MAX_KEPT:
        return _encode_name(b"\x0a", symbol)
    return _kept_symbol(symbol.text)


@lru_cache(maxsize=16_384)
def _kept_symbol(text: str) -> bytes:
    """Return the bytes of the symbol with that text, which hashes fast."""
    namespace, cut, name = text.partition("/")
    if not cut:
        return b"\x0a\0" + _counted(text.encode())
    return b"\x0a\1" + _counted(namespace.encode()) + _counted(name.encode())


def _encode_name(tag: bytes, value: Symbol | Keyword) -> bytes:
    name = _counted(value.name.encode())
    if value.namespace is None:
        return tag + b"\0" + name
    return tag + b"\1" + _counted(value.namespace.encode()) + name


def _encode_nil(_: None) -> bytes:
    return b"\x00"


def _encode_bool(value: bool) -> bytes:  # noqa: FBT001 - the value itself
    return b"\x02" if value else b"\x01"


def _encode_integer(value: int) -> bytes:
    if -_INT64 <= value < _INT64:
        return b"\x03" + value.to_bytes(8, "big", signed=True)
    check_integer(value)
    return b"\x04" + _big_integer(value)


def _encode_float(value: float) -> bytes:
    if not isfinite(value):
        raise uncanonical(f"{value} is no finite number", value)
    return b"\x05" + pack(">d", value or 0.0)  # -0.0 is 0.0


def _encode_ratio(value: Ratio) -> bytes:
    return b"\x06" + _big_integer(value.numerator) + _big_integer(value.denominator)


def _encode_decimal(value: Decimal) -> bytes:
    return b"\x07" + _big_integer(value.unscaled) + value.scale.to_bytes(4, "big")


def _encode_string(value: str) -> bytes:
    check_string(value)
    return b"\x08" + _counted(value.encode())


def _encode_keyword(value: Keyword) -> bytes:
    return _encode_name(b"\x09", value)


def _encode_char(value: Char) -> bytes:
    return b"\x0c" + ord(value.value).to_bytes(4, "big")


def _counted(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def _big_integer(value: int) -> bytes:
    """Return length and minimal two's complement; zero takes one byte."""
    bits = (value if value >= 0 else ~value).bit_length()
    return _counted(value.to_bytes(bits // 8 + 1, "big", signed=True))


_ENCODERS: dict[type, Callable[[Any], bytes]] = {
    type(None): _encode_nil,
    bool: _encode_bool,
    int: _encode_integer,
    float: _encode_float,
    str: _encode_string,
    Keyword: _encode_keyword,
    Char: _encode_char,
    Ratio: _encode_ratio,
    Decimal: _encode_decimal,
}
