"""What may be asserted, by the sentence alone, and the code of each refusal."""

from typing import Any

import pytest
from hypothesis import given

from koinii.errors import RefusedError
from koinii.terms import Symbol, Term, canonical, read, write
from koinii.terms.shape import (
    STRUCTURAL,
    check_context,
    check_fact,
    check_rule,
    check_sentence,
    is_context,
    is_individual,
    is_variable,
)
from strategies import contexts, facts, rules, terms

FACTS = [
    "(raining)",
    "(dog Rex)",
    "(big_dog Rex)",
    "(not (reliable ProdCluster))",
    "(ns/likes Tom Ann)",
    "(endorses AgentAtlas (sentexHandle 12))",
    "(believes Tom (and (a) (not)))",
    '(p () nil (implies) "?x" :k (Bad X))',
    '(except (sentexHandle "sha256:00"))',
    "(genlCx CxA CxB)",
    "(genl dog mammal)",
    "(symmetric siblingOf)",
    "(functional trustLevel)",
    "(disjoint dog cat)",
    "(arg likes 1 agent)",
    "(targetFollowingPredicate answers)",
    "(modalPredicate believes)",
    "(channel CxDeploy)",
    "(convened CxPanel)",
]
REFUSED_FACTS = [
    ("shape", "(lessThan 3 5)"),
    ("shape", "(not (different A B))"),
    ("shape", "(equals A A)"),
    ("shape", "dog"),
    ("shape", '"(dog Rex)"'),
    ("shape", "5"),
    ("not-well-formed", "()"),
    ("not-well-formed", "(not)"),
    ("not-well-formed", "(not (a) (b))"),
    ("not-well-formed", "(not dog)"),
    ("not-well-formed", "(not ())"),
    ("naming", "(Dog Rex)"),
    ("naming", "(dog-house Rex)"),
    ("naming", "(big_dog)"),
    ("naming", "(big_dog Rex Ann)"),
    ("naming", "(CxA b)"),
    ("naming", "(1 2)"),
    ("naming", "(nil)"),
    ("naming", '("dog" Rex)'),
    ("naming", "((f) Rex)"),
    ("naming", "(_ Rex)"),
    ("naming", "(Café Rex)"),
    ("not-ground", "(dog ?x)"),
    ("not-ground", "(dog _)"),
    ("not-ground", "(not (dog (F (G ?x))))"),
    ("not-ground", "(?p Rex)"),
    ("shape", "(and (a) (b))"),
    ("shape", "(not (and (a) (b)))"),
    ("shape", "(not (implies (a ?x) (b ?x)))"),
    ("shape", "(unknown (a))"),
    ("shape", "(ist CxA (a))"),
    ("shape", "(not (ist CxA (a)))"),
    ("shape", '(exceptWhen (a) (sentexHandle "x"))'),
    ("shape", "(exists ?x (dog ?x))"),
    ("shape", "(set/otherRule (dog Rex))"),
    *(("shape", f"(not ({word} CxA CxB))") for word in sorted(STRUCTURAL)),
    *(("shape", f"({word})") for word in sorted(STRUCTURAL)),
    *(("shape", f"({word} 1 2 3 4)") for word in sorted(STRUCTURAL)),
    ("shape", "(genlCx CxA Dog)"),
    ("shape", "(channel deploy)"),
    ("shape", "(arg likes 0 agent)"),
    ("shape", "(arg likes true agent)"),
    ("shape", "(except 3)"),
    ("shape", "(functional (F p))"),
]
RULES = [
    "(implies (p ?x) (q ?x))",
    "(implies (and (p ?x) (not (q ?x ?y))) (not (r ?y)))",
    "(implies (and (p ?x) (lessThan ?x 3)) (and (q ?x) (r ?x)))",
    "(implies (a X) (b X))",
    "(set/inertRule (set/defaultRule (implies (p ?x) (q ?x))))",
    "(set/defaultRule (set/forwardRule (implies (p ?x) (q ?x))))",
    "(implies (p (F ?x) ?y) (q (F ?x) ?y))",
    "(implies (and (p (F ?x)) (q ?x)) (r (G ?x)))",
    "(implies (genl ?x ?y) (kindOf ?x ?y))",
    "(implies (p ?x) (q (F (G Tom)) ?x))",
]
REFUSED_RULES = [
    ("shape", "(implies (size ?x ?y) (lessThan ?y 0))"),
    ("shape", "rule"),
    ("shape", "(dog Rex)"),
    ("shape", "(set/defaultRule (dog Rex))"),
    ("shape", "(set/backwardRule (implies (p ?x) (q ?x)))"),
    ("not-well-formed", "(set/forwardRule (set/inertRule (implies (p ?x) (q ?x))))"),
    ("not-well-formed", "(set/defaultRule (set/defaultRule (implies (p ?x) (q ?x))))"),
    ("not-well-formed", "(implies (p ?x))"),
    ("not-well-formed", "(implies (p ?x) (q ?x) (r ?x))"),
    ("not-well-formed", "(implies (and) (q X))"),
    ("not-well-formed", "(implies (p X) (and))"),
    ("not-well-formed", "(implies p (q X))"),
    ("not-well-formed", "(implies (p ?x) (not))"),
    ("not-well-formed", "(implies (and (p ?x) ()) (q ?x))"),
    ("not-well-formed", "(implies (p ?x _) (q ?x))"),
    ("naming", "(implies (P ?x) (q ?x))"),
    ("naming", "(implies (p ?x) (q_r ?x ?x))"),
    ("not-indexable", "(implies (?p ?x) (q ?x))"),
    ("not-indexable", "(implies (p ?x) (?x ?x))"),
    ("not-indexable", "(implies (not (?p ?x)) (q ?x))"),
    ("not-range-restricted", "(implies (p ?x) (q ?y))"),
    ("not-range-restricted", "(implies (and (p ?x) (lessThan ?y 3)) (q ?x))"),
    ("not-range-restricted", "(implies (lessThan ?x 3) (q ?x))"),
    ("not-range-restricted", "(implies (not (different A B)) (q A))"),
    ("shape", "(implies (and (p ?x) (unknown (r ?x))) (q ?x))"),
    ("shape", "(implies (and (p ?x) (not (unknown (r ?x)))) (q ?x))"),
    ("shape", "(implies (p ?x) (exists ?y (q ?x ?y)))"),
    ("shape", "(implies (p ?x) (ist CxA (q ?x)))"),
    ("shape", "(implies (p ?x) (implies (q ?x) (r ?x)))"),
    ("shape", "(implies (not (and (p ?x) (r ?x))) (q ?x))"),
    ("shape", "(implies (p ?x) (set/defaultRule (q ?x)))"),
    ("shape", "(implies (p ?x) (genl ?x dog))"),
    ("shape", "(implies (p ?x) (and (q ?x) (not (symmetric ?x))))"),
    ("shape", "(implies (p ?x) (q (F ?x)))"),
    ("shape", "(implies (p ?x (F ?y)) (p (F ?x) ?y))"),
    ("shape", "(implies (and (p ?x) (lessThan (F ?x) 3)) (q (F ?x)))"),
    ("shape", f"(implies (and {' '.join(f'(p{n} ?x)' for n in range(65))}) (q ?x))"),
]


