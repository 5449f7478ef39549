"""Counts between seats, over a remote: in force exactly where a tally agrees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import pygit2
import pytest

import koinii
from coordination.quarrel import NOT_P, ROOM, P, verdict
from koinii.coordination.adjudication import Adjudication
from koinii.coordination.counts import count_ballots, resolve_by_majority
from koinii.coordination.dispute_id import DisputeId, dispute_id
from koinii.coordination.seat import CoordinationSeat
from koinii.kb.claim import line_leaf
from koinii.seat.ballots import tally
from koinii.terms.locator import parse_locator, raw_digest
from remote.desks import Clock, hand_over

Sit = Callable[..., CoordinationSeat]
MAJORITY = "AgentMajority"
NAMES = ("anna", "bert", "cleo")


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Sit]:
    """Seats of one agent each, around one bare repository if they are far."""
    bare = tmp_path / "hub.git"
    pygit2.init_repository(str(bare), bare=True)
    with ExitStack() as stack:

        def open_one(name: str, *, far: bool = True) -> CoordinationSeat:
            agent = f"Agent{name.capitalize()}"
            made = koinii.init(tmp_path / name, agent=agent, now=Clock())
            seat = stack.enter_context(made)
            if far:
                seat.remotes.add("origin", str(bare))
            return seat

        yield open_one


class Table(NamedTuple):
    """Three seats that have met, with a claim of Anna's that Bert denies."""

    anna: CoordinationSeat
    bert: CoordinationSeat
    cleo: CoordinationSeat
    claim: str
    id: DisputeId


def meet(*seats: CoordinationSeat) -> None:
    """Sync until nobody hears anything new, without git where there is no remote."""
    for _ in range(2):
        for seat in seats:
            if seat.remotes.addresses():
                seat.sync()
            elif seat.commit():
                for other in seats:
                    if other is not seat:
                        hand_over(seat, other)


@pytest.fixture
def far(table: Table, tmp_path: Path) -> Table:
    """The same around a remote from now on."""
    for seat in (table.anna, table.bert, table.cleo):
        seat.remotes.add("origin", str(tmp_path / "hub.git"))
    return table


@pytest.fixture
def table(sit: Sit) -> Table:
    """Where what a pull brings is handed over."""
    return lay(*(sit(name, far=False) for name in NAMES))


def lay(
    anna: CoordinationSeat, bert: CoordinationSeat, cleo: CoordinationSeat
) -> Table:
    anna.new_channel(ROOM)
    anna.assert_("(is here)")
    meet(anna, bert, cleo)
    return lay_again(anna, bert, cleo)


def lay_again(
    anna: CoordinationSeat, bert: CoordinationSeat, cleo: CoordinationSeat
) -> Table:
    for seat in (anna, bert, cleo):
        seat.join(ROOM)
    claim = anna.assert_(P)
    denied = bert.assert_(NOT_P)
    meet(anna, bert, cleo)
    return Table(anna, bert, cleo, claim, dispute_id(claim, denied))


def vote(seat: CoordinationSeat, table: Table, stance: str) -> str:
    return seat.channel(ROOM).vote(stance, table.claim)


def reasons(seat: CoordinationSeat) -> list[str]:
    return [one.reason for one in seat.held()]


def test_a_ruling_has_effect_exactly_where_the_tally_agrees(far: Table) -> None:
    anna, bert, cleo, claim, named = far
    vote(anna, far, "for")
    ruled = resolve_by_majority(anna, named, claim, ROOM)
    assert ruled.ruling is not None
    assert verdict(anna) == "true"
    anna.sync()
    vote(bert, far, "against")

    bert.pull()  # one for, one against

    assert verdict(bert) == "contradiction"
    assert reasons(bert) == ["koinii/tally-disagrees"]
    assert bert.held()[0].agent == "AgentAnna"
    cleo.pull()  # has not heard of Bert's ballot
    assert verdict(cleo) == "true"
    assert not cleo.held()
    who = Adjudication(cleo).who_ruled(ruled.ruling)
    assert who is not None
    assert (who.arbiter, [*who.dispute_ids]) == (MAJORITY, [named])

    meet(anna, bert, cleo)  # now all have
    assert {verdict(seat) for seat in (anna, bert, cleo)} == {"contradiction"}
    assert {reasons(seat)[0] for seat in (anna, bert, cleo)} == {
        "koinii/tally-disagrees"
    }
    vote(cleo, far, "for")
    meet(anna, bert, cleo)
    assert {verdict(seat) for seat in (anna, bert, cleo)} == {"true"}
    assert len({seat.status().commit for seat in (anna, bert, cleo)}) == 1
    assert [reasons(seat) for seat in (anna, bert, cleo)] == [[]] * 3


