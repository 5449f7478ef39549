"""The engine and its twin, through any sequence of moves.

After each deed every row has the same label, every clash the same outcome,
questions have the same answers, and what fell in the cascade is the same; the
root is recomputed by the twin.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)

from kb.engine_driver import Driver, applied
from kb.engine_game import Game
from kb.engine_moves import CONTEXTS, FACTS, Move, beginnings, moves
from koinii.kb.vocabulary import sentences
from koinii.terms import Term
from reference.encoding_twin import locator
from reference.engine_frame_twin import Sentex
from reference.engine_twin import Belief

WORDS = {"rebuttal": 1, "functional": 2, "disjoint": 3}
BELIEVED, KNOWN, DEFEATED, SHIPPED, WAITING, LOCAL = 1, 2, 4, 8, 16, 32
STEPS = 25


class EngineMachine(RuleBasedStateMachine):
    """One seat of two agents, a third that comes later, and another seat's lines."""

    def __init__(self) -> None:
        super().__init__()
        self.driver = Driver()
        self.game = Game(sentences())

    def teardown(self) -> None:
        self.driver.close()

    @initialize(first=beginnings())
    def meet(self, first: list[Move]) -> None:
        for move in first:
            self.play(move)

    @rule(move=moves())
    def play(self, move: Move) -> None:
        deed = self.game.deed(move)
        if deed is not None:
            self.driver.play(self.game, deed)

    @rule()
    def reopen(self) -> None:
        self.driver.reopen()

    @rule(sentence=FACTS, context=st.sampled_from(CONTEXTS))
    def argue(self, sentence: Term, context: str) -> None:
        twin = self.game.twin.belief.argue(sentence, context)
        assert self.driver.kb.argue(sentence, context).verdict == twin

    @invariant()
    def labels_are_the_same(self) -> None:
        belief = self.game.twin.belief
        expected = {row.locator: label(belief, row) for row in belief.stored}
        assert labels(self.driver) == expected

    @invariant()
    def the_same_is_asserted(self) -> None:
        rows = self.driver.connection.execute(
            "SELECT w.agent, w.seat, s.digest FROM assertion a JOIN author w"
            " ON w.id = a.author JOIN sentex s ON s.id = a.sentex"
        )
        assert {(*who, f"sha256:{digest.hex()}") for *who, digest in rows} == {
            (*one.author, locator(one.context, one.sentence))
            for one in applied(self.game).values()
        }

    @invariant()
    def the_root_is_the_same(self) -> None:
        root, size = self.driver.kb.root()
        belief = self.game.twin.belief
        assert (f"sha256:{root.hex()}", size) == (belief.root, len(belief.leaves))

    @invariant()
    def clashes_are_the_same(self) -> None:
        belief = self.game.twin.belief
        for ours, theirs in (
            (self.driver.kb.clashes(known=False, context=None), belief.contradictions),
            (self.driver.kb.clashes(known=True, context=None), belief.conflicts),
        ):
            assert {
                (one.kind, frozenset(side.locator for side in one.sides))
                for one in ours
            } == {
                (one.kind, frozenset((one.lo.locator, one.hi.locator)))
                for one in theirs
            }

    @invariant()
    def what_stands_has_an_episode(self) -> None:
        """And nothing else; it is older than the operation, if it stood before."""
        rows = self.driver.connection.execute("SELECT first, second, kind FROM episode")
        standing = [
            *self.driver.kb.clashes(known=False, context=None),
            *self.driver.kb.clashes(known=True, context=None),
        ]
        assert {(first.hex(), second.hex(), kind) for first, second, kind in rows} == {
            (*sorted(side.locator[7:] for side in one.sides), WORDS[one.kind])
            for one in standing
        }


def labels(driver: Driver) -> dict[str, int]:
    rows = driver.connection.execute("SELECT digest, label FROM sentex")
    return {f"sha256:{digest.hex()}": bits for digest, bits in rows}


def label(belief: Belief, row: Sentex) -> int:
    return (
        BELIEVED * (row in belief.believed)
        | KNOWN * (row in belief.known)
        | DEFEATED * (row in belief.defeated)
        | SHIPPED * (row in belief.frame.shipped)
        | WAITING * (row in belief.waiting)
        | LOCAL * belief.frame.is_local(row)
    )


EXAMPLES = 800 if os.environ.get("KOINII_SOAK") else 40

TestEngine = EngineMachine.TestCase
TestEngine.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=STEPS,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
