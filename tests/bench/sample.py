"""What figures measure with: facts as text, and folders that start empty."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import koinii
from koinii.remote.seat import RemoteSeat


def facts(size: int, start: int = 0) -> Iterator[str]:
    """Yield distinct sentences; every tenth names the same database."""
    for number in range(start, start + size):
        yield f"(usesDatabase Cluster{number} Database{number % 10})"


def seat_of(folder: Path, size: int) -> RemoteSeat:
    """Return a new seat in the folder whose agent claims `facts(size)`."""
    seat = koinii.init(str(fresh(folder) / "seat"), agent="AgentAtlas")
    report = seat.load(facts(size))
    assert report.new == size
    return seat


def fresh(folder: Path) -> Path:
    """Return the folder, empty, whatever an earlier round left in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
