"""`--dry-run` of commit, push and pull: what would be, and nothing is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import KoiniiError
from koinii.seat.rehearsing import rehearse
from remote.conftest import Plain
from remote.desks import Clock, carried, room, says
from remote.test_exchange_push import refs


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


Sit = Callable[[str], RemoteSeat]


@pytest.fixture
def sit(tmp_path: Path, bare: Path) -> Iterator[Sit]:
    made: list[RemoteSeat] = []

    def seat(agent: str) -> RemoteSeat:
        made.append(koinii.init(str(tmp_path / agent), agent=agent, now=Clock()))
        made[-1].remotes.add("origin", str(bare))
        return made[-1]

    yield seat
    for one in made:
        one.close()


def rows(seat: RemoteSeat) -> list[str]:
    """Everything the store holds."""
    return list(seat.database.connection.iterdump())


def test_a_push_that_is_rehearsed(sit: Sit, bare: Path, plain: Plain) -> None:
    seat = sit("AgentAnna")
    with pytest.raises(KoiniiError) as caught:
        seat.rehearse_push()
    assert caught.value.code == "koinii/nothing-committed"
    seat.assert_("(a B)")
    seat.commit()
    before = rows(seat)

    first = seat.rehearse_push()
    assert (first.number, first.tip, first.there, first.moved) == (1, None, None, True)
    assert first.address == str(bare)
    assert rows(seat) == before
    assert refs(plain, bare) == {}

    pushed = seat.push()
    again = seat.rehearse_push()
    assert (again.ref, again.tip, again.there) == (pushed.ref, pushed.tip, pushed.tip)
    assert not again.moved
    seat.assert_("(a C)")
    seat.commit()
    last = seat.rehearse_push()
    assert (last.number, last.tip, last.there) == (2, None, pushed.tip)
    assert refs(plain, bare)[pushed.ref] == pushed.tip


def test_a_rehearsed_push_fails_where_a_push_does(
    sit: Sit, tmp_path: Path, bare: Path, plain: Plain
) -> None:
    seat = sit("AgentAnna")
    with carried(seat, tmp_path) as copy:
        copy.assert_("(a B)")
        copy.commit()
        copy.push()
    seat.assert_("(a C)")
    seat.commit()
    before = refs(plain, bare)
    for verb in (seat.rehearse_push, seat.push):
        with pytest.raises(KoiniiError) as caught:
            verb()
        assert caught.value.code == "koinii/push-raced"
        assert "koinii recover" in caught.value.hint
    assert refs(plain, bare) == before


def test_a_rehearsed_pull_counts_as_a_pull_and_applies_nothing(
    sit: Sit, bare: Path, plain: Plain
) -> None:
    source, target = sit("AgentAnna"), sit("AgentBert")
    source.load(["(a B)", "(a C)"])
    source.commit()
    source.push()
    target.assert_("(b C)")
    target.commit()
    before, shown = rows(target), refs(plain, bare)

    expected = target.rehearse_pull()
    assert (expected.seats, expected.moved, expected.received) == (1, 1, 2)
    assert expected.new == 2
    assert rows(target) == before
    assert target.peers() == []
    assert says(target) == {("AgentBert", target.id, "CxBert", "(b C)")}
    assert target.rehearse_pull() == expected

    assert target.pull() == expected._replace(foreseen=None)
    assert len(says(target)) == 3
    assert target.rehearse_pull().received == 0
    assert refs(plain, bare) == shown


def test_a_rehearsed_pull_leaves_no_mark_of_what_is_refused(
    sit: Sit, bare: Path, plain: Plain
) -> None:
    source, target = sit("AgentAnna"), sit("AgentBert")
    source.assert_("(a B)")
    source.commit()
    source.push()
    tip = plain(bare, "rev-parse", f"refs/koinii/seats/{source.id}")
    plain(bare, "update-ref", f"refs/koinii/seats/{'0' * 32}", tip)
    before = rows(target)

    expected = target.rehearse_pull()
    assert [one.seat for one in expected.troubles] == ["0" * 32]
    assert rows(target) == before
    assert target.pull() == expected._replace(foreseen=None)
    assert rows(target) != before


def test_a_rehearsed_commit(sit: Sit) -> None:
    seat = sit("AgentAnna")
    seat.assert_("(a B)")
    before = rows(seat)
    would = rehearse(seat, seat.commit)
    assert rows(seat) == before
    assert seat.log() == []
    made = seat.commit()
    assert made is not None
    assert would is not None
    assert would._replace(time=made.time) == made


def test_what_fails_is_told_and_undone(sit: Sit) -> None:
    seat = sit("AgentAnna")
    before = rows(seat)

    def fail() -> None:
        seat.assert_("(a B)")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rehearse(seat, fail)
    assert rows(seat) == before
