"""Why a claim is believed: instances of rules over what is shown, and no less."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from history.sample_proofs import AUTHORED as OTHER_SET
from history.sample_proofs import text_of
from history.sample_why import (
    CAREFUL,
    CLIMB,
    COMMITMENT,
    DIGEST,
    EDGES,
    FACT,
    GROUNDS,
    LEAVES,
    MIRROR,
    PORT,
    RULE,
    SAID,
    STEPS,
    TO_TEAM,
    TREE,
    VOCABULARY,
    WATCHED,
    WHY_DOCUMENTS,
    commit_of,
    explained,
    premised,
    stated,
)
from history.stand_alone import verify
from history.tampering import changed, fields, reason
from koinii.errors import NotFoundError, RefusedError
from koinii.history import explaining
from koinii.history.explaining import Fact, Grounds, Step, why
from koinii.history.proving import Sentence
from koinii.history.stateproof import not_shown
from koinii.terms import Symbol, Term, read, write

WHY = [name for name in WHY_DOCUMENTS if name.startswith("why")]


def test_a_good_proof_says_what_it_checked_and_assumes() -> None:
    verdict = verify(explained())

    assert verdict, verdict.reason
    assert "steps that are instances of their rules: 2" in verdict.checked
    assert "leaves under the root that it stands on: 10" in verdict.checked
    assert "lines in the set of commit 3 that AgentAtlas signed: 1" in verdict.checked
    assert verdict.assumes[:2] == [
        f"vocabulary CxSpeechActs sha256:{DIGEST.hex()}",
        "leaves of which no author is shown: 8",
    ]
    assert any("most general" in line for line in not_shown("why"))
    assert any("nothing else supports" in line for line in not_shown("why"))


def test_a_premise_is_shown_with_the_line_of_its_author() -> None:
    verdict = verify(premised())

    assert verdict
    assert len(verdict.assumes) == 1
    unsigned = why(FACT, [], Grounds(), TREE, COMMITMENT)
    assert verify(unsigned).assumes[0] == "leaves of which no author is shown: 1"


def test_who_has_the_vocabulary_looks_the_rule_up() -> None:
    verdict = verify(explained(), vocabulary=[b"another", VOCABULARY])

    assert verdict
    assert not any(line.startswith("vocabulary") for line in verdict.assumes)
    invented = changed(
        explained(), "vocabulary.0.sentence", "(implies (a ?var0) (watched ?var0))"
    )
    assert reason(invented)
    assert "no such vocabulary" in reason(
        changed(explained(), "vocabulary.0.digest", "sha256:" + "0" * 64)
    )
    assert "no such vocabulary" in reason(
        changed(explained(), "vocabulary.0.context", "CxCore")
    )


def test_a_rule_that_the_vocabulary_lacks_is_refused_by_who_has_the_file() -> None:
    """A seat names a rule of its own as vocabulary; the digest alone hides it."""
    rule = Sentence("CxSpeechActs", "(implies (careful ?var0) (sold ?var0))")
    claim = stated("CxDeploy", "(sold HostB)")
    tree, commitment = commit_of([CAREFUL, EDGES[3], claim])
    step = Step(
        claim.locator,
        rule.locator,
        {"?var0": "HostB"},
        [Fact(CAREFUL.locator)],
        {"CxSpeechActs": [EDGES[3].locator]},
    )
    document = why(
        claim, [step], Grounds([CAREFUL, EDGES[3]], [rule]), tree, commitment
    )

    assert verify(document, vocabulary=[])
    assert "no such sentence" in reason(document, vocabulary=[VOCABULARY])


# What a stranger may try ------------------------------------------------------


@pytest.mark.parametrize("name", WHY)
@settings(max_examples=150)
@given(data=st.data())
def test_a_changed_character_is_refused(name: str, data: st.DataObject) -> None:
    text = text_of(WHY_DOCUMENTS[name])
    at = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.sampled_from('0aB ?("[{,:') | st.characters())
    if other != text[at]:
        assert not verify(text[:at] + other + text[at + 1 :])
    assert not verify(text[:at] + text[at + 1 :])


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 2**65)
    | st.sampled_from([RULE.locator, TO_TEAM, WATCHED.locator, "CxTeam", "HostA"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["fact", "CxTeam", "?var0"]), inner, max_size=2
        )
    ),
    max_leaves=4,
)


@pytest.mark.parametrize("name", WHY)
@settings(max_examples=150)
@given(data=st.data(), value=values)
def test_a_field_of_any_other_value_is_refused(
    name: str, data: st.DataObject, value: object
) -> None:
    document = WHY_DOCUMENTS[name]
    path = data.draw(st.sampled_from(fields(document)))
    other = changed(document, path, value)
    if other != document:
        assert not verify(other)


@pytest.mark.parametrize("path", fields(WHY_DOCUMENTS["why"]))
def test_no_field_may_be_missing(path: str) -> None:
    """`said` alone may: then the line of no author is shown, and that is told."""
    *outer, name = path.split(".")
    whole = copy.deepcopy(explained())
    place: Any = whole
    for one in outer:
        place = place[int(one) if isinstance(place, list) else one]
    del place[int(name) if isinstance(place, list) else name]

    assert not verify(whole)


def test_a_lines_author_is_given_or_neither_is() -> None:
    unsigned = changed(explained(), "authors", [])
    assert "author" in reason(unsigned)
    silent = why(WATCHED, STEPS, Grounds(LEAVES, GROUNDS.vocabulary), TREE, COMMITMENT)
    assert "leaves of which no author is shown: 9" in verify(silent).assumes
    more = [*explained()["authors"], *explained()["authors"]]
    assert "twice" in reason(changed(explained(), "authors", more))
    assert "line" in reason(changed(explained(), "leaves.1.said.line", "default 1 (a)"))
    assert OTHER_SET.text() not in SAID.authored


# Steps ------------------------------------------------------------------------


def with_steps(*steps: Step, leaves: list[Sentence] | None = None) -> dict[str, Any]:
    grounds = Grounds(LEAVES if leaves is None else leaves, GROUNDS.vocabulary)
    return why(WATCHED, steps, grounds, TREE, COMMITMENT)


def test_steps_stand_on_earlier_ones_only() -> None:
    assert "neither stated nor" in reason(with_steps(*reversed(STEPS)))
    assert "stated otherwise" in reason(with_steps(*STEPS, STEPS[1]))
    assert "last step" in reason(with_steps(STEPS[0]))
    assert "all that is stated" in reason(with_steps())
    assert "all that is stated" in reason(with_steps(STEPS[1]))


def test_a_claim_does_not_support_itself() -> None:
    """Two rules in a circle, with nothing that either stands on."""
    there = stated("CxA", "(implies (p ?x) (q ?x))")
    back = stated("CxA", "(implies (q ?x) (p ?x))")
    one, two = stated("CxA", "(p A)"), stated("CxA", "(q A)")
    tree, commitment = commit_of([there, back, one, two])
    bound = {"?var0": "A"}
    steps = [
        Step(two.locator, there.locator, bound, [Fact(one.locator)], {}),
        Step(one.locator, back.locator, bound, [Fact(two.locator)], {}),
    ]
    document = why(one, steps, Grounds([there, back, two]), tree, commitment)
    assert "neither stated nor" in reason(document)


def test_what_is_stated_is_used_and_stated_once() -> None:
    unused = [*LEAVES, stated("CxAtlas", "(other 1)")]
    assert "all that is stated" in reason(with_steps(*STEPS, leaves=unused))
    assert "twice" in reason(with_steps(*STEPS, leaves=[*LEAVES, PORT]))
    assert "twice" in reason(with_steps(*STEPS, leaves=[*LEAVES, WATCHED]))


def test_what_is_no_leaf_is_not_stood_on() -> None:
    """A leaf's place shown for another sentence, which nobody believes."""
    moved = changed(explained(), "leaves.1.sentence", "(adjacent HostB HostC)")
    assert "path" in reason(moved)
    with pytest.raises(NotFoundError):
        with_steps(*STEPS, leaves=[*LEAVES, stated("CxAtlas", "(adjacent A Z)")])


