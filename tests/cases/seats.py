"""Seats for the cases about trust, in memory, under no user's home."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import KoiniiError
from remote.desks import (
    Clock,
    make_desk,
    room,
    says,
)


@pytest.fixture
def folder(outside: Path) -> Iterator[Path]:
    """A place for seats, as a machine of its own."""
    with room() as made:
        yield made


def sit(folder: Path, name: str, *agents: str, key: Path | None = None) -> RemoteSeat:
    """Make a seat in a folder, and open it."""
    keys = {agents[0]: key} if key else {}
    return koinii.open(str(make_desk(folder, name, agents, keys).path), now=Clock())


def code_of(call: Callable[[], object]) -> str:
    """Return the code by which a call is refused."""
    with pytest.raises(KoiniiError) as caught:
        call()
    assert caught.value.message
    return caught.value.code


def at_one_remote(folder: Path, *seats: RemoteSeat) -> Path:
    """Return a new bare repository that the seats have as their remote."""
    bare = folder / "hub.git"
    if not bare.exists():
        subprocess.run(["git", "init", "-q", "--bare", bare], check=True)
    for seat in seats:
        seat.remotes.add("origin", str(bare))
    return bare


def told(seat: RemoteSeat) -> set[str]:
    """Return the sentences that a seat takes as said."""
    return {sentence for *_, sentence in says(seat)}
