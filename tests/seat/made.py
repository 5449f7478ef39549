"""Seats for tests: made once, copied for each, with a clock that ticks."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from koinii.note import PrivateKey
from koinii.seat import founding
from koinii.seat.parts import open_parts
from koinii.seat.reviewing import review
from koinii.seat.seat import Seat

ATLAS, BOREAS = "AgentAtlas", "AgentBoreas"
START = 1_750_000_000_000


class Clock:
    """Time that moves by one millisecond whenever it is read, and by hand."""

    def __init__(self, start: int = START) -> None:
        self.time = start

    def __call__(self) -> int:
        self.time += 1
        return self.time


def make_seat(
    path: Path,
    *agents: str,
    key: PrivateKey | None = None,
    now: Callable[[], int] | None = None,
) -> Seat:
    """A new seat of these agents, AgentAtlas alone by default."""
    first, *more = agents or (ATLAS,)
    clock = now or Clock()
    founding.found(str(path), first, key, clock)
    seat = open_seat(path, now=clock)
    for agent in more:
        add_agent(seat, agent)
    return seat


def open_seat(path: Path, *, now: Callable[[], int] | None = None) -> Seat:
    return Seat(*open_parts(str(path)), now or Clock())


def add_agent(seat: Seat, agent: str, key: PrivateKey | None = None) -> None:
    with seat.database.write():
        founding.introduce(
            seat.layout,
            seat.database,
            agent,
            key or PrivateKey.generate(),
            seat=seat.id,
            time=seat.now(),
        )
        review(seat)


@cache
def _template() -> Path:
    path = Path(tempfile.mkdtemp(prefix="koinii-template-", dir=fast_directory()))
    atexit.register(shutil.rmtree, path)
    make_seat(path / "seat", ATLAS, BOREAS).close()
    return path / "seat"


def copy_of_two(path: Path) -> Path:
    """A copy of a new seat of AgentAtlas and AgentBoreas; cheap.

    It is as at a machine of its own, which knows of no other copy.
    """
    os.environ["KOINII_HOME"] = str(path / "outside")  # until the test ends
    return Path(shutil.copytree(_template(), path / "seat"))


def fast_directory() -> str | None:
    """A directory in memory where there is one: for many short-lived seats."""
    memory = Path("/dev/shm")  # noqa: S108 - only as a place for test seats
    return str(memory) if memory.is_dir() else None
