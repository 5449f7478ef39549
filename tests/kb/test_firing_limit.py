"""An operation whose rules draw too much leaves nothing of itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from koinii.errors import RefusedError
from koinii.kb.network import drawing
from koinii.seat.seat import Seat
from seat.made import copy_of_two, open_seat

RULE = "(implies (and (p ?x) (q ?y)) (pair ?x ?y))"


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Seat]:
    with open_seat(copy_of_two(tmp_path)) as opened:
        yield opened


def believed(seat: Seat) -> list[str]:
    return sorted(one.locator for one in seat.believed())


def test_the_operation_is_undone_whole(
    seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat.load(f"(p A{n})" for n in range(4))
    seat.load(f"(q B{n})" for n in range(4))
    before, root = believed(seat), seat.kb.root()
    monkeypatch.setattr(drawing, "MAX_FIRINGS", 15)
    with pytest.raises(RefusedError, match="more than 15") as caught:
        seat.edit(add=["(r C)", RULE])
    assert caught.value.code == "koinii/too-many-firings"
    assert caught.value.details["limit"] == 15
    assert (believed(seat), seat.kb.root()) == (before, root)
    monkeypatch.setattr(drawing, "MAX_FIRINGS", 16)
    seat.edit(add=["(r C)", RULE])
    assert len(believed(seat)) == len(before) + 2 + 16


def test_it_counts_one_operation_not_the_base(
    seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "MAX_FIRINGS", 2)
    seat.assert_(RULE)
    seat.load(["(q B0)", "(q B1)"])
    for n in range(5):
        seat.assert_(f"(p A{n})")
    assert len(list(seat.ask("(pair ?x ?y)"))) == 10
