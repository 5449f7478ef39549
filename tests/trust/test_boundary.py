"""Who may say what where: the table of design section 8, in mode `cooperative`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import RefusedError
from koinii.terms import Term, read
from koinii.terms.canonical import canonical
from koinii.terms.shape import STRUCTURAL, check_sentence
from koinii.trust.boundary import IN_UNIVERSE, Refusal, World, admit, world_of
from koinii.trust.names import (
    INFRASTRUCTURE,
    belief_context,
    check_agent,
    own_context,
)
from strategies import contexts, facts, rules, sentences, symbols, terms

ATLAS, BOREAS = "AgentAtlas", "AgentBoreas"
DEFAULT, MONOTONIC = 0, 1
WORLD = world_of([ATLAS, BOREAS])
FOREIGN = "koinii/foreign-context"
HANDLE = f'(sentexHandle "sha256:{"0" * 64}")'

# speaker, context, sentence, strength, code ("" is let in)
TABLE = [
    # an author in its own contexts
    (ATLAS, "CxAtlas", "(p A)", DEFAULT, ""),
    (ATLAS, "CxAtlas", "(not (p A))", MONOTONIC, ""),
    (ATLAS, "CxAgentAgentAtlas", "(p A)", DEFAULT, ""),
    # an author in another's
    (ATLAS, "CxBoreas", "(p A)", DEFAULT, FOREIGN),
    (ATLAS, "CxAgentAgentBoreas", "(p A)", DEFAULT, FOREIGN),
    (BOREAS, "CxAtlas", "(p A)", MONOTONIC, FOREIGN),
    # contexts that are nobody's
    (ATLAS, "CxDeploy", "(p A)", DEFAULT, ""),
    (BOREAS, "CxDeploy", "(p A)", DEFAULT, ""),
    (ATLAS, "CxStranger", "(p A)", DEFAULT, ""),
    (ATLAS, "CxUniverse", "(p A)", DEFAULT, ""),
    ("AgentStranger", "CxStranger", "(p A)", DEFAULT, ""),
    # what belongs to the program
    (ATLAS, "CxRegistry", "(p A)", DEFAULT, "koinii/registry-forbidden"),
    (ATLAS, "CxCore", "(p A)", DEFAULT, FOREIGN),
    (ATLAS, "CxSpeechActs", "(p A)", DEFAULT, FOREIGN),
    (ATLAS, "CxDisputes", "(p A)", DEFAULT, FOREIGN),
    (ATLAS, "CxMajority", "(p A)", DEFAULT, FOREIGN),
    # edges and channels
    (ATLAS, "CxUniverse", "(genlCx CxDeploy CxAtlas)", MONOTONIC, ""),
    (ATLAS, "CxUniverse", "(genlCx CxAtlas CxLore)", MONOTONIC, ""),
    (ATLAS, "CxUniverse", "(genlCx CxAgentAgentAtlas CxAtlas)", MONOTONIC, ""),
    (ATLAS, "CxUniverse", "(channel CxDeploy)", MONOTONIC, ""),
    (ATLAS, "CxUniverse", "(genlCx CxDeploy CxAtlas)", DEFAULT, "shape"),
    (ATLAS, "CxUniverse", "(channel CxDeploy)", DEFAULT, "shape"),
    (ATLAS, "CxAtlas", "(genlCx CxDeploy CxAtlas)", MONOTONIC, "shape"),
    (ATLAS, "CxDeploy", "(channel CxDeploy)", MONOTONIC, "shape"),
    (ATLAS, "CxUniverse", "(not (genlCx CxA CxB))", MONOTONIC, "shape"),
    (ATLAS, "CxUniverse", "(genlCx CxA)", MONOTONIC, "shape"),
    (ATLAS, "CxUniverse", "(genlCx CxA B)", MONOTONIC, "shape"),
    (ATLAS, "CxUniverse", "(channel CxA CxB)", MONOTONIC, "shape"),
    (ATLAS, "CxUniverse", '(channel "CxA")', MONOTONIC, "shape"),
    (ATLAS, "CxUniverse", "(channel CxAtlas)", MONOTONIC, FOREIGN),
    (ATLAS, "CxUniverse", "(channel CxBoreas)", MONOTONIC, FOREIGN),
    (ATLAS, "CxUniverse", "(channel CxAgentAgentBoreas)", MONOTONIC, FOREIGN),
    (ATLAS, "CxUniverse", "(channel CxCore)", MONOTONIC, FOREIGN),
    (ATLAS, "CxUniverse", "(channel CxUniverse)", MONOTONIC, FOREIGN),
    (ATLAS, "CxUniverse", "(genlCx CxAtlas CxBoreas)", MONOTONIC, ""),
    (ATLAS, "CxUniverse", "(genlCx CxLore CxDeploy)", MONOTONIC, ""),
    (ATLAS, "CxUniverse", "(genlCx CxBoreas CxAtlas)", MONOTONIC, FOREIGN),
    (ATLAS, "CxUniverse", "(genlCx CxAgentAgentBoreas CxAtlas)", MONOTONIC, FOREIGN),
    (ATLAS, "CxUniverse", "(genlCx CxUniverse CxAtlas)", MONOTONIC, FOREIGN),
    (ATLAS, "CxUniverse", "(genlCx CxSpeechActs CxAtlas)", MONOTONIC, FOREIGN),
    (ATLAS, "CxUniverse", "(convened CxDeploy)", MONOTONIC, ""),
    (ATLAS, "CxUniverse", "(convened CxDeploy)", DEFAULT, "shape"),
    (ATLAS, "CxDeploy", "(convened CxDeploy)", MONOTONIC, "shape"),
    (ATLAS, "CxUniverse", "(convened CxAtlas)", MONOTONIC, FOREIGN),
    (ATLAS, "CxUniverse", "(convened CxAgentAgentAtlas)", MONOTONIC, FOREIGN),
    (ATLAS, "CxUniverse", "(convened CxMajority)", MONOTONIC, FOREIGN),
    # words that stand in CxUniverse only
    *(
        row
        for word in ("symmetric", "targetFollowingPredicate", "modalPredicate")
        for row in (
            (ATLAS, "CxUniverse", f"({word} p)", MONOTONIC, ""),
            (ATLAS, "CxUniverse", f"({word} p)", DEFAULT, "shape"),
            (ATLAS, "CxAtlas", f"({word} p)", MONOTONIC, "shape"),
            (ATLAS, "CxDeploy", f"({word} p)", MONOTONIC, "shape"),
            (ATLAS, "CxBoreas", f"({word} p)", MONOTONIC, FOREIGN),
            (ATLAS, "CxCore", f"({word} p)", MONOTONIC, FOREIGN),
            (ATLAS, "CxUniverse", f"(not ({word} p))", MONOTONIC, "shape"),
            (ATLAS, "CxUniverse", f"({word} p q)", MONOTONIC, "shape"),
        )
    ),
    # what stands wherever the author may write
    *(
        row
        for text in (
            "(genl dog animal)",
            "(functional p)",
            "(disjoint dog cat)",
            "(arg p 1 dog)",
            f"(except {HANDLE})",
        )
        for row in (
            (ATLAS, "CxAtlas", text, MONOTONIC, ""),
            (ATLAS, "CxAgentAgentAtlas", text, MONOTONIC, ""),
            (ATLAS, "CxDeploy", text, MONOTONIC, ""),
            (ATLAS, "CxUniverse", text, MONOTONIC, ""),
            (ATLAS, "CxAtlas", text, DEFAULT, "shape"),
            (ATLAS, "CxBoreas", text, MONOTONIC, FOREIGN),
            (ATLAS, "CxAgentAgentBoreas", text, MONOTONIC, FOREIGN),
            (ATLAS, "CxRegistry", text, MONOTONIC, "koinii/registry-forbidden"),
            (ATLAS, "CxSpeechActs", text, MONOTONIC, FOREIGN),
            (ATLAS, "CxAtlas", f"(not {text})", MONOTONIC, "shape"),
        )
    ),
    (ATLAS, "CxAtlas", '(except (sentexHandle "anything"))', MONOTONIC, ""),
    (ATLAS, "CxAtlas", '(except "sha256:0")', MONOTONIC, "shape"),
    (ATLAS, "CxAtlas", "(arg p 0 dog)", MONOTONIC, "shape"),
    # rules
    (ATLAS, "CxAtlas", "(implies (p ?x) (q ?x))", DEFAULT, ""),
    (ATLAS, "CxAtlas", "(implies (p ?x) (q ?x))", MONOTONIC, ""),
    (ATLAS, "CxAgentAgentAtlas", "(implies (p ?x) (q ?x))", DEFAULT, ""),
    (ATLAS, "CxDeploy", "(implies (p ?x) (not (q ?x)))", DEFAULT, ""),
    (ATLAS, "CxUniverse", "(implies (p ?x) (q ?x))", DEFAULT, ""),
    (ATLAS, "CxBoreas", "(implies (p ?x) (q ?x))", DEFAULT, FOREIGN),
    (ATLAS, "CxSpeechActs", "(implies (p ?x) (q ?x))", DEFAULT, FOREIGN),
    (
        ATLAS,
        "CxRegistry",
        "(implies (p ?x) (q ?x))",
        DEFAULT,
        "koinii/registry-forbidden",
    ),
    *(
        (ATLAS, "CxAtlas", f"(implies (p ?x) {head})", DEFAULT, "shape")
        for head in (
            "(genlCx CxAtlas ?x)",
            "(genl ?x thing)",
            f"(except {HANDLE})",
            "(symmetric ?x)",
            "(functional ?x)",
            "(disjoint ?x dog)",
            "(arg ?x 1 dog)",
            "(channel ?x)",
            "(convened ?x)",
            "(modalPredicate ?x)",
            "(targetFollowingPredicate ?x)",
            "(not (channel ?x))",
            "(ist CxB (q ?x))",
            "(q (Fn ?x))",
        )
    ),
    (
        ATLAS,
        "CxAtlas",
        "(implies (lessThan ?x ?y) (q ?x))",
        DEFAULT,
        "not-range-restricted",
    ),
    (ATLAS, "CxAtlas", "(implies (unknown (p ?x)) (q ?x))", DEFAULT, "shape"),
    (ATLAS, "CxAtlas", "(implies (?p A) (q A))", DEFAULT, "not-indexable"),
    # shape comes before place and standing
    (ATLAS, "CxBoreas", "(p ?x)", DEFAULT, "not-ground"),
    (ATLAS, "CxAtlas", "(not (implies (p ?x) (q ?x)))", DEFAULT, "shape"),
    (ATLAS, "CxAtlas", "(implies (p ?x) (q ?y))", DEFAULT, "not-range-restricted"),
    (ATLAS, "CxAtlas", "(not (symmetric p))", DEFAULT, "shape"),
    (ATLAS, "CxRegistry", "(Not_a A)", DEFAULT, "naming"),
    (ATLAS, "CxAtlas", "(ist CxB (p A))", DEFAULT, "shape"),
    (ATLAS, "CxAtlas", "(and (p A) (q A))", DEFAULT, "shape"),
    (ATLAS, "CxAtlas", "(unknown (p A))", DEFAULT, "shape"),
    # names of contexts
    (ATLAS, "Cxdeploy", "(p A)", DEFAULT, "naming"),
    (ATLAS, "Cx", "(p A)", DEFAULT, "naming"),
    (ATLAS, "Deploy", "(p A)", DEFAULT, "naming"),
    (ATLAS, "Cx_A", "(p A)", DEFAULT, "naming"),
    (ATLAS, "CxA" * 50, "(p A)", DEFAULT, "naming"),
]


def asked(
    speaker: str, context: str, sentence: str, strength: int, world: World = WORLD
) -> Refusal | None:
    return admit(speaker, context, canonical(read(sentence)), strength, world)


@pytest.mark.parametrize(("speaker", "context", "sentence", "strength", "code"), TABLE)
def test_the_table_of_the_boundary(
    speaker: str, context: str, sentence: str, strength: int, code: str
) -> None:
    refusal = asked(speaker, context, sentence, strength)
    assert (refusal.code if refusal else "") == code
    if refusal is not None:
        assert refusal.message
    if code == FOREIGN:
        assert refusal is not None
        assert refusal.hint


def test_the_table_has_every_structural_word() -> None:
    for wanted in ("", "shape", FOREIGN):
        said = {row[2].split()[0].strip("(") for row in TABLE if row[4] == wanted}
        assert said >= STRUCTURAL, wanted
    places = {context for _, context, _, _, _ in TABLE}
    assert places >= INFRASTRUCTURE


@pytest.mark.parametrize("word", sorted(IN_UNIVERSE))
def test_what_stands_in_the_universe_is_told_where_it_belongs(word: str) -> None:
    said = "genlCx CxDeploy CxAtlas" if word == "genlCx" else f"{word} CxDeploy"
    refusal = asked(ATLAS, "CxDeploy", f"({said})", MONOTONIC)
    assert refusal is not None
    assert "CxUniverse" in refusal.message
    assert "--in CxUniverse" in refusal.hint


# What a refusal may depend on ---------------------------------------------------


def any_context() -> st.SearchStrategy[str]:
    odd = st.sampled_from(["", "Cx", "cx", "CxA ", "CxÄ", "Cx" + "A" * 200, "a/CxB"])
    known = st.sampled_from([*sorted(INFRASTRUCTURE), "CxAtlas", "CxBoreas"])
    made = contexts().map(lambda symbol: symbol.text)
    return st.one_of(known, made, odd.filter(bool))


def any_term() -> st.SearchStrategy[Term]:
    words = st.sampled_from([*sorted(STRUCTURAL), "not", "implies", "and", "ist"])
    forms = st.builds(
        lambda word, rest: (read(word), *rest),
        words,
        st.lists(st.one_of(terms(), contexts(), symbols()), max_size=3),
    )
    negated = forms.map(lambda form: (read("not"), form))
    return st.one_of(terms(), sentences(), forms, negated)


@given(any_term(), any_context(), st.sampled_from([DEFAULT, MONOTONIC]))
def test_admit_never_raises(sentence: Term, context: str, strength: int) -> None:
    try:
        form = canonical(sentence)
    except RefusedError:
        return
    refusal = admit(ATLAS, context, form, strength, WORLD)
    assert refusal is None or (refusal.code and refusal.message)


@given(facts())
def test_a_fact_is_let_in_to_ones_own_context(sentence: Term) -> None:
    form = canonical(sentence)
    assert admit(ATLAS, "CxAtlas", form, DEFAULT, WORLD) is None


@given(rules(), st.sampled_from([DEFAULT, MONOTONIC]))
def test_a_rule_is_let_in_where_a_fact_is(sentence: Term, strength: int) -> None:
    try:
        form = canonical(sentence)
        check_sentence(form)
    except RefusedError:
        return
    for context in ("CxAtlas", "CxAgentAgentAtlas", "CxDeploy", "CxUniverse"):
        assert admit(ATLAS, context, form, strength, WORLD) is None
    for context in ("CxBoreas", "CxRegistry", "CxCore"):
        assert admit(ATLAS, context, form, strength, WORLD)


@given(any_term(), any_context(), st.lists(st.sampled_from([BOREAS, "AgentCedar"])))
def test_a_shape_is_refused_in_every_world(
    sentence: Term, context: str, agents: list[str]
) -> None:
    """Only `foreign-context` may depend on who is introduced (design section 5)."""
    try:
        form = canonical(sentence)
    except RefusedError:
        return
    here = admit(ATLAS, context, form, MONOTONIC, WORLD)
    there = admit(ATLAS, context, form, MONOTONIC, world_of(agents))
    if here != there:
        changed = {one.code for one in (here, there) if one is not None}
        assert changed == {FOREIGN}


@given(st.lists(st.sampled_from([ATLAS, BOREAS, "AgentCedar"]), unique=True))
def test_a_world_has_no_order(agents: list[str]) -> None:
    assert world_of(agents) == world_of(reversed(agents))


# Names ------------------------------------------------------------------------


@pytest.mark.parametrize("name", [ATLAS, "AgentX", "AgentWorkerMarkiDocx", "AgentA1"])
def test_a_name_of_an_agent(name: str) -> None:
    check_agent(name)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Atlas", "naming"),
        ("Agent", "naming"),
        ("Agentatlas", "naming"),
        ("Agent_Atlas", "naming"),
        ("AgentAtlas\n", "naming"),
        ("AgentÄ", "naming"),
        ("Agent" + "A" * 124, "naming"),
        ("", "naming"),
        ("koinii", "naming"),
        ("operator", "naming"),
        ("broadcast", "naming"),
        ("AdminRoot", "naming"),
        ("AgentMajority", "koinii/reserved-name"),
        ("AgentRegistry", "koinii/reserved-name"),
        ("AgentCore", "koinii/reserved-name"),
        ("AgentUniverse", "koinii/reserved-name"),
        ("AgentDisputes", "koinii/reserved-name"),
        ("AgentSpeechActs", "koinii/reserved-name"),
        ("AgentAgentAtlas", "koinii/reserved-name"),
    ],
)
def test_a_name_no_agent_may_have(name: str, code: str) -> None:
    with pytest.raises(RefusedError) as caught:
        check_agent(name)
    assert caught.value.code == code
    assert caught.value.hint


def test_no_agents_context_is_anothers() -> None:
    names = [ATLAS, BOREAS, "AgentA", "AgentAA", "AgentAgen", "AgentCx"]
    owned = [own_context(one) for one in names] + [belief_context(one) for one in names]
    assert len(set(owned)) == len(owned)
    assert not INFRASTRUCTURE & set(owned)
