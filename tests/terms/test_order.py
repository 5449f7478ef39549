"""The order of values: total, exact, and in step with the encoding."""

from functools import cmp_to_key
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import RefusedError
from koinii.terms import Char, Decimal, Keyword, Ratio, Symbol, Term, encode, read
from koinii.terms.order import content_key, is_number, less_than, sort_by_content
from koinii.terms.term import same
from strategies import exact, numbers, terms

KINDS = ["nil", "bool", "number", "string", "keyword", "symbol", "char", "list"]

ASCENDING = """
nil false true
-1e308 -2 -3/2 -1.5 -1.5M -1 0 0.0 0M 1/3 0.5 1/2 1 1.0 1M
9007199254740992 9007199254740992.0 9007199254740993 1e16 10000000000000001 1e300
"" "A" "a" "ab" "b" "\uffee" "😀"
:a :b :ns/a :z/a
Z _ a b \uffee 😀 a/b a/c ab/a
\\0 \\a \\é
() (nil) (nil nil) (1) (1 1) (1 2) (2) ("a") (a) (a b) (a (b)) (b) ((a)) (()
 ())
"""


def ascending() -> list[Term]:
    (listed,) = [read(f"({ASCENDING})")]
    assert isinstance(listed, tuple)
    return list(listed)


def kind(term: Term) -> str:
    names = {type(None): "nil", bool: "bool", str: "string", tuple: "list"}
    ours = {Keyword: "keyword", Symbol: "symbol", Char: "char"}
    return ({**names, **ours}).get(type(term), "number")


def defined(left: Term, right: Term) -> int:
    """Compare as formats section 2 says, step by step."""
    by_kind = KINDS.index(kind(left)) - KINDS.index(kind(right))
    if by_kind:
        return by_kind
    if isinstance(left, tuple) and isinstance(right, tuple):
        pairs = [defined(a, b) for a, b in zip(left, right, strict=False)]
        return next((found for found in pairs if found), len(left) - len(right))
    first, second = plain(left), plain(right)
    if first != second:
        return -1 if first < second else 1
    one, other = encode(left), encode(right)
    return (one > other) - (one < other)


def plain(term: Any) -> Any:
    if isinstance(term, Keyword | Symbol):
        return (term.namespace is not None, term.namespace or "", term.name)
    if isinstance(term, Char):
        return ord(term.value)
    if kind(term) == "number":
        return exact(term)
    return 0 if term is None else term


def test_an_example_of_every_step() -> None:
    listed = ascending()
    assert [kind(term) for term in listed if kind(term) != "list"] == sorted(
        (kind(term) for term in listed if kind(term) != "list"), key=KINDS.index
    )
    numbers_ = [term for term in listed if kind(term) == "number"]
    assert sort_by_content(reversed(numbers_)) == sorted(
        numbers_, key=cmp_to_key(defined)
    )
    others = [term for term in listed if kind(term) not in {"number", "list"}]
    assert sort_by_content(reversed(others)) == others


@given(st.lists(terms(), max_size=8))
def test_terms_sort_as_defined(made: list[Term]) -> None:
    ours = [encode(term) for term in sort_by_content(made)]
    assert ours == [encode(term) for term in sorted(made, key=cmp_to_key(defined))]


@given(terms(), terms())
def test_keys_are_equal_only_for_one_content(left: Term, right: Term) -> None:
    first, second = content_key(left), content_key(right)
    assert (first == second) == same(left, right)
    assert (first < second) + (second < first) + (first == second) == 1


@given(terms(), terms(), terms())
def test_the_order_is_transitive(one: Term, two: Term, three: Term) -> None:
    low, mid, high = sorted(map(content_key, [one, two, three]))
    assert not mid < low
    assert not high < mid
    assert not high < low


@given(numbers(), numbers())
def test_less_than_is_exact_across_kinds(
    left: int | float | Ratio | Decimal, right: int | float | Ratio | Decimal
) -> None:
    assert less_than(left, right) == (exact(left) < exact(right))


@pytest.mark.parametrize(
    ("low", "high"), [(2**53, 2**53 + 1), (2.0**53, 2**53 + 1), (0.1, Decimal(1, 1))]
)
def test_less_than_sees_what_rounding_hides(low: Term, high: Term) -> None:
    assert less_than(low, high) is (low != 0.1)
    assert less_than(high, low) is (low == 0.1)


@given(terms(), terms())
def test_only_numbers_are_less_than_others(left: Term, right: Term) -> None:
    if not (is_number(left) and is_number(right)):
        assert not less_than(left, right)


@pytest.mark.parametrize("value", [True, False, None, "1", (1,)])
def test_what_is_no_number_is_not_less(value: Term) -> None:
    assert not is_number(value)
    assert not less_than(value, 2)
    assert not less_than(0, value)


@pytest.mark.parametrize("value", [[1], {}, b"x", float("nan")])
def test_what_is_no_term_has_no_place(value: Term) -> None:
    with pytest.raises(RefusedError):
        content_key(value)
