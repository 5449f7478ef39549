"""Long work on a terminal: what is done, how much and how fast, on standard error.

Nothing is shown, and nothing loaded for it, before work has taken a second.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Self

from koinii.seat.clock import now_ms

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID

DELAY = 1.0  # seconds
UNITS = {"receiving": "objects", "sending": "objects", "rebuilding": "commits"}


class Watcher:
    """Is told of every part of the work, and shows it when it takes long."""

    def __init__(self, delay: float = DELAY) -> None:
        self._delay = delay
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._shown: tuple[Progress, TaskID] | None = None
        self._ended = False
        self._told_at = 0  # ms
        self._text = ""
        self._counts: dict[str, int] = {}
        self._begun: dict[str, int] = {}  # ms, by what is done

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take away what is shown; the answer follows."""
        with self._lock:
            self._ended = True
            if self._timer is not None:
                self._timer.cancel()
            if self._shown is not None:
                self._shown[0].stop()

    def __call__(self, doing: str, more: int) -> None:
        """Take in what is being done, and how many more of it are done.

        A rate is over the time since it was begun, after what was told before.
        """
        with self._lock:
            if self._timer is None:
                self._told_at = now_ms()
                self._timer = threading.Timer(self._delay, self._show)
                self._timer.daemon = True
                self._timer.start()
            self._begun.setdefault(doing, self._told_at)
            self._told_at = now_ms()
            self._counts[doing] = self._counts.get(doing, 0) + more
            self._text = self._told(doing)
            if self._shown is not None:
                progress, task = self._shown
                progress.update(task, description=self._text)

    def _told(self, doing: str) -> str:
        count = self._counts[doing]
        if not count:
            return doing
        rate = count * 1000 // max(1, now_ms() - self._begun[doing])
        return f"{doing} {count:,} {UNITS.get(doing, 'lines')}, {rate:,}/s"

    def _show(self) -> None:
        from rich.console import Console  # noqa: PLC0415 - only where work takes long
        from rich.progress import (  # noqa: PLC0415 - as above
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
        )

        progress = Progress(
            SpinnerColumn("line"),
            TextColumn("{task.description}", markup=False),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            refresh_per_second=2,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        with self._lock:
            if not self._ended:
                self._shown = progress, progress.add_task(self._text, total=None)
                progress.start()
