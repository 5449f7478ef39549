"""What is of no type that a verb takes is refused in the one tree of errors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import koinii
from koinii.errors import KoiniiError, UsageError
from koinii.seat.seat import Seat
from koinii.terms import Symbol, locate, read
from seat.made import ATLAS, copy_of_two, open_seat

SAID = "(usesDatabase Prod Postgres)"
NOT_CALLED = {"close", "forget_config", "forget_world", "drop_held", "resolve", "now"}
WRONG: list[Callable[[], object]] = [
    lambda: None,
    lambda: 3,
    lambda: -1,
    lambda: 0.5,
    lambda: True,
    lambda: b"x",
    lambda: "x",
    lambda: "\ud800",
    lambda: "?x",
    list,
    dict,
    object,
    lambda: [5],
    lambda: [b"(p A)"],
    lambda: [None],
    lambda: ("p", object()),
    lambda: (Symbol("p"), [Symbol("A")]),
]


def right(locator: str) -> dict[str, dict[str, Any]]:
    """Return for each verb arguments that it takes; where there are none, nothing."""
    place: dict[str, Any] = {"context": "CxAtlas"}
    who: dict[str, Any] = {"agent": ATLAS}
    one: dict[str, Any] = {"sentence": SAID, **place}
    said = {**one, **who, "strength": "default"}
    named: dict[str, Any] = {"locator": locator}
    edited = {"add": [SAID], "remove": [locator], **place, **who}
    asked = {**place, "scope": "cone"}
    revoked = {"fingerprint": "SHA256:x", "reason": "lost", "seat": "*"}
    flags = dict.fromkeys(["absence", "attribution", "why", "dispute"], False)
    return {
        "speaker": who,
        "assert_": said,
        "retract": {**named, **who},
        "edit": edited,
        "load": {"lines": [SAID], **place, **who, "strength": "default"},
        "check": said,
        "check_edit": edited,
        "new_channel": {"context": "CxRoom", **who},
        "join": {"channel": "CxDeploy", **who},
        "ask": {"pattern": "(usesDatabase ?c ?d)", **asked},
        "search": {"words": "postgres", **asked, "limit": 3},
        "argue": one,
        "why": {**named, "max_depth": 3},
        "why_not": one,
        "contradictions": place,
        "conflicts": place,
        "believed": place,
        "events": {"since": 0, "goal": SAID, **place, "wait_ms": 0, "limit": 3},
        "watch": {"callback": print, "goal": SAID, **place},
        "unwatch": {"token": 1},
        "locate": one,
        "marker": named,
        "dereference": {"marker": locator, "why": True, "max_depth": 3},
        "commit": {"cosign": False},
        "log": {"limit": 3},
        "show": {"what": locator},
        "trust_agent": {"name": ATLAS, "fingerprint": "SHA256:x"},
        "rotate_agent": {**who, "key": None},
        "revoke_key": {**who, **revoked, "number": 0, "by_admin": False},
        "retire_agent": {**who, "seat": "0" * 8, "number": 0},
        "grant": {**who, "standing": ["member"], "key": None, "only": False},
        "follow": {"seat": "0" * 8},
        "unfollow": {"seat": "0" * 8},
        "prove": {**named, **flags, **place, "form": "json"},
    }


VERBS = sorted(right(""))
CASES = [
    (verb, name) for verb, arguments in right("").items() for name in sorted(arguments)
]


@pytest.fixture(scope="module")
def seat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seat]:
    path = tmp_path_factory.mktemp("wrong")
    with open_seat(copy_of_two(path)) as opened:
        opened.new_channel("CxDeploy")
        yield opened


def call(seat: Seat, verb: str, arguments: dict[str, Any]) -> object:
    """Call a verb and take all that it yields."""
    found = getattr(seat, verb)(**arguments)
    return list(found) if isinstance(found, Iterator) else found


def test_every_verb_with_arguments_is_here() -> None:
    verbs = {
        name
        for name, verb in inspect.getmembers(Seat, inspect.isfunction)
        if not name.startswith("_") and len(inspect.signature(verb).parameters) > 1
    }
    assert verbs - NOT_CALLED == set(VERBS)
    for verb, arguments in right("").items():
        names = list(inspect.signature(getattr(Seat, verb)).parameters)
        assert sorted(names[1:]) == sorted(arguments), verb


@pytest.mark.parametrize(("verb", "name"), CASES)
def test_one_wrong_argument_is_refused_or_answered(
    seat: Seat, verb: str, name: str
) -> None:
    for make in WRONG:
        arguments = right(seat.assert_(SAID))[verb]
        arguments[name] = make()
        before = seat.kb.root()
        try:
            call(seat, verb, arguments)
        except KoiniiError as error:
            assert error.code
            assert str(error)
            assert seat.kb.root() == before


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_several_wrong_arguments_too(seat: Seat, data: st.DataObject) -> None:
    verb = data.draw(st.sampled_from(VERBS))
    arguments = right(seat.assert_(SAID))[verb]
    for name in arguments:
        if data.draw(st.booleans()):
            arguments[name] = data.draw(st.sampled_from(WRONG))()
    try:
        call(seat, verb, arguments)
    except KoiniiError as error:
        assert error.code


REFUSED: list[tuple[str, dict[str, object]]] = [
    ("load", {"lines": [5]}),
    ("load", {"lines": [SAID, b"(p A)"]}),
    ("load", {"lines": 5}),
    ("load", {"lines": SAID}),
    ("edit", {"add": SAID}),
    ("edit", {"remove": [3]}),
    ("edit", {"add": [SAID], "context": 3}),
    ("search", {"words": 5}),
    ("search", {"words": "p", "limit": -1}),
    ("search", {"words": "p", "limit": True}),
    ("show", {"what": 5}),
    ("locate", {"sentence": SAID, "context": None}),
    ("retract", {"locator": None}),
    ("retract", {"locator": 3}),
    ("why", {"locator": 3}),
    ("why", {"locator": "ab" * 32, "max_depth": "a"}),
    ("prove", {"locator": 3}),
    ("prove", {"locator": "ab" * 32, "context": 3}),
    ("log", {"limit": "x"}),
    ("log", {"limit": -1}),
    ("events", {"since": 1, "wait_ms": "a"}),
    ("events", {"since": "a"}),
    ("unwatch", {"token": []}),
    ("ask", {"pattern": SAID, "context": 3}),
    ("ask", {"pattern": SAID, "scope": []}),
    ("believed", {"context": b"CxAtlas"}),
    ("assert_", {"sentence": SAID, "agent": 3}),
    ("assert_", {"sentence": SAID, "strength": 1}),
    ("join", {"channel": []}),
    ("trust_agent", {"name": [], "fingerprint": "x"}),
]


@pytest.mark.parametrize(("verb", "arguments"), REFUSED)
def test_a_wrong_type_is_a_usage_error(
    seat: Seat, verb: str, arguments: dict[str, object]
) -> None:
    before = seat.kb.root()
    with pytest.raises(UsageError) as caught:
        call(seat, verb, arguments)
    assert str(caught.value)
    assert seat.kb.root() == before


@pytest.mark.parametrize("wrong", [3, b"(p A)", [], object()])
def test_a_sentence_is_a_text_or_a_term(seat: Seat, wrong: Any) -> None:
    with pytest.raises(KoiniiError):
        seat.assert_(wrong)
    assert seat.check(wrong)


def test_a_load_that_breaks_off_takes_nothing(seat: Seat) -> None:
    lines: list[Any] = ["(brokeOff Here)", 5]
    with pytest.raises(UsageError):
        seat.load(lines)
    assert list(seat.ask("(brokeOff ?x)")) == []


@pytest.mark.parametrize("wrong", [None, 3, b"x", [], object(), "a\0b"])
def test_a_place_is_a_path(wrong: Any) -> None:
    calls = [
        partial(koinii.open, wrong),
        partial(koinii.init, wrong, agent=ATLAS),
        partial(koinii.clone, "x", wrong, agent=ATLAS),
    ]
    for refused in calls:
        with pytest.raises(UsageError):
            refused()


@pytest.mark.parametrize("wrong", [3, b"x", [], object()])
def test_what_a_seat_is_made_with_is_text(wrong: Any, tmp_path: Path) -> None:
    place = tmp_path / "seat"
    calls: list[Callable[[], object]] = [
        partial(koinii.init, place, agent=wrong),
        partial(koinii.init, place, agent=ATLAS, key=wrong),
        partial(koinii.clone, wrong, place, agent=ATLAS),
    ]
    for refused in calls:
        with pytest.raises(UsageError):
            refused()
    assert not place.exists()


@pytest.mark.parametrize("wrong", [3, b"x", [], object()])
def test_the_name_of_a_remote_is_text(wrong: Any, tmp_path: Path) -> None:
    with koinii.init(tmp_path / "seat", agent=ATLAS) as seat:
        calls: list[Callable[[], object]] = [
            *[partial(verb, wrong) for verb in (seat.push, seat.pull, seat.sync)],
            partial(seat.rehearse_push, wrong),
            partial(seat.rehearse_pull, wrong),
            partial(seat.remotes.add, "origin", wrong),
            partial(seat.remotes.add, wrong, "there"),
            partial(seat.remotes.remove, wrong),
            partial(seat.new_agent, wrong),
            partial(seat.new_agent, "AgentCarina", key=wrong),
        ]
        for refused in calls:
            with pytest.raises(UsageError):
                refused()


@pytest.mark.parametrize("wrong", [None, 3, b"x", [], object()])
def test_a_locator_of_no_context_is_refused(wrong: Any) -> None:
    with pytest.raises(KoiniiError):
        locate(wrong, SAID)


@pytest.mark.parametrize("wrong", [None, 3, b"(p A)", [], object()])
def test_what_is_read_is_text(wrong: Any) -> None:
    with pytest.raises(UsageError):
        read(wrong)


@pytest.mark.parametrize(
    ("verb", "name"),
    [
        (verb, name)
        for verb, arguments in right("").items()
        for name, value in arguments.items()
        if isinstance(value, bool)
    ],
)
@pytest.mark.parametrize("value", [5, 1, "", "yes", None, []])
def test_what_is_yes_or_no_is_a_bool(
    seat: Seat, verb: str, name: str, value: object
) -> None:
    arguments = right(seat.assert_(SAID))[verb]
    with pytest.raises(UsageError, match="True or False"):
        call(seat, verb, {**arguments, name: value})
