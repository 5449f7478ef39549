"""A seat that tells two histories: honest seats end equal, with the evidence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest

from koinii import RemoteSeat
from koinii.history.evidence import verify_evidence
from koinii.history.evidence_text import read_evidence
from koinii.remote.forks import FORKED
from remote.conftest import Plain
from remote.desks import room
from remote.liars import Remote, number_of, said_by_eve, sync_until_still


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def remote(tmp_path: Path, bare: Path, plain: Plain) -> Iterator[Remote]:
    made = Remote(tmp_path, bare, plain)
    yield made
    made.close()


def check_equal(one: RemoteSeat, other: RemoteSeat) -> None:
    first, second = one.status(), other.status()
    assert (first.commit, first.inputs) == (second.commit, second.inputs)


def check_evidence(seat: RemoteSeat, liar: str, prefix: int | None) -> None:
    row = seat.heads.fork(liar)
    assert row is not None
    assert row.prefix == prefix
    fork = verify_evidence(read_evidence(row.evidence))
    assert (fork.seat, fork.prefix) == (liar, prefix)


def two_histories(remote: Remote, prefix: int) -> None:
    """Let the liar tell two histories that are the same up to a commit."""
    shared = [f"(eve Shared{n})" for n in range(1, prefix + 1)]
    liar = remote.liar
    liar.begin(*shared)
    liar.part("x", "(eve X1)", "(eve X2)")
    liar.part("y", "(eve Y1)", "(eve Y2)", "(eve Y3)")


def shared(prefix: int) -> set[str]:
    return {f"Shared{n}" for n in range(1, prefix + 1)}


@pytest.mark.parametrize("prefix", [0, 1, 3])
def test_two_honest_seats_end_equal_and_both_hold_the_evidence(
    remote: Remote, prefix: int
) -> None:
    """A remote that lies shows each of them another history of one seat."""
    two_histories(remote, prefix)
    anna, bert = remote.sit("Anna"), remote.sit("Bert")
    remote.show("x")
    anna.sync()
    remote.show("y")
    bert.sync()
    assert said_by_eve(anna) == shared(prefix) | {"X1", "X2"}

    sync_until_still([anna, bert])

    for seat in (anna, bert):
        assert said_by_eve(seat) == shared(prefix)
        assert number_of(seat, remote.liar.id) == prefix
        check_evidence(seat, remote.liar.id, prefix)
        (trouble,) = seat.pull().troubles
        assert (trouble.seat, trouble.code) == (remote.liar.id, FORKED)
        assert f"koinii follow {remote.liar.id}" in trouble.reason
        assert seat.histories.leaves(remote.liar.id) == (
            remote.liar.branches[""].histories.leaves(remote.liar.id)
        )
    check_equal(anna, bert)


def test_a_seat_that_never_saw_the_other_history_falls_back_by_evidence_alone(
    remote: Remote,
) -> None:
    """Only Anna sees both; Bert hears of it from her, and Cleo is new."""
    two_histories(remote, 2)
    anna, bert = remote.sit("Anna"), remote.sit("Bert")
    remote.show("x")
    bert.sync()
    anna.sync()
    remote.show("y")
    assert [one.code for one in anna.pull().troubles] == [FORKED]
    assert anna.commit(), "evidence is a reason to commit"
    anna.push()
    remote.show("x")

    bert.pull()
    cleo = remote.sit("Cleo")
    cleo.pull()

    for seat in (anna, bert, cleo):
        assert said_by_eve(seat) == shared(2)
        check_evidence(seat, remote.liar.id, 2)


def test_what_was_answered_waits_and_is_not_withdrawn(remote: Remote) -> None:
    two_histories(remote, 1)
    anna = remote.sit("Anna")
    remote.show("x")
    anna.pull()
    target = anna.locate("(eve X1)", "CxEve")
    anna.assert_("(targetFollowingPredicate echoes)", context="CxUniverse")
    anna.assert_(f'(echoes Anna (sentexHandle "{target}"))')
    remote.show("y")

    pulled = anna.pull()

    assert not pulled.fell
    assert pulled.removed == 2
    assert [one.agent for one in anna.waiting()] == ["AgentAnna"]


def test_who_has_introduced_itself_only_beyond_the_prefix_is_not_known(
    remote: Remote,
) -> None:
    liar = remote.liar
    liar.begin("(eve Shared1)")
    liar.part("y", "(eve Y1)")
    other = liar.part("x")
    other.new_agent("AgentFred")
    other.assert_("(fred X1)", agent="AgentFred")
    liar.say("x", "(eve X1)")
    anna = remote.sit("Anna")
    remote.show("x")
    anna.pull()
    assert "AgentFred" in {one.name for one in anna.agents()}
    assert "AgentFred" in anna.histories.pins()
    remote.show("y")

    anna.pull()

    assert "AgentFred" not in {one.name for one in anna.agents()}
    assert "AgentFred" not in anna.histories.pins()
    assert not list(anna.ask("(fred ?x)"))


def test_of_three_histories_the_smallest_prefix_counts_in_any_order(
    remote: Remote,
) -> None:
    liar = remote.liar
    liar.begin("(eve Shared1)", "(eve Shared2)")
    liar.part("x", "(eve X1)")
    liar.part("y", "(eve X2)", from_branch="x")
    liar.part("z", "(eve Z1)", "(eve Z2)", "(eve Z3)")
    liar.say("x", "(eve X3)")
    seats = []
    for number, order in enumerate(permutations("xyz")):
        seat = remote.sit(f"Honest{number}")
        for name in order:
            remote.show(name)
            seat.pull()
        seats.append(seat)

    for seat in seats:
        assert said_by_eve(seat) == shared(2)
        assert number_of(seat, liar.id) == 2
        row = seat.heads.fork(liar.id)
        assert row is not None
        assert row.prefix == 2


# What the operator decides ----------------------------------------------------


def test_the_operator_goes_on_with_what_the_remote_shows(remote: Remote) -> None:
    two_histories(remote, 2)
    anna = remote.sit("Anna")
    for name in "xy":
        remote.show(name)
        anna.pull()
    assert said_by_eve(anna) == shared(2)

    anna.follow(remote.liar.id)
    pulled = anna.pull()

    assert not pulled.troubles
    assert said_by_eve(anna) == shared(2) | {"Y1", "Y2", "Y3"}
    remote.liar.say("y", "(eve Y4)")
    remote.show("y")
    assert not anna.pull().troubles
    assert "Y4" in said_by_eve(anna)

    remote.show("x")
    (trouble,) = anna.pull().troubles
    assert trouble.seat == remote.liar.id
    assert "Y4" in said_by_eve(anna), "the same fork again changes nothing"

    anna.follow(remote.liar.id)
    assert not anna.pull().troubles
    assert said_by_eve(anna) == shared(2) | {"X1", "X2"}


def test_a_smaller_prefix_asks_the_operator_again(remote: Remote) -> None:
    liar = remote.liar
    liar.begin("(eve Shared1)")
    liar.part("z", "(eve Z1)", "(eve Z2)")
    liar.say("", "(eve Shared2)")
    liar.part("x", "(eve X1)")
    liar.part("y", "(eve Y1)")
    anna = remote.sit("Anna")
    for name in "xy":
        remote.show(name)
        anna.pull()
    anna.follow(liar.id)
    assert not anna.pull().troubles
    assert said_by_eve(anna) == shared(2) | {"Y1"}

    remote.show("z")
    (trouble,) = anna.pull().troubles

    assert trouble.code == FORKED
    assert said_by_eve(anna) == shared(1)
    check_evidence(anna, liar.id, 1)


def test_a_seat_that_is_not_followed_stays_out_of_it(remote: Remote) -> None:
    two_histories(remote, 1)
    anna = remote.sit("Anna")
    remote.show("x")
    anna.pull()
    anna.unfollow(remote.liar.id)
    remote.show("y")

    assert not anna.pull().troubles
    assert said_by_eve(anna) == set()