def code_of(check: object, sentence: Term) -> str:
    assert callable(check)
    with pytest.raises(RefusedError) as refused:
        check(sentence)
    return refused.value.code


@pytest.mark.parametrize("text", FACTS)
def test_facts_may_be_asserted(text: str) -> None:
    check_fact(read(text))
    check_sentence(read(text))


@pytest.mark.parametrize(("code", "text"), REFUSED_FACTS)
def test_what_is_no_fact_is_refused_with_its_code(code: str, text: str) -> None:
    assert code_of(check_fact, read(text)) == code
    if "set/" not in text:
        assert code_of(check_sentence, read(text)) == code


@pytest.mark.parametrize("text", RULES)
def test_rules_may_be_asserted(text: str) -> None:
    check_rule(read(text))
    check_sentence(read(text))
    check_rule(canonical(read(text)))
    assert code_of(check_fact, read(text)) == "shape"


@pytest.mark.parametrize(("code", "text"), REFUSED_RULES)
def test_what_is_no_rule_is_refused_with_its_code(code: str, text: str) -> None:
    assert code_of(check_rule, read(text)) == code


def test_a_refusal_says_what_was_refused() -> None:
    with pytest.raises(RefusedError) as refused:
        check_fact(read("(Dog Rex)"))
    error = refused.value
    assert error.message == "Dog is no name of a predicate: (Dog Rex)"
    assert error.details["sentence"] == "(Dog Rex)"
    assert "camelCase" in error.hint


