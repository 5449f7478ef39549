"""Queries give what trying everything gives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from koinii.errors import RefusedError, UsageError
from koinii.kb import vocabulary
from koinii.kb.base import KnowledgeBase
from koinii.kb.writing import Said
from koinii.store.database import Database, create, open_store
from koinii.terms import Char, Decimal, Keyword, Ratio, Symbol, Term, read, write
from koinii.terms.canonical import canonical
from reference import query_twin as twin

CONTEXTS = ("CxA", "CxB", "CxC", "CxD")
PLAIN: tuple[Term, ...] = (
    *(1, 1.0, True, "a", Symbol("a"), 2, 0.5, Ratio(1, 2), Decimal(5, 1), None),
    *(Keyword("a"), Char("a"), (1,), (True,), (Symbol("Fn"), "a"), False, 0),
)
VARIABLES = tuple(map(Symbol, ("?x", "?y", "?z")))
SHIPPED: list[twin.Fact] = vocabulary.sentences()  # in every base, said by nobody


class UndoneError(Exception):
    """Leaves a write without a trace."""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    database = create(str(tmp_path_factory.mktemp("base") / "store.db"))
    yield KnowledgeBase(database)
    database.close()


@contextmanager
def holding(base: KnowledgeBase, facts: list[twin.Fact]) -> Iterator[None]:
    """The base with these facts, and afterwards without them."""
    try:
        with base.write():
            author = base.names.make_author("AgentAtlas", "0" * 32)
            said = [Said(place, one, write(one), 0, 1, None) for place, one in facts]
            base.put(author, said, replace=False, journal=True)
            base.settle()
            yield
            raise UndoneError  # noqa: TRY301 - the write is left by it
    except UndoneError:
        pass


def literals(arguments: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    words = st.sampled_from(["p", "p", "q"]).map(Symbol)
    some = st.lists(arguments, min_size=1, max_size=5)
    plain = st.builds(lambda word, rest: (word, *rest), words, some)
    return st.one_of(plain, plain, plain.map(lambda one: (Symbol("not"), one)))


def facts() -> st.SearchStrategy[list[twin.Fact]]:
    places = st.sampled_from(CONTEXTS)
    said = st.tuples(places, literals(st.sampled_from(PLAIN)))
    edge = st.tuples(places, places).map(
        lambda ends: ("CxUniverse", (Symbol("genlCx"), *map(Symbol, ends)))
    )
    return st.tuples(st.lists(said, max_size=6), st.lists(edge, max_size=5)).map(
        lambda both: [*both[0], *both[1]]
    )


def open_terms() -> st.SearchStrategy[Term]:
    plain = st.one_of(
        st.sampled_from(VARIABLES), st.sampled_from(PLAIN), st.just(Symbol("_"))
    )
    return st.one_of(plain, plain, st.builds(lambda one: (Symbol("Fn"), one), plain))


def filters() -> st.SearchStrategy[Term]:
    words = st.sampled_from(["lessThan", "greaterThan", "different", "equals"])
    closed = st.one_of(st.sampled_from(VARIABLES), st.sampled_from(PLAIN))
    some = st.lists(closed, min_size=2, max_size=3)
    plain = st.builds(lambda word, rest: (Symbol(word), *rest), words, some)
    negated = plain.map(lambda one: (Symbol("not"), one))
    unknown = literals(open_terms()).map(lambda one: (Symbol("unknown"), one))
    return st.one_of(plain, negated, unknown)


@st.composite
def queries(draw: st.DrawFn, believed: list[twin.Fact]) -> list[Term]:
    """Goals that often match: literals of the facts with variables put in."""
    goals: list[Term] = []
    for _ in range(draw(st.integers(0, 3))):
        again = draw(st.booleans())
        if believed and again:
            goals.append(opened(draw, draw(st.sampled_from(believed))[1]))
        else:
            goals.append(draw(literals(open_terms())))
    goals += draw(st.lists(filters(), max_size=2))
    if not goals:
        goals = [draw(literals(open_terms()))]
    twice = draw(st.booleans())
    goals[0] = (Symbol("not"), (Symbol("not"), goals[0])) if twice else goals[0]
    return list(draw(st.permutations(goals)))


def opened(draw: st.DrawFn, sentence: Term) -> Term:
    assert isinstance(sentence, tuple)
    if sentence[0] == Symbol("not"):
        return (sentence[0], opened(draw, sentence[1]))
    return (
        draw(st.sampled_from([sentence[0], sentence[0], Symbol("?z")])),
        *(draw(st.sampled_from([one, one, *VARIABLES])) for one in sentence[1:]),
    )


def asked(
    base: KnowledgeBase, query: Term, context: str | None, scope: str
) -> list[frozenset[tuple[str, twin.Key]]]:
    return [
        frozenset((name, twin.key(term)) for name, term in row.items())
        for row in base.ask(query, context, scope)
    ]


@given(st.data())
def test_answers_are_those_of_trying_everything(
    base: KnowledgeBase, data: st.DataObject
) -> None:
    believed = data.draw(facts())
    goals = data.draw(queries(believed))
    context = data.draw(st.sampled_from([*CONTEXTS, None]))
    scope = data.draw(st.sampled_from(["cone", "cone", "exact", "any"]))
    query = goals[0] if len(goals) == 1 else (Symbol("and"), *goals)
    with holding(base, believed):
        try:
            sentences = twin.in_scope([*SHIPPED, *believed], context, scope)
            expected = twin.answers(goals, sentences)
        except twin.UnboundError:
            with pytest.raises(UsageError) as caught:
                asked(base, query, context, scope)
            assert caught.value.code == "koinii/unbound"
            return
        found = asked(base, query, context, scope)

        assert len(set(found)) == len(found)
        assert set(found) == expected


@given(st.data())
def test_argue_weighs_what_a_context_sees(
    base: KnowledgeBase, data: st.DataObject
) -> None:
    believed = data.draw(facts())
    places = st.sampled_from(CONTEXTS)
    context = data.draw(places)
    known = [one for _, one in believed] or [(Symbol("p"), 1)]
    sentence = data.draw(
        st.one_of(st.sampled_from(known), literals(st.sampled_from(PLAIN)))
    )
    with holding(base, believed):
        visible = {twin.key(s) for s in twin.in_scope(believed, context, "cone")}
        denial = twin.positive_form((Symbol("not"), sentence))
        sides = (twin.key(sentence) in visible, twin.key(denial) in visible)

        verdict = base.argue(sentence, context)

        names = ["unknown", "false", "true", "contradiction"]
        assert verdict.verdict == names[2 * sides[0] + sides[1]]
        assert bool(verdict.supporting) == sides[0]
        assert bool(verdict.opposing) == sides[1]


FIVE: tuple[Term, ...] = (1, 1.0, True, "a", Symbol("a"))


@pytest.mark.parametrize("position", range(1, 6))
@pytest.mark.parametrize("value", FIVE, ids=repr)
def test_five_values_are_five_things(
    base: KnowledgeBase, value: Term, position: int
) -> None:
    def at(one: Term) -> Term:
        arguments: list[Term] = [0] * 5
        arguments[position - 1] = one
        return (Symbol("p"), *arguments)

    believed: list[twin.Fact] = [("CxA", at(one)) for one in FIVE]
    with holding(base, believed):
        assert asked(base, at(value), None, "any") == [frozenset()]
        (only,) = base.matching(at(value), None, "any")
        assert twin.key(only.sentence) == twin.key(at(value))
        pattern = (
            Symbol("and"),
            at(Symbol("?x")),
            (Symbol("equals"), Symbol("?x"), value),
        )
        assert asked(base, pattern, None, "any") == [
            frozenset({("?x", twin.key(value))})
        ]
        assert len(asked(base, at(Symbol("?x")), None, "any")) == len(FIVE)


def test_a_cycle_of_edges_is_seen_all_round(base: KnowledgeBase) -> None:
    edges = [("CxA", "CxB"), ("CxB", "CxC"), ("CxC", "CxA"), ("CxD", "CxD")]
    believed: list[twin.Fact] = [
        ("CxUniverse", (Symbol("genlCx"), Symbol(sub), Symbol(super_)))
        for sub, super_ in edges
    ]
    believed += [(place, (Symbol("p"), place)) for place in CONTEXTS]
    with holding(base, believed):
        for place in ("CxA", "CxB", "CxC"):
            assert len(asked(base, read("(p ?x)"), place, "cone")) == 3
        assert len(asked(base, read("(p ?x)"), "CxD", "cone")) == 1
        assert not asked(base, read("(genlCx ?x ?y)"), "CxA", "cone")
        assert not asked(base, read("(p ?x)"), "CxNowhere", "cone")


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("()", "shape"),
        ("p", "shape"),
        ("(not)", "not-well-formed"),
        ("(not ?x)", "not-well-formed"),
        ("(not (p 1) (q 1))", "not-well-formed"),
        ("(not (and (p 1) (q 1)))", "not-well-formed"),
        ("(and (p ?x) (not (unknown (p ?x))))", "not-well-formed"),
        ("(unknown)", "not-well-formed"),
        ("(unknown (and (p 1) (q 1)))", "not-well-formed"),
        ("(implies (p ?x) (q ?x))", "not-well-formed"),
        ("(ist CxA (p ?x))", "not-well-formed"),
    ],
)
def test_what_is_no_query_is_refused(
    base: KnowledgeBase, query: str, code: str
) -> None:
    with pytest.raises(RefusedError) as caught:
        list(base.ask(read(query), None))
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("sentence", "code"),
    [
        ("(p ?x)", "not-ground"),
        ("(p _)", "not-ground"),
        ("(and (p 1) (q 1))", "shape"),
        ("(and)", "shape"),
        ("(unknown (p 1))", "not-well-formed"),
        ("(lessThan 1 2)", "shape"),
    ],
)
def test_only_one_ground_literal_is_weighed(
    base: KnowledgeBase, sentence: str, code: str
) -> None:
    with pytest.raises(RefusedError) as caught:
        base.argue(read(sentence), "CxA")
    assert caught.value.code == code


def test_a_scope_has_one_of_three_names(base: KnowledgeBase) -> None:
    with pytest.raises(UsageError, match="no such scope"):
        base.ask(read("(p ?x)"), "CxA", "all")


@example(sentence="(not (not (p 1)))", same="(p 1)")
@example(sentence="(greaterThan 2 1)", same="(lessThan 1 2)")
@given(sentence=st.just("(not (not (not (p 1))))"), same=st.just("(not (p 1))"))
def test_a_query_is_read_in_canonical_form(
    base: KnowledgeBase, sentence: str, same: str
) -> None:
    form = canonical(read(same))
    with holding(base, [("CxA", form)]):
        assert asked(base, read(sentence), None, "any") == [frozenset()]


def test_a_stream_is_what_was_believed_when_it_began(tmp_path: Path) -> None:
    """BC-033: a half read query never keeps its own seat from writing."""
    path = str(tmp_path / "store.db")
    with_reader = create(path)
    base = KnowledgeBase(with_reader)
    put_numbers(base, 0, 10_000)
    rows = base.ask(read("(n ?x)"), None)
    first = next(rows)
    other = second_base(path)
    put_numbers(other[1], 10_000, 10_010)
    other[0].close()

    put_numbers(base, 20_000, 20_010)

    assert 1 + sum(1 for _ in rows) == 10_000
    assert isinstance(first["?x"], int)
    assert sum(1 for _ in base.ask(read("(n ?x)"), None)) == 10_020
    with_reader.close()


def second_base(path: str) -> tuple[Database, KnowledgeBase]:
    database = open_store(path)
    return database, KnowledgeBase(database)


def put_numbers(base: KnowledgeBase, first: int, last: int) -> None:
    with base.write():
        author = base.names.make_author("AgentAtlas", "0" * 32)
        base.put(
            author,
            [
                Said("CxA", (Symbol("n"), number), f"(n {number})", 0, 1, None)
                for number in range(first, last)
            ],
            replace=False,
            journal=True,
        )


def test_a_write_that_was_undone_is_seen_nowhere(base: KnowledgeBase) -> None:
    edge: twin.Fact = ("CxUniverse", read("(genlCx CxA CxB)"))
    with holding(base, [edge, ("CxB", read("(p 1)"))]):
        assert asked(base, read("(p 1)"), "CxA", "cone") == [frozenset()]
        assert base.tree().size == 2
    with holding(base, [("CxB", read("(p 2)"))]):
        assert not asked(base, read("(p 2)"), "CxA", "cone")
        assert base.tree().size == 1
    assert base.tree().size == 0
    assert base.names.context_id("CxB") is None


@pytest.mark.parametrize(
    ("goal", "holds"),
    [
        ("(different 1 2 3)", True),
        ("(different 1 2 1)", False),
        ("(different 1 1.0 true)", True),
        ("(equals a a a)", True),
        ("(equals a a b)", False),
        ('(equals a "a")', False),
        ("(lessThan 1 3/2 2)", True),
        ("(lessThan 1 2 2)", False),
        ("(lessThan 1 1.0)", False),
        ("(lessThan 0.1 1/10)", False),
        ("(lessThan 1/10 0.1)", True),
        ("(lessThan 9007199254740993 9007199254740992.0)", False),
        ("(lessThan 9007199254740992.0 9007199254740993)", True),
        ("(lessThan a b)", False),
        ("(lessThan true 2)", False),
        ("(greaterThan 3 2 1)", True),
        ("(not (lessThan a b))", True),
        ("(not (equals 1 1))", False),
        ("(not (not (equals 1 1)))", True),
        ("(unknown (p 1))", False),
        ("(unknown (p 2))", True),
        ("(unknown (p _))", False),
        ("(unknown (not (p 1)))", True),
        ("(unknown (lessThan 2 1))", True),
        ("(unknown (unknown (p 1)))", True),
    ],
)
def test_a_filter_holds_or_does_not(
    base: KnowledgeBase, goal: str, *, holds: bool
) -> None:
    with holding(base, [("CxA", read("(p 1)"))]):
        for query in (goal, f"(and (p 1) {goal})", f"(and {goal} (and) (p 1))"):
            assert asked(base, read(query), None, "any") == [frozenset()] * holds
