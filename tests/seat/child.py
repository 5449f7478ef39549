"""A process that works at a seat, to be waited for, interrupted and killed.

Run as `child.py VERB SEAT ...`; it prints a line for each thing it has done.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from itertools import count
from pkgutil import iter_modules
from random import Random

import koinii.history
import koinii.note
import koinii.seat
import koinii.trust
from koinii.errors import KoiniiError
from koinii.seat.parts import open_parts
from koinii.seat.seat import Seat

BATCH = 30
NOBODY = 65534
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
    rng = Random(name)
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


def read_twice(seat: Seat) -> None:
    """Tell what every read says, then again as nobody who may write here."""
    directory = seat.layout.directory
    say(json.dumps(answers(seat)))
    seat.close()
    become_nobody()
    with Seat(*open_parts(directory), lambda: CREATED) as again:
        say(json.dumps(answers(again)))
        for verb in (
            lambda: again.assert_("(p A)"),
            lambda: again.retract("00000000"),
            lambda: again.load(["(p A)"]),
            again.commit,
        ):
            try:
                verb()
            except KoiniiError as error:
                say(error.code)


def become_nobody() -> None:
    """Give up the right to write everywhere, where this process has it.

    The program's own files may be out of reach then, so all are loaded before.
    """
    for package in (koinii.history, koinii.note, koinii.seat, koinii.trust):
        for module in iter_modules(package.__path__, package.__name__ + "."):
            import_module(module.name)
    if os.getuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def open_as_nobody(path: str) -> None:
    """Tell how opening a seat is refused."""
    become_nobody()
    try:
        open_parts(path)
    except KoiniiError as error:
        say(error.code)


def answers(seat: Seat) -> list[str]:
    """What every verb says that only reads."""
    located = sorted(one.locator for one in seat.believed())
    marker = seat.marker(located[0]).text()
    reads = [
        list(seat.ask("(p ?x)", context="CxAtlas")),
        list(seat.ask("(p ?x)")),
        (seat.argue("(p 1)", "CxAtlas"), seat.search("p"), seat.search("agent genl")),
        sorted(seat.believed("CxAtlas")),
        (seat.status(), seat.log(), seat.log(1), seat.show("1")),
        [seat.show(one) for one in located],
        (seat.held(), seat.agents(), seat.peers(), seat.channels()),
        (seat.locate("(p 1)", "CxAtlas"), marker, seat.dereference(marker)),
        [seat.prove(located[0]), seat.prove(located[0], attribution=True)],
        seat.prove(seat.locate("(p none)", "CxAtlas"), absence=True),
    ]
    return list(map(repr, reads))


def build(seat: Seat) -> None:
    """Say 300 things and tell every file of the commits that hold them."""
    for part in range(3):
        seat.load(f'(p N{part} {number} "\u00e9\u65e5")' for number in range(100))
        seat.load([f"(channel Cx{name}{part})" for name in ("B", "A", "C")])
        done = seat.commit()
        say(done)
    for path, digest, size in seat.files.listing():
        say(path, digest, size)


def rotate(seat: Seat) -> None:
    """Replace the agent's key twice, and tell which it has since."""
    for _ in range(2):
        say(seat.rotate_agent(seat.config.agent).key)


VERBS: dict[str, Callable[..., None]] = {
    "assert": assert_many,
    "build": build,
    "churn": churn,
    "hold": hold,
    "read": read_twice,
    "rotate": rotate,
}


def main(verb: str, path: str, *rest: str) -> None:
    if verb == "open":
        open_as_nobody(path)
        return
    with Seat(*open_parts(path), lambda: CREATED) as seat:
        VERBS[verb](seat, *rest)


if __name__ == "__main__":
    main(*sys.argv[1:])
