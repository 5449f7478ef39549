"""Replies that arrive before what they answer wait, are counted and are named."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.history.record import CommitRecord, decode_record
from koinii.history.roots import held_root
from koinii.remote.applying import Received
from koinii.terms import write
from remote.desks import Clock, hand_over, make_desk, room

LATER = "(later Claim)"


@pytest.fixture
def folder() -> Iterator[Path]:
    with room() as made:
        yield made


def sit(folder: Path, name: str) -> RemoteSeat:
    desk = make_desk(folder, name, [f"Agent{name.capitalize()}"])
    return koinii.open(str(desk.path), now=Clock())


def reply(word: str, target: str) -> str:
    return f'({word} Someone (sentexHandle "{target}"))'


def record_of(seat: RemoteSeat) -> CommitRecord:
    head = seat.histories.head(seat.id)
    assert head is not None
    data = seat.histories.record(seat.id, head.size)
    assert data is not None
    record = decode_record(data)
    assert isinstance(record, CommitRecord)
    return record


def believes(seat: RemoteSeat, locator: str) -> bool:
    return locator in {one.locator for one in seat.believed()}


def test_a_reply_waits_is_counted_and_takes_effect_when_its_target_comes(
    folder: Path,
) -> None:
    with sit(folder, "anna") as anna, sit(folder, "bert") as bert:
        target = anna.assert_(LATER)
        anna.commit()
        hand_over(anna, bert)
        answer = bert.assert_(reply("endorses", target))
        again = bert.assert_(reply("votesFor", answer))
        bert.assert_("(plain Fact)")
        bert.commit()
        with sit(folder, "cleo") as cleo:
            empty = cleo.status().commit

            counts = hand_over(bert, cleo).counts

            assert counts == Received(received=3, new=1, waiting=2)
            assert not cleo.held()
            rows = {one.locator: one for one in cleo.waiting()}
            assert rows[answer].missing == (target,)
            assert rows[again].missing == (answer,), "what waits is not in the store"
            for row in rows.values():
                assert (row.agent, row.seat) == ("AgentBert", bert.id)
                assert (row.context, row.reason) == ("CxBert", "waiting")
            assert cleo.status().waiting == 2
            assert [write(one.sentence) for one in cleo.believed()] == ["(plain Fact)"]
            assert cleo.status().commit != empty
            assert cleo.status().inputs == bert_alone(folder, bert)

            assert hand_over(bert, cleo).counts == Received()
            assert hand_over(anna, cleo).counts == Received(received=1, new=1)

            assert cleo.waiting() == []
            assert cleo.status().waiting == 0
            assert all(believes(cleo, one) for one in (answer, again, target))
            assert cleo.status().commit == bert.status().commit


def bert_alone(folder: Path, bert: RemoteSeat) -> str:
    """The inputs of a seat that has heard Bert only."""
    with sit(folder, "other") as other:
        hand_over(bert, other)
        return other.status().inputs


def test_the_record_binds_what_waits_and_what_is_held(folder: Path) -> None:
    with sit(folder, "anna") as anna, sit(folder, "bert") as bert:
        target = anna.assert_(LATER)
        bert.load([reply("endorses", target), "(said Bert)"])
        bert.commit()
        anna.load([reply("disputes", bert.locate("(never Here)", "CxBert"))])
        hand_over(bert, anna)

        for seat, agents in ((bert, ["AgentBert"]), (anna, ["AgentAnna"])):
            seat.commit()
            waiting = seat.waiting()
            assert [one.agent for one in waiting] == agents
            expected = held_root(
                ("waiting", one.agent, one.seat, sha256(one.line.encode()).digest())
                for one in waiting
            )
            assert record_of(seat).held == expected

        hand_over(anna, bert)
        before = bert.status().number
        bert.commit()
        assert bert.status().number == before + 1
        assert [one.agent for one in bert.waiting()] == ["AgentAnna"]


def test_two_seats_of_one_pull_are_counted_at_its_end(folder: Path, bare: Path) -> None:
    """Whichever seat's id comes first, a target in the same pull is here."""
    with (
        sit(folder, "anna") as anna,
        sit(folder, "bert") as bert,
        sit(folder, "cleo") as cleo,
        sit(folder, "dora") as dora,
    ):
        absent = dora.locate("(never Here)", "CxDora")
        for one, other in ((anna, bert), (bert, anna)):
            name = other.config.agent.removeprefix("Agent")
            target = other.locate(f"(claims {name})", f"Cx{name}")
            mine = one.config.agent.removeprefix("Agent")
            one.load([f"(claims {mine})", reply("endorses", target)])
            one.load([reply("disputes", absent)])
            one.remotes.add("origin", str(bare))
            one.commit()
            one.push()
        for seat in (cleo, dora):
            seat.remotes.add("origin", str(bare))

        expected = cleo.rehearse_pull()
        pulled = cleo.pull()

        assert expected._replace(foreseen=None) == pulled
        assert (pulled.received, pulled.new, pulled.waiting) == (6, 4, 2)
        assert (pulled.already, pulled.held) == (0, 0)
        assert pulled.whole, "waiting is no failure"
        assert {row.missing for row in cleo.waiting()} == {(absent,)}
        dora.load(["(never Here)"])
        assert dora.pull().waiting == 0


