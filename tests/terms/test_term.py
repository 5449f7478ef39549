"""Values: equal by kind and content, immutable, canonical or refused."""

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given

from koinii.errors import RefusedError
from koinii.terms import Char, Decimal, Keyword, Ratio, Symbol, Term, encode
from koinii.terms.term import Frozen, same
from strategies import terms

VALUES = [
    Symbol("a"),
    Symbol("a", "ns"),
    Symbol("b", "a"),
    Keyword("a"),
    Keyword("a", "ns"),
    Char("a"),
    Ratio(1, 2),
    Ratio(-1, 2),
    Decimal(1, 2),
    Decimal(2, 0),
]


@pytest.mark.parametrize("value", VALUES)
def test_a_value_equals_itself_made_again_and_nothing_else(value: Frozen) -> None:
    again = type(value)(*value.content())
    assert again == value
    assert hash(again) == hash(value)
    assert [other for other in VALUES if other == value] == [value]
    assert value != value.content()


@pytest.mark.parametrize("value", VALUES)
def test_a_value_shows_how_it_is_made(value: Frozen) -> None:
    assert eval(repr(value)) == value  # noqa: S307 - our own repr
    assert copy.deepcopy(value) == value
    assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 - our own bytes


@pytest.mark.parametrize("value", VALUES)
def test_a_value_cannot_be_changed(value: Frozen) -> None:
    names: tuple[str, ...] = type(value).__slots__
    for name in names:
        with pytest.raises(AttributeError):
            setattr(value, name, 1)
        with pytest.raises(AttributeError):
            delattr(value, name)
    with pytest.raises(AttributeError):
        setattr(value, "other", 1)  # noqa: B010 - mypy knows it cannot be


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        *((Symbol, (name,)) for name in ["", "/", "a/b", "a b", "(", "a)", '"', ";x"]),
        *(
            (Symbol, (name,))
            for name in ["a'b", "[", "a]", "{", "}", "a\u2003", "\x7f"]
        ),
        *(
            (Symbol, (name,))
            for name in ["nil", "true", "false", "1", "-1", "+1", ".1"]
        ),
        *(
            (Symbol, (name,))
            for name in ["12a", ":k", "\\a", "##x", "e\u0301", "\ud800"]
        ),
        *((Symbol, (name,)) for name in ["\u212b", "\ufeff", 1, None, b"a", True]),
        *((Symbol, ("a", space)) for space in ["", "a/b", "1", "?x", ":k", "a b", 1]),
        *((Keyword, (name,)) for name in ["", "a b", "a/b", "/", "e\u0301", 1, None]),
        *((Keyword, ("a", space)) for space in ["", "a/b", "(", 1]),
        *((Char, (value,)) for value in ["", "ab", "\ud800", 97, None]),
        *((Ratio, pair) for pair in [(1, 1), (1, 0), (1, -2), (2, 4), (0, 2)]),
        *((Ratio, pair) for pair in [(True, 2), (1, 2.0), (1, 10**4300)]),
        *((Decimal, pair) for pair in [(10, 1), (0, 1), (1, -1), (1, 64), (True, 0)]),
        *((Decimal, pair) for pair in [(10**64, 0), (1.5, 0), (1, True)]),
    ],
)
def test_what_has_no_spelling_is_not_made(kind: Any, content: tuple[Any, ...]) -> None:
    with pytest.raises(RefusedError) as refused:
        kind(*content)
    assert refused.value.code == "koinii/uncanonical-value"


def test_numbers_python_confuses_are_not_the_same() -> None:
    confused: list[Term] = [1, 1.0, True, Decimal(1, 0)]
    assert [[same(a, b) for b in confused] for a in confused] == [
        [i == j for j in range(4)] for i in range(4)
    ]
    assert not same((1,), (True,))
    assert not same("a", Symbol("a"))


@given(terms(), terms())
def test_same_is_equality_of_encodings(left: Term, right: Term) -> None:
    assert same(left, right) == (encode(left) == encode(right))
    assert same(left, copy.deepcopy(left))
