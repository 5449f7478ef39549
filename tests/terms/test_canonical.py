"""The canonical form: idempotent, blind to spelling, bounded in work."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import RefusedError
from koinii.terms import Symbol, Term, canonical, encode, read, write
from koinii.terms.canonical import peel, split_rule, wrap
from koinii.terms.match import substitute, variables
from koinii.terms.rules import MAX_PREFIXES
from koinii.terms.shape import check_sentence
from koinii.terms.term import same
from reference.canonical_twin import canonical_text
from strategies import facts, rules, sentences, terms
from strategies import variables as any_variables

FOLDS = [
    ("(not (not (dog Rex)))", "(dog Rex)"),
    ("(not (not (not (dog Rex))))", "(not (dog Rex))"),
    ("(not (greaterThan 5 3))", "(not (lessThan 3 5))"),
    ("(greaterThan 3 2 1)", "(lessThan 1 2 3)"),
    ("(believes Tom (not (not (dog Rex))))", "(believes Tom (not (not (dog Rex))))"),
    ("(siblingOf Bob Ann)", "(siblingOf Bob Ann)"),
    ("(not (not (implies (p ?x) (q ?x))))", "(implies (p ?var0) (q ?var0))"),
    ("(set/inertRule (implies (p ?x) (q ?x)))", "(implies (p ?var0) (q ?var0))"),
    (
        "(implies (and (and) (and (p ?x) (and (not (not (p ?x)))))) (q ?x))",
        "(implies (p ?var0) (q ?var0))",
    ),
    (
        "(implies (and (not (lessThan ?x 3)) (zeta ?x) (not (q ?y)) (q ?x)) (q ?x))",
        "(implies (and (zeta ?var0) (not (q ?var1)) (q ?var0) (not (lessThan ?var0 3)))"
        " (q ?var0))",
    ),
    (
        "(implies (and (p ?b 1.0) (p ?a 1)) (q ?a ?b))",
        "(implies (and (p ?var0 1) (p ?var1 1.0)) (q ?var0 ?var1))",
    ),
    ("(implies (p ?var7) (q ?var7 ?var0))", "(implies (p ?var0) (q ?var0 ?var1))"),
    (
        "(implies (and (p ?z) (p ?y)) (and (q ?y ?z) (not (not (r ?z)))))",
        "(implies (and (p ?var0) (p ?var1)) (and (q ?var0 ?var1) (r ?var1)))",
    ),
]


@pytest.mark.parametrize(("written", "form"), FOLDS)
def test_a_sentence_is_folded(written: str, form: str) -> None:
    assert write(canonical(read(written))) == form


@given(sentences())
def test_the_form_of_a_form_is_itself(sentence: Term) -> None:
    form = canonical(sentence)
    assert same(canonical(form), form)
    assert write(canonical(read(write(form)))) == write(form)


@given(facts())
def test_facts_stay_as_they_are_written(fact: Term) -> None:
    assert same(canonical(fact), fact)
    assert same(canonical((Symbol("not"), (Symbol("not"), fact))), fact)


@given(terms())
def test_any_term_has_a_form_or_a_refusal(term: Term) -> None:
    form = canonical(term)
    assert same(canonical(form), form)


@given(rules(), st.data())
def test_names_order_and_nesting_do_not_matter(rule: Any, data: st.DataObject) -> None:
    implies, body, goal = rule
    literals = list(body[1:]) if body[0] == Symbol("and") else [body]
    shuffled = data.draw(st.permutations(literals))
    repeated = data.draw(st.lists(st.sampled_from(literals), max_size=2))
    cut = data.draw(st.integers(0, len(shuffled)))
    nested = (
        Symbol("and"),
        *shuffled[:cut],
        (Symbol("and"), *shuffled[cut:], *repeated),
    )
    used = variables(rule)
    fresh = data.draw(st.permutations([f"?new{n}" for n in range(len(used))]))
    names = {old: Symbol(new) for old, new in zip(used, fresh, strict=True)}
    variant = substitute((implies, nested, goal), names)

    assert write(canonical(variant)) == write(canonical(rule))


@given(rules(max_antecedents=4))
def test_the_search_finds_what_trying_every_order_finds(rule: Term) -> None:
    assert write(canonical(rule)) == canonical_text(rule)


LOOPS: st.SearchStrategy[Term] = st.builds(
    lambda name, low, high: (Symbol(name), low, high),
    st.sampled_from(["e", "e", "e", "goal"]),
    any_variables(),
    any_variables(),
)


@given(st.lists(LOOPS, min_size=1, max_size=6), any_variables(), any_variables())
def test_interchangeable_antecedents_as_well(
    body: list[Term], low: Symbol, high: Symbol
) -> None:
    goal: Term = (Symbol("goal"), low, high)
    rule: Term = (Symbol("implies"), (Symbol("and"), *body), goal)
    assert write(canonical(rule)) == canonical_text(rule)


def interchangeable(count: int, literal: str = "(f ?{0})") -> Term:
    body = " ".join(literal.format(f"v{number}") for number in range(count))
    return read(f"(implies (and {body}) (g ?v0))")


@pytest.mark.parametrize("count", [1, 2, 5, 6])
def test_six_interchangeable_antecedents_pass(count: int) -> None:
    kept = sum(math.perm(count, length) for length in range(1, count + 1))
    assert kept <= MAX_PREFIXES
    assert len(variables(canonical(interchangeable(count)))) == count


@pytest.mark.parametrize("count", [7, 8, 20, 64])
def test_seven_interchangeable_antecedents_are_refused(count: int) -> None:
    with pytest.raises(RefusedError) as refused:
        canonical(interchangeable(count))
    assert refused.value.code == "too-symmetric"
    assert refused.value.details["sentence"] == write(interchangeable(count))


def test_six_long_interchangeable_antecedents_pass() -> None:
    shared = " ".join(f"?{number}" for number in range(1500))
    rule = interchangeable(6, f"(f {shared} ?{{0}})")
    assert len(write(rule)) > 40_000
    assert len(variables(canonical(rule))) == 1506


def test_64_distinct_antecedents_pass_and_65_do_not() -> None:
    def chain(length: int) -> Term:
        steps = " ".join(f"(e ?{n} ?{n + 1})" for n in range(length))
        return read(f"(implies (and {steps}) (path ?0 ?{length}))")

    expected = " ".join(f"(e ?var{n} ?var{n + 1})" for n in range(64))
    assert write(canonical(chain(64))) == (
        f"(implies (and {expected}) (path ?var0 ?var64))"
    )
    with pytest.raises(RefusedError) as refused:
        canonical(chain(65))
    assert refused.value.code == "shape"


WRAPPED = [
    ("(implies (p ?x) (q ?x))", (), "(implies (p ?x) (q ?x))"),
    ("(set/forwardRule (a))", ("forwardRule",), "(a)"),
    ("(set/inertRule (a))", ("inertRule",), "(set/inertRule (a))"),
    (
        "(set/defaultRule (set/inertRule (a)))",
        ("defaultRule", "inertRule"),
        "(set/inertRule (set/defaultRule (a)))",
    ),
    (
        "(set/forwardRule (set/defaultRule (a)))",
        ("forwardRule", "defaultRule"),
        "(set/defaultRule (a))",
    ),
    ("(set/otherRule (a))", (), "(set/otherRule (a))"),
    ("(set/inertRule (a) (b))", (), "(set/inertRule (a) (b))"),
    ("(inertRule (a))", (), "(inertRule (a))"),
]


@pytest.mark.parametrize(("text", "wrappers", "spelling"), WRAPPED)
def test_wrappers_are_peeled_and_written_one_way(
    text: str, wrappers: tuple[str, ...], spelling: str
) -> None:
    inner, peeled = peel(read(text))
    assert peeled == wrappers
    assert write(wrap(inner, peeled)) == spelling
    assert same(canonical(read(text)), canonical(inner))


def test_a_conjunctive_consequent_is_split() -> None:
    rule = read(
        "(set/defaultRule (implies (p ?x) (and (q ?x) (and (not (not (r ?x)))))))"
    )
    assert [write(part) for part in split_rule(rule)] == [
        "(set/defaultRule (implies (p ?x) (q ?x)))",
        "(set/defaultRule (implies (p ?x) (r ?x)))",
    ]


@given(sentences())
def test_what_has_one_conclusion_is_not_split(sentence: Term) -> None:
    (alone,) = split_rule(sentence)
    assert same(canonical(alone), canonical(sentence))


@given(sentences())
def test_strategies_make_what_may_be_asserted(sentence: Term) -> None:
    check_sentence(canonical(sentence))
    assert encode(canonical(sentence))
