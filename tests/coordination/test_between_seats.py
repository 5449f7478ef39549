"""Replies, rulings and counts cross a remote: every seat ends with the same."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pygit2
import pytest

import koinii
from coordination.quarrel import NOT_P, ROOM, P, gives, verdict
from koinii.coordination.adjudication import Adjudication
from koinii.coordination.counts import resolve_by_majority
from koinii.coordination.dispute_id import dispute_id
from koinii.coordination.seat import CoordinationSeat
from koinii.errors import RefusedError
from remote.desks import Clock, make_key

NAMES = ("anna", "bert", "cleo")
HUB = "hub.git"
ORDERS = [(0, 1, 2), (2, 1, 0)]
ROUNDS = 4
Order = Sequence[int]
Act = Callable[[CoordinationSeat, str], str]

REPLIES: dict[str, Act] = {
    "answers": lambda seat, target: seat.channel(ROOM).answer("(up B)", target),
    "endorses": lambda seat, target: seat.channel(ROOM).endorse(target),
    "justifies": lambda seat, target: seat.channel(ROOM).justify("(seen Log)", target),
    "disputes": lambda seat, target: seat.channel(ROOM).dispute(target),
    "votesFor": lambda seat, target: seat.channel(ROOM).vote("for", target),
}
STAYS: dict[str, Act] = {
    "notUnderstood": lambda seat, target: seat.channel(ROOM).not_understood(target),
    "refuse": lambda seat, target: seat.channel(ROOM).refuse(target),
}


@pytest.fixture(scope="module")
def laid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Anna, Bert and Cleo at a seat each, who have met and joined."""
    folder = tmp_path_factory.mktemp("laid")
    pygit2.init_repository(str(folder / HUB), bare=True)
    with ExitStack() as stack:
        made = []
        for name in NAMES:
            agent = f"Agent{name.capitalize()}"
            seat = koinii.init(folder / name, agent=agent, now=Clock())
            seat.remotes.add("origin", str(folder / HUB))
            made.append(stack.enter_context(seat))
        made[0].new_channel(ROOM)
        meet(made)
        for seat in made:
            seat.join(ROOM)
        meet(made)
    return folder


@pytest.fixture
def seats(laid: Path, tmp_path: Path) -> Iterator[list[CoordinationSeat]]:
    """A copy of them."""
    shutil.copytree(laid, tmp_path, dirs_exist_ok=True)
    with ExitStack() as stack:
        paths = [tmp_path / name for name in NAMES]
        made = [stack.enter_context(koinii.open(one, now=Clock())) for one in paths]
        for seat in made:
            seat.remotes.remove("origin")
            seat.remotes.add("origin", str(tmp_path / HUB))
        yield made


def meet(seats: Sequence[CoordinationSeat], order: Order = (0, 1, 2)) -> None:
    """Sync in this order until all agree; nothing is held, and nothing waits."""
    for _ in range(ROUNDS):
        for at in order:
            seats[at].sync()
        if len({(one.status().commit, one.status().inputs) for one in seats}) == 1:
            break
    assert len({(one.status().commit, one.status().inputs) for one in seats}) == 1
    assert [seat.held() + seat.waiting() for seat in seats] == [[], [], []]


def here(seat: CoordinationSeat, locator: str) -> bool:
    return any(one.locator == locator for one in seat.believed())


# Replies --------------------------------------------------------------------------


def test_a_reply_made_elsewhere_names_the_claim_here(
    seats: list[CoordinationSeat],
) -> None:
    anna, bert, _ = seats
    claim = anna.assert_(P)
    meet(seats)
    replies = {word: act(bert, claim) for word, act in (REPLIES | STAYS).items()}
    meet(seats)
    for seat in seats:
        for word, reply in replies.items():
            assert here(seat, reply)
            parts = "?x " * WIDTH.get(word, 0)
            pattern = f"({word} AgentBert {parts}(sentexHandle ?t))"
            assert [row["?t"] for row in seat.ask(pattern, context=ROOM)] == [claim]
        assert seat.dereference(seat.marker(claim)).locator == claim


WIDTH = {"answers": 1, "justifies": 1}


def test_reads_of_a_channel_find_what_others_have_said_elsewhere(
    seats: list[CoordinationSeat],
) -> None:
    anna, bert, cleo = seats
    question = anna.channel(ROOM).pose("(whichIsUp)")
    meet(seats)
    replies = [
        bert.channel(ROOM).answer("(up A)", question),
        cleo.channel(ROOM).answer("(up B)", question),
    ]
    meet(seats)
    endorsed = cleo.channel(ROOM).endorse(replies[0])
    meet(seats)
    for seat in seats:
        room = seat.channel(ROOM)
        assert [one.locator for one in room.open_queries()] == [question]
        found = [one.locator for one in room.answers_to(question)]
        assert sorted(found) == sorted(replies)
        found = [one.locator for one in room.endorsements_of(replies[0])]
        assert found == [endorsed]


