"""The seat's writer lock: fair, bounded, and it says who holds it.

`flock` hands a busy lock to waiters in the order in which they came, which
SQLite's own busy wait does not. The kernel drops it when a process dies.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import SurroundingsError

if TYPE_CHECKING:
    from collections.abc import Callable

_PATIENCE = 1.5  # seconds until somebody is told of a wait
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC


class WriterLock:
    """One process-wide writer at a time for one seat; not reentrant."""

    def __init__(
        self,
        path: str,
        *,
        wait_seconds: float,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        """`tell` is told the holder once the wait has taken a second and a half."""
        self._path = path
        self._wait = wait_seconds
        self._tell = tell
        self._descriptor = -1

    def acquire(self) -> None:
        """Take the lock, waiting in line at most the configured time.

        However this ends, `release` afterwards leaves nothing held.

        Raises:
            SurroundingsError: `koinii/locked`, when the wait ran out;
                `koinii/no-lock`, where the lock's file cannot be used.
        """
        try:
            self._descriptor = os.open(self._path, _FLAGS, 0o600)
            taken = _taken_at_once(self._descriptor)
        except OSError as error:
            raise self._unusable(error) from error
        if not taken and not self._queue(self._descriptor):
            raise self._busy()
        with suppress(OSError):  # a full disk: the lock is held all the same
            os.pwrite(self._descriptor, b"%-12d\n" % os.getpid(), 0)

    def release(self) -> None:
        """Give the lock to the next in line, if it is held."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _queue(self, descriptor: int) -> bool:
        """Wait in the kernel's queue; a wait that is given up closes its place."""
        import threading  # noqa: PLC0415 - only a busy lock needs a second thread

        turn = threading.Lock()
        outcome: list[str] = []

        def wait() -> None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            with turn:
                if "gave up" in outcome:
                    os.close(descriptor)
                else:
                    outcome.append("taken")

        waiter = threading.Thread(target=wait, daemon=True)
        try:
            waiter.start()
            if self._tell is not None and self._wait > _PATIENCE:
                waiter.join(_PATIENCE)
                if waiter.is_alive():
                    self._tell(self._holder())
                waiter.join(self._wait - _PATIENCE)
            else:
                waiter.join(self._wait)
        finally:
            with turn:
                if "taken" not in outcome:
                    outcome.append("gave up")
                    self._descriptor = -1  # the waiter closes it
        return "taken" in outcome

    def _busy(self) -> SurroundingsError:
        return SurroundingsError(
            f"the seat is busy: process {self._holder()} has held its writer lock "
            f"for more than {self._wait:g} seconds",
            code="koinii/locked",
            hint="try again when it is done",
            lock=self._path,
            holder=self._holder(),
        )

    def _unusable(self, error: OSError) -> SurroundingsError:
        return SurroundingsError(
            f"the seat's writer lock {self._path} cannot be used: {error.strerror}",
            code="koinii/no-lock",
            hint="check who owns that file, and the disk it is on",
            lock=self._path,
        )

    def _holder(self) -> str:
        with open(self._path, encoding="ascii") as lock:
            return lock.read(32).strip() or "unknown"


class Holder(NamedTuple):
    """Who holds a lock: the process it wrote down, and the second it took it."""

    process: str
    since: float


def holder_of(path: str) -> Holder | None:
    """Return who holds a lock, None where nobody does; nothing is changed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        if _taken_at_once(descriptor, fcntl.LOCK_SH):
            return None
        written = os.read(descriptor, 32).decode("ascii", "replace").strip()
        return Holder(written or "unknown", os.fstat(descriptor).st_mtime)
    finally:
        os.close(descriptor)


def _taken_at_once(descriptor: int, how: int = fcntl.LOCK_EX) -> bool:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
