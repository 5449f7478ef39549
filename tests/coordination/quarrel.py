"""What agents quarrel about in these tests, and how it reads.

P is `(reliable ProdCluster)`; AgentAtlas holds it and AgentBoreas denies it, both as
defaults, both seen from CxDeploy.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import koinii
from koinii import RemoteSeat
from koinii.coordination.dispute_id import DisputeId, dispute_id

P, NOT_P = "(reliable ProdCluster)", "(not (reliable ProdCluster))"
ROOM = "CxDeploy"
ATLAS, BOREAS, CID, DAN = "AgentAtlas", "AgentBoreas", "AgentCid", "AgentDan"


def make_seat(path: Path, now: Callable[[], int]) -> RemoteSeat:
    seat = koinii.init(str(path), agent=ATLAS, now=now)
    for name in (BOREAS, CID, DAN):
        seat.new_agent(name)
    seat.new_channel(ROOM)
    for name in (ATLAS, BOREAS):
        seat.join(ROOM, agent=name)
    return seat


class Clash(NamedTuple):
    """The two sides, and the name of what is between them."""

    said: str
    denied: str
    id: DisputeId


def clash(seat: RemoteSeat, about: str = P) -> Clash:
    """Let Atlas say something and Boreas deny it."""
    said = seat.assert_(about, agent=ATLAS)
    denied = seat.assert_(f"(not {about})", agent=BOREAS)
    return Clash(said, denied, dispute_id(said, denied))


def gives(seat: RemoteSeat, sentence: str, context: str = ROOM) -> bool:
    """Tell whether a context gives a sentence."""
    return any(True for _ in seat.ask(sentence, context=context))


def verdict(seat: RemoteSeat, sentence: str = P, context: str = ROOM) -> str:
    return seat.argue(sentence, context).verdict


def functional(seat: RemoteSeat) -> Clash:
    """Let the two give one thing two numbers of cores."""
    seat.assert_("(functional cores)", context=ROOM)
    said = seat.assert_("(cores ProdCluster 8)", agent=ATLAS)
    denied = seat.assert_("(cores ProdCluster 16)", agent=BOREAS)
    return Clash(said, denied, dispute_id(said, denied))
