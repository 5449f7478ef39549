"""One process at a time moves objects between a seat and its remotes.

So whatever lock or unfinished pack lies in the private repository then was left
by one that was killed, and is taken away.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from koinii.remote.repository import Git
from koinii.seat.seat import Seat
from koinii.store.lock import WriterLock

WAIT_SECONDS = 30.0


@contextmanager
def moving(seat: Seat, git: Git) -> Iterator[None]:
    """Hold the right to move objects; the repository is whole when it starts.

    Raises:
        SurroundingsError: another process has moved objects for too long, or the
            seat cannot be written from here.
    """
    with alone(seat):
        if git.directory.is_dir():
            git.clear_stale_locks()
        if not is_made(git):
            git.init()
        yield


@contextmanager
def alone(seat: Seat) -> Iterator[None]:
    """Hold that right whatever the repository is like."""
    with seat.database.write():
        pass  # says so where the seat is read-only
    lock = WriterLock(
        f"{seat.layout.git}.lock", wait_seconds=WAIT_SECONDS, tell=partial(_tell, seat)
    )
    lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _tell(seat: Seat, holder: str) -> None:
    """Say whom this waits for, while it waits."""
    seat.tell_now(
        f"waiting for process {holder}, which moves objects between this seat and a "
        f"remote, for at most {WAIT_SECONDS:g} seconds"
    )


def is_made(git: Git) -> bool:
    """Tell whether the repository was made to the end."""
    return (git.directory / "objects" / "info").is_dir()  # made last of all