def one_step(
    rule: str,
    facts: list[str],
    conclusion: str,
    values: dict[str, str],
    *,
    climbs: list[str] | None = None,
    mirror: str = "",
    mirror_in: str = "CxUniverse",
) -> str:
    """Return why a step is refused, or "" where it holds; one context for all."""
    rule_ = Sentence("CxA", rule)
    given_facts = [Sentence("CxA", one) for one in facts]
    path = [Sentence("CxA", one) for one in climbs or []]
    turned = [Sentence(mirror_in, mirror)] if mirror else []
    claim = Sentence("CxA", conclusion)
    grounds = list(dict.fromkeys([rule_, *given_facts, *path, *turned]))
    tree, commitment = commit_of([*grounds, claim])
    readings = [Fact(one.locator) for one in given_facts]
    readings[0] = Fact(
        given_facts[0].locator,
        [one.locator for one in path],
        turned[0].locator if turned else "",
    )
    step = Step(claim.locator, rule_.locator, values, readings, {})
    return verify(why(claim, [step], Grounds(grounds), tree, commitment)).reason


PAIR = "(implies (p ?var0 ?var1) (q ?var1 ?var0))"
NO_P = "(implies (not (p ?var0)) (r ?var0))"
AB = {"?var0": "A", "?var1": "B"}


