"""The examples of docs/formats/events.md are what a seat writes."""

from pathlib import Path

import pytest

import koinii
from faces.command import SENTENCE, within
from koinii.store.events import Events
from pages import blocks

PAGE = blocks("events")
RULE = "(implies (usesDatabase ?c ?d) (stateful ?c))"


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The three operations of the page."""
    folder = tmp_path / "seat"
    with koinii.init(str(folder), agent="AgentAtlas") as seat:
        seat.assert_(SENTENCE)
        seat.assert_(RULE)
        seat.assert_(f"(not {SENTENCE})", strength="monotonic")
    monkeypatch.chdir(folder)
    return folder


def test_rows(told: Path) -> None:
    with koinii.open(str(told)) as seat:
        rows = Events(seat.database.connection).after(0)
    assert [number for number, _ in rows] == [1, 2, 3]
    assert PAGE["rows"] == "\n\n".join(body for _, body in rows) + "\n"


def test_lines(told: Path) -> None:
    assert within("watch", "--once", "--json").out == PAGE["lines"]


def test_text(told: Path) -> None:
    assert within("watch", "--once").out == PAGE["shown"]


def test_a_goal_binds(told: Path) -> None:
    goal = "(stateful ?cluster)"
    done = within("watch", "--once", "--goal", goal, "--since", "2", "--json")
    assert done.out == PAGE["goal"]


def test_a_batch(told: Path) -> None:
    with koinii.open(str(told)) as seat:
        batch = seat.events(1, goal="(stateful ?cluster)")
    assert (
        PAGE["batch"]
        == f"{[one.number for one in batch.events]} {batch.cursor} {batch.lagged}\n"
    )
