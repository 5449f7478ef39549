"""Bytes as terms: the strict inverse of `encoder.encode`.

Counts and lengths are compared with the bytes that are there before anything
is made of them. What decodes is encoded again and must come out equal, so a
second spelling of a value is refused. The only error is `RefusedError`.
"""

from __future__ import annotations

from functools import lru_cache
from struct import unpack_from

from koinii.terms.encoder import encode
from koinii.terms.spelling import uncanonical
from koinii.terms.term import (
    MAX_DEPTH,
    MAX_TEXT,
    Char,
    Decimal,
    Keyword,
    Ratio,
    Symbol,
    Term,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Two bytes of text, a digit and a space, are at most nine encoded.
MAX_ENCODED = 5 * MAX_TEXT
_MAX_KEPT = 256  # longer names are decoded anew, so that the cache stays small

_SYMBOL, _LIST = 0x0A, 0x0B
_PLAIN_SYMBOL = b"\x0a\0"  # one without a namespace


def decode(data: bytes, limit: int = MAX_ENCODED) -> Term:
    """Return the one term that `data` encodes; `limit` is in bytes.

    Raises `RefusedError`, code `koinii/uncanonical-value`, for all other bytes.
    """
    if len(data) > limit:
        raise uncanonical(f"more than {limit} bytes", data)
    term, end = _value(data, 0, 0)
    if end != len(data) or encode(term) != data:
        raise uncanonical("these bytes are not the encoding of a value", data)
    return term


def decode_known(data: bytes) -> Term:
    """Return the term of bytes that `encode` is known to have made.

    Their hash was compared by the caller, so they are not encoded again.
    """
    return _value(data, 0, 0)[0]


def _value(data: bytes, at: int, depth: int) -> tuple[Term, int]:
    """Return the value at `at` and the offset after it."""
    tag = data[at] if at < len(data) else 0xFF
    if tag == _SYMBOL:
        end = _name_end(data, at + 1)
        encoded = data[at:end]
        return (_kept(encoded) if end - at <= _MAX_KEPT else _name(encoded)), end
    if tag == _LIST:
        return _list(data, at + 1, depth)
    if tag >= len(_DECODERS):
        raise uncanonical("a tag byte is missing or unknown", data)
    return _DECODERS[tag](data, at + 1)


def _list(data: bytes, at: int, depth: int) -> tuple[Term, int]:
    count, at = _length(data, at)
    if depth >= MAX_DEPTH:
        raise uncanonical(f"lists are nested deeper than {MAX_DEPTH}", data)
    items: list[Term] = []
    for _ in range(count):
        if data[at : at + 2] == _PLAIN_SYMBOL:
            end = at + 6 + int.from_bytes(data[at + 2 : at + 6], "big")
            if end - at <= _MAX_KEPT and end <= len(data):
                items.append(_kept(data[at:end]))
                at = end
                continue
        item, at = _value(data, at, depth + 1)
        items.append(item)
    return tuple(items), at


def _length(data: bytes, at: int) -> tuple[int, int]:
    """Return a count that the bytes after it can hold, and where they begin.

    Each element takes a byte at least, so this bounds lists as well as text.
    """
    end = at + 4
    count = int.from_bytes(data[at:end], "big")
    if end + count > len(data):
        raise uncanonical("a length goes beyond the end", data)
    return count, end


def _name_end(data: bytes, at: int) -> int:
    flag, at = _take(data, at, 1), at + 1
    if flag == b"\1":
        length, at = _length(data, at)
        at += length
    elif flag != b"\0":
        raise uncanonical("a namespace is neither there nor absent", data)
    length, at = _length(data, at)
    return at + length


def _name(encoded: bytes) -> Symbol:
    name, namespace = _name_parts(encoded)
    return Symbol(name, namespace)


_kept = lru_cache(maxsize=16_384)(_name)


def _name_parts(encoded: bytes) -> tuple[str, str | None]:
    if encoded[1] == 0:
        return _text(encoded[6:]), None
    length, at = _length(encoded, 2)
    return _text(encoded[at + length + 4 :]), _text(encoded[at : at + length])


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise uncanonical("text is not UTF-8", data) from None


def _nil(_: bytes, at: int) -> tuple[Term, int]:
    return None, at


def _false(_: bytes, at: int) -> tuple[Term, int]:
    return False, at


def _true(_: bytes, at: int) -> tuple[Term, int]:
    return True, at


def _int64(data: bytes, at: int) -> tuple[Term, int]:
    return int.from_bytes(_take(data, at, 8), "big", signed=True), at + 8


def _big_integer(data: bytes, at: int) -> tuple[int, int]:
    length, at = _length(data, at)
    return int.from_bytes(data[at : at + length], "big", signed=True), at + length


def _double(data: bytes, at: int) -> tuple[Term, int]:
    (value,) = unpack_from(">d", _take(data, at, 8))
    return float(value), at + 8


def _ratio(data: bytes, at: int) -> tuple[Term, int]:
    numerator, at = _big_integer(data, at)
    denominator, at = _big_integer(data, at)
    return Ratio(numerator, denominator), at


def _decimal(data: bytes, at: int) -> tuple[Term, int]:
    unscaled, at = _big_integer(data, at)
    scale = int.from_bytes(_take(data, at, 4), "big")
    return Decimal(unscaled, scale), at + 4


def _string(data: bytes, at: int) -> tuple[Term, int]:
    length, at = _length(data, at)
    return _text(data[at : at + length]), at + length


def _keyword(data: bytes, at: int) -> tuple[Term, int]:
    end = _name_end(data, at)
    name, namespace = _name_parts(data[at - 1 : end])
    return Keyword(name, namespace), end


def _char(data: bytes, at: int) -> tuple[Term, int]:
    code = int.from_bytes(_take(data, at, 4), "big")
    if code > 0x10FFFF:  # noqa: PLR2004 - Unicode ends here
        raise uncanonical("a character is beyond Unicode", data)
    return Char(chr(code)), at + 4


def _take(data: bytes, at: int, count: int) -> bytes:
    taken = data[at : at + count]
    if len(taken) != count:
        raise uncanonical("the bytes end within a value", data)
    return taken


def _unreached(data: bytes, _: int) -> tuple[Term, int]:
    raise uncanonical("a tag byte is misplaced", data)


_DECODERS: tuple[Callable[[bytes, int], tuple[Term, int]], ...] = (
    _nil,
    _false,
    _true,
    _int64,
    _big_integer,
    _double,
    _ratio,
    _decimal,
    _string,
    _keyword,
    _unreached,  # symbols
    _unreached,  # lists
    _char,
)
