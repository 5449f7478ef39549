"""Why and why not, on seats: what a random base seldom holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from koinii.errors import NotFoundError
from koinii.seat.seat import Seat
from seat.made import ATLAS, BOREAS, add_agent, copy_of_two, open_seat

Node = dict[str, Any]


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Seat]:
    with open_seat(copy_of_two(tmp_path)) as opened:
        opened.new_channel("CxDeploy")
        for agent in (ATLAS, BOREAS):
            opened.join("CxDeploy", agent=agent)
        yield opened


def why(seat: Seat, sentence: str, context: str = "CxDeploy") -> Node:
    return seat.why(seat.locate(sentence, context))


def reasons(node: Node) -> list[list[str]]:
    return [[one["sentence"] for one in each["because"]] for each in node["support"]]


# Why ---------------------------------------------------------------------------------


def test_a_reason_that_has_fallen_is_none(seat: Seat) -> None:
    for one in ("up", "seen"):
        seat.assert_(f"(implies ({one} ?x) (live ?x))", context="CxDeploy")
    seat.assert_("(up Prod)", context="CxDeploy")
    seat.assert_("(seen Prod)", context="CxDeploy")
    assert reasons(why(seat, "(live Prod)")) == [["(seen Prod)"], ["(up Prod)"]]
    seat.assert_("(not (up Prod))", context="CxDeploy", strength="monotonic")
    assert reasons(why(seat, "(live Prod)")) == [["(seen Prod)"]]
    seat.assert_("(not (seen Prod))", context="CxDeploy", strength="monotonic")
    node = why(seat, "(live Prod)")
    assert not node["believed"]
    assert reasons(node) == [["(seen Prod)"], ["(up Prod)"]]
    assert [one["because"][0]["believed"] for one in node["support"]] == [False, False]


def test_edges_lead_to_rule_facts_and_climbed_statements(seat: Seat) -> None:
    seat.assert_("(genlCx CxDeploy CxMiddle)")
    seat.assert_("(genlCx CxMiddle CxTypes)")
    seat.assert_("(genlCx CxDeploy CxUnused)")
    seat.assert_("(genl poodle dog)", context="CxTypes")
    seat.assert_("(implies (dog ?x) (barks ?x))", context="CxDeploy")
    seat.assert_("(poodle Rex)")
    (reason,) = why(seat, "(barks Rex)")["support"]
    assert reason["needs"] == ["(genl poodle dog)"]
    assert sorted(reason["edges"]) == [
        "(genlCx CxDeploy CxAtlas)",
        "(genlCx CxDeploy CxMiddle)",
        "(genlCx CxMiddle CxTypes)",
    ]


@pytest.mark.parametrize("symmetric", ["(symmetric near)", "(symmetric beside)"])
def test_a_mirror_needs_what_is_declared(seat: Seat, symmetric: str) -> None:
    seat.assert_(symmetric)
    seat.assert_("(genl beside near)", context="CxDeploy")
    seat.assert_("(implies (near Oslo ?x) (reached ?x))", context="CxDeploy")
    seat.assert_("(beside Bergen Oslo)")
    (reason,) = why(seat, "(reached Bergen)")["support"]
    assert sorted(reason["needs"]) == ["(genl beside near)", symmetric]


def test_who_says_it_and_how_is_told(seat: Seat) -> None:
    locator = seat.assert_("(up Prod)", context="CxDeploy", strength="monotonic")
    seat.assert_("(up Prod)", context="CxDeploy", agent=BOREAS)
    node = seat.why(locator[:17])
    assert (node["premise"], node["strength"], node["support"]) == (
        *(True, "monotonic", []),
    )
    assert [(one["agent"], one["strength"]) for one in node["authors"]] == [
        (ATLAS, "monotonic"),
        (BOREAS, "default"),
    ]


def test_what_is_shipped_is_marked(seat: Seat) -> None:
    target = seat.assert_("(up Prod)")
    seat.assert_(f'(disputes AgentBoreas (sentexHandle "{target}"))', agent=BOREAS)
    seat.assert_("(genlCx CxBoreas CxSpeechActs)", agent=BOREAS)
    node = why(seat, f'(contested (sentexHandle "{target}"))', "CxBoreas")
    (reason,) = node["support"]
    assert (reason["shipped"], reason["authors"]) == (True, [])


def test_a_shared_ground_is_explained_once(seat: Seat) -> None:
    for one in (
        "(implies (a ?x) (b ?x))",
        "(implies (b ?x) (c ?x))",
        "(implies (b ?x) (d ?x))",
        "(implies (and (c ?x) (d ?x)) (e ?x))",
        "(a X)",
    ):
        seat.assert_(one)
    (reason,) = why(seat, "(e X)", "CxAtlas")["support"]
    one, other = (each["support"][0]["because"][0] for each in reason["because"])
    assert [len(one["support"]), "again" in one] == [1, False]
    assert [len(other["support"]), "again" in other] == [0, True]


def test_a_circle_is_marked(seat: Seat) -> None:
    for one in ("(implies (a ?x) (b ?x))", "(implies (b ?x) (a ?x))"):
        seat.assert_(one)
    for one in ("(implies (c ?x) (b ?x))", "(c X)"):
        seat.assert_(one)
    node = why(seat, "(a X)", "CxAtlas")
    (below,) = node["support"][0]["because"]
    again, ground = (each["because"][0] for each in below["support"])
    assert (again["sentence"], again["cycle"]) == ("(a X)", True)
    assert (ground["sentence"], ground["premise"]) == ("(c X)", True)


def test_nothing_is_explained_that_is_not_here(seat: Seat) -> None:
    with pytest.raises(NotFoundError):
        why(seat, "(up Prod)")


# Why not -----------------------------------------------------------------------------


def test_only_those_that_make_it_fall_are_told(seat: Seat) -> None:
    """One who merely reads the claim contradicts it, and defeats nothing."""
    seat.assert_("(up Prod)")
    denial = "(not (up Prod))"
    seat.assert_(denial, context="CxNews", strength="monotonic")
    seat.assert_("(genlCx CxReader CxNews)")
    seat.assert_("(genlCx CxReader CxDeploy)")
    assert seat.why_not("(up Prod)", "CxAtlas")["reason"] == "believed"
    seat.assert_(denial, agent=BOREAS, strength="monotonic")
    told = seat.why_not("(up Prod)", "CxAtlas")
    assert told["reason"] == "defeated"
    assert [(one["context"], one["kind"]) for one in told["contradicted_by"]] == [
        ("CxBoreas", "rebuttal")
    ]


def test_only_masks_that_are_on_there_are_told(seat: Seat) -> None:
    target = seat.assert_("(up Prod)", context="CxNews")
    seat.assert_("(genlCx CxDeploy CxNews)")
    mask = f'(except (sentexHandle "{target}"))'
    first = seat.assert_(mask, context="CxDeploy")
    seat.assert_(mask, context="CxElsewhere")
    told = seat.why_not("(up Prod)", "CxDeploy")
    assert (told["reason"], told["context"]) == ("masked", "CxNews")
    assert [one["locator"] for one in told["masks"]] == [first]
    assert told["masks"][0]["authors"][0]["agent"] == ATLAS


def test_a_reply_to_something_local_waits_for_it(seat: Seat) -> None:
    with seat.kb.write():
        seat.kb.structure.rows.make_local(seat.kb.names.make_context("CxLocal"))
        seat.kb.structure.forget()
    target = seat.assert_("(up Prod)", context="CxLocal")
    reply = f'(endorses AgentAtlas (sentexHandle "{target}"))'
    assert [one.code for one in seat.check(reply)] == ["koinii/no-such-handle"]
    assert seat.check(reply, context="CxLocal") == []
    seat.load([reply])
    told = seat.why_not(reply, "CxAtlas")
    assert (told["reason"], told["missing"]) == ("waiting", [target])


def test_a_line_that_is_held_says_who_and_why(seat: Seat) -> None:
    seat.assert_("(up Prod)", context="CxCyrus")
    add_agent(seat, "AgentCyrus")
    told = seat.why_not("(up Prod)", "CxCyrus")
    assert told["reason"] == "held"
    assert [(one["agent"], one["reason"]) for one in told["held"]] == [
        (ATLAS, "koinii/foreign-context")
    ]


def test_a_statement_that_is_not_in_force_says_so(seat: Seat) -> None:
    target = seat.assert_("(up Prod)", agent=BOREAS)
    mask = f'(except (sentexHandle "{target}"))'
    seat.assert_(mask)
    told = seat.why_not(mask, "CxAtlas")
    assert (told["reason"], told["missing"], told["in_force"]) == (
        *("unsupported", [], False),
    )


def test_what_an_agent_holds_is_believed_of_it(seat: Seat) -> None:
    seat.assert_("(up Prod)", context="CxAgentAgentAtlas")
    seat.assert_("(genlCx CxDeploy CxCore)")
    told = seat.why_not("(believes AgentAtlas (up Prod))", "CxDeploy")
    assert (told["reason"], told["sentexes"]) == ("believed", [])
