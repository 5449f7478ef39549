"""A seat that selects holds what its selection takes of a seat that takes all.

Stories over real git: two seats that speak and show, one that selects, speaks and
shows, one that listens to all of it.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from koinii import RemoteSeat
from koinii.errors import NotFoundError, RefusedError
from remote.desks import Desk, examples, make_desk, room
from remote.parts import check_part, lines_of, of_others
from remote.selected import Part
from remote.stories import SITTING, Say, three_and_one

NOTES = [f"(note {number})" for number in range(4)]
FACTS = [
    *NOTES, "(p A)", "(q B)", "(not (q A))", '(label A "Zürich")',
    "(implies (p ?x) (q ?x))", "(set/defaultRule (implies (q ?x) (s ?x)))",
    "(genlCx CxRoom CxAnna)", "(genlCx CxBert CxRoom)", "(channel CxRoom)",
]  # fmt: skip
SHAPES = ("(genlCx", "(channel")
PLACES = ["CxAnna", "CxBert", "CxCleo", "CxBoth", "CxRoom", "CxPlain"]
AGENTS = ["AgentAnna", "AgentBert", "AgentBoth", "AgentCleo", "AgentNobody"]
REPLIES = ["(endorses Some {})", "(except {})", "(disputes Some {})"]


class Reply(NamedTuple):
    """One agent answers what may have been said by any, anywhere."""

    seat: int
    agent: int
    form: str
    note: str
    place: str


class Burst(NamedTuple):
    """So many commits that segments are merged."""

    seat: int


class Rotate(NamedTuple):
    seat: int


class Show(NamedTuple):
    """A seat shows what it has said."""

    seat: int


class Take(NamedTuple):
    """The third seat takes this part from now on."""

    part: Part


Step = Say | Reply | Burst | Rotate | Show | Take
desks_ = st.integers(0, 2)
speakers = st.integers(0, 1)
parts = st.builds(
    Part.of,
    st.frozensets(st.sampled_from(AGENTS), max_size=2),
    st.frozensets(st.sampled_from([*PLACES, "CxNowhere"]), max_size=2),
)
says = st.builds(
    Say, desks_, speakers, st.sampled_from(FACTS), st.sampled_from(PLACES),
    st.sampled_from([None, None, "monotonic"]),
    st.sampled_from([False, False, False, True]),
)  # fmt: skip
replies = st.builds(
    Reply, desks_, speakers, st.sampled_from(REPLIES), st.sampled_from(NOTES),
    st.sampled_from(PLACES),
)  # fmt: skip
steps = st.one_of(
    *[says] * 6, *[replies] * 3, *[st.builds(Take, parts)] * 4,
    *[st.builds(Show, desks_)] * 3, st.builds(Burst, speakers),
    st.builds(Rotate, speakers),
)  # fmt: skip


@pytest.fixture(scope="module")
def desks(tmp_path_factory: pytest.TempPathFactory) -> list[Desk]:
    folder = tmp_path_factory.mktemp("desks")
    return [*three_and_one(folder)[:3], make_desk(folder, "all", ["AgentEar"])]


@contextmanager
def seated(desks: list[Desk]) -> Iterator[list[RemoteSeat]]:
    with ExitStack() as stack:
        folder = stack.enter_context(room())
        remote = folder / "remote.git"
        subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
        seats = [stack.enter_context(desk.copy_to(folder)) for desk in desks]
        for seat in seats:
            seat.remotes.add("origin", str(remote))
        for seat in seats[:2] * 2:
            seat.sync()
        yield seats


def take_step(seats: list[RemoteSeat], step: Step) -> None:
    match step:
        case Say():
            say(seats[step.seat], SITTING[step.seat][step.agent], step)
        case Reply():
            answer(seats[step.seat], SITTING[step.seat][step.agent], step)
        case Burst(number):
            burst(seats[number], SITTING[number][0])
        case Rotate(number):
            seats[number].rotate_agent(SITTING[number][0])
        case Show(number):
            seats[number].sync()
        case Take(part):
            take_part(seats, part)


def say(seat: RemoteSeat, agent: str, step: Say) -> None:
    context = "CxUniverse" if step.sentence.startswith(SHAPES) else step.context
    try:
        if step.retract:
            seat.retract(seat.locate(step.sentence, context), agent=agent)
        else:
            seat.assert_(
                step.sentence, context=context, agent=agent, strength=step.strength
            )
    except (RefusedError, NotFoundError):
        pass


def answer(seat: RemoteSeat, agent: str, step: Reply) -> None:
    """Answer a note, whether it is here or not; where it is said decides nothing."""
    target = seat.locate(step.note, step.place)
    own = agent.replace("Agent", "Cx", 1)
    text = step.form.format(f'(sentexHandle "{target}")')
    seat.load([text], context=own, agent=agent)


def burst(seat: RemoteSeat, agent: str) -> None:
    """Commit ten times in two contexts, and take back in each what was said first."""
    for number in range(10):
        for place in ("CxPlain", agent.replace("Agent", "Cx", 1)):
            seat.assert_(f"(count {number % 4})", context=place, agent=agent)
            old = seat.locate(f"(count {(number + 1) % 4})", place)
            with suppress(RefusedError, NotFoundError):
                seat.retract(old, agent=agent)
        seat.commit()


def take_part(seats: list[RemoteSeat], part: Part) -> None:
    """Pull with a selection, and compare with the seat that takes all."""
    *_, selecting, whole = seats
    rehearsed = selecting.rehearse_pull(
        agents=part.agents, contexts=part.contexts, everything=part == Part()
    )
    before = of_others(selecting)
    pulled = selecting.pull(
        agents=part.agents, contexts=part.contexts, everything=part == Part()
    )
    assert pulled == rehearsed._replace(foreseen=None)
    whole.pull()
    check_part(selecting, whole, part)
    gone = {line[:4] for line in before} - {line[:4] for line in of_others(selecting)}
    assert pulled.removed == len(gone)
    assert selecting.status().partial == part.recorded
    again = selecting.pull()
    assert (again.moved, again.received, again.removed) == (0, 0, 0)


def check_explained(selecting: RemoteSeat, whole: RemoteSeat, part: Part) -> None:
    """Both have applied the same; a selection is why they believe something else."""
    selecting.sync()
    for seat in (whole, selecting):
        seat.sync()
    whole.pull()
    assert selecting.status().inputs == whole.status().inputs
    for seat, other in ((selecting, whole), (whole, selecting)):
        found = {one.seat: one for one in seat.status().differences}
        if part == Part() or seat.status().commit == other.status().commit:
            assert other.id not in found
        else:
            assert found[other.id].field == "partial"
            assert "inputs" not in found[other.id].fields


EVEN = [
    Say(0, 0, "(note 0)", "CxRoom"), Say(0, 0, "(channel CxRoom)", ""), Burst(0),
    Show(0), Show(1), Say(1, 0, "(note 1)", "CxPlain"), Burst(1), Show(1),
    Take(Part.of(contexts=["CxRoom"])), Reply(2, 0, REPLIES[0], "(note 1)", "CxPlain"),
    Reply(2, 0, REPLIES[1], "(note 0)", "CxRoom"), Rotate(0), Burst(0), Show(0),
    Take(Part.of(agents=["AgentBert"])), Say(1, 0, "(note 1)", "CxPlain", retract=True),
    Show(1), Take(Part.of(["AgentBert", "AgentAnna"], ["CxPlain", "CxAnna"])),
]  # fmt: skip


@given(st.lists(steps, min_size=4, max_size=24))
@settings(max_examples=examples(3), phases=[Phase.explicit, Phase.generate])
@example(story=EVEN)
def test_it_holds_what_is_selected_of_what_all_say(
    desks: list[Desk], story: list[Step]
) -> None:
    with seated(desks) as seats:
        *_, selecting, whole = seats
        take_part(seats, Part.of(contexts=["CxRoom"]))
        part = Part.of(contexts=["CxRoom"])
        for step in story:
            take_step(seats, step)
            if isinstance(step, Take):
                part = step.part
        for seat in seats[:2]:
            seat.sync()
        take_part(seats, part)
        check_explained(selecting, whole, part)

        selecting.pull(everything=True)
        for seat in (selecting, whole) * 2:
            seat.sync()

        assert {line for line in lines_of(selecting) if line.seat != whole.id} == {
            line for line in lines_of(whole) if line.seat != whole.id
        }
        ours, theirs = selecting.status(), whole.status()
        assert (ours.commit, ours.inputs) == (theirs.commit, theirs.inputs)
        assert ours.partial is None
        assert not Path(selecting.layout.config).read_text().count("select")
