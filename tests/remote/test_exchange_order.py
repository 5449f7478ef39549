"""Order does not matter: one knowledge, however it was split, said and carried."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from koinii import RemoteSeat
from koinii.errors import NotFoundError, RefusedError
from koinii.terms import Symbol, canonical, locate, read
from reference.rfc6962 import defined_root
from remote.desks import (
    EMPTY,
    Clock,
    Desk,
    examples,
    hand_over,
    room,
    says,
)
from remote.stories import (
    OWN,
    Commit,
    Say,
    Step,
    carriages,
    run,
    sayings,
    seats,
    steps_of,
    tables,
    three_and_one,
)

PLACES = ["CxAnna", "CxBert", "CxDora", "CxBoth", "CxDeploy", "CxPlain"]
SENTENCES = [
    "(usesDatabase ProdCluster Postgres)",
    "(not (usesDatabase ProdCluster Postgres))",
    "(usesDatabase ProdCluster MySql)",
    '(label ProdCluster "Zürich \\"日本\\"")',
    "(weighs ProdCluster 1.5M)",
    "(genlCx CxDeploy CxAnna)",
    "(genlCx CxDora CxDeploy)",
    "(channel CxDeploy)",
    "(channel CxBert)",
]


says_steps = sayings(
    st.sampled_from(SENTENCES), PLACES, [None, None, "default", "monotonic"]
)
steps = steps_of(says_steps)


@pytest.fixture(scope="module")
def desks(tmp_path_factory: pytest.TempPathFactory) -> list[Desk]:
    return three_and_one(tmp_path_factory.mktemp("desks"))


def say(seat: RemoteSeat, agent: str, step: Say) -> None:
    """Say it where the keyboard lets the agent; what it refuses is not said."""
    structural = step.sentence.startswith(("(genlCx", "(channel"))
    context = "CxUniverse" if structural else step.context
    try:
        if step.retract:
            seat.retract(seat.locate(step.sentence, context), agent=agent)
        else:
            seat.assert_(
                step.sentence, context=context, agent=agent, strength=step.strength
            )
    except (RefusedError, NotFoundError):
        pass


def settle(seats: list[RemoteSeat], order: Sequence[tuple[int, int]]) -> None:
    for seat in seats:
        seat.commit()
    for source, target in order:
        hand_over(seats[source], seats[target])


def defined_id(locators: set[str]) -> str:
    """Return the commit id, from the definition."""
    leaves = sorted(
        (locator.encode() for locator in locators),
        key=lambda data: sha256(b"\x00" + data).digest(),
    )
    return f"sha256:{defined_root(leaves).hex()}"


def live(seat: RemoteSeat) -> set[tuple[str, str, str]]:
    """Return (agent, context, sentence) of all that is applied or held here."""
    held = {(one.agent, one.context, one.line.split(" ", 2)[2]) for one in seat.held()}
    return held | {(agent, context, text) for agent, _, context, text in says(seat)}


def permitted(agent: str, context: str, sentence: str) -> bool:
    """The boundary, as far as these sentences can meet it."""
    if sentence == "(channel CxBert)":
        return False
    if sentence.startswith("(genlCx "):
        sub = sentence.split()[1]
        return OWN.get(agent) == sub or sub not in OWN.values()
    return OWN.get(agent) == context or context not in OWN.values()


def address(context: str, sentence: str) -> str:
    return locate(Symbol(context), canonical(read(sentence)))


@given(st.lists(steps, max_size=25), carriages)
@settings(max_examples=examples(60))
def test_any_split_and_route_ends_in_one_root(
    desks: list[Desk], story: list[Step], order: list[tuple[int, int]]
) -> None:
    with ExitStack() as stack:
        *three, alone = tables(desks, stack)
        for step in story:
            run(three, step, say)

        settle(three, order)

        states = [(seat.status().commit, seat.status().inputs) for seat in three]
        assert states == [states[0]] * 3
        assert says(three[0]) == says(three[1]) == says(three[2])
        said = live(three[0])
        assert said == live(three[1]) == live(three[2])
        allowed = {one for one in said if permitted(*one)}
        assert states[0][0] == defined_id({address(c, s) for _, c, s in allowed})
        for agent, context, sentence in sorted(allowed, key=lambda one: one[::-1]):
            alone.assert_(sentence, context=context, agent=agent)
        assert alone.status().commit == states[0][0]


@given(st.lists(says_steps, min_size=1, max_size=12), carriages, carriages)
@settings(max_examples=examples(30))
def test_what_all_take_back_leaves_the_empty_root(
    desks: list[Desk],
    story: list[Say],
    first: list[tuple[int, int]],
    second: list[tuple[int, int]],
) -> None:
    with ExitStack() as stack:
        three = tables(desks[:3], stack)
        for step in story:
            run(three, step, say)
        settle(three, first)
        for seat in three:
            take_all_back(seat)

        settle(three, second)

        assert [seat.status().commit for seat in three] == [EMPTY] * 3
        assert len({seat.status().inputs for seat in three}) == 1
        assert not any(seat.held() for seat in three)


def take_all_back(seat: RemoteSeat) -> None:
    mine = [
        (agent, str(seat.locate(text, context)))
        for agent, place, context, text in says(seat)
        if place == seat.id
    ]
    mine += [(one.agent, one.locator) for one in seat.held() if one.seat == seat.id]
    for agent, locator in mine:
        seat.retract(locator, agent=agent)


@given(
    story=st.lists(
        st.one_of(says_steps, st.builds(Commit, seats)), min_size=3, max_size=12
    ),
    syncs=st.lists(seats, max_size=4),
    as_file=st.booleans(),
)
@settings(max_examples=examples(6))
def test_over_real_git_it_is_the_same(
    desks: list[Desk], story: list[Step], syncs: list[int], *, as_file: bool
) -> None:
    """The remotes are a path here and an address there; all end in one root."""
    with ExitStack() as stack:
        folder = stack.enter_context(room())
        remote = folder / "remote.git"
        subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
        three = [stack.enter_context(desk.copy_to(folder)) for desk in desks[:3]]
        for number, seat in enumerate(three):
            scheme = "file://" if (number == 0) == as_file else ""
            seat.remotes.add("origin", f"{scheme}{remote}")
        for number, step in enumerate(story):
            run(three, step, say)
            if number < len(syncs):
                three[syncs[number]].sync()

        for seat in [*three, *three]:
            seat.sync()
        for seat in three:
            assert seat.pull().received == 0

        assert len({seat.status().commit for seat in three}) == 1
        assert len({seat.status().inputs for seat in three}) == 1
        assert says(three[0]) == says(three[1]) == says(three[2])


@pytest.mark.parametrize("now", [0, 4_102_444_800_000])
def test_bc_079_a_clock_that_is_wrong_decides_nothing(
    desks: list[Desk], now: int
) -> None:
    """One seat lives in 1970 or in 2100; what counts is what each said last."""
    text = "(usesDatabase ProdCluster Postgres)"
    with ExitStack() as stack:
        anna, bert = tables(desks[:2], stack)
        bert._clock = Clock(now)
        for seat, agent in ((anna, "AgentAnna"), (bert, "AgentBert")):
            seat.assert_(text, context="CxPlain", agent=agent)
        settle([anna, bert], [(0, 1), (1, 0)])
        bert.retract(bert.locate(text, "CxPlain"), agent="AgentBert")
        settle([anna, bert], [(0, 1), (1, 0)])
        assert (
            {said[0] for said in says(anna)}
            == {said[0] for said in says(bert)}
            == {"AgentAnna"}
        )
        bert._clock = Clock()
        bert.assert_(text, context="CxPlain", agent="AgentBert")
        settle([anna, bert], [(1, 0)])

        assert says(anna) == says(bert)
        assert len(says(anna)) == 2
        assert anna.status().commit == bert.status().commit