def test_a_ruling_that_is_withdrawn_elsewhere_goes_here(far: Table) -> None:
    anna, bert, cleo, claim, named = far
    vote(anna, far, "for")
    ruled = resolve_by_majority(anna, named, claim, ROOM)
    assert ruled.ruling is not None
    meet(anna, bert, cleo)
    assert verdict(bert) == "true"
    anna.retract(ruled.ruling)
    anna.sync()

    pulled = bert.pull()

    assert (pulled.removed, pulled.held) == (1, 0)
    assert verdict(bert) == "contradiction"
    assert bert.kb.assertions.held() == []


def test_who_calls_a_count_withdraws_the_own_rulings_alone(table: Table) -> None:
    anna, bert, cleo, claim, named = table
    vote(anna, table, "for")
    first = resolve_by_majority(anna, named, claim, ROOM)
    meet(anna, bert, cleo)
    second = resolve_by_majority(bert, named, claim, ROOM)
    assert second.ruling == first.ruling
    vote(bert, table, "against")

    tie = resolve_by_majority(bert, named, claim, ROOM)

    assert (tie.outcome, tie.withdrawn) == ("tie", [first.ruling])
    assert [one.agent for one in bert.held()] == ["AgentAnna"]
    meet(anna, bert, cleo)
    vote(cleo, table, "for")
    meet(anna, bert, cleo)
    assert {verdict(seat) for seat in (anna, bert, cleo)} == {"true"}


def test_an_unfollowed_seats_ballots_do_not_count(table: Table) -> None:
    anna, bert, cleo, claim, named = table
    vote(anna, table, "for")
    vote(cleo, table, "for")
    vote(bert, table, "against")
    meet(anna, bert, cleo)
    ruled = resolve_by_majority(anna, named, claim, ROOM)
    assert ruled.outcome == "for"
    meet(anna, bert, cleo)
    bert.unfollow(cleo.id)
    assert verdict(bert) == "contradiction"
    assert count_ballots(bert, claim, ROOM)[:2] == (1, 1)
    bert.unfollow(anna.id)
    assert bert.argue(NOT_P, "CxBert").verdict == "true"
    bert.follow(cleo.id)
    bert.follow(anna.id)
    assert verdict(bert) == "true"
    assert bert.status().commit == anna.status().commit


def test_an_unfollowed_callers_ruling_has_no_effect(table: Table) -> None:
    anna, bert, cleo, claim, named = table
    for seat in (anna, bert):
        vote(seat, table, "for")
    meet(anna, bert, cleo)
    resolve_by_majority(cleo, named, claim, ROOM)
    meet(anna, bert, cleo)
    assert verdict(bert) == "true"
    bert.unfollow(cleo.id)
    assert verdict(bert) == "contradiction"
    bert.follow(cleo.id)
    assert verdict(bert) == "true"


@pytest.mark.parametrize("order", [*permutations(NAMES)][::3], ids="-".join)
def test_in_any_order_of_syncs_all_seats_end_equal(
    far: Table, order: tuple[str, ...]
) -> None:
    anna, bert, cleo, claim, named = far
    vote(anna, far, "for")
    resolve_by_majority(anna, named, claim, ROOM)
    vote(bert, far, "against")
    resolve_by_majority(bert, named, claim, ROOM)
    vote(cleo, far, "against")
    seats = [getattr(far, name) for name in order]

    meet(*seats)

    assert [verdict(seat) for seat in seats] == ["false"] * 3
    assert len({seat.status().commit for seat in seats}) == 1
    assert len({seat.status().inputs for seat in seats}) == 1
    ours, *others = [{(one.agent, one.reason) for one in s.held()} for s in seats]
    assert others == [ours, ours]
    assert ours == {("AgentAnna", "koinii/tally-disagrees")}


def strict(seat: CoordinationSeat) -> None:
    settings = Path(seat.layout.config)
    settings.write_text(settings.read_text().replace('"cooperative"', '"proof-tier"'))
    seat.forget_config()


def grant_all(anna: CoordinationSeat, *others: CoordinationSeat) -> None:
    """Let Anna be admin and moderator, and the others members."""
    anna.admin_init()
    for seat in (anna, *others):
        name = seat.config.agent
        (one,) = [row for row in seat.agents() if row[:2] == (name, seat.id)]
        standing = ["moderator"] if seat is anna else []
        anna.grant(name, standing, key=one.fingerprint)