INSTANCES = [
    (PAIR, ["(p A B)"], "(q B A)", AB),
    (PAIR, ["(p (f 1) 1.0)"], "(q 1.0 (f 1))", {"?var0": "(f 1)", "?var1": "1.0"}),
    (NO_P, ["(not (p A))"], "(r A)", {"?var0": "A"}),
    ("(implies (p ?var0) (not (r ?var0)))", ["(p A)"], "(not (r A))", {"?var0": "A"}),
    (
        "(implies (and (p ?var0 ?var1) (p ?var1 ?var2)) (p ?var0 ?var2))",
        ["(p A B)", "(p B C)"],
        "(p A C)",
        {"?var0": "A", "?var1": "B", "?var2": "C"},
    ),
    (
        "(implies (p A ?var0) (r (f ?var0)))",
        ["(p A nil)"],
        "(r (f nil))",
        {"?var0": "nil"},
    ),
]


@pytest.mark.parametrize(("rule", "facts", "conclusion", "values"), INSTANCES)
def test_an_instance_is_one(
    rule: str, facts: list[str], conclusion: str, values: dict[str, str]
) -> None:
    assert one_step(rule, facts, conclusion, values) == ""
    assert one_step(rule, facts, "(other 5)", values)
    assert one_step(rule, ["(other 5)", *facts[1:]], conclusion, values)
    assert one_step(rule, [*facts, "(other 5)"], conclusion, values)
    assert one_step(rule, facts, conclusion, {**values, "?var9": "A"})
    for name in values:
        assert one_step(rule, facts, conclusion, {**values, name: "Z"})
        fewer = {one: value for one, value in values.items() if one != name}
        assert one_step(rule, facts, conclusion, fewer)


def test_values_are_equal_by_content_and_nothing_else() -> None:
    rule = "(implies (and (p ?var0) (r ?var0)) (s ?var0))"
    for one, two in [("1", "1.0"), ("true", "1"), ('"a"', "a"), ("1", "1M")]:
        for value in (one, two):
            facts, conclusion = [f"(p {one})", f"(r {two})"], f"(s {value})"
            assert one_step(rule, facts, conclusion, {"?var0": value})


def test_constants_are_equal_by_content_and_nothing_else() -> None:
    for one, two in [("1", "1.0"), ("true", "1"), ("1", "1M"), ("nil", "false")]:
        for fact, conclusion in [(one, two), (two, one)]:
            rule = f"(implies (p {one}) (r {one}))"
            assert one_step(rule, [f"(p {fact})"], f"(r {conclusion})", {})
        assert one_step(rule, [f"(p {one})"], f"(r {one})", {}) == ""


def test_signs_are_compared() -> None:
    rule = "(implies (p ?var0) (r ?var0))"
    assert one_step(rule, ["(not (p A))"], "(r A)", {"?var0": "A"})
    assert one_step(rule, ["(p A)"], "(not (r A))", {"?var0": "A"})
    assert one_step(NO_P, ["(p A)"], "(r A)", {"?var0": "A"})


@pytest.mark.parametrize(
    ("test", "first", "second", "holds"),
    [
        ("(lessThan ?var0 ?var1)", "1", "1.5", True),
        ("(lessThan ?var0 ?var1)", "1/3", "0.5M", True),
        ("(lessThan ?var0 ?var1)", "2", "2.0", False),
        ("(lessThan ?var0 ?var1)", "A", "B", False),
        ("(lessThan ?var0 ?var1 9)", "1", "2", True),
        ("(lessThan ?var0 ?var1 9)", "1", "10", False),
        ("(not (lessThan ?var0 ?var1))", "A", "B", True),
        ("(not (lessThan ?var0 ?var1))", "1", "2", False),
        ("(different ?var0 ?var1)", "1", "1.0", True),
        ("(different ?var0 ?var1)", "1", "1", False),
        ("(equals ?var0 ?var1)", "(a 1)", "(a 1)", True),
        ("(equals ?var0 ?var1)", "(a 1)", "(a 1M)", False),
        ("(not (equals ?var0 ?var1))", "A", "B", True),
        ("(equals (f ?var0) (f ?var1))", "A", "A", True),
        ("(unknown (p ?var0))", "A", "A", False),
    ],
)
def test_tests_are_evaluated(
    test: str, first: str, second: str, *, holds: bool
) -> None:
    rule = f"(implies (and (p ?var0 ?var1) {test}) (r ?var0))"
    values = {"?var0": first, "?var1": second}
    refusal = one_step(rule, [f"(p {first} {second})"], f"(r {first})", values)
    assert (refusal == "") is holds


