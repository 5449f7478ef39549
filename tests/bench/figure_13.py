"""The memory of each command, beside that of Python doing nothing.

Every command is a process of its own; what counts is its largest resident set.
A process is started from a small one, because the largest set of a child begins
with that of its parent.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import koinii
from bench.figure_08 import bare
from bench.figure_11 import PROGRAM
from bench.harness import Harness, Most
from bench.joined import JOIN, joining

FIGURE = 13
SIZES = (100_000, 1_000_000)
TINY = (40,)
MOST = 200_000_000  # bytes
NEW = 1_000
# Runs the words after it and prints their largest resident set in bytes.
RUN = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[
    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, used = os.wait4(child, 0)
scale = 1 if sys.platform == "darwin" else 1024
print(os.waitstatus_to_exitcode(status), used.ru_maxrss * scale)
"""


def run(harness: Harness, sizes: Sequence[int]) -> None:
    nothing = weighed([sys.executable, "-c", "pass"])()
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            for words, told in commands(Path(name), size):
                harness.weigh(
                    f"koinii {told}",
                    weighed([*PROGRAM, *words]),
                    lambda: nothing,
                    reach=Most(MOST),
                    size=size,
                )


def weighed(command: list[str]) -> Callable[[], float]:
    """Return how much memory a command takes, in bytes."""

    def weigh() -> float:
        done = subprocess.run(
            [sys.executable, "-c", RUN, *command],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        exit_code, used = map(int, done.stdout.split())
        assert exit_code == 0, (command, exit_code)
        return used

    return weigh


def commands(folder: Path, size: int) -> list[tuple[list[str], str]]:
    """Return words and title of each command, in the order to run them.

    The first load `size` facts and draw half as many conclusions.
    """
    seat, copy, hub = folder / "seat", folder / "copy", bare(folder / "hub.git")
    koinii.init(str(seat), agent="AgentAtlas").close()
    (folder / "facts.kb").write_text("\n".join(joining(size, 1)) + "\n")
    (folder / "more.kb").write_text("\n".join(joining(NEW, 8)).replace("Job", "Work"))
    at = ["-C", str(seat)]
    one = "(exposedTo Person3 Db3)"
    fact = "(worksOn Person3 Job3)"
    known = koinii.open(str(seat))
    locators = {text: known.locate(text, "CxAtlas") for text in (one, fact)}
    known.close()
    plain = {
        "load of all": ("load", str(folder / "facts.kb")),
        "assert of a rule over all": ("assert", JOIN),
        "load of 1,000": ("load", str(folder / "more.kb")),
        "assert": ("assert", "(worksOn PersonNew Job3)"),
        "check": ("check", "(worksOn PersonNewer Job3)"),
        "ask": ("ask", "(exposedTo Person3 ?db)"),
        "ask --in": ("ask", "(exposedTo Person3 ?db)", "--in", "CxAtlas"),
        "ask, ten of all": ("ask", "(exposedTo ?who ?db)", "--limit", "10"),
        "ask, all": ("ask", "(exposedTo ?who ?db)"),
        "argue": ("argue", one, "--in", "CxAtlas"),
        "search, the first": ("search", "person3"),
        "why": ("why", locators[one]),
        "why-not": ("why-not", "(exposedTo Person3 Db4)", "--in", "CxAtlas"),
        "contradictions": ("contradictions",),
        "conflicts": ("conflicts",),
        "show": ("show", locators[fact]),
        "status": ("status",),
        "commit": ("commit",),
        "log": ("log",),
        "prove": ("prove", locators[fact]),
        "prove --kind why": ("prove", locators[one], "--kind", "why"),
        "remote add": ("remote", "add", "origin", str(hub)),
        "push": ("push",),
        "retract": ("retract", locators[fact]),
        "sync": ("sync",),
        "doctor": ("doctor",),
        "doctor --rebuild": ("doctor", "--rebuild"),
    }
    told = [([*at, *words], title) for title, words in plain.items()]
    clone = ["clone", str(hub), str(copy), "--as", "AgentBoreas"]
    return [*told, (clone, "clone"), (["-C", str(copy), "pull"], "pull")]
