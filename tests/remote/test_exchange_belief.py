"""Who heard what when leaves no trace in what seats believe: rules, replies, masks.

Three seats say, take back, commit and hand over in any order. When nothing moves any
more they agree, with one seat that is told everything at once and with the twin, which
works out belief from nothing but the live lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from koinii import RemoteSeat
from koinii.errors import NotFoundError, RefusedError
from koinii.kb import vocabulary
from koinii.kb.claim import STRENGTHS, Claim, parse_claim, stored_line, wrapper_names
from koinii.remote.applying import Received
from koinii.terms import Symbol, canonical, locate, read
from reference.engine_frame_twin import Assertion, World
from reference.engine_seat_twin import admitted
from reference.engine_twin import Belief
from remote.desks import (
    Desk,
    examples,
    hand_over,
    says,
)
from remote.stories import (
    OWN,
    Commit,
    Hand,
    Say,
    Step,
    carriages,
    run,
    sayings,
    steps_of,
    tables,
    three_and_one,
)

PLACES = ["CxAnna", "CxBert", "CxBoth", "CxDeploy", "CxDeploy", "CxPlain"]
MOST_ROUNDS = 8


def address(context: str, sentence: str) -> str:
    return str(locate(Symbol(context), canonical(read(sentence))))


def echo(locator: str) -> str:
    return f'(echoes Somebody (sentexHandle "{locator}"))'


def mask(locator: str) -> str:
    return f'(except (sentexHandle "{locator}"))'


FACTS = [
    *("(p A)", "(p A)", "(q A)", "(not (q A))", "(p B)", "(not (s A))"),
    *("(r A B)", "(r B A)", "(r A C)", "(not (r B A))", "(dog A)", "(cat A)"),
]
RULES = [
    "(implies (p ?x) (q ?x))",
    "(implies (q ?x) (s ?x))",
    "(implies (s ?x) (p ?x))",
    "(set/defaultRule (implies (p ?x) (q ?x)))",
    "(set/inertRule (implies (q ?x) (s ?x)))",
    "(set/defaultRule (implies (p ?x) (not (q ?x))))",
    "(implies (and (p ?x) (r ?x ?y)) (linked ?x ?y))",
    "(implies (echoes ?x ?t) (noticed ?t))",
    "(implies (animal ?x) (q ?x))",
]
SHAPES = [
    *(
        "(genlCx CxDeploy CxAnna)",
        "(genlCx CxDeploy CxBert)",
        "(genlCx CxPlain CxBoth)",
    ),
    *(
        "(genlCx CxDeploy CxBoth)",
        "(genlCx CxPlain CxDeploy)",
        "(genlCx CxDora CxPlain)",
    ),
    *("(genlCx CxDeploy CxPlain)", "(channel CxDeploy)", "(convened CxPlain)"),
    *("(symmetric r)", "(functional r)", "(genl dog animal)", "(disjoint dog cat)"),
    *("(targetFollowingPredicate echoes)", "(channel CxBert)"),
]
TARGETS = [
    address(context, text)
    for context in ("CxAnna", "CxBert", "CxDeploy")
    for text in ("(p A)", "(q A)")
]
REPLIES = [echo(target) for target in TARGETS]
REPLIES += [echo(address("CxDeploy", text)) for text in REPLIES]
MASKS = [mask(target) for target in TARGETS]
MASKS += [mask(address("CxPlain", text)) for text in MASKS]


sentences = st.one_of(*map(st.sampled_from, (FACTS, RULES, SHAPES, REPLIES, MASKS)))
says_steps = sayings(sentences, PLACES, [None, None, "monotonic"])
steps = steps_of(says_steps)


@pytest.fixture(scope="module")
def desks(tmp_path_factory: pytest.TempPathFactory) -> list[Desk]:
    return three_and_one(tmp_path_factory.mktemp("desks"))


# Playing -----------------------------------------------------------------------


def say(seat: RemoteSeat, agent: str, step: Say) -> None:
    """Load it, so that only the boundary and no check of the moment is asked."""
    structural = step.sentence in SHAPES or step.sentence in MASKS
    context = "CxUniverse" if step.sentence in SHAPES else step.context
    if step.retract:
        try:
            seat.retract(seat.locate(step.sentence, context), agent=agent)
        except (RefusedError, NotFoundError):
            return
    strength = None if structural else step.strength
    if not step.retract:
        seat.load([step.sentence], context=context, agent=agent, strength=strength)


def settle(seats: list[RemoteSeat], order: Sequence[tuple[int, int]]) -> int:
    """Commit and carry until nothing moves; return after how many rounds."""
    for number in range(MOST_ROUNDS):
        made = [seat.commit() for seat in seats]
        if number and not any(made):
            return number
        for source, target in order:
            hand_over(seats[source], seats[target])
    raise AssertionError("the seats do not come to rest")


# Comparing ---------------------------------------------------------------------


def live(seats: Sequence[RemoteSeat]) -> list[tuple[str, str, str, Claim]]:
    """Every line as its own seat has it: agent, seat, context, claim."""
    found = []
    for seat in seats:
        rows, names = seat.kb.assertions, seat.kb.names
        for agent in {one.name for one in seat.agents() if one.seat == seat.id}:
            author = names.author_id(agent, seat.id)
            if author is None:
                continue
            for context in rows.contexts_of(author):
                for row in rows.lines(author, context):
                    claim = parse_claim(stored_line(*row[1:]))
                    found.append((agent, seat.id, names.context(context), claim))
        found += [
            (one.agent, one.seat, one.context, parse_claim(one.line))
            for one in seat.held()
            if one.seat == seat.id
        ]
    return found


def twin_of(lines: list[tuple[str, str, str, Claim]]) -> Belief:
    """What the twin makes of the lines that the boundary lets in."""
    owners = {context: (agent, False) for agent, context in OWN.items()}
    owners |= {f"CxAgent{agent}": (agent, True) for agent in OWN}
    bare = World(owners=owners, vocabulary=tuple(vocabulary.sentences()))
    said = [
        Assertion(
            agent, seat, context, claim.sentence, STRENGTHS[claim.strength],
            frozenset(
                name.removesuffix("Rule") for name in wrapper_names(claim.wrappers)
            ),
        )
        for agent, seat, context, claim in lines
    ]  # fmt: skip
    allowed = tuple(one for one in said if admitted(one, bare))
    return Belief(World(allowed, owners, vocabulary=bare.vocabulary))


def is_in(seat: RemoteSeat, locator: str) -> bool:
    return locator in {one.locator for one in seat.believed()}


def clashing(seat: RemoteSeat) -> set[frozenset[str]]:
    return {
        frozenset(side.locator for side in clash.sides)
        for clash in seat.contradictions() + seat.conflicts()
    }


def agreed(seats: list[RemoteSeat]) -> set[str]:
    """What all of them believe, in one word with everything they report."""
    states = [
        (
            seat.status().commit,
            seat.status().inputs,
            [one.locator for one in seat.waiting()],
            sorted(map(sorted, clashing(seat))),
        )
        for seat in seats
    ]
    assert states == [states[0]] * len(seats)
    assert says(seats[0]) == says(seats[1]) == says(seats[2])
    return {one.locator for one in seats[0].believed()}


def compare(seats: list[RemoteSeat], alone: RemoteSeat) -> None:
    believed = agreed(seats)
    lines = live(seats)
    twin = twin_of(lines)
    assert believed == twin.leaves
    assert seats[0].status().commit == twin.root
    reported = twin.contradictions + twin.conflicts
    assert clashing(seats[0]) == {
        frozenset((one.lo.locator, one.hi.locator)) for one in reported
    }
    waiting = {row.locator for row in twin.waiting}
    assert {one.locator for one in seats[0].waiting()} <= waiting
    tell_all(alone, lines)
    assert alone.status().commit == twin.root


def tell_all(alone: RemoteSeat, lines: list[tuple[str, str, str, Claim]]) -> None:
    """Give one seat everything; what was held elsewhere is refused here."""
    for agent, _, context, claim in sorted(
        lines, key=lambda one: (one[3].text, one[0], one[2])
    ):
        alone.load(
            [claim.text],
            context=context,
            agent=agent,
            strength=STRENGTHS[claim.strength],
        )


# Stories -----------------------------------------------------------------------


@given(st.lists(steps, max_size=30), carriages)
@example(
    story=[
        Say(0, 0, "(targetFollowingPredicate echoes)", "CxUniverse"),
        Say(0, 0, "(p A)", "CxAnna"),
        Commit(0),
        Hand(0, 1),
        Say(1, 0, REPLIES[0], "CxDeploy"),
        Commit(1),
        Hand(1, 2),
        Say(2, 0, REPLIES[6], "CxDeploy"),
        Commit(2),
        Say(0, 0, "(p A)", "CxAnna", retract=True),
        Commit(0),
    ],
    order=[(2, 1), (1, 0), (0, 2), (1, 2), (2, 0), (0, 1)],
)
@settings(max_examples=examples(24))
def test_seats_that_have_heard_everything_believe_the_same(
    desks: list[Desk], story: list[Step], order: list[tuple[int, int]]
) -> None:
    with ExitStack() as stack:
        *three, alone = tables(desks, stack)
        for step in story:
            run(three, step, say)
        settle(three, order)
        compare(three, alone)


@given(st.lists(says_steps, min_size=6, max_size=20), carriages, carriages)
@settings(max_examples=examples(8))
def test_one_set_of_lines_is_one_belief_however_it_is_carried(
    desks: list[Desk],
    story: list[Say],
    first: list[tuple[int, int]],
    second: list[tuple[int, int]],
) -> None:
    """Nothing is taken back, so that nothing falls with it: two routes are equal."""
    roots = []
    said = [step._replace(retract=False) for step in story]
    for order, turns in ((first, said), (second, said[::-1])):
        with ExitStack() as stack:
            three = tables(desks[:3], stack)
            for number, step in enumerate(turns):
                run(three, step, say)
                if order is second and number % 5 == 0:
                    run(three, Commit(step.seat), say)
                    run(three, Hand(step.seat, (step.seat + 1) % 3), say)
            settle(three, order)
            agreed(three)
            roots.append(three[0].status().commit)
    assert roots[0] == roots[1]


# The cascade, at home and on its way -------------------------------------------


def test_a_pulled_retraction_withdraws_own_replies_which_then_travel(
    desks: list[Desk],
) -> None:
    with ExitStack() as stack:
        anna, bert, cleo = tables(desks[:3], stack)
        anna.assert_("(targetFollowingPredicate echoes)")
        target = anna.assert_("(p A)")
        settle([anna, bert, cleo], [(0, 1), (0, 2)])
        reply = bert.assert_(echo(target))
        bert.assert_(mask(target), context="CxDeploy")
        settle([anna, bert, cleo], [(1, 0), (1, 2)])
        again = cleo.assert_(echo(reply))
        settle([anna, bert, cleo], [(2, 0), (2, 1)])
        assert all(
            {target, reply, again} <= {one.locator for one in seat.believed()}
            for seat in (anna, bert, cleo)
        )

        anna.retract(target)
        anna.commit()
        assert hand_over(anna, cleo).counts == Received(removed=1)

        waits = {one.locator: one.agent for one in cleo.waiting()}
        assert waits == {reply: "AgentBert", again: "AgentCleo"}, (
            "another's reply waits, and so does the reply to it"
        )
        hand_over(anna, bert)
        assert {one.locator for one in bert.waiting()} == {again}
        assert bert.status().uncommitted == 1, "its own is withdrawn, to be told"
        bert.commit()
        hand_over(bert, cleo)
        assert not cleo.waiting()
        assert cleo.status().uncommitted == 1
        settle([anna, bert, cleo], [(2, 0), (2, 1), (1, 0)])
        for seat in (anna, bert, cleo):
            assert not [said for said in says(seat) if said[3].startswith("(echoes")]
            assert not seat.waiting()
            stays = address("CxDeploy", mask(target))
            assert is_in(seat, stays), "it masks another's claim"
        assert len({seat.status().commit for seat in (anna, bert, cleo)}) == 1


def test_a_mask_goes_with_the_claim_of_its_own_author_and_travels(
    desks: list[Desk],
) -> None:
    with ExitStack() as stack:
        anna, bert, _ = tables(desks[:3], stack)
        claim = anna.assert_("(p A)")
        for seat in (anna, bert):
            agent = seat.config.agent
            loaded = seat.load([mask(claim)], context="CxDeploy", agent=agent)
            assert loaded.new == 1
        settle([anna, bert], [(0, 1), (1, 0)])
        anna.retract(claim)
        settle([anna, bert], [(0, 1), (1, 0)])
        for seat in (anna, bert):
            masks = {said[0] for said in says(seat) if said[3] == mask(claim)}
            assert masks == {"AgentBert"}


def test_what_is_said_again_at_once_takes_no_reply_along(desks: list[Desk]) -> None:
    with ExitStack() as stack:
        anna, bert, cleo = tables(desks[:3], stack)
        anna.assert_("(targetFollowingPredicate echoes)")
        target = anna.assert_("(p A)")
        settle([anna, bert, cleo], [(0, 1), (0, 2)])
        bert.assert_(echo(target))
        settle([anna, bert, cleo], [(1, 0), (1, 2)])

        anna.retract(target)
        anna.assert_("(p A)")
        settle([anna, bert, cleo], [(0, 1), (0, 2), (1, 2)])

        for seat in (anna, bert, cleo):
            assert is_in(seat, address("CxBert", echo(target)))


def test_a_reply_stands_while_anybody_says_what_it_answers(desks: list[Desk]) -> None:
    """AgentBoth at both seats, and a rule that concludes it, hold a claim up too."""
    with ExitStack() as stack:
        anna, bert, cleo = tables(desks[:3], stack)
        anna.assert_("(targetFollowingPredicate echoes)")
        for seat in (anna, bert):
            target = seat.assert_("(q A)", context="CxDeploy", agent="AgentBoth")
        settle([anna, bert, cleo], [(0, 1), (1, 0), (0, 2), (1, 2)])
        reply = cleo.assert_(echo(target))
        cleo.load(["(implies (p ?x) (q ?x))", "(p A)"], context="CxDeploy")
        settle([anna, bert, cleo], [(2, 0), (2, 1)])
        for seat in (anna, bert):
            seat.retract(target, agent="AgentBoth")
            settle([anna, bert, cleo], [(0, 1), (1, 0), (0, 2), (1, 2)])
            for one in (anna, bert, cleo):
                assert reply in {row.locator for row in one.believed()}
        cleo.retract(cleo.locate("(p A)", "CxDeploy"))
        settle([anna, bert, cleo], [(2, 0), (2, 1)])
        for one in (anna, bert, cleo):
            assert reply not in {row.locator for row in one.believed()}
            assert not one.waiting()
