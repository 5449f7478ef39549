"""A seat where agents meet in CxDeploy and disagree."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from coordination.quarrel import make_seat
from koinii import RemoteSeat
from remote.desks import Clock, room


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests write often."""
    with room() as folder:
        yield folder


@pytest.fixture
def seat(tmp_path: Path, clock: Clock) -> Iterator[RemoteSeat]:
    """AgentAtlas and AgentBoreas have joined, AgentCid and AgentDan have not."""
    with make_seat(tmp_path / "seat", clock) as made:
        yield made
