"""A process that works at a seat, to be waited for, interrupted and killed.

Run as `child.py VERB SEAT ...`; it prints a line for each thing it has done.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import count
from random import Random

from koinii.seat.parts import open_parts
from koinii.seat.seat import Seat

BATCH = 30
CREATED = 1  # every assertion's time


def say(*words: object) -> None:
    print(*words, flush=True)  # noqa: T201 - this is what a child is for


def assert_many(seat: Seat, name: str, many: str) -> None:
    """Assert so many sentences, and tell the longest that one took."""
    longest = 0.0
    for number in range(int(many)):
        begun = time.monotonic()
        say(seat.assert_(f"(said {name} {number})", context="CxDeploy"))
        longest = max(longest, time.monotonic() - begun)
    say("longest", longest)


def hold(seat: Seat) -> None:
    """Hold the writer lock until standard input ends."""
    with seat.database.write():
        say("held")
        sys.stdin.read()


def churn(seat: Seat, name: str) -> None:
    """Assert, load, retract and commit for ever: `?` begins, `!` is acknowledged."""
    rng = Random(name)  # noqa: S311 - a test's own choices
    last = f"(one {name} none)"
    for number in count():
        verb = rng.choice(("one", "one", "many", "commit", "gone"))
        say("?", verb, number)
        if verb == "one":
            last = f"(one {name} {number})"
            seat.assert_(last)
        elif verb == "many":
            seat.load(f"(many {name} {number} {part})" for part in range(BATCH))
        elif verb == "commit":
            done = seat.commit()
            say("=", done.number if done else "-", done.id if done else "-")
        elif not last.endswith("none)"):
            seat.retract(seat.locate(last, "CxAtlas"))
            last = f"(one {name} none)"
        say("!", verb, number)


VERBS: dict[str, Callable[..., None]] = {
    "assert": assert_many,
    "churn": churn,
    "hold": hold,
}


def main(verb: str, path: str, *rest: str) -> None:
    with Seat(*open_parts(path), lambda: CREATED) as seat:
        VERBS[verb](seat, *rest)


if __name__ == "__main__":
    main(*sys.argv[1:])
