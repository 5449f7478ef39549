"""What a pull would do to what is believed here, while it is rehearsed."""

from __future__ import annotations

from contextlib import closing
from typing import NamedTuple

from koinii.kb.base import KnowledgeBase
from koinii.remote.beliefs import (
    SHOWN,
    Beliefs,
    Clashes,
    beliefs,
    new_clashes,
    only_in,
)
from koinii.seat.seat import Seat
from koinii.store.database import open_store


class Foreseen(NamedTuple):
    """What would come to be believed, what would cease, and what would clash."""

    comes: Beliefs
    ceases: Beliefs
    clashes: Clashes


def foresee(seat: Seat) -> Foreseen:
    """Compare what the write under way has come to with what stands; O(believed)."""
    seat.kb.conclude()
    with closing(open_store(seat.layout.store)) as standing:
        before = KnowledgeBase(standing)
        with before.view():
            return Foreseen(
                beliefs(seat.kb, only_in(seat.kb, before), SHOWN),
                beliefs(before, only_in(before, seat.kb), SHOWN),
                new_clashes(seat.kb, before, SHOWN),
            )
