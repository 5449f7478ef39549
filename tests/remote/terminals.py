"""Runs the command line on a terminal of its own, as a person would see it."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from faces.command import COMMAND, environment

# Takes the terminal on its input as its controlling one, then becomes the command.
_LAUNCH = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


class Ended(NamedTuple):
    """How a command ended, what it wrote, and what was seen on the terminal."""

    code: int
    out: str
    err: str
    seen: str
    seconds: float


@contextmanager
def started(
    *words: str, env: Mapping[str, str | None] | None = None
) -> Iterator[Callable[..., Ended]]:
    """Start the command on a new terminal; what is given waits for its end.

    Its outputs are no terminal, so that they can be read apart.
    """
    ours, theirs = pty.openpty()
    begun = time.monotonic()
    child = subprocess.Popen(
        [sys.executable, "-c", _LAUNCH, COMMAND, *words],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(**(env or {})),
        start_new_session=True,
        text=True,
    )
    os.close(theirs)

    def ended(answers: Mapping[str, str] | None = None, most: float = 60) -> Ended:
        """Answer what the terminal asks, by its words, until the command ends."""
        seen = _talk(ours, child, answers or {}, begun + most)
        out, err = child.communicate(timeout=10)
        return Ended(child.returncode, out, err, seen, time.monotonic() - begun)

    try:
        yield ended
    finally:
        child.kill()
        child.wait()
        for pipe in (child.stdout, child.stderr):
            assert pipe is not None
            pipe.close()
        os.close(ours)


def _talk(
    ours: int, child: subprocess.Popen[str], answers: Mapping[str, str], until: float
) -> str:
    seen, answered = "", 0
    while child.poll() is None:
        assert time.monotonic() < until, f"it does not end; the terminal says {seen!r}"
        if not select.select([ours], [], [], 0.05)[0]:
            continue
        try:
            seen += os.read(ours, 4096).decode()
        except OSError:  # nobody holds the other end any more
            time.sleep(0.05)
        for question, answer in answers.items():
            if question in seen[answered:]:
                answered = len(seen)
                os.write(ours, f"{answer}\n".encode())
    return seen


def processes_with(name: str, value: str) -> list[str]:
    """Return the commands that run with a variable of that value."""
    wanted = f"{name}={value}".encode()
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (place / "environ").read_bytes().split(b"\0"):
                found.append((place / "cmdline").read_text().replace("\0", " "))
        except OSError:  # it has just ended
            continue
    return found
