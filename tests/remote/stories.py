"""Stories of three seats: agents say and take back, seats commit and hand over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st

from koinii import RemoteSeat
from remote.desks import Desk, hand_over, make_desk, make_key, room

OWN = {
    "AgentAnna": "CxAnna",
    "AgentBert": "CxBert",
    "AgentCleo": "CxCleo",
    "AgentDora": "CxDora",
    "AgentBoth": "CxBoth",
}
SITTING = [
    ["AgentAnna", "AgentBoth"],
    ["AgentBert", "AgentBoth"],
    ["AgentCleo", "AgentDora"],
]


class Say(NamedTuple):
    """One agent asserts, or takes back what it said so."""

    seat: int
    agent: int
    sentence: str
    context: str
    strength: str | None = None
    retract: bool = False


class Commit(NamedTuple):
    seat: int


class Hand(NamedTuple):
    """A seat's newest commit goes to another."""

    source: int
    target: int


Step = Say | Commit | Hand
seats = st.integers(0, 2)
carriages = st.permutations([(a, b) for a in range(3) for b in range(3) if a != b])


def sayings(
    sentences: st.SearchStrategy[str],
    places: Sequence[str],
    strengths: Sequence[str | None],
) -> st.SearchStrategy[Say]:
    """What one of two agents of a seat says; one in four times it takes it back."""
    return st.builds(
        Say,
        seats,
        st.integers(0, 1),
        sentences,
        st.sampled_from(places),
        st.sampled_from(strengths),
        st.sampled_from([False, False, False, True]),
    )


def steps_of(says: st.SearchStrategy[Say]) -> st.SearchStrategy[Step]:
    return st.one_of(
        says, says, says, st.builds(Commit, seats), st.builds(Hand, seats, seats)
    )


def three_and_one(folder: Path) -> list[Desk]:
    """Three desks, two of which AgentBoth sits at, and one where all sit."""
    keys = {"AgentBoth": make_key(folder / "both")}
    made = [
        make_desk(folder, f"desk{number}", agents, keys)
        for number, agents in enumerate(SITTING)
    ]
    return [*made, make_desk(folder, "alone", OWN)]


def tables(desks: Sequence[Desk], stack: ExitStack) -> list[RemoteSeat]:
    folder = stack.enter_context(room())
    return [stack.enter_context(desk.copy_to(folder)) for desk in desks]


def run(
    seats: list[RemoteSeat], step: Step, say: Callable[[RemoteSeat, str, Say], None]
) -> None:
    """Take one step; `say` puts forward or takes back what an agent says."""
    match step:
        case Commit(number):
            seats[number].commit()
        case Hand(source, target):
            if source != target and seats[source].status().number:
                hand_over(seats[source], seats[target])
        case Say():
            say(seats[step.seat], SITTING[step.seat][step.agent], step)
