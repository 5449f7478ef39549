"""What is refused as things stand, the same dry, and what is only diagnosed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from koinii.errors import KoiniiError, RefusedError
from koinii.seat.rehearsing import rehearse
from koinii.seat.seat import Seat
from seat.made import ATLAS, BOREAS, copy_of_two, open_seat

NOWHERE = f"sha256:{bytes(32).hex()}"
REPLY = '(endorses AgentAtlas (sentexHandle "{}"))'


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Seat]:
    """CxDeploy, where both have joined; they see its declarations too."""
    with open_seat(copy_of_two(tmp_path)) as opened:
        opened.new_channel("CxDeploy")
        for agent in (ATLAS, BOREAS):
            opened.join("CxDeploy", agent=agent)
            context = opened.speaker(agent).own_context
            opened.assert_(f"(genlCx {context} CxUniverse)", agent=agent)
        yield opened


def declare(seat: Seat, *sentences: str) -> None:
    seat.edit(add=sentences, context="CxUniverse")


def codes(seat: Seat, sentence: str, context: str | None = None) -> list[str]:
    return [one.code for one in seat.check(sentence, context=context)]


# Functional --------------------------------------------------------------------------


def test_a_second_value_is_refused_and_names_the_first(seat: Seat) -> None:
    declare(seat, "(functional portOf)")
    first = seat.assert_("(portOf Prod 5432)")
    before = seat.kb.root()
    with pytest.raises(RefusedError) as caught:
        seat.assert_("(portOf Prod 5433)")
    assert caught.value.code == "functional"
    assert caught.value.details == {
        "existing": "5432",
        "new": "5433",
        "opposing": first,
    }
    assert seat.kb.root() == before


@pytest.mark.parametrize("value", ["5432.0", "Postgres", '"5432"'])
def test_values_are_one_only_if_they_are_the_same_bytes(seat: Seat, value: str) -> None:
    declare(seat, "(functional portOf)")
    seat.assert_("(portOf Prod 5432)")
    assert codes(seat, f"(portOf Prod {value})") == ["functional"]
    assert codes(seat, "(portOf Prod 5432)") == []


def test_a_value_that_the_context_does_not_see_is_no_reason(seat: Seat) -> None:
    declare(seat, "(functional portOf)")
    seat.assert_("(portOf Prod 5432)", agent=BOREAS)
    seat.assert_("(portOf Prod 5433)")
    (clash,) = seat.contradictions()
    assert clash.kind == "functional"
    assert codes(seat, "(portOf Prod 5434)", "CxDeploy") == ["functional"] * 2


def test_a_declaration_that_the_context_does_not_see_is_none(seat: Seat) -> None:
    seat.assert_("(functional portOf)", context="CxDeploy")
    seat.assert_("(portOf Prod 5432)")
    assert codes(seat, "(portOf Prod 5433)") == []
    assert codes(seat, "(portOf Prod 5433)", "CxDeploy") == ["functional"]


def test_a_masked_value_is_no_reason(seat: Seat) -> None:
    declare(seat, "(functional portOf)")
    first = seat.assert_("(portOf Prod 5432)")
    seat.assert_(f'(except (sentexHandle "{first}"))', context="CxDeploy")
    assert codes(seat, "(portOf Prod 5433)", "CxDeploy") == []
    assert codes(seat, "(portOf Prod 5433)") == ["functional"]


@pytest.mark.parametrize(
    ("sentence", "refused"),
    [("(twin A B)", False), ("(twin B A)", False), ("(twin C A)", True)],
)
def test_symmetric_readings_count(seat: Seat, sentence: str, *, refused: bool) -> None:
    declare(seat, "(functional twin)", "(symmetric twin)")
    seat.assert_("(twin A B)")
    assert codes(seat, sentence) == ["functional"] * refused


def test_what_is_loaded_is_stored_and_clashes(seat: Seat) -> None:
    declare(seat, "(functional portOf)")
    report = seat.load(["(portOf Prod 5432)", "(portOf Prod 5433)"])
    assert (report.new, report.refused) == (2, [])
    assert [one.kind for one in seat.contradictions()] == ["functional"]
    seat.assert_("(portOf Prod 5433)", strength="monotonic")  # stored already: fine


def test_an_edit_may_replace_its_own_value(seat: Seat) -> None:
    declare(seat, "(functional portOf)")
    first = seat.assert_("(portOf Prod 5432)")
    assert seat.check_edit(add=["(portOf Prod 5433)"], remove=[first]) == []
    seat.edit(add=["(portOf Prod 5433)"], remove=[first])
    assert [str(row["?p"]) for row in seat.ask("(portOf Prod ?p)")] == ["5433"]


def test_an_edit_may_not_replace_what_others_say_too(seat: Seat) -> None:
    declare(seat, "(functional portOf)")
    first = seat.assert_("(portOf Prod 5432)", context="CxDeploy")
    seat.assert_("(portOf Prod 5432)", context="CxDeploy", agent=BOREAS)
    with pytest.raises(RefusedError) as caught:
        seat.edit(add=["(portOf Prod 5433)"], remove=[first], context="CxDeploy")
    assert caught.value.code == "functional"


def test_an_edit_may_not_replace_what_a_rule_concludes(seat: Seat) -> None:
    declare(seat, "(functional portOf)")
    first = seat.assert_("(portOf Prod 5432)")
    seat.assert_("(implies (postgres ?x) (portOf ?x 5432))")
    seat.assert_("(postgres Prod)")
    problems = seat.check_edit(add=["(portOf Prod 5433)"], remove=[first])
    assert [(one.where, one.index, one.code) for one in problems] == [
        ("add", 0, "functional")
    ]


def test_two_adds_of_one_edit_may_clash(seat: Seat) -> None:
    declare(seat, "(functional portOf)")
    adds = ["(portOf Prod 5432)", "(portOf Test 1)", "(portOf Prod 5433)"]
    problems = seat.check_edit(add=adds)
    assert [(one.index, one.code) for one in problems] == [
        (0, "functional"),
        (2, "functional"),
    ]
    with pytest.raises(RefusedError):
        seat.edit(add=adds)
    assert not list(seat.ask("(portOf ?x ?p)"))


# Disjoint and types ------------------------------------------------------------------


def test_disjoint_types_are_found_below_the_declaration(seat: Seat) -> None:
    declare(seat, "(disjoint animal rock)", "(genl dog animal)", "(genl granite rock)")
    seat.assert_("(dog Rex)")
    assert codes(seat, "(granite Rex)") == ["disjoint"]
    assert codes(seat, "(rock Rex)") == ["disjoint"]
    assert codes(seat, "(animal Rex)") == []
    assert codes(seat, "(not (rock Rex))") == []
    assert codes(seat, "(granite Fido)") == []
    declared = seat.locate("(disjoint animal rock)", "CxUniverse")
    (problem,) = seat.check("(rock Rex)")
    assert problem.details["declared"] == declared


def test_what_is_shipped_is_no_side(seat: Seat) -> None:
    declare(seat, "(disjoint unaryPredicate stone)")
    seat.assert_("(genlCx CxAtlas CxCore)")
    seat.load(["(unaryPredicate granite)"])
    assert codes(seat, "(stone thing)") == []  # (unaryPredicate thing) is shipped
    assert codes(seat, "(stone granite)") == ["disjoint"]


TYPED = (
    *("(arg owns 1 agent)", "(arg owns 2 animal)", "(arg named 2 character_string)"),
    *("(genl agent thing)", "(genl dog animal)", "(genl animal thing)"),
    *("(genl robot agent)", "(arg seen 1 thing)", "(genl lends owns)"),
)


@pytest.mark.parametrize(
    ("sentence", "position"),
    [
        ("(owns Ann Rex)", 0),  # of Ann nothing is known
        ("(owns R2 Rex)", 0),  # a robot is an agent
        ("(owns Rex Rex)", 1),  # a dog is none
        ("(owns Red Rex)", 0),  # red is no type that anything is said of
        ("(owns 5 Rex)", 1),
        ("(owns Ann R2)", 2),
        ('(named Rex "Rex")', 0),
        ("(named Rex 5)", 2),
        ("(named Rex true)", 2),
        ("(named Rex Max)", 0),
        ("(named Rex R2)", 2),
        ("(seen 5)", 0),
        ('(seen "x")', 0),
        ("(lends Rex Rex)", 1),  # who lends owns
        ("(owns Rex)", 1),
        ("(not (owns Rex Rex))", 0),
    ],
)
def test_argument_types_are_open_world(
    seat: Seat, sentence: str, position: int
) -> None:
    declare(seat, *TYPED)
    seat.edit(add=["(dog Rex)", "(robot R2)", "(red Red)"])
    problems = seat.check(sentence)
    assert [one.code for one in problems] == ["arg-type"] * bool(position)
    assert [one.details["position"] for one in problems] == [position] * bool(position)


@pytest.mark.parametrize("hidden", ["(arg owns 1 agent)", "(genl lends owns)"])
def test_declarations_that_are_not_seen_demand_nothing(seat: Seat, hidden: str) -> None:
    declare(seat, *(one for one in TYPED if one != hidden))
    seat.assert_(hidden, context="CxHidden")
    seat.assert_("(dog Rex)")
    assert codes(seat, "(lends Rex Rex)") == []
    seat.assert_("(genlCx CxAtlas CxHidden)")
    assert codes(seat, "(lends Rex Rex)") == ["arg-type"]


def test_what_is_no_type_where_it_is_looked_at_says_nothing(seat: Seat) -> None:
    declare(seat, "(arg owns 1 agent)")
    seat.assert_("(genl dog animal)", context="CxHidden")
    seat.assert_("(dog Rex)")
    assert codes(seat, "(owns Rex Rex)") == []
    seat.assert_("(genlCx CxAtlas CxHidden)")
    assert codes(seat, "(owns Rex Rex)") == ["arg-type"]


def test_a_type_said_in_the_same_edit_counts(seat: Seat) -> None:
    declare(seat, *TYPED)
    seat.assert_("(dog Rex)")
    assert seat.check_edit(add=["(owns Rex Fido)"])[0].code == "arg-type"
    assert seat.check_edit(add=["(owns Rex Fido)", "(robot Rex)"]) == []


def test_what_was_loaded_or_derived_is_diagnosed(seat: Seat) -> None:
    declare(seat, *TYPED)
    seat.load(["(dog Rex)", "(owns Rex Rex)", "(implies (keeps ?x ?y) (owns ?x ?y))"])
    seat.assert_("(keeps Rex Fido)")
    found = seat.diagnostics()
    assert [(one.code, one.sentence, one.context) for one in found] == [
        ("arg-type", "(owns Rex Fido)", "CxAtlas"),
        ("arg-type", "(owns Rex Rex)", "CxAtlas"),
    ]
    assert found[1].locator == seat.locate("(owns Rex Rex)", "CxAtlas")
    seat.assert_("(robot Rex)")
    assert seat.diagnostics() == []


def test_conclusions_that_are_too_long_are_counted(seat: Seat) -> None:
    rule = "(implies (and (first ?x) (second ?y)) (both ?x ?y))"
    added = seat.edit(add=[rule]).added
    long = ["x" * 40_000, "y" * 40_000, "z"]
    seat.edit(add=[f'(first "{one}")' for one in long])
    assert seat.diagnostics() == []
    seat.edit(add=[f'(second "{one}")' for one in long])
    assert len(list(seat.ask("(both ?x ?y)"))) == 5
    (found,) = seat.diagnostics()
    assert (found.code, found.locator) == ("koinii/not-drawn", added[0])
    assert found.message.startswith("4 conclusions")


def test_a_conclusion_that_is_too_deep_is_counted(seat: Seat) -> None:
    seat.assert_("(implies (deep ?x) (not (shallow ?x)))")
    nested = "(" * 63 + "A" + ")" * 63
    seat.assert_(f"(deep {nested})")
    (found,) = seat.diagnostics()
    assert found.message.startswith("1 conclusions")


# Replies -----------------------------------------------------------------------------


def test_a_reply_to_what_is_not_here_is_refused(seat: Seat) -> None:
    (problem,) = seat.check(REPLY.format(NOWHERE))
    assert (problem.code, problem.details) == (
        "koinii/no-such-handle",
        {"missing": [NOWHERE]},
    )
    assert seat.load([REPLY.format(NOWHERE)]).new == 1
    waiting = seat.locate(REPLY.format(NOWHERE), "CxAtlas")
    assert seat.why(waiting)["waiting"]
    assert codes(seat, REPLY.format(waiting)) == ["koinii/no-such-handle"]
    assert seat.why_not(REPLY.format(NOWHERE), "CxAtlas")["missing"] == [NOWHERE]


def test_a_reply_to_what_the_same_edit_adds_is_fine(seat: Seat) -> None:
    target = seat.locate("(p A)", "CxAtlas")
    reply = REPLY.format(target)
    assert codes(seat, reply) == ["koinii/no-such-handle"]
    assert seat.check_edit(add=["(p A)", reply]) == []
    seat.edit(add=["(p A)", reply])
    assert codes(seat, f'(endorses AgentBoreas (sentexHandle "{target}"))') == []
    again = f'(disputes AgentBoreas (sentexHandle "{target}"))'
    (problem,) = seat.check_edit(add=[again], remove=[target])
    assert problem.code == "koinii/no-such-handle"


def test_an_unmarked_word_may_name_what_is_not_here_and_a_mask_may_not(
    seat: Seat,
) -> None:
    handle = f'(sentexHandle "{NOWHERE}")'
    assert codes(seat, f"(refuse AgentAtlas {handle})") == []
    for named in (f'"{NOWHERE}"', '"zz"', "3"):
        mask = f"(except (sentexHandle {named}))"
        assert codes(seat, mask) == ["koinii/no-such-handle"]
    here = seat.assert_("(p A)")
    assert codes(seat, f'(except (sentexHandle "{here}"))') == []


# Dry runs ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "code"),
    [
        ("(p ?x)", "not-ground"),
        ("(p", "koinii/unreadable"),
        ("A", "shape"),
        ("(Up b)", "naming"),
        ("(implies (p ?x) (q ?y))", "not-range-restricted"),
    ],
)
def test_the_words_come_first(seat: Seat, sentence: str, code: str) -> None:
    assert codes(seat, sentence) == [code]


def test_places_and_strengths_are_checked(seat: Seat) -> None:
    assert codes(seat, "(p A)", "CxBoreas") == ["koinii/foreign-context"]
    (problem,) = seat.check("(symmetric p)", strength="default")
    assert problem.code == "shape"


def test_what_may_not_be_taken_back_is_named(seat: Seat) -> None:
    mine = seat.assert_("(p A)")
    theirs = seat.assert_("(p A)", agent=BOREAS)
    problems = seat.check_edit(add=["(q ?x)"], remove=[mine, theirs, NOWHERE, "zz"])
    assert [(one.where, one.index, one.code) for one in problems] == [
        ("add", 0, "not-ground"),
        ("remove", 1, "koinii/not-own-assertion"),
        ("remove", 2, "koinii/unknown-locator"),
        ("remove", 3, "koinii/usage"),
    ]


SAYINGS = st.sampled_from(
    [
        *("(twin A B)", "(twin B A)", "(twin A C)", "(portOf A 1)", "(portOf A 2)"),
        *("(dog Rex)", "(rock Rex)", "(owns Rex A)", "(owns A Rex)", "(p ?x)"),
        *("(Up a)", "(implies (dog ?x) (rock ?x))", REPLY.format(NOWHERE)),
        *("(genlCx CxBoreas CxAtlas)", "(not (portOf A 1))", "(symmetric portOf)"),
    ]
)
CONTEXTS = st.sampled_from([None, "CxDeploy", "CxUniverse", "CxBoreas"])


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(SAYINGS, max_size=5), st.lists(SAYINGS, max_size=3), CONTEXTS)
def test_a_check_finds_what_the_deed_is_refused_for(
    seat: Seat, loaded: list[str], tried: list[str], context: str | None
) -> None:
    def work() -> None:
        declare(seat, *TYPED, "(functional twin)", "(functional portOf)")
        declare(seat, "(symmetric twin)", "(disjoint dog rock)")
        seat.load(loaded, context="CxDeploy")
        seat.kb.settle()
        for sentence in tried:
            problems = [one.code for one in seat.check(sentence, context=context)]
            deed = partial(seat.assert_, sentence, context=context)
            assert problems[:1] == refusal(seat, deed)
        found = [one.code for one in seat.check_edit(add=tried, context=context)]
        edit = partial(seat.edit, add=tried, context=context)
        assert found[:1] == refusal(seat, edit)

    rehearse(seat, work)


def refusal(seat: Seat, deed: Callable[[], object]) -> list[str]:
    """The code that a deed is refused for; nothing of it stays."""
    try:
        with seat.database.savepoint():
            deed()
            undo()
    except UndoneError:
        return []
    except KoiniiError as error:
        return [error.code]
    raise AssertionError


def undo() -> None:
    raise UndoneError


class UndoneError(Exception):
    """Leaves the savepoint, which undoes it."""
