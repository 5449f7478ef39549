"""Known behaviour of an independent implementation, scenario by scenario."""

import json
from pathlib import Path
from typing import Any

import pytest

from seat.made import make_seat
from vectors.behaviour_differences import DIFFERENCES, END, REASONS, Difference
from vectors.behaviour_runner import AGENT, Player, Ticking
from vectors.behaviour_source import (
    TALKS,
    UNCOMPARED,
    their_end,
    theirs,
)

VECTORS = json.loads(
    (Path(__file__).parent / "behaviour.json").read_text(encoding="utf-8")
)
SCENARIOS: dict[str, dict[str, Any]] = {
    one["name"]: one for one in VECTORS["scenarios"]
}
PLAYED = [name for name in SCENARIOS if name not in TALKS]
UNORDERED = frozenset(
    {"stored", "removed", "became_in", "became_out", "changed", "final"}
)

Field = tuple[int, str]


def listed(scenario: str) -> dict[Field, object]:
    return {
        (one.step, one.field): one.ours
        for one in DIFFERENCES
        if one.scenario == scenario
    }


def differing(step: int, ours: dict[str, object], source: dict[str, object]) -> Any:
    """Yield the fields that differ, with what was seen here."""
    assert ours.keys() == source.keys()
    for field, seen in ours.items():
        if settled(field, seen) != settled(field, source[field]):
            yield (step, field), settled(field, seen)


def settled(field: str, seen: object) -> object:
    return sorted(seen) if field in UNORDERED and isinstance(seen, list) else seen


@pytest.mark.parametrize("name", PLAYED)
def test_a_scenario_is_as_the_source_saw_it_but_where_listed(
    tmp_path: Path, name: str
) -> None:
    scenario = SCENARIOS[name]
    seat = make_seat(tmp_path / "seat", AGENT, now=Ticking())
    player = Player(seat)

    found: dict[Field, object] = {}
    for number, step in enumerate(scenario["steps"]):
        found.update(differing(number, player.step(step), theirs(step)))
    found.update(differing(END, player.end(scenario), their_end(scenario)))
    seat.close()

    expected = {at: settled(at[1], seen) for at, seen in listed(name).items()}
    assert found == expected


def test_every_operation_is_played_or_has_its_reason(tmp_path: Path) -> None:
    seat = make_seat(tmp_path / "seat", AGENT)
    known = Player(seat).operations
    seat.close()

    assert not known & UNCOMPARED.keys()
    assert len(SCENARIOS) == VECTORS["count"]
    assert SCENARIOS.keys() >= TALKS.keys()
    for name, scenario in SCENARIOS.items():
        used = {step["op"][0] for step in scenario["steps"]}
        missing = used - known - UNCOMPARED.keys()
        assert bool(missing) == (name in TALKS), (name, missing)


def test_each_difference_is_listed_once_and_with_a_reason_of_the_set() -> None:
    places = [(one.scenario, one.step, one.field) for one in DIFFERENCES]

    assert len(set(places)) == len(places)
    assert {one.scenario for one in DIFFERENCES} <= set(PLAYED)
    assert {one.why for one in DIFFERENCES} == REASONS


def test_a_listed_difference_must_differ() -> None:
    same: list[Difference] = []
    for one in DIFFERENCES:
        scenario = SCENARIOS[one.scenario]
        source = (
            their_end(scenario)
            if one.step == END
            else theirs(scenario["steps"][one.step])
        )
        if settled(one.field, source[one.field]) == settled(one.field, one.ours):
            same.append(one)
    assert same == []