def test_in_proof_tier_voters_are_verified_and_strangers_count_for_nothing(
    sit: Sit,
) -> None:
    anna, bert, cleo = (sit(name) for name in NAMES)
    for seat in (bert, cleo, anna):
        seat.sync()
    for seat in (anna, bert, cleo):
        strict(seat)
    grant_all(anna, bert, cleo)
    anna.new_channel(ROOM)
    for seat in (anna, bert, cleo):
        seat.sync()
    table = lay_again(anna, bert, cleo)
    stranger = sit("dora")  # cooperative, and granted nothing
    stranger.pull()
    stranger.join(ROOM)
    vote(anna, table, "for")
    vote(bert, table, "for")
    vote(cleo, table, "against")
    for _ in range(2):
        vote(stranger, table, "against")
        meet(stranger, anna, bert, cleo)
    assert count_ballots(stranger, table.claim, ROOM)[:2] == (2, 2)

    ruled = resolve_by_majority(cleo, table.id, table.claim, ROOM)

    assert (ruled.for_, ruled.against, ruled.voters_verified) == (2, 1, True)
    meet(anna, bert, cleo)
    assert [verdict(seat) for seat in (anna, bert, cleo)] == ["true"] * 3
    assert len({seat.status().commit for seat in (anna, bert, cleo)}) == 1


# Lines that lie ---------------------------------------------------------------------


def extras(table: Table, **others: str) -> str:
    said = {
        "ballots": '"' + "0" * 64 + '"',
        "channel": ROOM,
        "claim": f'"{table.claim}"',
        "context": "CxAnna",
        "disputes": f'("{table.id.text}")',
    } | others
    return "(" + " ".join(f"({name} {said[name]})" for name in sorted(said)) + ")"


def tell(seat: CoordinationSeat, sentence: str, extra: str | None) -> None:
    """Put a line in CxMajority that the seat's own door would refuse."""
    with seat.kb.write():
        number = seat.speaker().begin()
        place = seat.kb.names.make_context("CxMajority")
        line = f"monotonic 1700000000000 {sentence}" + (f" {extra}" if extra else "")
        digest = raw_digest(seat.locate(sentence, "CxMajority"))
        seat.kb.assertions.hold(
            [(number, place, digest, line_leaf(line), line, "koinii/foreign-context")]
        )
        seat.kb.writing.writer.journal(number, [(place, digest, None)])


@pytest.mark.parametrize(
    "wrong",
    [
        {},  # a tally that never was
        {"ballots": '"0"'},
        {"channel": "CxElsewhere"},
        {"context": "CxBert"},
        {"context": "CxMajority"},
        {"claim": '"sha256:' + "0" * 64 + '"'},
        {"disputes": '("' + " ".join(["sha256:" + "0" * 64] * 2) + '")'},
        {"disputes": "()"},
        {"more": "True"},
    ],
    ids=str,
)
def test_a_forged_line_of_a_count_has_no_effect_anywhere(
    table: Table, wrong: dict[str, str]
) -> None:
    anna, bert, cleo, claim, _ = table
    vote(anna, table, "for")
    vote(cleo, table, "for")
    meet(anna, bert, cleo)
    tell(bert, NOT_P if not wrong else P, extras(table, **wrong))
    before = anna.status().commit
    meet(bert, anna, cleo)
    for seat in (anna, bert, cleo):
        assert verdict(seat) == "contradiction"
        assert not [*seat.believed("CxMajority")]
        (held,) = seat.held()
        assert (held.agent, held.context) == ("AgentBert", "CxMajority")
    assert anna.status().commit == before
    assert count_ballots(anna, claim, ROOM)[:2] == (2, 0)


def test_the_same_line_told_straight_has_effect(table: Table) -> None:
    """What makes a forged line forged is what it says, not how it came."""
    anna, bert, cleo, _, _ = table
    vote(anna, table, "for")
    vote(cleo, table, "for")
    meet(anna, bert, cleo)
    tell(bert, P, extras(table))
    bert.join(ROOM)
    bert.assert_(f"(genlCx {ROOM} CxMajority)", context="CxUniverse")
    meet(bert, anna, cleo)
    assert [verdict(seat) for seat in (anna, cleo)] == ["true"] * 2


def test_a_ballot_counts_until_its_seat_has_heard_that_the_claim_has_gone(
    table: Table,
) -> None:
    anna, bert, cleo, claim, named = table
    vote(bert, table, "for")
    resolve_by_majority(bert, named, claim, ROOM)
    meet(anna, bert, cleo)
    anna.retract(claim)
    anna.commit()

    hand_over(anna, cleo)

    assert [one.missing for one in cleo.waiting()] == [(claim,)]
    assert tally(cleo.kb, raw_digest(parse_locator(claim)), ROOM).outcome == "for"
    assert not [*cleo.believed("CxMajority")]
    assert [one.reason for one in cleo.held()] == ["koinii/undisputed"]
    meet(anna, bert, cleo)
    hand_over(anna, bert)
    meet(bert, cleo, anna)
    assert not [*cleo.believed("CxMajority")]
    assert [one.reason for one in cleo.held()] == ["koinii/undisputed"]
