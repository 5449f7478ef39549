"""What a pull makes fall at this seat is counted and named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from remote.desks import Clock, make_desk, room


@pytest.fixture
def folder() -> Iterator[Path]:
    with room() as made:
        yield made


def sit(folder: Path, bare: Path, name: str) -> RemoteSeat:
    desk = make_desk(folder, name, [f"Agent{name.capitalize()}"])
    seat = koinii.open(str(desk.path), now=Clock())
    seat.remotes.add("origin", str(bare))
    return seat


def show(seat: RemoteSeat) -> None:
    assert seat.commit()
    seat.push()


def test_a_pull_names_the_own_replies_that_fall(folder: Path, bare: Path) -> None:
    with (
        sit(folder, bare, "anna") as anna,
        sit(folder, bare, "bert") as bert,
        sit(folder, bare, "cleo") as cleo,
    ):
        target = anna.assert_("(claim One)")
        show(anna)
        bert.pull()
        cleo.pull()
        answer = bert.assert_(f'(endorses AgentBert (sentexHandle "{target}"))')
        again = bert.assert_(f'(endorses AgentBert (sentexHandle "{answer}"))')
        hers = cleo.assert_(f'(endorses AgentCleo (sentexHandle "{target}"))')
        show(cleo)
        assert bert.pull().fell == []
        anna.retract(target)
        show(anna)

        would = bert.rehearse_pull()
        pulled, _, _ = bert.sync()

        assert would._replace(foreseen=None) == pulled
        assert (pulled.removed, pulled.whole) == (1, True)
        assert {one.locator for one in pulled.fell} == {answer, again}
        assert {(one.agent, one.context) for one in pulled.fell} == {
            ("AgentBert", "CxBert")
        }
        assert f'(endorses AgentBert (sentexHandle "{target}"))' in {
            one.sentence for one in pulled.fell
        }
        assert [one.locator for one in bert.waiting()] == [hers]
        assert bert.pull().fell == []