@given(facts())
def test_made_facts_pass(fact: Term) -> None:
    check_fact(fact)


@given(rules())
def test_made_rules_pass_in_any_form(rule: Term) -> None:
    check_rule(rule)
    check_rule(canonical(rule))


@given(terms())
def test_any_term_passes_or_is_refused(term: Term) -> None:
    try:
        check_sentence(term)
    except RefusedError as refused:
        assert refused.code
    else:
        assert isinstance(term, tuple)


def nested(depth: int) -> Term:
    term: Term = Symbol("p")
    for _ in range(depth):
        term = (Symbol("p"), term)
    return term


def test_depth_is_bounded() -> None:
    check_fact(nested(64))
    assert code_of(check_fact, nested(65)) == "shape"
    assert code_of(check_fact, nested(900)) == "shape"
    assert code_of(check_rule, nested(900)) == "shape"


def test_size_is_bounded_by_the_bytes_of_the_text() -> None:
    def said(text: str) -> Term:
        return (Symbol("p"), text)

    fixed = len(write(said("")))
    for char in ("x", "é", "😀", "\u2028", '"'):
        each = len(write(char).encode()) - 2
        fitting = (65_536 - fixed) // each
        check_fact(said(char * fitting))
        assert code_of(check_fact, said(char * (fitting + 1))) == "shape"


def test_size_counts_symbols_and_what_stands_between() -> None:
    for name, count in (("Tom", 16_383), ("日本", 9_362)):
        names = (Symbol(name),) * count
        check_fact((Symbol("ab"), *names[:-1]))
        assert code_of(check_fact, (Symbol("abcdefgh"), *names)) == "shape"


def test_a_value_that_is_none_is_refused_as_such() -> None:
    values: list[Any] = [float("nan"), "e\u0301", [1]]
    for value in values:
        sentence = (Symbol("p"), value)
        assert code_of(check_fact, sentence) == "koinii/uncanonical-value"


@pytest.mark.parametrize("text", ["CxA", "CxDeploy2", "CxCx"])
def test_contexts(text: str) -> None:
    check_context(Symbol(text))
    assert is_context(Symbol(text))
    assert not is_individual(Symbol(text))


@given(contexts())
def test_made_contexts_pass(context: Symbol) -> None:
    check_context(context)


@pytest.mark.parametrize(
    ("code", "term"),
    [
        *(("naming", Symbol(name)) for name in ["Cx", "Cxfoo", "Cx_A", "cxA", "?x"]),
        *(("naming", Symbol(name)) for name in ["CxA_b", "CxCafé", "Deploy", "Cx1"]),
        ("naming", Symbol("CxA", "ns")),
        *(("shape", term) for term in [None, "CxA", 1, (Symbol("CxA"),)]),
    ],
)
def test_what_is_no_context(code: str, term: Term) -> None:
    assert not is_context(term)
    assert code_of(check_context, term) == code


def test_individuals_and_variables() -> None:
    names = ["Tom", "ProdCluster2", "Cxfoo", "CxA", "tom", "Tom_A", "?x", "_"]
    individuals = [name for name in names if is_individual(Symbol(name))]
    assert individuals == ["Tom", "ProdCluster2", "Cxfoo"]
    assert is_variable(Symbol("?x"))
    assert not any(map(is_variable, [Symbol("_"), Symbol("x"), "?x", ("?x",), None]))
    assert not is_individual("Tom")
