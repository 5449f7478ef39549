"""The values a sentence is made of. Read this file first.

Plain Python serves where it can: `None`, `bool`, `int`, `float`, `str` and
`tuple` are nil, booleans, integers, floats, strings and lists. Five classes
below are ours. All are immutable and hashable, and a constructor refuses
(`RefusedError`, code `koinii/uncanonical-value`) what has no canonical spelling.

`1`, `1.0` and `True` are three different values that Python calls equal and
hashes alike. So values are compared by `same`, or by their encoding
(`encoding.encode`), never by `==`, and are never keys of a dictionary unless
they are known to be symbols.
"""

from __future__ import annotations

from math import gcd

from koinii.terms.spelling import check_name, check_symbol, uncanonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

MAX_DEPTH = 64  # lists within lists; a list of plain values has depth 1
MAX_TEXT = 64 * 1024  # bytes of UTF-8 in a sentence
MAX_DIGITS = 4300  # decimal digits of an integer
MAX_DECIMAL_DIGITS = 64  # digits of a decimal's text, on both sides of the point

_TOO_BIG = 10**MAX_DIGITS
_TOO_BIG_BITS = _TOO_BIG.bit_length()


class Frozen:
    """A value with content: equal to one of its own class with equal content."""

    __slots__ = ()

    def content(self) -> tuple[object, ...]:
        """Return the arguments that make this value."""
        raise NotImplementedError

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self.content() == other.content()

    def __hash__(self) -> int:
        return hash(self.content())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.content()))})"

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), self.content()


_set = object.__setattr__


class Symbol(Frozen):
    """A name, perhaps in a namespace: `Postgres`, `?x`, `set/defaultRule`.

    The first slash of `text` ends the namespace, so equal text is equal content.
    """

    __slots__ = ("name", "namespace", "text")
    name: str
    namespace: str | None
    text: str

    def __init__(self, name: str, namespace: str | None = None) -> None:
        _set(self, "text", check_symbol(name, namespace, self))
        _set(self, "name", name)
        _set(self, "namespace", namespace)

    def content(self) -> tuple[object, ...]:
        """Return the name, and the namespace where there is one."""
        return _content(self.name, self.namespace)

    def __eq__(self, other: object) -> bool:
        return type(other) is Symbol and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


class Keyword(Frozen):
    """A name that stands for itself: `:true`, `:ns/red`; `text` has the colon."""

    __slots__ = ("name", "namespace", "text")
    name: str
    namespace: str | None
    text: str

    def __init__(self, name: str, namespace: str | None = None) -> None:
        _set(self, "text", ":" + check_name(name, namespace, self))
        _set(self, "name", name)
        _set(self, "namespace", namespace)

    def content(self) -> tuple[object, ...]:
        """Return the name, and the namespace where there is one."""
        return _content(self.name, self.namespace)


class Char(Frozen):
    """One Unicode scalar value, given as a string of length 1."""

    __slots__ = ("value",)
    value: str

    def __init__(self, value: str) -> None:
        if type(value) is not str or len(value) != 1:
            raise uncanonical("a character is not one code point", value)
        if "\ud800" <= value <= "\udfff":
            raise uncanonical("a character is a surrogate", value)
        _set(self, "value", value)

    def content(self) -> tuple[object, ...]:
        """Return the one character."""
        return (self.value,)


class Ratio(Frozen):
    """A fraction in lowest terms whose denominator is 2 or more."""

    __slots__ = ("denominator", "numerator")
    numerator: int
    denominator: int

    def __init__(self, numerator: int, denominator: int) -> None:
        check_integer(numerator)
        check_integer(denominator)
        if denominator < 2:  # noqa: PLR2004 - a ratio is never an integer
            raise uncanonical("the denominator of a ratio is below 2", numerator)
        if gcd(numerator, denominator) != 1:
            raise uncanonical("a ratio is not in lowest terms", numerator)
        _set(self, "numerator", numerator)
        _set(self, "denominator", denominator)

    def content(self) -> tuple[object, ...]:
        """Return numerator and denominator."""
        return self.numerator, self.denominator

    def as_integer_ratio(self) -> tuple[int, int]:
        """Return numerator and denominator, as `int` and `float` do."""
        return self.numerator, self.denominator


class Decimal(Frozen):
    """The exact number `unscaled / 10**scale`, with the smallest such scale."""

    __slots__ = ("scale", "unscaled")
    unscaled: int
    scale: int

    def __init__(self, unscaled: int, scale: int) -> None:
        check_integer(unscaled)
        check_integer(scale)
        if not 0 <= scale < MAX_DECIMAL_DIGITS:
            raise uncanonical("a decimal has its point out of reach", unscaled)
        if scale and unscaled % 10 == 0:
            raise uncanonical("a decimal ends in zeros", unscaled)
        if not -(10**MAX_DECIMAL_DIGITS) < unscaled < 10**MAX_DECIMAL_DIGITS:
            raise uncanonical("a decimal has more than 64 digits", unscaled)
        _set(self, "unscaled", unscaled)
        _set(self, "scale", scale)

    def content(self) -> tuple[object, ...]:
        """Return the unscaled integer and the scale."""
        return self.unscaled, self.scale

    def as_integer_ratio(self) -> tuple[int, int]:
        """Return a numerator and a denominator, not in lowest terms."""
        return self.unscaled, 10**self.scale


if TYPE_CHECKING:
    Term: TypeAlias = (
        bool
        | int
        | float
        | str
        | Symbol
        | Keyword
        | Char
        | Ratio
        | Decimal
        | tuple["Term", ...]
        | None
    )
else:
    Term = object


def same(left: Term, right: Term) -> bool:
    """Whether two values are one content; the test `==` cannot make."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if type(left) is not tuple:
        return left == right
    return len(left) == len(right) and all(map(same, left, right))  # type: ignore[arg-type]


def is_variable(term: Term) -> bool:
    """Whether a term is a variable, `?x`; the wildcard `_` is none."""
    return type(term) is Symbol and term.text[0] == "?"


def check_integer(value: int) -> None:
    """Refuse what is no plain integer, or has more than 4,300 digits."""
    if type(value) is not int:
        raise uncanonical(f"{type(value).__name__} is no integer", value)
    if value.bit_length() >= _TOO_BIG_BITS and not -_TOO_BIG < value < _TOO_BIG:
        raise uncanonical(f"an integer has more than {MAX_DIGITS} digits", value)


def _content(name: str, namespace: str | None) -> tuple[object, ...]:
    return (name,) if namespace is None else (name, namespace)