def test_a_rule_that_binds_nothing_has_no_instance() -> None:
    rule, claim = (
        Sentence("CxA", "(implies (equals 1 1) (r A))"),
        stated("CxA", "(r A)"),
    )
    tree, commitment = commit_of([rule, claim])
    step = Step(claim.locator, rule.locator, {}, [], {})
    document = why(claim, [step], Grounds([rule]), tree, commitment)
    assert "binding literal" in reason(document)
    assert one_step("(implies (equals 1 1) (r A))", ["(p A)"], "(r A)", {})


def test_a_climb_goes_up_by_declared_edges() -> None:
    rule, values = "(implies (p ?var0) (r ?var0))", {"?var0": "A"}

    def refusal(fact: str, climbs: list[str], rule: str = rule) -> str:
        return one_step(rule, [fact], "(r A)", values, climbs=climbs)

    assert refusal("(o A)", ["(genl o p)"]) == ""
    assert refusal("(m A)", ["(genl m n)", "(genl n p)"]) == ""
    assert "begin" in refusal("(m A)", ["(genl n p)", "(genl m n)"])
    assert "instance" in refusal("(m A)", ["(genl m n)"])
    assert "begin" in refusal("(o A)", ["(genl p o)"])
    assert "genl" in refusal("(o A)", ["(kind o p)"])
    assert "genl" in refusal("(o A)", ["(genl o p q)"])
    assert "where it began" in refusal("(p A)", ["(genl p o)", "(genl o p)"])
    assert "climbs nowhere" in refusal(
        "(not (o A))", ["(genl o p)"], "(implies (not (p ?var0)) (r ?var0))"
    )


def test_a_mirror_is_declared_in_the_universe() -> None:
    def refusal(fact: str, mirror: str, where: str = "CxUniverse") -> str:
        return one_step(PAIR, [fact], "(q B A)", AB, mirror=mirror, mirror_in=where)

    assert refusal("(p B A)", "(symmetric p)") == ""
    assert "CxUniverse only" in refusal("(p B A)", "(symmetric p)", "CxA")
    assert "not declared" in refusal("(p B A)", "(symmetric r)")
    assert "not declared" in refusal("(p B A)", "(symmetric p p)")
    assert "instance" in refusal("(p A B)", "(symmetric p)")
    assert "unlike" in refusal("(p B A C)", "(symmetric p)")
    assert "unlike" in one_step(
        PAIR, ["(p A A)"], "(q A A)", dict.fromkeys(AB, "A"), mirror="(symmetric p)"
    )


def test_a_mirror_may_be_that_of_the_rules_predicate() -> None:
    for declared in ("(symmetric o)", "(symmetric p)"):
        assert (
            one_step(
                PAIR, ["(o B A)"], "(q B A)", AB, climbs=["(genl o p)"], mirror=declared
            )
            == ""
        )
    negative = "(implies (not (p ?var0 ?var1)) (q ?var1 ?var0))"
    assert (
        one_step(negative, ["(not (p B A))"], "(q B A)", AB, mirror="(symmetric p)")
        == ""
    )


@pytest.mark.parametrize(
    "rule",
    [
        "(p A)",
        "(implies (p ?var0))",
        "(implies (p ?var0) (r ?var0) (s ?var0))",
        "(implies p (r A))",
        "(implies (and (p ?var0) (and (p ?var0) (p ?var0))) (r ?var0))",
        "(implies (and) (r A))",
        "(implies (not (not (p ?var0))) (r ?var0))",
    ],
)
def test_what_is_no_rule_has_no_instance(rule: str) -> None:
    assert one_step(rule, ["(p A)"], "(r A)", {"?var0": "A"})
    assert one_step(rule, ["(p A)"], "(r A)", {})


