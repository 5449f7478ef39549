"""The text of numbers: integers, floats, ratios, decimals.

A token that begins as a number is a number or refused, never a symbol. What
is refused even where people type: a plus sign, leading zeros, `-0`, hexadecimal,
exponents on decimals, and floats that fall outside the doubles.
"""

from __future__ import annotations

import re
from math import gcd, isfinite

from koinii.terms.patterns import compiled
from koinii.terms.spelling import uncanonical
from koinii.terms.term import (
    MAX_DECIMAL_DIGITS,
    MAX_DIGITS,
    Decimal,
    Ratio,
    check_integer,
)

_DIGITS = "(?:0|[1-9][0-9]*+)"
_INTEGER = rf"-?{_DIGITS}"
# No possessive groups that may fail half way: Python before 3.11.5 keeps the half.
_FLOAT = rf"-?{_DIGITS}(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
_RATIO = rf"(-?{_DIGITS})/([1-9][0-9]*+)"
_DECIMAL = rf"(-?)({_DIGITS})(?:\.([0-9]++))?M"
_NONZERO_MANTISSA = r"[0.\-]*+[1-9]"

# Python converts fewer digits than ours in one go where a limit of 640 is set.
_CHUNK_DIGITS = 600
_CHUNK = 10**_CHUNK_DIGITS


def read_number(token: str) -> int | float | Ratio | Decimal:
    """Return the number that `token` spells; raise `RefusedError` if none."""
    if compiled(_INTEGER).fullmatch(token):
        return read_integer(token)
    if compiled(_FLOAT).fullmatch(token):
        return _read_float(token)
    if ratio := compiled(_RATIO).fullmatch(token):
        return _read_ratio(ratio[1], ratio[2])
    if decimal := compiled(_DECIMAL).fullmatch(token):
        return _read_decimal(decimal[1], decimal[2], decimal[3] or "")
    raise uncanonical(_reason(token), token)


def read_integer(token: str) -> int:
    """Return the integer that sign and digits spell, in time bounded by 4,300."""
    if token == "-0":  # noqa: S105 - a number, no secret
        raise uncanonical("-0 is written 0", token)
    if len(token) <= _CHUNK_DIGITS:
        return int(token)
    digits = token.removeprefix("-")
    if len(digits) > MAX_DIGITS:
        raise uncanonical(f"an integer has more than {MAX_DIGITS} digits", token)
    head = len(digits) % _CHUNK_DIGITS
    value = int(digits[:head] or "0")
    for start in range(head, len(digits), _CHUNK_DIGITS):
        value = value * _CHUNK + int(digits[start : start + _CHUNK_DIGITS])
    return -value if token[0] == "-" else value


def _read_float(token: str) -> float:
    value = float(token)
    if not isfinite(value):
        raise uncanonical("this float is too large for a double", token)
    if value:
        return value
    if compiled(_NONZERO_MANTISSA).match(token):
        raise uncanonical("this float is too small for a double", token)
    return 0.0


def _read_ratio(above: str, below: str) -> int | Ratio:
    numerator, denominator = read_integer(above), read_integer(below)
    common = gcd(numerator, denominator)
    if common == denominator:
        return numerator // denominator
    return Ratio(numerator // common, denominator // common)


def _read_decimal(sign: str, whole: str, places: str) -> Decimal:
    places = places.rstrip("0")
    if len(whole) + len(places) > MAX_DECIMAL_DIGITS:
        raise uncanonical("a decimal has more than 64 digits", whole)
    unscaled = int(whole + places)
    check_integer(unscaled)
    return Decimal(-unscaled if sign else unscaled, len(places))


def _reason(token: str) -> str:
    if token[0] == "+":
        return "a number has no plus sign"
    if re.fullmatch(r"-?0[0-9]+.*", token, re.DOTALL):
        return "a number has no leading zeros"
    if token.endswith("N"):
        return "an integer is written without N"
    if re.fullmatch(r"-?[0-9]+/0+", token):
        return "a ratio's denominator is zero"
    return "this begins as a number and is none; text goes in quotes"
