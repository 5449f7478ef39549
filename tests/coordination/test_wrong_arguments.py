"""What is of no type that coordination takes is refused in the one tree of errors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import GeneratorType
from typing import Any

import pytest

from coordination.quarrel import ATLAS, ROOM, Clash, P, clash
from koinii.coordination.dispute_id import DisputeId
from koinii.coordination.seat import CoordinationSeat
from koinii.errors import KoiniiError, UsageError

WRONG: list[Any] = [
    None, 5, -1, 0.5, True, b"x", "\ud800", [], {}, object(), [5, 6], [None, None],
    ("x" * 64, 5), ["a"], {"a": 1},
]  # fmt: skip
OPTIONAL = {"agent", "after", "at", "strength", "creator", "context", "asker", "goal"}
OBJECTS = ("disputes", "adjudication", "stances", "registry", "room")


@pytest.fixture
def made(seat: CoordinationSeat) -> Clash:
    return clash(seat)


def right(made: Clash) -> dict[str, Any]:
    """Return what each argument may be, by its name."""
    said = dict.fromkeys(("target", "claim", "locator", "said", "mask"), made.said)
    places = dict.fromkeys(("channel", "context", "asker"), ROOM)
    whose = dict.fromkeys(("agent", "arbiter", "name", "creator"), ATLAS)
    terms = dict.fromkeys(
        ("sentence", "question", "content", "ground", "goal", "upheld"), P
    )
    return {
        **said, **places, **whose, **terms,
        "dispute": made.id, "at": 5, "limit": 5, "after": None, "reason": "TimedOut",
        "stance": "for", "agents": [ATLAS], "sentences": [P], "strength": "default",
        "callback": print, "display_name": "Atlas", "trust": 0.5,
    }  # fmt: skip


def calls(of: object) -> Iterator[tuple[str, Callable[..., Any], list[str]]]:
    for name, call in inspect.getmembers(of, callable):
        if not name.startswith("_"):
            yield name, call, [*inspect.signature(call).parameters]


def run(call: Callable[..., Any], given: dict[str, Any]) -> None:
    """Call it, and take all that it yields."""
    found = call(**given)
    if isinstance(found, GeneratorType):
        list(found)


def objects(seat: CoordinationSeat) -> dict[str, object]:
    parts: dict[str, object] = {one: getattr(seat, one) for one in OBJECTS[:-1]}
    return {**parts, "room": seat.channel(ROOM, agent=ATLAS)}


@pytest.mark.parametrize("of", OBJECTS)
def test_what_is_of_no_type_is_refused(
    seat: CoordinationSeat, made: Clash, of: str
) -> None:
    fitting = right(made)
    for name, call, parameters in calls(objects(seat)[of]):
        for wrong in parameters:
            for value in WRONG:
                given = {one: fitting[one] for one in parameters} | {wrong: value}
                try:
                    run(call, given)
                except KoiniiError:
                    pass
                except Exception as error:
                    raise AssertionError(f"{name}({wrong}={value!r})") from error


def test_it_is_a_wrong_use(seat: CoordinationSeat, made: Clash) -> None:
    disputes, judging = seat.disputes, seat.adjudication
    room: Any = seat.channel(ROOM, agent=ATLAS)
    wrong: Any
    for wrong in (None, 5, {}, [5, 6], DisputeId(b"x", b"y"), {made.said, made.denied}):
        for call in (
            disputes.state, disputes.find, disputes.mark_notified,
            disputes.mark_stale, disputes.reopen,
            lambda one: judging.rule(ATLAS, one, P, ROOM),
            lambda one: judging.standing_rulings(ATLAS, one),
            lambda one: judging.resolve_by_majority(one, made.said, ROOM),
        ):  # fmt: skip
            with pytest.raises(UsageError):
                call(wrong)
    wrong = []
    for act in (
        lambda: judging.quarantined(wrong),
        lambda: judging.overdue(wrong, 5),
        lambda: judging.overdue(ROOM, wrong),
        lambda: judging.tally(made.said, wrong),
        lambda: room.vote(wrong, made.said),
    ):
        with pytest.raises(UsageError):
            act()