def test_no_rule_concludes_a_structural_statement() -> None:
    rule = "(implies (p ?var0) (genl ?var0 thing))"
    assert "conclusion" in one_step(rule, ["(p a)"], "(genl a thing)", {"?var0": "a"})


def test_a_wildcard_in_a_rule_stands_for_itself() -> None:
    assert one_step("(implies (p _) (r A))", ["(p A)"], "(r A)", {})


# Sight ------------------------------------------------------------------------


def with_sight(sees: dict[str, list[str]]) -> str:
    first = STEPS[0]
    step = Step(first.conclusion, first.rule, first.values, first.facts, sees)
    return verify(with_steps(step, STEPS[1])).reason


def test_the_edges_given_lead_to_every_context() -> None:
    good = {context: list(path) for context, path in STEPS[0].sees.items()}
    assert with_sight(good) == ""
    for context, path in good.items():
        assert "contexts seen" in with_sight(
            {one: way for one, way in good.items() if one != context}
        )
        assert "lead" in with_sight({**good, context: []})
        assert "lead" in with_sight({**good, context: [*path, TO_TEAM]})
    assert "contexts seen" in with_sight({**good, "CxDeploy": []})
    assert "contexts seen" in with_sight({**good, "CxOther": [TO_TEAM]})
    assert "lead" in with_sight({**good, "CxBoreas": good["CxBoreas"][::-1]})
    for other in (FACT, MIRROR, CLIMB):
        assert "edge" in with_sight({**good, "CxAtlas": [other.locator]})


def test_an_edge_stands_in_the_universe() -> None:
    edge = Sentence("CxA", "(genlCx CxA CxB)")
    rule = Sentence("CxB", "(implies (p ?var0) (r ?var0))")
    fact, claim = Sentence("CxA", "(p A)"), Sentence("CxA", "(r A)")
    tree, commitment = commit_of([edge, rule, fact, claim])
    step = Step(
        claim.locator,
        rule.locator,
        {"?var0": "A"},
        [Fact(fact.locator)],
        {"CxB": [edge.locator]},
    )
    document = why(claim, [step], Grounds([edge, rule, fact]), tree, commitment)
    assert "CxUniverse" in reason(document)


# Bounds -----------------------------------------------------------------------


def test_a_long_value_in_many_places_is_refused_before_it_is_built() -> None:
    long = "(" + " ".join(["a"] * 20_000) + ")"
    test = "(equals " + " ".join(["?var0"] * 5_000) + ")"
    rule = f"(implies (and (p ?var0) {test}) (r A))"

    assert "bytes" in one_step(rule, [f"(p {long})"], "(r A)", {"?var0": long})


def test_lists_are_bounded() -> None:
    step = explained()["steps"][0]
    assert "1024" in reason(changed(explained(), "steps", [step] * 1025))
    assert "1024" in reason(
        changed(explained(), "steps.0.sees.CxAtlas", [TO_TEAM] * 1025)
    )


def test_a_proof_that_none_would_read_is_not_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(explaining, "MAX_BYTES", 2000)
    with pytest.raises(RefusedError) as caught:
        explained()
    assert caught.value.code == "koinii/proof-too-large"


terms: st.SearchStrategy[Term] = st.recursive(
    st.sampled_from([Symbol("A"), Symbol("B"), 1, 1.0, True, "a", None]),
    lambda inner: st.lists(inner, min_size=1, max_size=3).map(tuple),
    max_leaves=5,
)


@settings(max_examples=60)
@given(terms, terms, st.booleans())
def test_an_instance_of_any_terms_is_one(one: Term, two: Term, negative: bool) -> None:  # noqa: FBT001
    left = write((Symbol("p"), one, (Symbol("f"), two), one))
    fact = f"(not {left})" if negative else left
    literal = "(p ?var0 (f ?var1) ?var0)"
    literal = f"(not {literal})" if negative else literal
    rule = f"(implies {literal} (r ?var1 ?var0))"
    conclusion = write((Symbol("r"), two, one))
    bound = {"?var0": write(one), "?var1": write(two)}

    assert one_step(rule, [fact], conclusion, bound) == ""
    turned = {"?var0": bound["?var1"], "?var1": bound["?var0"]}
    same_text = bound["?var0"] == bound["?var1"]
    assert (one_step(rule, [fact], conclusion, turned) == "") is same_text
    assert read(fact) is not None