def test_a_reply_that_comes_again_unchanged_still_waits(folder: Path) -> None:
    with sit(folder, "anna") as anna, sit(folder, "bert") as bert:
        target = anna.locate(LATER, "CxAnna")
        answer = reply("endorses", target)
        bert.load([answer])
        bert.commit()
        assert hand_over(bert, anna).counts == Received(received=1, waiting=1)
        bert.assert_(f"(not {LATER})")
        bert.load([answer], strength="monotonic")
        bert.commit()
        assert hand_over(bert, anna).counts == Received(received=2, new=1, waiting=1)
        bert.retract(bert.locate(answer, "CxBert"))
        bert.commit()
        assert hand_over(bert, anna).counts == Received(removed=1)
        assert not anna.waiting()


def test_a_held_reply_is_held_and_does_not_wait(folder: Path) -> None:
    """Another's line of the same sentence waits; the one that is held is none."""
    with (
        sit(folder, "anna") as anna,
        sit(folder, "bert") as bert,
        sit(folder, "cleo") as cleo,
    ):
        answer = reply("endorses", anna.locate("(never Here)", "CxAnna"))
        for seat in (anna, bert):
            seat.load([answer], context="CxAnna")
            seat.commit()
        hand_over(anna, cleo)

        assert hand_over(bert, cleo).counts == Received(received=1, held=1)

        assert [one.agent for one in cleo.waiting()] == ["AgentAnna"]
        assert [one.agent for one in cleo.held()] == ["AgentBert"]
        assert (cleo.status().waiting, cleo.status().held) == (1, 1)
        assert record_after(cleo) == held_root(
            (state, one.agent, one.seat, sha256(one.line.encode()).digest())
            for state, rows in (("waiting", cleo.waiting()), ("held", cleo.held()))
            for one in rows
        )


def record_after(seat: RemoteSeat) -> bytes:
    seat.commit()
    return record_of(seat).held


def test_a_reply_to_what_is_held_waits(folder: Path) -> None:
    with (
        sit(folder, "anna") as anna,
        sit(folder, "bert") as bert,
        sit(folder, "cleo") as cleo,
    ):
        early = bert.assert_("(early Bird)", context="CxCleo")
        bert.assert_(reply("endorses", early))
        bert.commit()
        assert hand_over(bert, anna).counts == Received(received=2, new=2)

        cleo.commit()
        hand_over(cleo, anna)
        cleo.assert_("(mine Own)")
        cleo.commit()
        hand_over(cleo, anna)

        assert [one.locator for one in anna.held()] == [early]
        assert [one.missing for one in anna.waiting()] == [(early,)]


def test_a_reply_to_several_waits_for_those_that_are_missing(folder: Path) -> None:
    with sit(folder, "anna") as anna, sit(folder, "bert") as bert:
        here = bert.assert_("(here Already)")
        first, second = (bert.locate(f"(n {number})", "CxBert") for number in (1, 2))
        handles = " ".join(f'(sentexHandle "{one}")' for one in (first, here, second))
        bert.load([f"(answers Bert ({handles}))"])
        bert.commit()
        assert hand_over(bert, anna).counts == Received(received=2, new=1, waiting=1)
        for seat in (anna, bert):
            assert [row.missing for row in seat.waiting()] == [(first, second)]
        bert.assert_("(n 2)")
        bert.commit()
        hand_over(bert, anna)
        for seat in (anna, bert):
            assert [row.missing for row in seat.waiting()] == [(first,)]
