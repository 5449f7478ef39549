"""Known behaviour of an independent implementation: its feed, and deep chains."""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from koinii.seat.seat import Seat
from koinii.terms import Symbol, canonical, read, write
from koinii.terms.match import unify
from seat.made import make_seat
from vectors.behaviour_differences import EXTRA_DIFFERENCES
from vectors.behaviour_runner import AGENT, OVER_BELIEVED, Player, Ticking

EXTRA = json.loads((Path(__file__).parent / "extra.json").read_text(encoding="utf-8"))
WATCHED: dict[str, dict[str, Any]] = {one["name"]: one for one in EXTRA["watch"]}
DEEP: dict[str, dict[str, Any]] = EXTRA["depth_and_order"]
OPERATIONS = {":a": ":assert", ":r": ":retract"}

_ADDED = re.compile(
    r"\{:handle (\d+), :sentence ([^:]+), :context (\w+), :premise\? (\w+),"
)
_REMOVED = re.compile(
    r"\{:handle (\d+), :sentence ([^:]+), :context (\w+), :reason :(\w+), :detail"
)


class Entry(NamedTuple):
    """One change of belief: what changed is that it came, or why it went."""

    context: str
    sentence: str
    change: str


def events_after(seat: Seat, cursor: int) -> tuple[list[list[str]], int]:
    """Return the events after a cursor, each as its lines, and the new cursor."""
    rows = seat.database.connection.execute(
        "SELECT number, body FROM event WHERE number > ? ORDER BY number", (cursor,)
    ).fetchall()
    return [body.split("\n") for _, body in rows], max(cursor, *(n for n, _ in rows), 0)


def entry_of(player: Player, line: str) -> Entry:
    event = read(line)
    assert isinstance(event, tuple)
    what, _, context, sentence, detail = event
    added = "came as a premise" if detail is True else "came"
    change = added if what == Symbol("added") else f"went, {write(detail)}"
    return Entry(write(context), player.tell(write(sentence)), change)


def is_watched(seat: Seat, goal: str, context: str, entry: Entry) -> bool:
    if goal == "nil":
        return True
    sees = seat.kb.lattice().sees(context, entry.context)
    return sees and unify(read(goal), read(entry.sentence), {}) is not None


def their_entries(event: dict[str, str]) -> list[Entry]:
    added, removed = event[":believed-added"], event[":believed-removed"]
    came = [
        Entry(context, form(text), "came as a premise" if premise == "true" else "came")
        for _, text, context, premise in _ADDED.findall(added)
    ]
    went = [
        Entry(context, form(text), f"went, {reason}")
        for _, text, context, reason in _REMOVED.findall(removed)
    ]
    assert (len(came), len(went)) == (
        added.count(":premise? "),
        removed.count("detail"),
    )
    return came + went


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
    seat = make_seat(tmp_path / "seat", AGENT, now=Ticking())
    player = Player(seat)
    _, cursor = events_after(seat, 0)

    for step in scenario["steps"]:
        played(player, step["op"], step["events"])
        events, cursor = events_after(seat, cursor)
        entries = [[entry_of(player, line) for line in event] for event in events]
        watched = [
            [e for e in event if is_watched(seat, scenario["goal"], scenario["ctx"], e)]
            for event in entries
        ]
        assert len(events) <= 1
        assert [event for event in watched if event] == [
            their_entries(event) for event in step["events"]
        ], step["op"]
    seat.close()


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
