"""Why a commit id differs from another seat's: the first field that differs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import koinii
from faces.command import within
from koinii import RemoteSeat
from koinii.history.roots import trust_digest
from koinii.kb import vocabulary
from koinii.seat import committing
from koinii.seat.differing import COMMIT, Difference, differences
from koinii.seat.records import last_record
from koinii.seat.reviewing import _hold
from koinii.seat.two_records import bound_heads
from remote.desks import Clock, Desk, hand_over, make_desk, room, shown, take
from remote.forging import Forger

AGENTS = {"anna": "AgentAtlas", "bert": "AgentBoreas", "cleo": "AgentCedar"}


class Table:
    """Seats by name, each opened when first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seats: dict[str, RemoteSeat] = {}

    def __getattr__(self, name: str) -> RemoteSeat:
        return self.sit(name, AGENTS[name])

    def sit(self, name: str, agent: str) -> RemoteSeat:
        if name not in self.seats:
            desk = make_desk(self.folder, name, [agent])
            self.seats[name] = self.opened(desk)
        return self.seats[name]

    def opened(self, desk: Desk) -> RemoteSeat:
        return koinii.open(str(desk.path), now=Clock())


@pytest.fixture
def table() -> Iterator[Table]:
    with room() as folder:
        made = Table(folder)
        yield made
        for seat in made.seats.values():
            seat.close()


def says(seat: RemoteSeat, *texts: str, **place: Any) -> None:
    for text in texts:
        seat.assert_(text, **place)
    assert seat.commit()


def meet(*seats: RemoteSeat) -> None:
    """Let each take in the newest commit of each and commit, until all agree."""
    for _ in range(2):
        for seat in seats:
            for other in seats:
                if other is not seat and other.status().number:
                    hand_over(other, seat)
            seat.commit()


def met(table: Table, *names: str) -> list[RemoteSeat]:
    """Return seats that have each said something and agree."""
    seats = [getattr(table, name) for name in names or ("anna", "bert")]
    for seat in seats:
        says(seat, f"(said {seat.config.agent})")
    meet(*seats)
    assert len({seat.status().commit for seat in seats}) == 1
    return seats


def hand_over_as(source: RemoteSeat, target: RemoteSeat, **changes: Any) -> None:
    """Take in a seat's newest commit with another record, signed by its key."""
    files = Forger(source, ()).sealed(shown(source), **changes)
    assert not take(target, files, source.id).refused


def only(seat: RemoteSeat) -> Difference:
    (found,) = differences(seat)
    assert seat.status().differences == [found]
    return found


# Where there is none ------------------------------------------------------------


def test_before_the_first_commit_nothing_differs(table: Table) -> None:
    says(table.bert, "(p Bert)")
    hand_over(table.bert, table.anna)

    assert differences(table.anna) == []
    assert differences(table.bert) == []


def test_seats_that_agree_differ_in_nothing(table: Table) -> None:
    for seat in met(table, "anna", "bert", "cleo"):
        assert differences(seat) == []


def test_the_same_beliefs_are_no_difference_whatever_led_there(table: Table) -> None:
    anna, bert = met(table)
    says(bert, "(p Gone)")
    bert.retract(bert.locate("(p Gone)", "CxBoreas"))
    bert.commit()
    hand_over(bert, anna)
    ours, theirs = last_record(anna), last_record(bert)
    assert ours is not None
    assert theirs is not None
    assert ours.inputs != theirs.inputs

    assert differences(anna) == []


def test_a_seat_that_is_not_followed_is_left_out(table: Table) -> None:
    anna, bert = met(table)
    says(bert, "(p More)")
    hand_over(bert, anna)
    assert only(anna).seat == bert.id

    with anna.kb.write():
        anna.histories.follow(bert.id, follows=False)
    assert differences(anna) == []


# Each field ---------------------------------------------------------------------


