"""Evidence comes in any order, whole or in parts, and shows the same in the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import koinii
from history import sample_forks as sample
from koinii import RemoteSeat
from koinii.errors import VerificationError
from koinii.history.evidence import Branch, Fork, common_prefix
from koinii.remote.evidence import keep, known_fork, meet
from koinii.store.heads import FROZEN, TAKEN
from remote.desks import Clock, examples, room

LETTERS = st.sampled_from("ab")
STORY = st.text(LETTERS, min_size=1, max_size=6)
TELLING = st.tuples(STORY, st.booleans())  # a history, and whether its leaves come


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with room() as made:
        yield made


@pytest.fixture(scope="module")
def seat(folder: Path) -> Iterator[RemoteSeat]:
    with koinii.init(str(folder / "seat"), agent="AgentAnna", now=Clock()) as made:
        yield made


def forks_of(tellings: Sequence[tuple[str, bool]]) -> list[Fork]:
    """Return the evidence that these tellings are for each other, two by two."""
    branches = [sample.branch(story, leaves=leaves) for story, leaves in tellings]
    return [fork for pair in combinations(branches, 2) for fork in shown(*pair)]


def shown(one: Branch, other: Branch) -> list[Fork]:
    try:
        return [sample.fork(one, other)]
    except VerificationError:
        return []


def forget(seat: RemoteSeat) -> None:
    with seat.database.write() as connection:
        connection.execute("DELETE FROM fork")


def after(seat: RemoteSeat, forks: Sequence[Fork]) -> tuple[int | None, int]:
    forget(seat)
    for fork in forks:
        keep(seat, sample.SEAT_ID, [fork])
    found = known_fork(seat, sample.SEAT_ID)
    assert found is not None
    return found.prefix, found.at_most


@given(st.lists(TELLING, min_size=2, max_size=4), st.randoms(use_true_random=False))
@settings(
    max_examples=examples(60), suppress_health_check=[HealthCheck.filter_too_much]
)
def test_the_order_of_evidence_does_not_matter(
    seat: RemoteSeat, tellings: list[tuple[str, bool]], chance: object
) -> None:
    forks = forks_of(tellings)
    assume(forks)
    other = list(forks)
    chance.shuffle(other)  # type: ignore[attr-defined]

    assert after(seat, forks) == after(seat, other)


@given(st.lists(STORY, min_size=2, max_size=4, unique=True))
@settings(max_examples=examples(40))
def test_with_all_leaves_it_is_the_smallest_prefix_of_any_two(
    seat: RemoteSeat, stories: list[str]
) -> None:
    forks = forks_of([(story, True) for story in stories])
    assume(forks)
    expected = min(
        common_prefix(sample.history(one), sample.history(other))
        for one, other in combinations(stories, 2)
        if not one.startswith(other) and not other.startswith(one)
    )

    assert after(seat, forks) == (expected, expected)


def test_what_is_known_already_is_no_news_and_leaves_a_decision(
    seat: RemoteSeat,
) -> None:
    forget(seat)
    first = sample.fork(sample.branch("aab"), sample.branch("aaa"))
    again = sample.fork(sample.branch("aabb"), sample.branch("aaaa"))
    smaller = sample.fork(sample.branch("ab"), sample.branch("aaa"))
    assert keep(seat, sample.SEAT_ID, [first])
    with seat.database.write():
        seat.heads.decide(sample.SEAT_ID, TAKEN)

    assert not keep(seat, sample.SEAT_ID, [again])
    assert decided(seat) == TAKEN
    assert keep(seat, sample.SEAT_ID, [smaller])
    assert decided(seat) == FROZEN


def test_leaves_that_come_later_complete_what_is_known(seat: RemoteSeat) -> None:
    forget(seat)
    half = sample.fork(sample.branch("aab"), sample.branch("aaa", leaves=False))
    assert keep(seat, sample.SEAT_ID, [half])
    with seat.database.write():
        seat.heads.decide(sample.SEAT_ID, TAKEN)

    assert meet(seat, sample.SEAT_ID, sample.KEY.public, [sample.branch("aaab")])

    found = known_fork(seat, sample.SEAT_ID)
    assert found is not None
    assert found.prefix == 2
    assert decided(seat) == TAKEN, "it is the fork that was decided on"


def decided(seat: RemoteSeat) -> int:
    row = seat.heads.fork(sample.SEAT_ID)
    assert row is not None
    return row.decided
