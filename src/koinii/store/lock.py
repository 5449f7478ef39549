"""The seat's writer lock: fair, bounded, and it says who holds it.

`flock` hands a busy lock to waiters in the order in which they came, which
SQLite's own busy wait does not. The kernel drops it when a process dies.
"""

from __future__ import annotations

import fcntl
import os
import threading

from koinii.errors import EnvironmentError_


class WriterLock:
    """One process-wide writer at a time for one seat; not reentrant."""

    def __init__(self, path: str, *, wait_seconds: float) -> None:
        self._path = path
        self._wait = wait_seconds
        self._descriptor = -1

    def acquire(self) -> None:
        """Take the lock, waiting in line at most the configured time.

        Raises:
            EnvironmentError_: `koinii/locked`, when the wait ran out.
        """
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if not _taken_at_once(descriptor) and not self._queue(descriptor):
            raise self._busy()
        self._descriptor = descriptor
        os.pwrite(descriptor, b"%-12d\n" % os.getpid(), 0)

    def release(self) -> None:
        """Give the lock to the next in line."""
        descriptor, self._descriptor = self._descriptor, -1
        os.close(descriptor)

    def _queue(self, descriptor: int) -> bool:
        """Wait in the kernel's queue; a wait that is given up closes its place."""
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
        waiter.start()
        try:
            waiter.join(self._wait)
        except BaseException:
            self._leave(descriptor, turn, outcome)
            raise
        with turn:
            if "taken" not in outcome:
                outcome.append("gave up")
            return "taken" in outcome

    @staticmethod
    def _leave(descriptor: int, turn: threading.Lock, outcome: list[str]) -> None:
        with turn:
            if "taken" in outcome:
                os.close(descriptor)
            else:
                outcome.append("gave up")

    def _busy(self) -> EnvironmentError_:
        return EnvironmentError_(
            f"the seat is busy: process {self._holder()} has held its writer lock "
            f"for more than {self._wait:g} seconds",
            code="koinii/locked",
            hint="try again when it is done",
            lock=self._path,
            holder=self._holder(),
        )

    def _holder(self) -> str:
        with open(self._path, encoding="ascii") as lock:
            return lock.read(32).strip() or "unknown"


def _taken_at_once(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
