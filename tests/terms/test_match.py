"""Patterns: what binds, what must agree, and content instead of `==`."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.terms import Term, read, write
from koinii.terms.match import is_ground, substitute, unify, variables
from koinii.terms.term import same
from strategies import ground_terms, terms

MATCHES = [
    ("(p ?x ?y)", "(p A B)", {"?x": "A", "?y": "B"}),
    ("(p ?x ?x)", "(p (F 1) (F 1))", {"?x": "(F 1)"}),
    ("(p _ _)", "(p A B)", {}),
    ("(?p A)", "(q A)", {"?p": "q"}),
    ("(p (F ?x) ?y)", "(p (F (G)) nil)", {"?x": "(G)", "?y": "nil"}),
    ("?x", "(p A)", {"?x": "(p A)"}),
    ("(p 1.0)", "(p 1.0)", {}),
]
MISMATCHES = [
    ("(p ?x ?x)", "(p A B)"),
    ("(p ?x ?x)", "(p 1 1.0)"),
    ("(p ?x ?x)", "(p 1 true)"),
    ("(p ?x ?x)", '(p A "A")'),
    ("(p ?x ?x)", "(p (F 0) (F false))"),
    ("(p 1)", "(p 1.0)"),
    ("(p 1)", "(p true)"),
    ("(p 1)", "(p 1M)"),
    ('(p "A")', "(p A)"),
    ("(p A)", '(p "A")'),
    ("(p A)", "(p :A)"),
    ("(p ?x)", "(p)"),
    ("(p ?x)", "(p A B)"),
    ("(p ?x)", "(q A)"),
    ("(p (F ?x))", "(p F)"),
    ("A", "(A)"),
]


@pytest.mark.parametrize(("pattern", "term", "expected"), MATCHES)
def test_a_pattern_binds(pattern: str, term: str, expected: dict[str, str]) -> None:
    found = unify(read(pattern), read(term))
    assert found is not None
    assert {name: write(value) for name, value in found.items()} == expected


@pytest.mark.parametrize(("pattern", "term"), MISMATCHES)
def test_a_pattern_that_differs_binds_nothing(pattern: str, term: str) -> None:
    assert unify(read(pattern), read(term)) is None


def test_what_is_bound_already_decides_and_is_kept() -> None:
    known: dict[str, Term] = {"?x": 1}
    assert unify(read("(p ?x ?y)"), read("(p 1 2)"), known) == {"?x": 1, "?y": 2}
    assert unify(read("(p ?x ?y)"), read("(p 1.0 2)"), known) is None
    assert unify(read("(p ?y ?x)"), read("(p 2 true)"), known) is None
    assert known == {"?x": 1}


@given(terms(), st.data())
def test_a_pattern_filled_in_is_matched_by_its_bindings(
    pattern: Term, data: st.DataObject
) -> None:
    names = variables(pattern)
    filling: dict[str, Term] = {name: data.draw(ground_terms()) for name in names}
    filled = without_wildcards(substitute(pattern, filling))
    found = unify(pattern, filled)

    assert is_ground(filled)
    assert found is not None
    assert found.keys() == filling.keys()
    assert all(same(found[name], filling[name]) for name in names)


def without_wildcards(term: Any) -> Term:
    if isinstance(term, tuple):
        return tuple(map(without_wildcards, term))
    return None if write(term) == "_" else term


@given(ground_terms(), ground_terms())
def test_ground_terms_match_only_themselves(left: Term, right: Term) -> None:
    assert (unify(left, right) == {}) == same(left, right)
    assert unify(left, left) == {}


def test_what_is_not_bound_stays() -> None:
    term = read("(p ?x (F ?y) _)")
    assert write(substitute(term, {"?y": 1})) == "(p ?x (F 1) _)"
    assert variables(term) == ("?x", "?y")
    assert not is_ground(read("(p _)"))
    assert is_ground(read('(p "?x" :k ())'))
