"""Terms as text: the one canonical spelling of formats section 1.

`reader.read_canonical` accepts exactly what `write` gives.
"""

from __future__ import annotations

import re
from math import isfinite

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

# Above C0, what a string never holds bare: U+007F, C1, the separators of lines
# and paragraphs, and the byte order mark.
_ESCAPED = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}

# Python refuses to print longer integers where a limit of 640 digits is set.
_CHUNK_DIGITS = 600
_CHUNK = 10**_CHUNK_DIGITS


def write(term: Term) -> str:
    """Return the canonical text of a term.

    Raises `RefusedError`, code `koinii/uncanonical-value`, for a Python value
    that is no term: NaN, infinities, text that is not NFC, lists deeper than
    64, objects of other types.
    """
    return _write(term, 0)


def _write(term: Term, depth: int) -> str:
    kind = type(term)
    if kind is Symbol:
        return term.text  # type: ignore[union-attr]
    if kind is tuple:
        if depth >= MAX_DEPTH:
            raise uncanonical(f"lists are nested deeper than {MAX_DEPTH}", term)
        inside = [_write(item, depth + 1) for item in term]  # type: ignore[union-attr]
        return f"({' '.join(inside)})"
    writer = _WRITERS.get(kind)
    if writer is None:
        raise uncanonical(f"{kind.__name__} is no kind of value", term)
    return writer(term)


def _write_nil(_: None) -> str:
    return "nil"


def _write_bool(value: bool) -> str:  # noqa: FBT001 - the value itself
    return "true" if value else "false"


def write_integer(value: int) -> str:
    """Return the digits of an integer, whatever limit Python was given."""
    check_integer(value)
    if -_CHUNK < value < _CHUNK:
        return str(value)
    chunks = []
    rest = abs(value)
    while rest:
        rest, chunk = divmod(rest, _CHUNK)
        chunks.append(f"{chunk:0{_CHUNK_DIGITS}d}")
    digits = "".join(reversed(chunks)).lstrip("0")
    return f"-{digits}" if value < 0 else digits


def write_float(value: float) -> str:
    """Return the shortest text that reads back as this double."""
    if not isfinite(value):
        raise uncanonical(f"{value} is no finite number", value)
    if value == 0:
        return "0.0"  # also for -0.0, which is the same value
    return repr(value).replace("e+", "e")


def _write_ratio(value: Ratio) -> str:
    return f"{write_integer(value.numerator)}/{write_integer(value.denominator)}"


def write_decimal(value: Decimal) -> str:
    """Return plain digits with a point where needed, and `M`."""
    digits = str(abs(value.unscaled)).rjust(value.scale + 1, "0")
    if value.scale:
        digits = f"{digits[: -value.scale]}.{digits[-value.scale :]}"
    return f"{'-' if value.unscaled < 0 else ''}{digits}M"


def write_string(value: str) -> str:
    """Return a string in quotes, with what it must not hold bare escaped."""
    check_string(value)
    if _ESCAPED.search(value):
        value = _ESCAPED.sub(_escape, value)
    return f'"{value}"'


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    return _SHORT.get(char) or f"\\u{ord(char):04x}"


def write_char(value: Char) -> str:
    """Return a backslash and the character, or its code where it is no mark."""
    if value.value > " ":
        return f"\\{value.value}"
    return f"\\u{ord(value.value):04x}"


def _write_keyword(value: Keyword) -> str:
    return value.text


_WRITERS: dict[type, Callable[[Any], str]] = {
    type(None): _write_nil,
    bool: _write_bool,
    int: write_integer,
    float: write_float,
    str: write_string,
    Keyword: _write_keyword,
    Char: write_char,
    Ratio: _write_ratio,
    Decimal: write_decimal,
}
