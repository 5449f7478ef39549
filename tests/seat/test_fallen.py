"""What falls with a retraction is named, and an edit counts each thing once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from koinii.errors import RefusedError
from koinii.seat.rehearsing import rehearse
from koinii.seat.seat import Seat
from seat.made import ATLAS, BOREAS, copy_of_two, open_seat


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Seat]:
    with open_seat(copy_of_two(tmp_path)) as seat:
        yield seat


def endorse(seat: Seat, target: str, agent: str = BOREAS) -> str:
    return seat.assert_(f'(endorses {agent} (sentexHandle "{target}"))', agent=agent)


def test_a_retraction_names_the_replies_that_fall(seat: Seat) -> None:
    target, other = seat.assert_("(p A)"), seat.assert_("(p B)")
    answer = endorse(seat, target)
    again = endorse(seat, answer, ATLAS)
    stays = endorse(seat, other)

    done = seat.speaker(ATLAS).retract(target)

    assert done.locator == target
    assert [(one.agent, one.context, one.locator) for one in done.fell] == [
        (ATLAS, "CxAtlas", again),
        (BOREAS, "CxBoreas", answer),
    ]
    assert done.fell[1].sentence == f'(endorses {BOREAS} (sentexHandle "{target}"))'
    assert seat.speaker(ATLAS).retract(other).fell[0].locator == stays
    assert seat.speaker(ATLAS).retract(seat.assert_("(p C)")).fell == []


def test_an_own_mask_that_falls_is_named_and_another_stays(seat: Seat) -> None:
    target = seat.assert_("(p A)", context="CxDeploy")
    seat.assert_("(p A)", context="CxDeploy", agent=BOREAS)
    mask = f'(except (sentexHandle "{target}"))'
    kept = seat.assert_(mask)
    seat.assert_(mask, agent=BOREAS)
    assert seat.speaker(ATLAS).retract(target).fell == []
    last = seat.speaker(BOREAS).retract(target).fell
    assert [(one.agent, one.sentence) for one in last] == [(BOREAS, mask)]
    assert seat.show(kept)


def test_a_rehearsal_names_them_too_and_leaves_them(seat: Seat) -> None:
    first, second = seat.assert_("(p A)"), seat.assert_("(p B)")
    answers = [endorse(seat, one) for one in (first, second)]
    speaker = seat.speaker(ATLAS)

    def both() -> list[str]:
        fell = [speaker.retract(one).fell for one in (first, second)]
        assert list(map(len, fell)) == [1, 1]
        return [one.locator for each in fell for one in each]

    assert rehearse(seat, both) == answers
    assert seat.kb.fallen() == []
    assert len(list(seat.ask("(endorses ?who ?what)"))) == 2
    assert [one.locator for one in speaker.retract(first).fell] == answers[:1]


def test_an_edit_names_them_and_what_was_refused_names_none(seat: Seat) -> None:
    target = seat.assert_("(p A)")
    answer = endorse(seat, target)
    with pytest.raises(RefusedError):
        seat.edit(remove=[target, answer])
    assert seat.kb.fallen() == []
    done = seat.edit(add=["(p B)"], remove=[target])
    assert (done.removed, [one.locator for one in done.fell]) == (1, [answer])


def test_an_edit_counts_each_thing_once(seat: Seat) -> None:
    gone = seat.assert_("(p A)")
    done = seat.edit(add=["(p C)", "(p B)", "(p C)"], remove=[gone, gone[:20]])
    expected = [seat.locate(one, "CxAtlas") for one in ("(p C)", "(p B)")]
    assert (done.added, done.removed, done.fell) == (expected, 1, [])
