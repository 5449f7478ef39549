"""The total order of values (formats section 2), and exact comparison.

nil < booleans < numbers by value < strings < keywords < symbols < characters
< lists. Strings and names go by code points, un-namespaced names first; lists
go element by element, the shorter first where one begins the other. Numbers of
equal value (`1`, `1.0`, `1M`) are told apart by their encoding. No order of
arrival, handle or printed form ever decides.
"""

from __future__ import annotations

from koinii.terms.encoder import encode
from koinii.terms.term import Char, Decimal, Keyword, Ratio, Symbol, Term

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    Key: TypeAlias = tuple[Any, ...]
    Number: TypeAlias = int | float | Ratio | Decimal


class Exact:
    """A number as a fraction, compared with others by exact value."""

    __slots__ = ("above", "below")

    def __init__(self, number: Number) -> None:
        self.above, self.below = number.as_integer_ratio()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Exact):
            return NotImplemented
        return self.above * other.below == other.above * self.below

    def __lt__(self, other: Exact) -> bool:
        return self.above * other.below < other.above * self.below

    __hash__ = None  # type: ignore[assignment]  # 1 and 1.0 are equal here only


def content_key(term: Term) -> Key:
    """Return a key that sorts terms in the order of values; build it once each."""
    key_of = _KEYS.get(type(term))
    return key_of(term) if key_of else (8, encode(term))  # encode refuses


def sort_by_content(terms: Iterable[Term]) -> list[Term]:
    """Return the terms in the order of values."""
    return sorted(terms, key=content_key)


def is_number(term: Term) -> bool:
    """Whether a term is a number; booleans are not."""
    return type(term) in {int, float, Ratio, Decimal}


def less_than(left: Term, right: Term) -> bool:
    """Whether both are numbers and the first is less, exactly, across kinds."""
    if not (is_number(left) and is_number(right)):
        return False
    return Exact(left) < Exact(right)  # type: ignore[arg-type]


def _of_nil(_: None) -> Key:
    return (0,)


def _of_bool(value: bool) -> Key:  # noqa: FBT001 - the value itself
    return (1, value)


def _of_number(value: Number) -> Key:
    encoded = encode(value)  # refuses NaN and infinities, which have no fraction
    return (2, Exact(value), encoded)


def _of_string(value: str) -> Key:
    return (3, value)


def _of_keyword(value: Keyword) -> Key:
    return (4, value.namespace or "", value.name)


def _of_symbol(value: Symbol) -> Key:
    return (5, value.namespace or "", value.name)


def _of_char(value: Char) -> Key:
    return (6, value.value)


def _of_list(value: tuple[Term, ...]) -> Key:
    return (7, tuple(map(content_key, value)))


_KEYS: dict[type, Callable[[Any], Key]] = {
    type(None): _of_nil,
    bool: _of_bool,
    int: _of_number,
    float: _of_number,
    Ratio: _of_number,
    Decimal: _of_number,
    str: _of_string,
    Keyword: _of_keyword,
    Symbol: _of_symbol,
    Char: _of_char,
    tuple: _of_list,
}
