"""Runs one verb of a seat in a forked process group that can be killed whole.

Reads one JSON object a line: `verb`, `seat`, `url`, `log`, `seed`. Answers `pid <n>`
when the group runs and `ended <status>` when its first process is gone. The verb is
done again and again until the group is killed, and what was acknowledged is written
down at once.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path

import pygit2  # noqa: F401 - loaded once, before the children

import koinii
from koinii.remote import exchange  # noqa: F401 - loaded once
from koinii.seat import committing, reporting  # noqa: F401 - loaded once
from stories.nursery import Log, step

ROUNDS = 30  # as many as nobody lives to see, and an end if nobody kills


def work(order: dict[str, str], log: Log, chance: random.Random) -> None:
    """Say something and do the verb, or clone, as often as there is time."""
    if order["verb"] == "clone":
        with koinii.clone(order["url"], order["seat"], agent="AgentZoe") as fresh:
            log.write("cloned", fresh.id)
        return
    with koinii.open(order["seat"]) as seat:
        for number in range(ROUNDS):
            text = f"(said {Path(order['seat']).name} {os.getpid()} {number})"
            seat.assert_(text)
            log.write("said", text)
            if chance.random() < 0.2:
                seat.retract(seat.locate(text, f"Cx{seat.config.agent[5:]}"))
                log.write("unsaid", text)
            step(seat, log, order["verb"])


def group(order: dict[str, str]) -> None:
    os.setsid()
    log = Log(order["log"])
    try:
        work(order, log, random.Random(order["seed"]))
    except BaseException as error:  # noqa: BLE001 - the parent has to hear of it
        log.write("failed", repr(error), getattr(error, "details", ""))
    os._exit(0)


def main() -> None:
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            group(json.loads(line))
        print("pid", pid, flush=True)  # noqa: T201 - the answer
        _, status = os.waitpid(pid, 0)
        print("ended", status, flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
