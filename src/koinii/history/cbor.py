"""Deterministic CBOR of plain values, read as strictly as it is written.

Plain values are None, booleans, integers within 64 bits, text, byte strings,
lists, and maps with text keys. RFC 8949 section 4.2.1: shortest heads, definite
lengths, keys sorted bytewise by their encoding. With text keys only, that order
is also the older length-first one, which the library writes.

The library's reader takes far more than that (repeated keys, long heads, tags,
trailing bytes), so `decode` first walks the heads, which also keeps lengths
that were made up away from it, and last writes what was read and compares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import cbor2

from koinii.errors import VerificationError

Cbor: TypeAlias = (
    "bool | int | str | bytes | Sequence[Cbor] | Mapping[str, Cbor] | None"
)

MAX_BYTES = 16_384
MAX_DEPTH = 8

_UNSIGNED, _NEGATIVE, _BYTES, _TEXT, _ARRAY, _MAP, _TAG, _SIMPLE = range(8)
_PLAIN_SIMPLE = frozenset({20, 21, 22})  # false, true, null
_IN_HEAD = 24  # arguments below this stand in the head's own byte
_LONGEST = 27  # the argument follows in eight bytes; 28 to 31 are refused


def encode(value: Cbor) -> bytes:
    """Return the one encoding of a plain value.

    What is not plain, too deep, or longer than 16 KiB encoded is a
    VerificationError: no reader would take it.
    """
    _check(value, MAX_DEPTH)
    data = cbor2.dumps(value, canonical=True)
    if len(data) > MAX_BYTES:
        raise _refused(f"{len(data)} bytes encoded, {MAX_BYTES} at most")
    return data


def decode(data: bytes) -> Cbor:
    """Return the plain value of its one encoding; all else is a VerificationError."""
    if len(data) > MAX_BYTES:
        raise _refused(f"{len(data)} bytes, {MAX_BYTES} at most")
    if _walk(data, 0, MAX_DEPTH) != len(data):
        raise _refused("the value does not end where the bytes do")
    try:
        value: Cbor = cbor2.loads(data)
    except (cbor2.CBORDecodeError, ValueError) as fault:
        raise _refused(str(fault)) from fault
    if encode(value) != data:
        raise _refused("not in the deterministic encoding")
    return value


def _check(value: object, depth: int) -> None:
    """Refuse what is not plain; booleans are integers and pass as such."""
    match value:
        case None | bytes():
            pass
        case int():
            if not -(2**64) <= value < 2**64:
                raise _refused("an integer of more than 64 bits")
        case str():
            _check_text(value)
        case list() | tuple() | dict():
            _check_items(value, depth)
        case _:
            raise _refused(f"a value of type {type(value).__name__}")


def _check_items(
    items: list[object] | tuple[object, ...] | dict[object, object], depth: int
) -> None:
    if not depth:
        raise _refused(f"nested deeper than {MAX_DEPTH}")
    if isinstance(items, dict):
        for key in items:
            if not isinstance(key, str):
                raise _refused("a key that is no text")
            _check_text(key)
    for item in items.values() if isinstance(items, dict) else items:
        _check(item, depth - 1)


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _refused("text that is no UTF-8") from None


def _walk(data: bytes, at: int, depth: int) -> int:
    """Return where the value at `at` ends; refuse any head that is not plain."""
    major, argument, at = _head(data, at)
    if major in {_UNSIGNED, _NEGATIVE}:
        return at
    if major in {_BYTES, _TEXT}:
        return at + argument
    if major == _TAG:
        raise _refused("a tag")
    if major == _SIMPLE:
        if argument not in _PLAIN_SIMPLE:
            raise _refused("a float or an unknown simple value")
        return at
    if not depth:
        raise _refused(f"nested deeper than {MAX_DEPTH}")
    for _ in range(argument):
        if major == _MAP:
            if at >= len(data) or data[at] >> 5 != _TEXT:
                raise _refused("a key that is no text")
            at = _walk(data, at, 0)
        at = _walk(data, at, depth - 1)
    return at


def _head(data: bytes, at: int) -> tuple[int, int, int]:
    """Return major type, argument and where the head ends.

    An argument in a longer form than it needs is left to the comparison, except
    with simple values, where it would be a float.
    """
    if at >= len(data):
        raise _refused("the value is cut short")
    major, short = data[at] >> 5, data[at] & 31
    if short < _IN_HEAD:
        return major, short, at + 1
    size = 1 << short - _IN_HEAD
    if short > _LONGEST or major == _SIMPLE or at + 1 + size > len(data):
        raise _refused("a head that is cut short, indefinite, reserved or a float")
    return major, int.from_bytes(data[at + 1 : at + 1 + size]), at + 1 + size


def _refused(reason: str) -> VerificationError:
    return VerificationError(f"not a record's CBOR: {reason}", code="koinii/bad-cbor")
