"""A contested name is decided for one key, then for the other, and back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import NotFoundError, RefusedError
from koinii.seat.trusting import Trusted
from remote.desks import Clock, hand_over, make_desk, room, says

ATLAS = "AgentAtlas"


@pytest.fixture
def folder() -> Iterator[Path]:
    with room() as made:
        yield made


def sit(folder: Path, name: str, agent: str) -> RemoteSeat:
    return koinii.open(str(make_desk(folder, name, [agent]).path), now=Clock())


@pytest.fixture
def one(folder: Path) -> RemoteSeat:
    seat = sit(folder, "one", ATLAS)
    seat.load(["(p One)", "(p Both)"])
    seat.commit()
    return seat


@pytest.fixture
def two(folder: Path) -> RemoteSeat:
    seat = sit(folder, "two", ATLAS)
    seat.load(["(p Two)", "(p Both)"])
    seat.load(["(p Third)"], context="CxDeploy")
    seat.commit()
    return seat


def fingerprint(seat: RemoteSeat) -> str:
    (own,) = [row for row in seat.agents() if row.seat == seat.id]
    return own.fingerprint


def watch(folder: Path, name: str, *sources: RemoteSeat) -> RemoteSeat:
    seat = sit(folder, name, "AgentWatch")
    for source in sources:
        hand_over(source, seat)
    return seat


def state(seat: RemoteSeat) -> tuple[str, str, list[tuple[str, str]]]:
    now = seat.status()
    return now.commit, now.inputs, sorted((h.seat, h.locator) for h in seat.held())


def test_both_ways_and_back(folder: Path, one: RemoteSeat, two: RemoteSeat) -> None:
    seat = watch(folder, "seat", one, two)
    other = watch(folder, "other", two, one)
    first, second = state(seat), state(other)
    assert first[:2] != second[:2]
    assert [len(state[2]) for state in (first, second)] == [3, 2]

    done = seat.trust_agent(ATLAS, fingerprint(two))
    assert done == Trusted(ATLAS, fingerprint(two), [two.id], held=2, back=3)
    assert state(seat) == second
    assert says(seat) == says(other)

    done = other.trust_agent(ATLAS, fingerprint(one))
    assert done == Trusted(ATLAS, fingerprint(one), [one.id], held=3, back=2)
    assert state(other) == first

    back = seat.trust_agent(ATLAS, fingerprint(one))
    assert (back.held, back.back) == (3, 2)
    assert state(seat) == first
    again = seat.trust_agent(ATLAS, fingerprint(one))
    assert (again.held, again.back) == (0, 0)
    for made in (seat, other):
        made.close()


def test_what_comes_later_follows_the_decision(
    folder: Path, one: RemoteSeat, two: RemoteSeat
) -> None:
    seat = watch(folder, "seat", one, two)
    seat.trust_agent(ATLAS, fingerprint(two))
    for source in (one, two):
        source.assert_("(p Later)")
        source.commit()
        hand_over(source, seat)
    here = {place for _, place, _, sentence in says(seat) if sentence == "(p Later)"}
    assert here == {two.id}
    assert {row.seat for row in seat.held()} == {one.id}
    assert [row.seat for row in seat.status().contested] == [one.id]
    seat.commit()
    record = seat.log(1)[0]
    assert record.id == seat.status().commit
    assert record.inputs == seat.status().inputs
    seat.close()


def test_a_key_nobody_introduced_is_refused(folder: Path, one: RemoteSeat) -> None:
    seat = watch(folder, "seat", one)
    before = state(seat)
    with pytest.raises(NotFoundError) as caught:
        seat.trust_agent(ATLAS, fingerprint(seat))
    assert caught.value.code == "koinii/unknown-fingerprint"
    assert caught.value.details["known"] == [fingerprint(one)]
    with pytest.raises(NotFoundError) as caught:
        seat.trust_agent("AgentNobody", fingerprint(one))
    assert caught.value.code == "koinii/unknown-agent"
    assert state(seat) == before
    seat.close()


def test_an_own_name_keeps_its_key(one: RemoteSeat, two: RemoteSeat) -> None:
    hand_over(two, one)
    before = state(one)
    with pytest.raises(RefusedError, match="speaks at this seat") as caught:
        one.trust_agent(ATLAS, fingerprint(two))
    assert caught.value.code == "koinii/own-agent"
    done = one.trust_agent(ATLAS, fingerprint(one))
    assert (done.held, done.back) == (0, 0)
    assert state(one) == before


def test_a_decision_that_fails_changes_nothing(
    folder: Path, one: RemoteSeat, two: RemoteSeat, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat = watch(folder, "seat", one, two)
    before = state(seat), seat.agents()
    with monkeypatch.context() as patch:
        patch.setattr(seat.kb.assertions, "release", lambda rows: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            seat.trust_agent(ATLAS, fingerprint(two))
    assert (state(seat), seat.agents()) == before
    seat.close()
