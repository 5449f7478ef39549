"""Known behaviour of an independent implementation: its feed, and deep chains."""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from koinii.kb.following import Batch, Event, Justification
from koinii.kb.query import Bindings
from koinii.seat.seat import Seat
from koinii.terms import canonical, read, write
from seat.made import make_seat
from vectors.behaviour_differences import EXTRA_DIFFERENCES
from vectors.behaviour_runner import AGENT, OVER_BELIEVED, Player, Ticking

EXTRA = json.loads((Path(__file__).parent / "extra.json").read_text(encoding="utf-8"))
WATCHED: dict[str, dict[str, Any]] = {one["name"]: one for one in EXTRA["watch"]}
DEEP: dict[str, dict[str, Any]] = EXTRA["depth_and_order"]
OPERATIONS = {":a": ":assert", ":r": ":retract"}

_ADDED = re.compile(
    r"\{:handle (\d+), :sentence ([^:]+), :context (\w+), :premise\? (\w+),"
    r" :justification (nil|\{[^}]*\})(?:, :bindings \{([^}]*)\})?\}"
)
_REMOVED = re.compile(
    r"\{:handle (\d+), :sentence ([^:]+), :context (\w+), :reason :(\w+), :detail"
)
_BINDINGS = re.compile(r":bindings \{([^}]*)\}")
_REASON = re.compile(
    r"\{:informant \d+, :strength :(\w+), :antecedents \[(.*)\], :rule (.*)\}"
)


class Entry(NamedTuple):
    """One change of belief: that something came, or why it went."""

    context: str
    sentence: str
    change: str
    because: str  # the class its rule confers, the facts, the rule
    bindings: str


def events_after(player: Player, cursor: int, scenario: dict[str, Any]) -> Batch:
    """Return the events after a cursor as the goal of a scenario fits them."""
    goal = None if scenario["goal"] == "nil" else scenario["goal"]
    context = None if scenario["ctx"] == "nil" else scenario["ctx"]
    return player.seat.events(cursor, goal=goal, context=context)


def our_entries(player: Player, event: Event) -> list[Entry]:
    came = [
        Entry(
            one.context,
            player.tell(write(one.sentence)),
            "came as a premise" if one.premise else "came",
            because(one.justification),
            bound(one.bindings),
        )
        for one in event.added
    ]
    went = [
        Entry(
            one.context,
            player.tell(write(one.sentence)),
            f"went, {one.reason}",
            "",
            bound(one.bindings),
        )
        for one in event.removed
    ]
    return came + went


def because(reason: Justification | None) -> str:
    if reason is None:
        return ""
    facts = " ".join(write(fact.sentence) for fact in reason.facts)
    strength = "monotonic" if reason.strict else "default"
    return f"{strength} {facts} {write(reason.rule.sentence)}"


def bound(bindings: Bindings | None) -> str:
    return " ".join(
        f"{name} {write(value)}" for name, value in (bindings or {}).items()
    )


def their_entries(event: dict[str, str]) -> list[Entry]:
    added, removed = event[":believed-added"], event[":believed-removed"]
    came = [
        Entry(
            context,
            form(text),
            "came as a premise" if premise == "true" else "came",
            their_reason(reason),
            bindings,
        )
        for _, text, context, premise, reason, bindings in _ADDED.findall(added)
    ]
    bindings = _BINDINGS.findall(removed)
    lost = _REMOVED.findall(removed)
    went = [
        Entry(
            context, form(text), f"went, {reason}", "", bindings[at] if bindings else ""
        )
        for at, (_, text, context, reason) in enumerate(lost)
    ]
    assert (len(came), len(went)) == (
        added.count(":premise? "),
        removed.count("detail"),
    )
    return came + went


def their_reason(text: str) -> str:
    if text == "nil":
        return ""
    found = _REASON.fullmatch(text)
    assert found is not None
    return f"{found[1]} {found[2]} {form(found[3])}"


def form(text: str) -> str:
    """Return a sentence's canonical text: the source tells rules as they were typed."""
    return write(canonical(read(text)))


def played(player: Player, operation: str, events: list[dict[str, str]]) -> None:
    """Play one operation as the source wrote it."""
    listed = read(operation.replace("{", "(").replace("}", ")").replace(",", " "))
    assert isinstance(listed, tuple)
    name, *words = map(write, listed)
    if name == ":e":
        add, remove = words
        player.step_named(":edit", [f"(:add {add} :remove {remove})"], None)
        return
    number = None
    if name == ":a":
        told = [
            one
            for event in events
            for one in _ADDED.findall(event[":believed-added"])
            if form(one[1]) == form(player.tell(player.named(words[1])))
        ]
        number = int(told[0][0]) if told else None
    player.step_named(OPERATIONS[name], words, number)


@pytest.mark.parametrize("name", WATCHED)
def test_the_feed_tells_what_the_source_told(tmp_path: Path, name: str) -> None:
    scenario = WATCHED[name]
    player = Player(make_seat(tmp_path / "seat", AGENT, now=Ticking()))
    cursor = player.seat.events().cursor

    for step in scenario["steps"]:
        played(player, step["op"], step["events"])
        batch = events_after(player, cursor, scenario)
        cursor = batch.cursor
        ours = [our_entries(player, event) for event in batch.events]
        assert ours == [their_entries(event) for event in step["events"]], step["op"]
    player.seat.close()


def chain_of(seat: Seat, numbers: list[int]) -> None:
    seat.edit(
        add=[
            "(implies (parentOf ?x ?y) (ancestorOf ?x ?y))",
            "(implies (and (parentOf ?x ?y) (ancestorOf ?y ?z)) (ancestorOf ?x ?z))",
        ],
        context="CxTest",
    )
    for number in numbers:
        seat.assert_(f"(parentOf P{number} P{number + 1})", context="CxTest")


@pytest.mark.parametrize("name", DEEP)
def test_a_chain_is_drawn_whole_from_either_end(tmp_path: Path, name: str) -> None:
    length, (stored, root) = DEEP[name]["n"], DEEP[name]["after_asserts"]
    seat = make_seat(tmp_path / "seat", AGENT)

    numbers = list(range(length))
    chain_of(seat, numbers if name.startswith("asc") else numbers[::-1])

    player = Player(seat)
    ours = {"stored": len(player.stored()), "root": player.root(root)}
    seat.close()
    source = {"stored": stored, "root": root}
    differing = {field: seen for field, seen in ours.items() if seen != source[field]}
    assert differing == {
        one.field: one.ours for one in EXTRA_DIFFERENCES if one.scenario == name
    }


def test_the_differences_of_chains_differ() -> None:
    assert {one.scenario for one in EXTRA_DIFFERENCES} <= DEEP.keys()
    for one in EXTRA_DIFFERENCES:
        stored, root = DEEP[one.scenario]["after_asserts"]
        assert one.ours != {"stored": stored, "root": root}[one.field]
        assert one.field != "root" or one.ours == OVER_BELIEVED
