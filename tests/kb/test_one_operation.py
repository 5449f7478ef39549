"""A reply, what it names and the mark that makes it wait, in one operation."""

from itertools import permutations
from pathlib import Path

import pytest

import koinii
from koinii.terms import locate

TARGET = "(p A)"
REPLY = f'(echoes Somebody (sentexHandle "{locate("CxAtlas", TARGET)}"))'
MARK = "(targetFollowingPredicate echoes)"


@pytest.mark.parametrize("order", list(permutations([TARGET, REPLY, MARK])))
def test_their_order_is_of_no_account(order: tuple[str, ...], tmp_path: Path) -> None:
    with koinii.init(tmp_path / "desk", agent="AgentAtlas") as seat:
        seat.edit(add=order)
        assert (seat.status().size, seat.status().waiting) == (3, 0)
        seat.retract(seat.locate(TARGET, "CxAtlas"))
        assert (seat.status().size, seat.status().waiting) == (1, 0)


@pytest.mark.parametrize("order", list(permutations([REPLY, MARK])))
def test_without_its_target_it_waits(order: tuple[str, ...], tmp_path: Path) -> None:
    with koinii.init(tmp_path / "desk", agent="AgentAtlas") as seat:
        seat.speaker().load(order, None, None)
        assert (seat.status().size, seat.status().waiting) == (1, 1)
        seat.assert_(TARGET)
        assert (seat.status().size, seat.status().waiting) == (3, 0)
