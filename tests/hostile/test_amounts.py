"""What is about size, pulled by a program of its own: bounded, named, no effect."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hostile.amounts import AMOUNTS, Amount
from hostile.dump import Dump, dump
from hostile.good import AUTHORED, Story, tell
from hostile.meeting import Meeting, meet, pull
from remote.desks import SOAK, room

HUNG = 600  # seconds, after which a pull is taken to hang

# Runs the words after it; prints its exit code and its largest resident set, in MB.
# A process is started from a small one: its largest set begins with its parent's.
RUN = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(child, 0)
scale = 1 if sys.platform == "darwin" else 1024
code = os.waitstatus_to_exitcode(status)
print(code, used.ru_maxrss * scale >> 20, file=sys.stderr)
"""


class Right(NamedTuple):
    """The story, and what a newcomer comes to where less is wrong."""

    story: Story
    dumps: dict[str, Dump]

    def __repr__(self) -> str:
        return "Right"


@pytest.fixture(scope="module")
def right() -> Iterator[Right]:
    with room() as folder:
        story = tell(Path(folder))
        good = story.good
        shown = {
            "seat": None,
            "author": good.made({AUTHORED: b"x"}),
            "": good.second,
        }
        dumps = {}
        for scope, files in shown.items():
            with meet(story, "newcomer") as (meeting, seat):
                meeting.show(files)
                dumps[scope] = pull(seat).dump
        yield Right(story, {**dumps, "others": dumps[""]})


SHOWN = [one for one in AMOUNTS if one.few or SOAK]


@pytest.mark.parametrize("amount", SHOWN, ids=lambda amount: amount.name)
def test_an_amount_is_bounded_and_changes_nothing(amount: Amount, right: Right) -> None:
    with meet(right.story, "newcomer") as (meeting, seat):
        seat.close()
        ref = amount.forge(right.story.good, amount.many if SOAK else amount.few)
        meeting.show(ref)

        code, megabytes, pulled = pulled_by_a_program(meeting)

        assert megabytes < amount.most
        assert code == (7 if amount.scope else 0)
        check(amount, pulled, right.story.good.seat)
        with meeting.seat() as again:
            came = dump(again)
            assert came == right.dumps[amount.scope] or (
                amount.name == "contexts" and came > right.dumps[""]
            )


def pulled_by_a_program(meeting: Meeting) -> tuple[int, int, dict[str, Any]]:
    """Pull at the command line; return exit code, megabytes and what it says."""
    words = [sys.executable, "-m", "koinii", "-C", str(meeting.path), "pull", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words],
        check=True, capture_output=True, text=True, timeout=HUNG,
    )  # fmt: skip
    code, megabytes = map(int, done.stderr.split()[-2:])
    return code, megabytes, json.loads(done.stdout)


def check(amount: Amount, said: dict[str, Any], hostile: str) -> None:
    """Check what is told: whose it is, and why."""
    troubles = said["data"]["troubles"]
    assert bool(troubles) == bool(amount.scope)
    for trouble in troubles:
        assert trouble["seat"] == hostile
        assert amount.words in trouble["reason"]
        assert bool(trouble["agent"]) == (amount.scope != "seat")