@pytest.mark.parametrize("order", ORDERS)
def test_a_retraction_takes_the_replies_at_other_seats_with_it(
    seats: list[CoordinationSeat], order: Order
) -> None:
    anna, bert, cleo = seats
    claim = anna.assert_(P)
    meet(seats)
    fall = [act(bert, claim) for act in REPLIES.values()]
    meet(seats)
    fall.append(cleo.channel(ROOM).endorse(fall[0]))  # a reply to a reply
    stay = [act(cleo, claim) for act in STAYS.values()]
    meet(seats)
    anna.retract(claim)
    meet(seats, order)
    for seat in seats:
        assert not [one for one in fall if here(seat, one)]
        assert all(here(seat, one) for one in stay)
        assert verdict(seat) == "false"  # what was said against it stands alone
        assert not list(seat.ask("(contested ?x)", context=ROOM))


@pytest.mark.parametrize("order", ORDERS)
def test_said_again_before_the_others_hear_it_keeps_the_replies(
    seats: list[CoordinationSeat], order: Order
) -> None:
    anna, bert, _ = seats
    claim = anna.assert_(P)
    meet(seats)
    replies = [act(bert, claim) for act in (REPLIES | STAYS).values()]
    meet(seats)
    anna.retract(claim)
    anna.commit()
    assert anna.assert_(P) == claim
    meet(seats, order)
    for seat in seats:
        assert all(here(seat, one) for one in replies)
        assert verdict(seat) == "contradiction"


def test_said_again_once_one_has_heard_it_costs_that_ones_replies(
    seats: list[CoordinationSeat],
) -> None:
    """Bert has withdrawn his endorsement; Cleo, who heard nothing, keeps hers."""
    anna, bert, cleo = seats
    claim = anna.assert_(P)
    meet(seats)
    endorsed = [one.channel(ROOM).endorse(claim) for one in (bert, cleo)]
    meet(seats)
    anna.retract(claim)
    anna.sync()
    bert.sync()
    anna.assert_(P)
    anna.sync()
    meet(seats, (2, 1, 0))
    for seat in seats:
        assert [here(seat, one) for one in endorsed] == [False, True]


# Rulings and counts ---------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
def test_a_ruling_settles_everywhere_and_two_that_disagree_are_one_conflict(
    seats: list[CoordinationSeat], order: Order
) -> None:
    anna, bert, cleo = seats
    first = dispute_id(anna.assert_(P), bert.assert_(NOT_P))
    for seat, name in ((anna, "AgentEve"), (cleo, "AgentFinn")):
        seat.new_agent(name)
    meet(seats, order)
    one = Adjudication(cleo).rule("AgentFinn", first, P, ROOM)
    meet(seats, order)
    assert [verdict(seat) for seat in seats] == ["true"] * 3
    assert not any(gives(seat, NOT_P) for seat in seats)
    # Eve has not heard of it when she rules
    cleo.retract(one, agent="AgentFinn")
    meet(seats, order)
    assert [seat.disputes.state(first) for seat in seats] == ["open"] * 3
    Adjudication(cleo).rule("AgentFinn", first, P, ROOM)
    other = Adjudication(anna).rule("AgentEve", first, NOT_P, ROOM)
    meet(seats, order)
    expected = (dispute_id(one, other), "conflict")
    for seat in seats:
        (left,) = seat.disputes.every(ROOM)
        assert (left.id, left.dispute_class) == expected
        assert seat.disputes.state(first) == "resolved"


def test_a_count_has_effect_where_the_tally_agrees_and_nowhere_else(
    seats: list[CoordinationSeat],
) -> None:
    anna, bert, cleo = seats
    claim = anna.assert_(P)
    named = dispute_id(claim, bert.assert_(NOT_P))
    meet(seats)
    anna.channel(ROOM).vote("for", claim)
    resolve_by_majority(anna, named, claim, ROOM)
    anna.sync()
    cleo.channel(ROOM).vote("against", claim)  # Cleo's tally is even once she hears
    cleo.pull()
    bert.pull()  # and Bert has heard of no ballot of hers
    assert [verdict(seat) for seat in seats] == ["true", "true", "contradiction"]
    assert {one.reason for one in cleo.held()} == {"koinii/tally-disagrees"}
    cleo.sync()
    anna.sync()
    bert.sync()
    assert [verdict(seat) for seat in seats] == ["contradiction"] * 3
    bert.channel(ROOM).vote("for", claim)
    meet(seats)
    assert [verdict(seat) for seat in seats] == ["true"] * 3


def test_a_ruling_is_said_again_though_it_revived_a_claim_of_its_arbiter(
    seats: list[CoordinationSeat], tmp_path: Path
) -> None:
    """Eve's claim at another seat was out: she was no party, and is none now."""
    anna, bert, cleo = seats
    key = str(make_key(tmp_path / "eve"))
    for seat in (anna, bert):
        seat.new_agent("AgentEve", key=key)
    bert.join(ROOM, agent="AgentEve")
    named = dispute_id(anna.assert_(P, strength="monotonic"), bert.assert_(NOT_P))
    out = bert.assert_(NOT_P, agent="AgentEve")
    other = cleo.assert_(NOT_P, strength="monotonic")
    meet(seats)
    assert not here(anna, out)
    conflict = dispute_id(other, anna.locate(P, "CxAnna"))

    ruling = Adjudication(anna).rule("AgentEve", conflict, NOT_P, ROOM)

    assert ruling == out
    assert here(anna, out)
    assert Adjudication(anna).rule("AgentEve", conflict, NOT_P, ROOM) == ruling
    with pytest.raises(RefusedError) as no:
        Adjudication(anna).rule("AgentEve", named, P, ROOM)
    assert no.value.code == "arbiter-is-party"
