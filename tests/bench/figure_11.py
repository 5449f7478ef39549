"""A read verb on the command line, beside starting Python for nothing."""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.harness import Harness, Times, Trial

FIGURE = 11
SIZES = (10, 10_000)
TINY = (1,)
ROUNDS = 11


def run(harness: Harness, sizes: Sequence[int]) -> None:
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            command = ours(Path(name) / "seat", size)
            harness.measure(
                "koinii ask",
                started(command) if command else None,
                started([sys.executable, "-c", "pass"]),
                ROUNDS,
                reach=Times(4),
                size=size,
            )


def ours(folder: Path, size: int) -> list[str] | None:
    """Plug in: the words of `koinii ask` with one answer, in a seat of `size` facts.

    None measures the baseline alone.
    """
    del folder, size
    return None


def started(command: list[str]) -> Trial:
    """Run a command to its end, with nothing on its standard input."""

    def work() -> None:
        subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=True,
        )

    return lambda: work