def test_other_rules(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, bert = met(table)
    with monkeypatch.context() as newer:
        newer.setattr(committing, "SEMANTICS", 2)
        says(bert, "(p More)")
    hand_over(bert, anna)

    found = only(anna)
    assert (found.field, found.fields) == ("rules", ["rules", "inputs"])
    assert "version 2 of the rules" in found.explanation
    assert "we by version 1" in found.explanation
    assert found.hint == "install the newer koinii here"
    hand_over(anna, bert)
    says(anna, "(p Other)")
    hand_over(anna, bert)
    assert only(bert).hint == "install the newer koinii at that seat"


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """The vocabulary of another version: two files have a word more."""
    folder = tmp_path / "newer"
    shutil.copytree(vocabulary._DIRECTORY, folder)
    for name in ("CxCore", "CxSpeechActs"):
        with (folder / f"{name}.kb").open("a", encoding="utf-8") as file:
            file.write('(comment latest "Not in the other version.")\n')
    return folder


def test_another_vocabulary(
    table: Table, newer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, bert = met(table)
    with monkeypatch.context() as there:
        there.setattr(vocabulary, "_DIRECTORY", str(newer))
        says(bert, "(p More)")
        hand_over(bert, anna)
        assert only(anna).hint == "koinii commit"

    found = only(anna)
    assert (found.field, found.fields) == ("vocabulary", ["vocabulary", "inputs"])
    assert "files of CxCore, CxSpeechActs differ" in found.explanation
    assert found.hint.startswith("install the newer koinii")


def test_seats_that_have_not_met(table: Table) -> None:
    anna, bert = table.anna, table.bert
    says(anna, "(p Anna)")
    says(bert, "(p Bert)")
    hand_over(bert, anna)

    found = only(anna)
    assert found == Difference(
        bert.id,
        1,
        bert.status().commit,
        "trust",
        ["trust", "inputs"],
        "trust differs: they do not follow this seat",
        "koinii push, then koinii pull at that seat",
    )


def test_a_seat_that_only_they_have_met(table: Table) -> None:
    anna, bert = met(table)
    says(table.cleo, "(p Cleo)")
    hand_over(table.cleo, bert)
    bert.commit()
    hand_over(bert, anna)

    found = only_of(anna, bert)
    assert found.field == "trust"
    assert "perhaps since we do not follow" in found.explanation
    assert f"seat {table.cleo.id[:8]}…" in found.explanation
    hand_over(anna, bert)
    found = only_of(bert, anna)
    assert found.explanation == (
        f"trust differs: they do not follow seat {table.cleo.id[:8]}…"
    )
    assert found.hint == "koinii pull, at that seat"


def test_another_mode(table: Table) -> None:
    anna, bert = met(table)
    says(bert, "(p More)")
    strict = trust_digest("proof-tier", follows=[anna.id, bert.id])
    hand_over_as(bert, anna, trust=strict)

    found = only(anna)
    assert found.fields == ["trust", "inputs"]
    assert found.explanation == (
        "trust differs: their mode is proof-tier, ours is cooperative"
    )


def test_a_seat_that_they_follow_no_more(table: Table) -> None:
    anna, bert, cleo = met(table, "anna", "bert", "cleo")
    bert.unfollow(cleo.id)
    bert.commit()
    hand_over(bert, anna)

    found = only_of(anna, bert)
    assert found.field == "trust"
    assert found.explanation == (
        f"trust differs: they do not follow seat {cleo.id[:8]}…"
    )
    assert found.hint == f"koinii follow {cleo.id}, at that seat"


def test_a_key_that_was_rotated(table: Table) -> None:
    anna, bert, cleo = met(table, "anna", "bert", "cleo")
    old = bert.weighing().known["AgentBoreas", bert.id].key.fingerprint
    bert.rotate_agent("AgentBoreas")
    says(bert, "(p More)")
    new = bert.weighing().known["AgentBoreas", bert.id].key.fingerprint
    assert [f"the key {old}" in one.explanation for one in differences(bert)] == [
        True, True,
    ]  # fmt: skip
    hand_over(bert, anna)
    found = only_of(anna, bert)
    assert found.explanation == (
        f"trust differs: to them AgentBoreas stands for the key {new} of those it "
        "rotated, to us for another"
    )
    bert.unfollow(cleo.id)
    bert.commit()
    hand_over(bert, anna)
    assert only_of(anna, bert).explanation == (
        f"trust differs: they do not follow seat {cleo.id[:8]}…"
    )


def test_a_name_that_stands_for_another_key(table: Table) -> None:
    anna, bert = met(table)
    one, two = (table.sit(name, "AgentTwin") for name in ("one", "two"))
    says(one, "(p One)")
    says(two, "(p Two)")
    for seat, first, second in ((anna, one, two), (bert, two, one)):
        hand_over(first, seat)
        hand_over(second, seat)
        seat.commit()
    hand_over(bert, anna)

    found = only_of(anna, bert)
    assert found.fields == ["trust", "inputs", "held"]
    (contest,) = anna.status().contested
    assert found.explanation == (
        f"trust differs: to them AgentTwin stands for the key {contest.other}, to us "
        "for another"
    )
    assert found.hint == f"koinii agent trust AgentTwin {contest.other}"

    anna.trust_agent("AgentTwin", contest.other)
    found = only_of(anna, bert)
    assert found.explanation.startswith("this seat has come to the same trust")
    assert found.hint == "koinii commit"
    anna.commit()
    assert bert.id not in [one.seat for one in differences(anna)]


def test_only_a_part_is_applied(table: Table) -> None:
    anna, bert = met(table)
    says(bert, "(p More)")
    hand_over_as(bert, anna, partial={"contexts": ("CxAtlas", "CxDeploy")})

    found = only(anna)
    assert (found.field, found.fields) == ("partial", ["partial", "inputs"])
    assert found.explanation == (
        "they apply only contexts CxAtlas, CxDeploy, we everything"
    )


def test_other_local_contexts(table: Table) -> None:
    anna, bert = met(table)
    says(bert, "(p More)")
    hand_over_as(bert, anna, local=("CxDisputes",))

    found = only(anna)
    assert (found.field, found.fields) == ("local", ["local", "inputs"])
    assert found.explanation.endswith("theirs are CxDisputes, ours are none")


def test_they_lack_what_we_have_said(table: Table) -> None:
    anna, bert = met(table)
    says(anna, "(p More)")
    says(anna, "(p Still More)")
    hand_over(bert, anna)

    found = only(anna)
    last = last_record(anna)
    assert last is not None
    assert (found.field, found.fields) == ("inputs", ["inputs"])
    assert found.explanation == (
        f"what was applied differs: they have applied commit {last.number - 2} of "
        f"this seat, we have {last.number}"
    )
    assert found.hint == "koinii push, then koinii pull at that seat"


def test_they_have_applied_more_of_a_third_seat(table: Table) -> None:
    anna, bert, cleo = met(table, "anna", "bert", "cleo")
    says(cleo, "(p More)")
    hand_over(cleo, bert)
    bert.commit()
    hand_over(bert, anna)

    found = only_of(anna, bert)
    theirs, ours = cleo.status().number, peer_number(anna, cleo)
    assert (found.field, ours) == ("inputs", theirs - 1)
    assert found.explanation == (
        f"what was applied differs: they have applied commit {theirs} of "
        f"seat {cleo.id[:8]}…, we have {ours}"
    )
    assert found.hint == "koinii pull"

    hand_over(anna, bert)
    found = only_of(bert, anna)
    assert f"of seat {cleo.id[:8]}…, we have {theirs}" in found.explanation
    assert found.hint == "koinii pull, at that seat"


def only_of(seat: RemoteSeat, other: RemoteSeat) -> Difference:
    (found,) = [one for one in differences(seat) if one.seat == other.id]
    return found


def peer_number(seat: RemoteSeat, other: RemoteSeat) -> int:
    (found,) = [one.number for one in seat.peers() if one.seat == other.id]
    return found


def test_what_is_applied_and_not_committed(table: Table) -> None:
    anna, bert = met(table)
    says(bert, "(p More)")
    hand_over(bert, anna)

    found = only(anna)
    assert found.field == "inputs"
    assert "in no commit of it yet" in found.explanation
    assert found.hint == "koinii commit"
    anna.commit()
    assert differences(anna) == []


def test_what_is_held_by_both_is_not_the_reason(table: Table) -> None:
    anna, bert = met(table)
    one, two = (table.sit(name, "AgentTwin") for name in ("one", "two"))
    says(one, "(p One)")
    says(two, "(p Two)")
    for source in (one, two):
        for seat in (anna, bert):
            hand_over(source, seat)
    meet(anna, bert)
    says(bert, "(p More)")
    hand_over(bert, anna)
    assert anna.status().contested

    found = only_of(anna, bert)
    assert (found.field, found.hint) == ("inputs", "koinii commit")


def test_another_history_of_a_third_seat(table: Table) -> None:
    anna, bert, cleo = met(table, "anna", "bert", "cleo")
    says(cleo, "(p More)")
    hand_over(cleo, anna)
    hand_over_as(cleo, bert, time=1)
    for seat in (anna, bert):
        says(seat, "(p More)")
    hand_over(bert, anna)

    found = only_of(anna, bert)
    number = cleo.status().number
    assert found.field == "inputs"
    assert f"another commit {number} of seat {cleo.id[:8]}… than we" in (
        found.explanation
    )
    assert found.hint == "koinii peers"


def test_an_author_that_is_refused_here(table: Table) -> None:
    anna, bert, cleo = met(table, "anna", "bert", "cleo")
    says(cleo, "(p More)")
    hand_over(cleo, bert)
    bert.commit()
    number = anna.kb.names.author_id("AgentCedar", cleo.id)
    assert number is not None
    before = anna.histories.input(number)
    assert before is not None
    hand_over(cleo, anna)
    with anna.kb.write():
        anna.histories.put_input(before)
        anna.histories.refuse("AgentCedar", cleo.id, "agents/AgentCedar", "cut")
    hand_over(bert, anna)

    found = only_of(anna, bert)
    assert found.field == "inputs"
    assert f"AgentCedar at seat {cleo.id[:8]}… (refused)" in found.explanation


def test_other_lines_are_held(table: Table) -> None:
    anna, bert, cleo = met(table, "anna", "bert", "cleo")
    says(cleo, "(p More)", context="CxDeploy")
    for seat in (anna, bert):
        hand_over(cleo, seat)
    number = bert.kb.names.author_id("AgentCedar", cleo.id)
    assert number is not None
    with bert.kb.write():
        set_aside(bert, number, "CxDeploy")
    anna.commit()
    bert.commit()
    hand_over(bert, anna)
    hand_over(anna, bert)

    found = only_of(anna, bert)
    assert (found.field, found.fields) == ("held", ["held"])
    assert found.explanation.endswith("here are none, there are others")
    assert found.hint == "koinii held"
    found = only_of(bert, anna)
    assert found.explanation.endswith("here are 1 for koinii/no-rule, there are none")


def set_aside(seat: RemoteSeat, author: int, context: str) -> None:
    """Hold an author's lines of a context for a rule that no other seat has."""
    where = seat.kb.names.context_id(context)
    assert where is not None
    rows = list(seat.kb.assertions.lines(author, where))
    _hold(seat, author, where, rows, "koinii/no-rule")


def test_nothing_differs_and_yet_the_ids_do(table: Table) -> None:
    anna, bert = met(table)
    says(bert, "(p More)")
    hand_over_as(bert, anna, commit=b"x" * 32)
    assert anna.commit()

    found = only(anna)
    assert (found.field, found.fields) == (COMMIT, [COMMIT])
    assert "does not derive what its inputs give" in found.explanation
    assert found.hint.startswith("koinii doctor")


# Causes in order, and how they are told -----------------------------------------


def test_a_cause_stands_before_what_it_causes(
    table: Table, newer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, bert = table.anna, table.bert
    says(anna, "(p Anna)")
    with monkeypatch.context() as there:
        there.setattr(vocabulary, "_DIRECTORY", str(newer))
        there.setattr(committing, "SEMANTICS", 2)
        says(bert, "(p Bert)")
    changes = {"partial": {}, "local": ("CxDisputes",), "held": b"h" * 32}
    hand_over_as(bert, anna, **changes)

    assert only(anna).fields == [
        *("rules", "vocabulary", "trust", "partial", "local", "inputs", "held")
    ]


def test_status_shows_it(table: Table) -> None:
    anna, bert = table.anna, table.bert
    says(anna, "(p Anna)")
    says(bert, "(p Bert)")
    hand_over(bert, anna)

    told = within("-C", anna.layout.directory, "status")
    assert told.code == 0
    assert f"differences\n  {bert.id} commit 1 sha256:" in told.out
    assert "    trust differs: they do not follow this seat\n" in told.out
    assert "    next: koinii push" in told.out
    answer = within("-C", anna.layout.directory, "status", "--json").data
    assert answer["differences"] == [only(anna)._asdict()]


def test_heads_are_found_in_the_whole_history(table: Table) -> None:
    anna, bert = met(table)
    for number in range(70):
        says(bert, f"(p Number {number})")
    says(table.cleo, "(p Cleo)")
    hand_over(table.cleo, bert)
    bert.commit()
    hand_over(bert, anna)
    record = last_record(bert)
    assert record is not None

    assert set(record.heads) == {table.cleo.id}
    found = bound_heads(anna, record)
    assert {one: head.number for one, head in found.items()} == {
        anna.id: peer_number(bert, anna),
        table.cleo.id: 1,
    }
