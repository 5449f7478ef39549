"""Whatever is said twice, heard twice or late: all seats end with the same disputes."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import permutations
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from coordination.debate import Debate, lay
from remote.desks import SOAK, examples, room

ACTS = [
    *["claim"] * 6, *["dispute"] * 3, *["vote"] * 3, *["withdraw"] * 2, "join", "join",
    "pose", "answer", "endorse", "justify", "not_understood", "refuse", "reply_many",
]  # fmt: skip
SETTLING = [
    *["rule"] * 6, *["count"] * 6, *["vote"] * 4, *["withdraw"] * 2, "quarantine",
    "unquarantine", "disregard", "restore", "believe_own", "convene", "open_room",
    "shape", "mark", "mark",
]  # fmt: skip
CARRYING = ["commit", "push", "pull", "sync", "sync", "bundle", "apply", "apply"]
OFTEN = {"claim", "join", "dispute", "vote", "withdraw", "rule", "count", "apply"}
ORDERS = [*permutations(range(3))]
EXAMPLES, STEPS = (8, 250) if SOAK else (5, 100)


class Move:
    """What a number says: an act, or something carried. All are about as frequent.

    A number, so that small ones are not the same few things.
    """

    def __init__(self, number: int) -> None:
        chance = Random(number)
        verbs = chance.choices([ACTS, SETTLING, CARRYING], [4, 3, 3])[0]
        self.verb = chance.choice(verbs)
        self.is_carried = verbs is CARRYING
        self.who, self.what, self.which = (chance.randrange(1000) for _ in range(3))

    def make(self, debate: Debate) -> None:
        note(f"# {self.verb} {self.who} {self.what} {self.which}")
        if self.is_carried:
            debate.carry(self.verb, self.who, self.which)
        else:
            debate.act(self.verb, self.who, self.what, self.which)


def machine(laid: Path, done: set[str]) -> type[RuleBasedStateMachine]:
    """Return the machine whose every run begins with the same three seats."""

    class Debating(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.stack = ExitStack()
            folder = self.stack.enter_context(room())
            self.debate = Debate(laid, folder)
            self.stack.callback(self.debate.close)
            self.last = 0

        @rule(number=st.integers(0, 2**32 - 1))
        def move(self, number: int) -> None:
            self.last = number
            Move(number).make(self.debate)

        def teardown(self) -> None:
            try:
                self.debate.rest(ORDERS[self.last % len(ORDERS)])
                self.debate.check()
            finally:
                done.update(self.debate.done)
                self.stack.close()

    return Debating


def test_said_twice_and_heard_late_all_seats_end_equal(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    laid = tmp_path_factory.mktemp("laid")
    lay(laid)
    done: set[str] = set()
    run_state_machine_as_test(
        machine(laid, done),
        settings=settings(
            max_examples=examples(EXAMPLES),
            stateful_step_count=STEPS,
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert done >= OFTEN
