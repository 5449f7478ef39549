"""Encodings taken apart: the same as taking the terms apart."""

from __future__ import annotations

from hypothesis import given

from koinii.terms import slices
from koinii.terms.encoding import encode
from koinii.terms.match import substitute, unify, variables
from koinii.terms.term import Symbol, Term
from strategies import ground_terms, terms


@given(terms())
def test_a_list_splits_into_the_encodings_of_its_elements(term: Term) -> None:
    expected = list(map(encode, term)) if isinstance(term, tuple) else None
    assert slices.split(encode(term)) == expected
    if expected is not None:
        assert slices.join(expected) == encode(term)


def _nesting(term: Term) -> int:
    if not isinstance(term, tuple):
        return 0
    return 1 + max(map(_nesting, term), default=0)


@given(terms())
def test_depth_counts_lists_within_lists(term: Term) -> None:
    assert slices.depth(encode(term)) == _nesting(term)


X, Y, P = Symbol("?x"), Symbol("?y"), Symbol("p")


@given(ground_terms(), ground_terms())
def test_matching_is_unification_and_building_substitution(
    one: Term, other: Term
) -> None:
    for pattern in ((P, X, Y), (P, X, (P, Y, one)), (P, X, X), (X, one)):
        for ground in ((P, one, other), (P, one, (P, other, one)), (one, one)):
            bound: dict[str, bytes] = {}
            part = slices.part_of(pattern)
            found = slices.match(part, encode(ground), bound)
            expected = unify(pattern, ground)
            assert found == (expected is not None)
            if expected is None:
                continue
            assert bound == {name: encode(term) for name, term in expected.items()}
            assert set(variables(pattern)) == set(bound)
            assert slices.build(part, bound) == encode(substitute(pattern, expected))
