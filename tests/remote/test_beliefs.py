"""Two sides beside each other, a pull foreseen, and when a belief turned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import koinii
from faces.command import koinii as typed
from koinii import RemoteSeat
from koinii.errors import KoiniiError
from koinii.remote.beliefs import Beliefs
from remote.conftest import Plain
from remote.desks import Sit, examples, room, sitting
from remote.long_table import LongTable, long_table

ALL = 1 << 20


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def sit(tmp_path: Path, bare: Path) -> Iterator[Sit]:
    with sitting(tmp_path, bare) as open_one:
        yield open_one


def locators(seat: RemoteSeat) -> frozenset[str]:
    return frozenset(one.locator for one in seat.believed())


def listed(found: Beliefs) -> frozenset[str]:
    assert found.total == len(found.shown)
    return frozenset(one.locator for one in found.shown)


# Naive twins --------------------------------------------------------------------


def denies(one: str, other: str) -> bool:
    return f"(not {one})" == other or f"(not {other})" == one


def two_values(one: str, other: str) -> bool:
    first, second = one.strip("()").split(), other.strip("()").split()
    return first[:2] == second[:2] and first[0] == "weighs" and first != second


def naive_clashes(
    theirs: dict[str, str], ours: dict[str, str]
) -> set[tuple[str, str, str]]:
    """Return (kind, their locator, ours) of what cannot hold together."""
    is_functional = "(functional weighs)" in ours.values()
    found = set()
    for their, one in theirs.items():
        for our, other in ours.items():
            if denies(one, other):
                found.add(("rebuttal", their, our))
            elif is_functional and two_values(one, other):
                found.add(("functional", their, our))
    return found


def standing(seat: RemoteSeat) -> set[tuple[str, frozenset[str]]]:
    return {
        (one.kind, frozenset(side.locator for side in one.sides))
        for one in seat.contradictions() + seat.conflicts()
    }


# Properties ---------------------------------------------------------------------


@hypothesis_settings(max_examples=examples(2))
@given(st.integers(0, 1 << 30))
def test_a_story_is_audited_compared_and_foreseen(seed: int) -> None:
    with room() as folder, long_table(folder, seed) as table:
        table.play(10)
        for name in table.seats:
            table.sync(name)
        table.play(3)
        for name in table.seats:
            check_difference(table, name)
        table.sync("anna")
        table.pull("cleo")
        table.speak("anna")
        table.sync("anna")
        check_foreseen(table.seats["cleo"])
        for seat in table.seats.values():
            found = list(koinii.audit_all(str(table.bare), seat.id))
            assert [one.missing for one in found] == [None] * len(found)


def check_difference(table: LongTable, name: str) -> None:
    """Compare a seat with the newest commits that it knows of the others."""
    seat = table.seats[name]
    here = locators(seat)
    texts = {one.locator: one for one in seat.kb.believed()}
    for peer in seat.peers():
        number = peer.number
        there = table.believed[peer.seat][number]
        found = seat.diff(peer.seat, limit=ALL)
        assert (found.number, found.missing) == (number, None)
        assert listed(found.theirs) == there - here
        assert listed(found.ours) == here - there
        theirs = {one.locator: one.sentence for one in found.theirs.shown}
        ours = {one: koinii.terms.write(it.sentence) for one, it in texts.items()}
        expected = naive_clashes(theirs, ours)
        assert found.clashes.total == len(found.clashes.shown) == len(expected)
        assert expected == {
            (one.kind, one.theirs.locator, one.ours.locator)
            for one in found.clashes.shown
        }


def check_foreseen(seat: RemoteSeat) -> None:
    """Compare what a rehearsal says with what the pull does."""
    before, clashes = locators(seat), standing(seat)
    foreseen = seat.rehearse_pull().foreseen
    assert foreseen is not None
    assert (locators(seat), standing(seat)) == (before, clashes)
    assert seat.pull().foreseen is None
    after = locators(seat)
    assert foreseen.comes.total == len(after - before)
    assert foreseen.ceases.total == len(before - after)
    assert {one.locator for one in foreseen.comes.shown} <= after - before
    assert {one.locator for one in foreseen.ceases.shown} <= before - after
    assert foreseen.clashes.total == len(standing(seat) - clashes)
    assert {
        (one.kind, frozenset({one.theirs.locator, one.ours.locator}))
        for one in foreseen.clashes.shown
    } <= standing(seat) - clashes


# Diff ---------------------------------------------------------------------------


def test_what_each_side_holds_and_who_says_so(sit: Sit) -> None:
    anna, bert = sit("anna"), sit("bert")
    bert.assert_("(implies (is ?x) (named ?x))")
    bert.assert_("(not (likes Ann Tea))")
    bert.sync()
    anna.pull()
    bert.assert_("(said later)")
    bert.sync()
    anna.assert_("(likes Ann Tea)")
    told = anna.diff(bert.id[:8])
    assert told.theirs.total == 0, "all that is known of bert was applied"
    ours = [(one.sentence, [by.agent for by in one.by]) for one in told.ours.shown]
    assert ours == [
        ("(is anna)", ["AgentAnna"]),
        ("(likes Ann Tea)", ["AgentAnna"]),
    ]
    anna.unfollow(bert.id)
    told = anna.diff(f"{bert.id[:8]}@2", limit=1)
    assert told.theirs.total == 4
    assert len(told.theirs.shown) == 1
    (clash,) = told.clashes.shown
    assert (clash.kind, clash.theirs.sentence, clash.ours.sentence) == (
        "rebuttal", "(not (likes Ann Tea))", "(likes Ann Tea)",
    )  # fmt: skip
    every = anna.diff(bert.id).theirs.shown
    derived = [one.sentence for one in every if not one.by]
    assert derived == ["(named bert)"]


def test_what_would_clash_by_what_is_declared_here(sit: Sit) -> None:
    anna, bert = sit("anna"), sit("bert")
    bert.assert_("(weighs Ton 2)")
    bert.assert_("(weighs Ton 1)", context="CxPlain")
    bert.assert_("(cat Tom)")
    bert.sync()
    anna.pull()
    anna.unfollow(bert.id)
    anna.assert_("(weighs Ton 1)")
    anna.assert_("(dog Tom)")
    assert anna.diff(bert.id).clashes.total == 0
    anna.assert_("(functional weighs)")
    anna.assert_("(disjoint dog cat)")
    found = [
        (one.kind, one.theirs.sentence, one.ours.sentence)
        for one in anna.diff(bert.id).clashes.shown
    ]
    assert found == [
        ("disjoint", "(cat Tom)", "(dog Tom)"),
        ("functional", "(weighs Ton 2)", "(weighs Ton 1)"),
    ]


def test_what_a_diff_can_be_with(sit: Sit) -> None:
    anna, bert = sit("anna"), sit("bert")
    bert.sync()
    anna.sync()
    anna.assert_("(said later)")
    newest = anna.commit()
    assert newest is not None
    first = anna.log()[-1]
    assert anna.diff("1").ours.total == 2
    assert anna.diff(str(newest.number)).ours.total == 0
    assert anna.diff(first.id) == anna.diff("1") == anna.diff(f"{anna.id}@1")
    assert anna.diff(first.id[:15]).number == 1
    assert anna.diff(bert.log(1)[0].id).seat == bert.id
    for target, code in [
        ("9", "koinii/unknown-commit"),
        ("f" * 8, "koinii/unknown-commit"),
        ("sha256:" + "0" * 64, "koinii/unknown-commit"),
        (f"{bert.id}@9", "koinii/unknown-commit"),
        ("0" * 8 + "@1", "koinii/unknown-seat"),
        ("bert", "koinii/usage"),
    ]:
        with pytest.raises(KoiniiError) as caught:
            anna.diff(target)
        assert caught.value.code == code, target


def test_what_they_have_from_a_seat_that_is_not_known_here(
    sit: Sit, tmp_path: Path, plain: Plain
) -> None:
    anna, bert, cleo = sit("anna"), sit("bert"), sit("cleo")
    other = tmp_path / "other.git"
    plain(tmp_path, "init", "-q", "--bare", str(other))
    for one in (bert, cleo):
        one.remotes.add("other", str(other))
    cleo.sync("other")
    bert.pull("other")
    bert.assert_("(goes on)")
    bert.commit()
    bert.push()
    anna.pull()
    found = anna.diff(bert.id)
    assert found.missing is not None
    assert (found.missing.field, cleo.id in found.missing.what) == ("heads", True)
    done = typed("diff", bert.id[:8], cwd=tmp_path / "anna")
    assert done.code == 7
    assert "not all rebuilt: heads" in done.err


def test_a_diff_as_text(sit: Sit, tmp_path: Path) -> None:
    anna, bert = sit("anna"), sit("bert")
    for number in range(5):
        bert.assert_(f"(number {number})")
    bert.assert_("(not (is anna))")
    bert.sync()
    anna.pull()
    anna.unfollow(bert.id)
    done = typed("diff", bert.id[:8], "--limit", "2", cwd=tmp_path / "anna")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[1] == "only theirs 7, the first 2"
    assert lines[2].startswith("  + CxBert (is bert)  AgentBert at ")
    assert lines[4] == "only here 1"
    assert lines[6] == "would clash 1"
    assert lines[7] == "  ! rebuttal: CxBert (not (is anna)) against CxAnna (is anna)"
    data = typed("diff", bert.id, "--json", cwd=tmp_path / "anna").data
    assert (data["theirs"]["total"], len(data["theirs"]["shown"])) == (7, 7)
    assert data["clashes"]["shown"][0]["ours"]["by"][0]["agent"] == "AgentAnna"


def test_a_pull_foreseen_as_text(sit: Sit, tmp_path: Path) -> None:
    anna, bert = sit("anna"), sit("bert")
    bert.assert_("(not (is anna))", context="CxPlain")
    bert.sync()
    done = typed("pull", "--dry-run", cwd=tmp_path / "anna")
    assert done.code == 0
    assert "would be believed 2" in done.out
    assert "  + CxBert (is bert)  AgentBert at " in done.out
    assert "would cease 0" in done.out
    assert anna.peers() == []


# Turns --------------------------------------------------------------------------


def test_when_a_belief_turned(sit: Sit, tmp_path: Path) -> None:
    anna, bert = sit("anna"), sit("bert")
    bert.assert_("(likes Bert Tea)")
    rule = bert.assert_("(implies (likes ?x Tea) (awake ?x))")
    bert.sync()
    anna.sync()
    anna.assert_("(said later)")
    anna.sync()
    bert.retract(rule)
    bert.sync()
    anna.sync()
    derived = anna.locate("(awake Bert)", "CxBert")
    found = anna.turns(derived)
    assert [(one.number, one.believed) for one in found.turns] == [
        (4, False), (2, True),
    ]  # fmt: skip
    assert [one.id for one in found.turns] == [anna.log()[0].id, anna.log()[2].id]
    assert anna.turns(derived[: len("sha256:") + 8]) == found, "it has left the store"
    done = typed("log", "--belief", derived, cwd=tmp_path / "anna")
    assert done.code == 0
    assert [line.split()[:3] for line in done.out.splitlines()] == [
        ["4", "not", "believed"],
        ["2", "believed", anna.log()[2].id],
    ]
    data = typed("log", "--belief", derived, "--json", cwd=tmp_path / "anna").data
    assert [one["believed"] for one in data["turns"]] == [False, True]
    for nothing in ("0" * 8, "0" * 64):
        with pytest.raises(KoiniiError) as caught:
            anna.turns(nothing)
        assert caught.value.code == "koinii/unknown-locator"


def test_commits_that_cannot_be_rebuilt_are_not_guessed(
    sit: Sit, tmp_path: Path
) -> None:
    anna, bert = sit("anna"), sit("bert")
    bert.sync()
    anna.sync()
    anna.unfollow(bert.id)
    anna.commit()
    anna.follow(bert.id)
    anna.pull()
    anna.commit()
    (said,) = [one.locator for one in bert.believed()]
    found = anna.turns(said)
    assert [(one.number, one.believed) for one in found.turns] == [(2, True)]
    assert found.unknown == [3]
    assert found.missing is not None
    assert found.missing.field == "trust"
    done = typed("log", "--belief", said, cwd=tmp_path / "anna")
    assert done.code == 7
    assert "not known of commit 3: trust" in done.err
