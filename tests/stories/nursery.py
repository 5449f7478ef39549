"""Runs seats in forked children that can be killed at any moment.

Reads one JSON object a line: `seat`, `log`, `seed`. Answers `pid <n>` when the
child runs and `ended <status>` when it is gone. The child works until it is
killed, and writes down each thing only once it was acknowledged.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path

import pygit2  # noqa: F401 - loaded once, before the children

import koinii
from koinii import RemoteSeat
from koinii.remote import exchange  # noqa: F401 - loaded once
from koinii.seat import committing, reporting  # noqa: F401 - loaded once


class Log:
    """Lines that are written whole before the next step is taken."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def write(self, *words: object) -> None:
        os.write(self._file, (" ".join(map(str, words)) + "\n").encode())


def work(path: str, log: Log, chance: random.Random) -> None:
    """Say, take back, commit, push and pull, in an order the seed decides."""
    with koinii.open(path) as seat:
        number = 0
        while True:
            number += 1
            text = f"(said {Path(path).name} {os.getpid()} {number})"
            seat.assert_(text)
            log.write("said", text)
            if chance.random() < 0.3:
                seat.retract(seat.locate(text, f"Cx{seat.config.agent[5:]}"))
                log.write("unsaid", text)
            step(seat, log, chance.choice(["commit", "push", "pull", "sync"]))


def step(seat: RemoteSeat, log: Log, verb: str) -> None:
    commit = seat.commit()
    if commit:
        log.write("committed", commit.number)
    if verb in ("pull", "sync"):
        pulled = seat.pull()
        assert not pulled.troubles, pulled.troubles
        log.write("pulled", pulled.new)
    if verb in ("push", "sync"):
        pushed = seat.push()
        log.write("pushed", pushed.number, pushed.tip)


def child(order: dict[str, str]) -> None:
    log = Log(order["log"])
    try:
        work(order["seat"], log, random.Random(order["seed"]))
    except KeyboardInterrupt:
        log.write("interrupted")
    except BaseException as error:  # noqa: BLE001 - the parent has to hear of it
        log.write("failed", repr(error), getattr(error, "details", ""))
    os._exit(0)


def main() -> None:
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            child(json.loads(line))
        print("pid", pid, flush=True)  # noqa: T201 - the answer
        _, status = os.waitpid(pid, 0)
        print("ended", status, flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    assert Path(koinii.__file__).is_file()
    main()
