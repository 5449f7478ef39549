"""Known behaviour of an independent implementation where agents talk."""

import json
from pathlib import Path
from typing import Any

import pytest

from vectors.behaviour_source import TALKS
from vectors.behaviour_talk import Talker, make_room, they_ended, they_saw

SCENARIOS: dict[str, dict[str, Any]] = {
    one["name"]: one
    for one in json.loads(
        (Path(__file__).parent / "behaviour.json").read_text(encoding="utf-8")
    )["scenarios"]
    if one["name"] in TALKS
}
END = -1

# (scenario, step, field) where another thing is seen here, with the reason.
DIFFERENCES: dict[tuple[str, int, str], tuple[object, str]] = {
    ("koinii majority vote, tie, swing, spoiled", END, "final"): (
        ["CxBoreas (not (reliable ProdCluster)) premise default in"],
        "spec B.0: ballots go with the claim; the source does not mark them so",
    ),
    ("koinii belief: believe-own, convene, disregard", 16, "result"): (
        [],
        "design 6: what the joint viewer has masked on one side is no clash",
    ),
}


def settled(seen: object) -> object:
    return sorted(seen) if isinstance(seen, list) else seen


def seen_in(folder: Path, name: str) -> dict[tuple[str, int, str], tuple[Any, Any]]:
    """Play a scenario; return what was seen here and there, by place."""
    scenario = SCENARIOS[name]
    with make_room(folder / "seat", scenario) as seat:
        player = Talker(seat)
        found: dict[tuple[str, int, str], tuple[Any, Any]] = {}
        for number, step in enumerate(scenario["steps"]):
            ours, source = player.step(step), they_saw(step)
            found[name, number, "result"] = ours["result"], source["result"]
        ours, source = player.end(scenario), they_ended(scenario)
        for field in ours:
            found[name, END, field] = settled(ours[field]), settled(source[field])
    return found


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_conversation_is_as_the_source_saw_it_but_where_listed(
    tmp_path: Path, name: str
) -> None:
    found = seen_in(tmp_path, name)
    differing = {at: ours for at, (ours, source) in found.items() if ours != source}
    listed = {at: ours for at, (ours, _) in DIFFERENCES.items() if at[0] == name}
    assert differing == listed


def test_each_difference_has_a_reason() -> None:
    assert all(why for _, why in DIFFERENCES.values())
    assert {name for name, _, _ in DIFFERENCES} <= SCENARIOS.keys()


def test_there_are_ten_of_them() -> None:
    assert len(SCENARIOS) == len(TALKS) == 10
