"""A read verb on the command line, beside starting Python for nothing."""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.harness import Harness, Times, Trial
from bench.sample import seat_of

FIGURE = 11
SIZES = (10, 10_000)
TINY = (1,)
ROUNDS = 11
PROGRAM = [str(Path(sys.executable).with_name("koinii"))]


def run(harness: Harness, sizes: Sequence[int]) -> None:
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            for verb, words, times in verbs(Path(name), size):
                harness.measure(
                    f"koinii {verb}",
                    started([*PROGRAM, *words]),
                    started([sys.executable, "-c", "pass"]),
                    ROUNDS,
                    reach=Times(times),
                    size=size,
                )


def verbs(folder: Path, size: int) -> list[tuple[str, list[str], float]]:
    """Return the words of some verbs over a seat of `size` facts, and their reach."""
    seat = seat_of(folder, size)
    seat.commit()
    at = ["-C", seat.layout.directory]
    seat.close()
    question = "(usesDatabase Cluster0 ?which)"
    return [
        ("ask", [*at, "ask", question], 4),
        ("ask --in", [*at, "ask", question, "--in", "CxAtlas"], 4),
        ("ask --json", [*at, "ask", question, "--json"], 4),
        ("locate", [*at, "locate", "(p A)", "--in", "CxAtlas"], 7),
        ("status", [*at, "status"], 7),
        ("--help", ["--help"], 7),
    ]


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
