"""The change feed as it is read: what moved, how goals fit, and what is lost."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import koinii
from koinii.errors import RefusedError, UsageError
from koinii.kb.following import Added, Event
from koinii.seat.rehearsing import rehearse
from koinii.store.events import KEPT
from koinii.terms.printer import write
from koinii.terms.reader import read

RULE = "(implies (pa ?x) (pc ?x))"
UNWATCHABLE = [
    "(and (p ?x) (q ?x))",
    "(unknown (p ?x))",
    "(not (unknown (p ?x)))",
    "(lessThan ?x 3)",
    "(greaterThan ?x 3)",
    "(different ?x ?y)",
    "(equals ?x A)",
    "(not (equals ?x A))",
    "(not (not (lessThan ?x 3)))",
    "(ist CxA (p ?x))",
    "(thereExists ?x (p ?x))",
    "(implies (p ?x) (q ?x))",
    "(not)",
    "(not p)",
    "(not (and (p A)))",
    "()",
    "p",
    '"text"',
    "(3 4)",
    "((p) A)",
]


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[koinii.RemoteSeat]:
    with koinii.init(str(tmp_path / "seat"), agent="AgentAtlas") as made:
        yield made


def short(event: Event) -> list[str]:
    """Return the entries of an event as short lines."""
    lines = [f"+ {one.context} {write(one.sentence)}" for one in event.added]
    return lines + [
        f"- {one.context} {write(one.sentence)} {one.reason}" for one in event.removed
    ]


def told(seat: koinii.RemoteSeat, since: int = 0, **more: Any) -> list[list[str]]:
    return [short(event) for event in seat.events(since, **more).events]


def test_an_operation_is_one_event_of_what_it_came_to(seat: koinii.RemoteSeat) -> None:
    seat.assert_("(pa X1)")
    assert seat.events(1) == ([], 1, 0)
    seat.assert_("(pa X1)")
    assert seat.events(1) == ([], 1, 0)
    rule = seat.assert_(RULE)
    denial = seat.assert_("(not (pa X1))", strength="monotonic")
    seat.retract(denial)
    seat.edit(add=["(pa X3)", "(pa X2)"])
    seat.retract(rule)
    lines = told(seat)
    assert lines == [
        ["+ CxAtlas (pa X1)"],
        ["+ CxAtlas (implies (pa ?var0) (pc ?var0))", "+ CxAtlas (pc X1)"],
        [
            "+ CxAtlas (not (pa X1))",
            "- CxAtlas (pa X1) defeated",
            "- CxAtlas (pc X1) unsupported",
        ],
        ["+ CxAtlas (pa X1)", "+ CxAtlas (pc X1)"],
        [f"+ CxAtlas ({p} {x})" for p in ("pa", "pc") for x in ("X2", "X3")],
    ]


def test_an_entry_says_how_it_came(seat: koinii.RemoteSeat) -> None:
    fact, rule = seat.assert_("(pa X1)"), seat.assert_(f"(set/defaultRule {RULE})")
    premise, conclusion = seat.events(1).events[0].added
    assert (premise.premise, premise.justification, premise.locator) == (
        True, None, rule,
    )  # fmt: skip
    reason = conclusion.justification
    assert reason is not None
    assert conclusion.premise is False
    assert (reason.rule.locator, reason.strict) == (rule, False)
    assert [one.locator for one in reason.facts] == [fact]
    seat.retract(rule)
    assert seat.events(1).events[0].added[1].justification is None


def test_a_rehearsal_moves_nothing(seat: koinii.RemoteSeat) -> None:
    rehearse(seat, lambda: seat.assert_("(pa X1)"))
    assert seat.events(0) == ([], 0, 0)


def test_a_cursor_is_a_number_there_has_been(seat: koinii.RemoteSeat) -> None:
    seat.assert_("(pa X1)")
    assert seat.events() == ([], 1, 0)
    for wrong in (-1, 2, "1", 1.0, True):
        with pytest.raises(UsageError) as raised:
            seat.events(wrong)  # type: ignore[arg-type]
        assert raised.value.code == "bad-cursor"


def test_who_comes_late_is_told_how_many_are_lost(seat: koinii.RemoteSeat) -> None:
    with seat.database.write() as connection:
        connection.executemany(
            "INSERT INTO event (body) VALUES (?)", [("lagged",)] * (KEPT + 5)
        )
    seat.assert_("(pa X1)")
    late = seat.events(0)
    assert late.cursor == KEPT + 6
    assert late.lagged == KEPT + 5
    assert late.events[0] == (6, [], [], 6)
    assert late.events[1] == (7, [], [], 1)
    assert short(late.events[-1]) == ["+ CxAtlas (pa X1)"]
    assert seat.events(KEPT + 5).lagged == 0
    part = seat.events(0, limit=3)
    assert (part.cursor, len(part.events)) == (9, 4)
    assert told(seat, 0, goal="(pb ?x)")[:1] == [[]]


def test_too_many_at_once_are_not_told(
    seat: koinii.RemoteSeat, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat.assert_("(p First)")
    monkeypatch.setattr("koinii.kb.feed.MAX_ENTRIES", 3)
    seat.edit(add=["(p A)", "(p B)", "(p C)"])
    seat.edit(add=["(q A)", "(q B)", "(q C)", "(q D)"])
    monkeypatch.setattr("koinii.kb.feed.MAX_BYTES", 100)
    seat.edit(add=[f'(r "{"x" * 100}")'])
    assert [one.lagged for one in seat.events(1).events] == [0, 1, 1]
    assert seat.events(0).lagged == 2


def test_what_is_deepest_can_be_read_back(seat: koinii.RemoteSeat) -> None:
    deep = "(p " + "(" * 63 + "A" + ")" * 63 + ")"
    long = f'(p "{"é" * 32_000}\\n")'
    seat.edit(add=[deep, long])
    assert {write(one.sentence) for one in seat.events(0).events[0].added} == {
        deep, long,
    }  # fmt: skip


# Goals ------------------------------------------------------------------------


@pytest.mark.parametrize("goal", UNWATCHABLE)
def test_what_cannot_be_watched_for(seat: koinii.RemoteSeat, goal: str) -> None:
    with pytest.raises(RefusedError) as raised:
        seat.events(0, goal=goal)
    assert raised.value.code == "not-watchable"
    with pytest.raises(RefusedError) as raised:
        seat.watch(print, goal=goal)
    assert raised.value.code == "not-watchable"


def test_a_context_is_one_or_a_variable(seat: koinii.RemoteSeat) -> None:
    seat.edit(add=["(p A)"])
    seat.edit(add=["(p A)"], context="CxOther")
    every = ["+ CxAtlas (p A)"], ["+ CxOther (p A)"]
    assert told(seat, goal="(p ?x)") == [*every]
    assert told(seat, context="CxOther") == [every[1]]
    found = seat.events(0, goal="(p ?x)", context="?c").events
    assert [one.added[0].bindings for one in found] == [
        {"?c": read("CxAtlas"), "?x": read("A")},
        {"?c": read("CxOther"), "?x": read("A")},
    ]
    assert seat.events(0).events[0].added[0].bindings is None
    with pytest.raises(RefusedError, match="context"):
        seat.events(0, goal="(p ?x)", context="other")


def test_a_goal_is_matched_not_asked(seat: koinii.RemoteSeat) -> None:
    """An edge that comes later moves nothing, and is read as it is now (A.14)."""
    seat.edit(add=["(pa X1)"], context="CxA")
    assert told(seat, goal="(pa ?x)", context="CxD") == []
    edge = seat.edit(add=["(genlCx CxD CxA)"]).added[0]
    assert told(seat, 1, goal="(pa ?x)", context="CxD") == []
    assert told(seat, 0, goal="(pa ?x)", context="CxD") == [["+ CxA (pa X1)"]]
    seat.retract(edge)
    assert told(seat, 0, goal="(pa ?x)", context="CxD") == []


def test_a_goal_reads_as_its_context_does(seat: koinii.RemoteSeat) -> None:
    shapes = ["(genl pa pb)", "(symmetric pb)"]
    seat.assert_(shapes[0])
    seat.assert_(shapes[1])
    claim = seat.assert_("(pa X1 X2)")
    fits: dict[str, Any] = {"goal": "(pb X2 ?x)", "context": "CxAtlas"}
    assert told(seat, **fits) == [["+ CxAtlas (pa X1 X2)"]]
    assert told(seat, goal="(pb X2 ?x)") == []
    assert told(seat, goal="(not (pb X2 ?x))", context="CxAtlas") == []
    mask = seat.assert_(f'(except (sentexHandle "{claim}"))')
    assert told(seat, **fits) == []
    seat.retract(mask)
    assert told(seat, **fits) == [["+ CxAtlas (pa X1 X2)"]]


NAMES = st.sampled_from(["pa", "pb"])
THINGS = st.sampled_from(["X1", "X2"])
CONTEXTS = st.sampled_from(["CxA", "CxB"])
SHAPES = st.one_of(
    st.builds("(genlCx {} {})".format, CONTEXTS, CONTEXTS),
    st.builds("(genl {} {})".format, NAMES, NAMES),
    st.builds("(symmetric {})".format, NAMES),
)
LITERALS = st.builds("({} {} {})".format, NAMES, THINGS, THINGS)
FACTS = st.one_of(LITERALS, LITERALS, LITERALS.map("(not {})".format))
PATTERNS = st.builds(
    "({} {} {})".format, NAMES, st.sampled_from(["?x", "X1"]),
    st.sampled_from(["?x", "?y", "_", "X2"]),
)  # fmt: skip
GOALS = st.one_of(PATTERNS, PATTERNS, PATTERNS.map("(not {})".format))


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    base=st.tuples(
        st.lists(st.tuples(CONTEXTS, SHAPES), min_size=3, max_size=6),
        st.lists(st.tuples(CONTEXTS, FACTS), min_size=4, max_size=8),
        st.integers(0, 6),
    ),
    goal=GOALS,
    viewer=st.one_of(st.none(), CONTEXTS),
)
def test_what_fits_is_what_a_question_finds(
    tmp_path_factory: pytest.TempPathFactory,
    base: tuple[list[tuple[str, str]], list[tuple[str, str]], int],
    goal: str,
    viewer: str | None,
) -> None:
    shapes, facts, masked = base
    folder = tmp_path_factory.mktemp("seat") / "s"
    with koinii.init(str(folder), agent="AgentAtlas") as seat:
        with seat.kb.write():
            for place, shape in shapes:
                anywhere = shape.startswith("(genl ")
                seat.assert_(shape, context=place if anywhere else "CxUniverse")
        with seat.kb.write():
            locators = [seat.assert_(one, context=place) for place, one in facts]
            if masked < len(locators):
                mask = f'(except (sentexHandle "{locators[masked]}"))'
                seat.assert_(mask, context=facts[masked][0])
        events = seat.events(0, goal=goal, context=viewer).events
        fitting = [one for event in events for one in event.added]
        found = seat.kb.matching(read(goal), viewer, "cone" if viewer else "any")
        assert {one.locator for one in fitting} == {one.locator for one in found}
        asked = seat.ask(goal, context=viewer)
        assert rows(fitting) <= {frozenset(map(item, row.items())) for row in asked}


def rows(entries: list[Added]) -> set[frozenset[tuple[str, str]]]:
    return {frozenset(map(item, (one.bindings or {}).items())) for one in entries}


def item(pair: tuple[str, Any]) -> tuple[str, str]:
    return pair[0], write(pair[1])
