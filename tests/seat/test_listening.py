"""Listeners: who is called when, with what, and what becomes of their faults."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from koinii.errors import RefusedError, UsageError
from koinii.kb.following import Event
from koinii.seat.listening import MAX_ROUNDS
from koinii.terms.printer import write
from koinii.terms.reader import read


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[koinii.RemoteSeat]:
    with koinii.init(str(tmp_path / "seat"), agent="AgentAtlas") as made:
        yield made


def added(event: Event) -> list[str]:
    return [write(one.sentence) for one in event.added]


def test_listeners_are_called_in_order_once_it_is_durable(
    seat: koinii.RemoteSeat,
) -> None:
    calls: list[tuple[str, list[str]]] = []

    def first(event: Event) -> None:
        assert not seat.database.connection.in_transaction
        with koinii.open(seat.layout.directory) as other:
            assert other.events(event.number - 1).events == [event]
        calls.append(("first", added(event)))

    seat.assert_("(p Before)")
    tokens = [seat.watch(first), seat.watch(lambda e: calls.append(("2", added(e))))]
    assert tokens == seat.watchers() == [1, 2]
    seat.edit(add=["(p A)", "(p B)"])
    assert calls == [("first", ["(p A)", "(p B)"]), ("2", ["(p A)", "(p B)"])]
    seat.assert_("(p A)")
    with pytest.raises(RefusedError):
        seat.assert_("(p ?x)")
    assert len(calls) == 2


def test_unwatch_is_once_and_a_token_is_never_used_again(
    seat: koinii.RemoteSeat,
) -> None:
    token = seat.watch(print)
    assert (seat.unwatch(token), seat.unwatch(token), seat.unwatch(99)) == (
        True, False, False,
    )  # fmt: skip
    assert seat.database.committed == []
    seat.assert_("(p A)")
    calls: list[Event] = []
    assert seat.watch(calls.append) == token + 1
    seat.assert_("(p B)")
    assert [one.number for one in calls] == [2]


def test_a_goal_calls_only_where_it_fits(seat: koinii.RemoteSeat) -> None:
    calls: list[Event] = []
    seat.watch(calls.append, goal="(p ?x)", context="CxAtlas")
    seat.assert_("(q A)")
    seat.assert_("(p A)", context="CxOther")
    assert calls == []
    seat.edit(add=["(p A)", "(q B)"])
    (event,) = calls
    assert added(event) == ["(p A)"]
    assert event.added[0].bindings == {"?x": read("A")}


def test_one_that_raises_loses_that_event_only(seat: koinii.RemoteSeat) -> None:
    calls: list[Event] = []

    def thrower(event: Event) -> None:
        if added(event) == ["(p A)"]:
            raise ZeroDivisionError("mine")
        calls.append(event)

    seat.watch(thrower)
    seat.watch(calls.append)
    with pytest.warns(RuntimeWarning, match=r"listener 1 failed at event 1: .*mine"):
        locator = seat.assert_("(p A)")
    assert seat.show(locator)
    assert [one.number for one in calls] == [1]
    seat.assert_("(p B)")
    assert [one.number for one in calls] == [1, 2, 2]


def test_what_a_listener_writes_is_a_later_event(seat: koinii.RemoteSeat) -> None:
    calls: list[str] = []
    depth = 0

    def answer(event: Event) -> None:
        nonlocal depth
        depth += 1
        assert depth == 1, "nested"
        calls.append(f"1 {added(event)}")
        if added(event) == ["(p A)"]:
            seat.assert_("(q A)")
        depth -= 1

    seat.watch(answer)
    seat.watch(lambda event: calls.append(f"2 {added(event)}"))
    seat.assert_("(p A)")
    assert calls == [
        "1 ['(p A)']", "2 ['(p A)']", "1 ['(q A)']", "2 ['(q A)']",
    ]  # fmt: skip


def test_listeners_that_never_rest_are_given_up(seat: koinii.RemoteSeat) -> None:
    numbers: list[int] = []

    def restless(event: Event) -> None:
        numbers.append(event.number)
        seat.assert_(f"(n {event.number})")

    token = seat.watch(restless)
    with pytest.warns(RuntimeWarning, match="64 times over"):
        seat.assert_("(n 0)")
    assert numbers == list(range(1, MAX_ROUNDS + 1))
    seat.unwatch(token)
    later: list[Event] = []
    seat.watch(later.append)
    seat.assert_("(p A)")
    assert [added(one) for one in later] == [["(p A)"]]


def test_a_listener_may_take_itself_and_others_out(seat: koinii.RemoteSeat) -> None:
    calls: list[str] = []

    def once(event: Event) -> None:
        calls.append("once")
        seat.unwatch(1)
        seat.unwatch(2)

    seat.watch(once)
    seat.watch(lambda event: calls.append("never"))
    seat.watch(lambda event: calls.append("always"))
    seat.assert_("(p A)")
    seat.assert_("(p B)")
    assert calls == ["once", "always", "always"]


def test_listeners_hear_of_other_processes_with_the_next_write(
    seat: koinii.RemoteSeat,
) -> None:
    calls: list[Event] = []
    seat.watch(calls.append)
    with koinii.open(seat.layout.directory) as other:
        other.assert_("(p There)")
        late: list[Event] = []
        seat.watch(late.append)
    seat.assert_("(p Here)")
    assert [added(one) for one in calls] == [["(p There)"], ["(p Here)"]]
    assert [added(one) for one in late] == [["(p Here)"]]


def test_a_pull_is_an_event_for_each_seat(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "hub"], check=True)
    with (
        koinii.init(str(tmp_path / "a"), agent="AgentAtlas") as one,
        koinii.init(str(tmp_path / "b"), agent="AgentBoreas") as two,
    ):
        for seat in (one, two):
            seat.remotes.add("origin", str(tmp_path / "hub"))
        one.edit(add=["(p A)", "(p B)"])
        one.sync()
        calls: list[Event] = []
        two.watch(calls.append)
        two.pull()
        assert [added(event) for event in calls] == [["(p A)", "(p B)"]]


def test_what_is_no_listener_is_refused(seat: koinii.RemoteSeat) -> None:
    with pytest.raises(RefusedError) as raised:
        seat.watch("print")  # type: ignore[arg-type]
    assert raised.value.code == "not-watchable"
    with pytest.raises(UsageError):
        seat.events(wait_ms=-1)


def test_a_poll_waits_for_what_fits(seat: koinii.RemoteSeat) -> None:
    assert seat.events(wait_ms=30) == ([], 0, 0)
    directory = seat.layout.directory

    def write_twice() -> None:
        with koinii.open(directory) as other:
            other.assert_("(q A)")
            other.assert_("(p A)")

    thread = threading.Timer(0.1, write_twice)
    thread.start()
    batch = seat.events(goal="(p ?x)", wait_ms=20_000)
    thread.join()
    assert [added(one) for one in batch.events] == [["(p A)"]]
    assert batch.cursor == 2


def test_a_seat_without_listeners_loads_nothing_for_them(tmp_path: Path) -> None:
    script = (
        "import sys, koinii\n"
        "seat = koinii.init(sys.argv[1], agent='AgentAtlas')\n"
        "seat.assert_('(p A)')\n"
        "assert seat.database.committed == []\n"
        "assert not {'koinii.kb.following', 'koinii.seat.listening'} & {*sys.modules}\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "s")], check=True)
