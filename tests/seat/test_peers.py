"""Whom the operator follows: what others say leaves in one settle, and comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import NotFoundError, RefusedError, UsageError
from koinii.seat.peers import Followed, resolve_peer
from remote.desks import Clock, hand_over, make_desk, make_key, room, says, shown, take

UNFOLLOWED = "koinii/unfollowed"


@pytest.fixture
def folder() -> Iterator[Path]:
    with room() as made:
        yield made


def sit(folder: Path, name: str, agent: str, key: Path | None = None) -> RemoteSeat:
    keys = {} if key is None else {agent: key}
    return koinii.open(str(make_desk(folder, name, [agent], keys).path), now=Clock())


@pytest.fixture
def other(folder: Path) -> Iterator[RemoteSeat]:
    with sit(folder, "other", "AgentBoreas") as made:
        made.load(["(p A)", "(p B)", "(implies (p ?x) (q ?x))"])
        made.load(["(p C)"], context="CxDeploy")
        made.commit()
        yield made


@pytest.fixture
def seat(folder: Path, other: RemoteSeat) -> Iterator[RemoteSeat]:
    with sit(folder, "seat", "AgentAtlas") as made:
        made.assert_("(p Own)")
        hand_over(other, made)
        yield made


def state(seat: RemoteSeat) -> tuple[object, ...]:
    now = seat.status()
    return now.commit, now.inputs, now.held, seat.held(), sorted(says(seat))


def test_all_of_a_seat_leaves_at_once_and_comes_back(
    seat: RemoteSeat, other: RemoteSeat
) -> None:
    before, cursor = state(seat), seat.events().cursor
    gone = seat.unfollow(other.id)
    assert gone == Followed(other.id, follows=False, held=4, back=0, rest=0)
    assert {sentence for *_, sentence in says(seat)} == {"(p Own)"}
    assert {one.reason for one in seat.held()} == {UNFOLLOWED}
    assert seat.events(cursor).events == []  # what left the store is not told
    again = seat.unfollow(other.id[:8])
    assert (again.held, again.back) == (0, 0)

    back = seat.follow(other.id[:12])
    assert back == Followed(other.id, follows=True, held=0, back=4, rest=0)
    assert state(seat) == before
    (event,) = seat.events(cursor).events  # one settle
    assert len(event.added) == 6  # with what follows from it


def test_what_comes_of_an_unfollowed_seat_is_held(
    seat: RemoteSeat, other: RemoteSeat
) -> None:
    seat.unfollow(other.id)
    other.assert_("(p Later)")
    other.commit()
    counts = take(seat, shown(other), other.id).counts
    assert (counts.received, counts.held) == (1, 1)
    assert seat.follow(other.id).back == 5
    assert says(other) <= says(seat)


def test_its_contexts_are_nobodys_meanwhile(
    seat: RemoteSeat, other: RemoteSeat
) -> None:
    with pytest.raises(RefusedError):
        seat.assert_("(p Mine)", context="CxBoreas")
    seat.unfollow(other.id)
    seat.assert_("(p Mine)", context="CxBoreas")
    followed = seat.follow(other.id)
    assert (followed.held, followed.back) == (1, 4)
    (line,) = seat.held()
    assert (line.agent, line.reason) == ("AgentAtlas", "koinii/foreign-context")
    assert line.why == "CxBoreas belongs to AgentBoreas, not to AgentAtlas"
    assert line.hint == "write in CxAtlas or a channel"


def test_statements_of_an_unfollowed_seat_count_for_nothing(folder: Path) -> None:
    """A retirement that is signed there, and a key that was rotated there."""
    key = make_key(folder / "key")
    with (
        sit(folder, "one", "AgentBoreas", key) as one,
        sit(folder, "two", "AgentBoreas", key) as two,
        sit(folder, "seat", "AgentAtlas") as seat,
    ):
        one.assert_("(p One)")
        one.commit()
        hand_over(one, two)
        two.retire_agent("AgentBoreas", one.id)
        two.rotate_agent("AgentBoreas")
        two.assert_("(p Two)")
        two.commit()
        for source in (one, two):
            hand_over(source, seat)
        assert {sentence for *_, sentence in says(seat)} == {"(p Two)"}

        moved = seat.unfollow(two.id)
        assert (moved.held, moved.back) == (1, 1)
        assert {sentence for *_, sentence in says(seat)} == {"(p One)"}
        moved = seat.follow(two.id)
        assert (moved.held, moved.back) == (1, 1)
        assert {sentence for *_, sentence in says(seat)} == {"(p Two)"}


def test_a_held_line_that_its_author_withdrew_is_gone(
    seat: RemoteSeat, other: RemoteSeat
) -> None:
    """What is held follows its author, and no older ref brings it back."""
    old = shown(other)
    seat.unfollow(other.id)
    other.retract(other.locate("(p A)", "CxBoreas"))
    other.commit()
    counts = take(seat, shown(other), other.id).counts
    assert (counts.received, counts.removed) == (0, 1)
    lines = {one.line.split(" ", 2)[2] for one in seat.held()}
    assert "(p A)" not in lines
    assert len(lines) == 3

    with pytest.raises(koinii.KoiniiError):
        take(seat, old, other.id)
    assert seat.follow(other.id).back == 3
    assert "(p A)" not in {sentence for *_, sentence in says(seat)}
    with pytest.raises(koinii.KoiniiError):
        take(seat, old, other.id)
    assert says(other) <= says(seat)
    assert "(p A)" not in {sentence for *_, sentence in says(seat)}


@pytest.mark.parametrize("by", ["trust", "follow", "grant"])
def test_a_decision_brings_back_what_is_held(folder: Path, by: str) -> None:
    with (
        sit(folder, "one", "AgentBoreas") as one,
        sit(folder, "two", "AgentBoreas") as two,
        sit(folder, "seat", "AgentAtlas") as seat,
    ):
        for source in (one, two):
            source.assert_("(p Both)")
            source.assert_("(p Gone)")
            source.commit()
            hand_over(source, seat)
        if by == "follow":
            seat.unfollow(one.id)
        assert seat.status().held == (4 if by == "follow" else 2)
        two.retract(two.locate("(p Gone)", "CxBoreas"))
        two.commit()
        hand_over(two, seat)
        key = next(row.fingerprint for row in seat.agents() if row.seat == two.id)
        if by == "trust":
            moved = seat.trust_agent("AgentBoreas", key)
            assert (moved.held, moved.back) == (2, 1)
        elif by == "grant":
            seat.admin_init()
            made = seat.grant("AgentBoreas", key=key)
            assert (made.held, made.back, made.without) == (2, 1, [one.id])
        else:
            assert seat.follow(one.id).back == 2
        told = {place for _, place, _, _ in says(seat) if place != seat.id}
        assert told == {one.id if by == "follow" else two.id}
        assert ("(p Gone)" in {row[3] for row in says(seat)}) == (by == "follow")


# Which seat is meant ---------------------------------------------------------------


def test_a_seat_is_named_by_its_first_digits(
    seat: RemoteSeat, other: RemoteSeat
) -> None:
    for length in (8, 13, 31, 32):
        assert resolve_peer(seat, other.id[:length]) == other.id
        assert resolve_peer(seat, seat.id[:length]) == seat.id
    for wrong in ("", other.id[:7], other.id + "0", other.id.upper(), "AgentBoreas"):
        with pytest.raises(UsageError):
            resolve_peer(seat, wrong)
    with pytest.raises(NotFoundError) as caught:
        resolve_peer(seat, "0" * 31)
    assert caught.value.code == "koinii/unknown-seat"
    with pytest.raises(RefusedError) as refused:
        seat.unfollow(seat.id)
    assert refused.value.code == "koinii/own-seat"


def test_digits_that_begin_several_seats(seat: RemoteSeat, other: RemoteSeat) -> None:
    differs = "0" if other.id[16] != "0" else "1"
    twin = other.id[:16] + differs + "0" * 15
    seat.follow(twin)
    rows = {one.seat: one.follows for one in seat.peers()}
    assert rows == {other.id: True, twin: True}
    with pytest.raises(UsageError) as caught:
        seat.unfollow(other.id[:16])
    assert caught.value.code == "koinii/ambiguous-seat"
    assert caught.value.details["candidates"] == sorted([other.id, twin])
    assert seat.unfollow(other.id[:17]).seat == other.id


def test_a_seat_that_was_never_seen_is_followed_by_its_whole_id(
    seat: RemoteSeat,
) -> None:
    stranger = "7" * 32
    with pytest.raises(NotFoundError):
        seat.follow(stranger[:31])
    assert seat.follow(stranger) == Followed(stranger, True, 0, 0, 0)  # noqa: FBT003
    assert seat.unfollow(stranger).follows is False
    rows = {one.seat: (one.number, one.follows) for one in seat.peers()}
    assert rows[stranger] == (0, False)
    assert seat.unfollow("8" * 32).seat == "8" * 32
