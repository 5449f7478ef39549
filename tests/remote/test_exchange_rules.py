"""Lines that their author may not write are held alone, and come back."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import RefusedError
from koinii.kb.claim import format_claim, line_leaf
from koinii.remote.applying import Received
from koinii.seat.contests import contests
from koinii.seat.reviewing import review
from koinii.terms import canonical, read, write
from koinii.terms.locator import raw_digest
from koinii.trust.boundary import IN_UNIVERSE
from remote.desks import Clock, hand_over, make_desk, make_key, room, says

DEFAULT, MONOTONIC = 0, 1
MASK = f'(except (sentexHandle "sha256:{"0" * 64}"))'


@pytest.fixture
def folder() -> Iterator[Path]:
    with room() as made:
        yield made


def sit(folder: Path, name: str, *agents: str, key: Path | None = None) -> RemoteSeat:
    keys = {agents[0]: key} if key else {}
    return koinii.open(str(make_desk(folder, name, agents, keys).path), now=Clock())


def smuggle(
    seat: RemoteSeat, agent: str, context: str, text: str, strength: int = DEFAULT
) -> str:
    """Make an agent publish what its own keyboard refuses; return the locator.

    A held line is part of what its author says, and no boundary is asked here.
    """
    form, rows = canonical(read(text)), seat.kb.assertions
    line = format_claim(strength, seat.now(), write(form), None)
    digest = raw_digest(seat.locate(text, context))
    with seat.kb.write():
        author = seat.kb.names.make_author(agent, seat.id)
        place = seat.kb.names.make_context(context)
        before = rows.held_line(author, place, digest)
        rows.hold([(author, place, digest, line_leaf(line), line, "smuggled")])
        rows.note_changes([(author, place, digest, before[1] if before else None)])
    return seat.locate(text, context)


FORBIDDEN = {
    "another agent's context": ("CxAnna", "(a B)", DEFAULT, "koinii/foreign-context"),
    "another agent's beliefs": (
        "CxAgentAgentAnna", "(a B)", DEFAULT, "koinii/foreign-context",
    ),
    "the registry": ("CxRegistry", "(a B)", DEFAULT, "koinii/registry-forbidden"),
    "the vocabulary": ("CxCore", "(a B)", DEFAULT, "koinii/foreign-context"),
    "a name that is no context": ("Elsewhere", "(a B)", DEFAULT, "naming"),
    "a rule in another's context": (
        "CxAnna", "(implies (p ?var0) (q ?var0))", DEFAULT, "koinii/foreign-context",
    ),
    "a rule of the vocabulary": (
        "CxSpeechActs", "(implies (p ?var0) (q ?var0))", DEFAULT,
        "koinii/foreign-context",
    ),
    "a rule that binds nothing": (
        "CxMallory", "(implies (p ?var0) (q ?var1))", DEFAULT, "not-range-restricted",
    ),
    "a rule that concludes an edge": (
        "CxMallory", "(implies (p ?var0) (genlCx CxAnna ?var0))", DEFAULT, "shape",
    ),
    "a rule that grows": (
        "CxMallory", "(implies (p ?var0) (p (Fn ?var0)))", DEFAULT, "shape",
    ),
    "a mask in another's context": (
        "CxAnna", MASK, MONOTONIC, "koinii/foreign-context",
    ),
    "a mask by default": ("CxMallory", MASK, DEFAULT, "shape"),
    "a denied mask": ("CxMallory", f"(not {MASK})", MONOTONIC, "shape"),
    "a symmetry of one's own": (
        "CxMallory", "(symmetric p)", MONOTONIC, "shape",
    ),
    "a mark in a channel": (
        "CxDeploy", "(targetFollowingPredicate p)", MONOTONIC, "shape",
    ),
    "a modal word of one's own": (
        "CxMallory", "(modalPredicate p)", MONOTONIC, "shape",
    ),
    "a symmetry by default": ("CxUniverse", "(symmetric p)", DEFAULT, "shape"),
    "types in another's context": (
        "CxAnna", "(disjoint Cat Dog)", MONOTONIC, "koinii/foreign-context",
    ),
    "types by default": ("CxMallory", "(disjoint Cat Dog)", DEFAULT, "shape"),
    "types of nothing": ("CxMallory", "(disjoint Cat)", MONOTONIC, "shape"),
    "another's context convened": (
        "CxUniverse", "(convened CxAnna)", MONOTONIC, "koinii/foreign-context",
    ),
    "the majority convened": (
        "CxUniverse", "(convened CxMajority)", MONOTONIC, "koinii/foreign-context",
    ),
    "an edge by default": ("CxUniverse", "(genlCx CxA CxB)", DEFAULT, "shape"),
    "an edge in one's own context": (
        "CxMallory", "(genlCx CxA CxB)", MONOTONIC, "shape",
    ),
    "an edge of one context": ("CxUniverse", "(genlCx CxA)", MONOTONIC, "shape"),
    "a denied edge": ("CxUniverse", "(not (genlCx CxA CxB))", MONOTONIC, "shape"),
    "a channel over another's context": (
        "CxUniverse", "(channel CxAnna)", MONOTONIC, "koinii/foreign-context",
    ),
    "a channel over the universe": (
        "CxUniverse", "(channel CxUniverse)", MONOTONIC, "koinii/foreign-context",
    ),
    "what another's context sees": (
        "CxUniverse", "(genlCx CxAnna CxMallory)", MONOTONIC, "koinii/foreign-context",
    ),
    "what the universe sees": (
        "CxUniverse", "(genlCx CxUniverse CxMallory)", MONOTONIC,
        "koinii/foreign-context",
    ),
    "an open sentence": ("CxMallory", "(likes ?who Tea)", DEFAULT, "not-ground"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORBIDDEN)
def test_a_line_against_the_rules_is_held_alone(folder: Path, name: str) -> None:
    context, text, strength, code = FORBIDDEN[name]
    with (
        sit(folder, "anna", "AgentAnna") as anna,
        sit(folder, "mallory", "AgentMallory") as mallory,
    ):
        good = mallory.assert_("(good Line)")
        bad = smuggle(mallory, "AgentMallory", context, text, strength)
        mallory.commit()

        counts = hand_over(mallory, anna).counts

        assert counts == Received(received=2, new=1, held=1)
        (held,) = anna.held()
        assert (held.agent, held.seat) == ("AgentMallory", mallory.id)
        assert (held.context, held.locator, held.reason) == (context, bad, code)
        assert held.line.endswith(text)
        assert {said[3] for said in says(anna)} == {"(good Line)"}
        assert anna.show(good)
        assert anna.status().inputs == mallory.status().inputs

        mallory.retract(bad)
        mallory.commit()

        assert hand_over(mallory, anna).counts == Received(removed=1)
        assert not anna.held()


def test_what_the_keyboard_refuses_is_what_a_pull_holds(folder: Path) -> None:
    """BC-125: nobody signs through the keyboard what others will not take."""
    with sit(folder, "mallory", "AgentMallory") as mallory:
        mallory.new_agent("AgentAnna")
        for context, text, strength, code in FORBIDDEN.values():
            word = "default" if strength == DEFAULT else "monotonic"
            if read_word(text) in IN_UNIVERSE and context != "CxUniverse":
                continue  # the keyboard puts these where they belong
            with pytest.raises(RefusedError) as caught:
                mallory.assert_(text, context=context, strength=word)
            assert caught.value.code == code, text


def read_word(text: str) -> str:
    return text.strip("(").split()[0]


ALLOWED = {
    "a rule": ("CxMallory", "(implies (p ?var0) (q ?var0))", DEFAULT),
    "a rule for everybody": ("CxUniverse", "(implies (p ?var0) (q ?var0))", MONOTONIC),
    "a mask": ("CxDeploy", MASK, MONOTONIC),
    "types": ("CxMallory", "(disjoint Cat Dog)", MONOTONIC),
    "a kind": ("CxMallory", "(genl Cat Animal)", MONOTONIC),
    "one value": ("CxDeploy", "(functional p)", MONOTONIC),
    "an argument": ("CxMallory", "(arg p 1 Cat)", MONOTONIC),
    "a symmetry": ("CxUniverse", "(symmetric p)", MONOTONIC),
    "a mark": ("CxUniverse", "(targetFollowingPredicate p)", MONOTONIC),
    "a modal word": ("CxUniverse", "(modalPredicate p)", MONOTONIC),
    "a meeting": ("CxUniverse", "(convened CxTogether)", MONOTONIC),
}


@pytest.mark.parametrize("name", ALLOWED)
def test_what_shapes_a_base_is_applied_where_it_comes(folder: Path, name: str) -> None:
    context, text, strength = ALLOWED[name]
    with (
        sit(folder, "anna", "AgentAnna") as anna,
        sit(folder, "mallory", "AgentMallory") as mallory,
    ):
        word = "monotonic" if strength else "default"
        assert mallory.load([text], context=context, strength=word).new == 1
        typed = mallory.locate(text, context)
        mallory.commit()

        assert hand_over(mallory, anna).counts == Received(received=1, new=1)
        assert [one.locator for one in anna.believed()] == [typed]
        assert anna.status().commit == mallory.status().commit


@pytest.mark.parametrize("word", sorted(IN_UNIVERSE - {"genlCx"}))
def test_the_keyboard_puts_in_the_universe_what_stands_there(
    folder: Path, word: str
) -> None:
    with sit(folder, "mallory", "AgentMallory") as mallory:
        typed = mallory.assert_(f"({word} CxDeploy)")
        loaded = mallory.load([f"({word} CxOther)\n"])

        assert typed == mallory.locate(f"({word} CxDeploy)", "CxUniverse")
        assert (loaded.new, loaded.refused) == (1, [])
        assert {one.context for one in mallory.believed()} == {"CxUniverse"}
        rows = [row for _, _, _, row in says(mallory)]
        assert len(rows) == 2
        with pytest.raises(RefusedError) as caught:
            mallory.assert_(f"({word} CxDeploy)", strength="default")
        assert caught.value.code == "shape"


def test_a_held_line_is_replaced_and_counted_once(folder: Path) -> None:
    with (
        sit(folder, "anna", "AgentAnna") as anna,
        sit(folder, "mallory", "AgentMallory") as mallory,
    ):
        smuggle(mallory, "AgentMallory", "CxAnna", "(a B)", DEFAULT)
        mallory.commit()
        hand_over(mallory, anna)
        smuggle(mallory, "AgentMallory", "CxAnna", "(a B)", MONOTONIC)
        mallory.commit()

        assert hand_over(mallory, anna).counts == Received(received=1, held=1)
        (held,) = anna.held()
        assert held.line.startswith("monotonic ")


def test_a_held_line_said_rightly_is_applied_and_held_no_more(folder: Path) -> None:
    with (
        sit(folder, "anna", "AgentAnna") as anna,
        sit(folder, "mallory", "AgentMallory") as mallory,
    ):
        edge = "(genlCx CxA CxB)"
        smuggle(mallory, "AgentMallory", "CxUniverse", edge, DEFAULT)
        mallory.commit()
        hand_over(mallory, anna)
        smuggle(mallory, "AgentMallory", "CxUniverse", edge, MONOTONIC)
        mallory.commit()

        assert hand_over(mallory, anna).counts == Received(received=1, new=1)
        assert not anna.held()
        assert {said[3] for said in says(anna)} == {edge}

        mallory.retract(mallory.locate(edge, "CxUniverse"))
        smuggle(mallory, "AgentMallory", "CxUniverse", edge, DEFAULT)
        mallory.commit()

        expected = Received(received=1, held=1, set_aside=1)
        assert hand_over(mallory, anna).counts == expected
        assert not says(anna)


def test_lines_move_to_held_when_their_context_finds_its_owner(folder: Path) -> None:
    """Bert wrote in CxCleo while nobody knew Cleo; then everybody meets her."""
    with (
        sit(folder, "anna", "AgentAnna") as anna,
        sit(folder, "bert", "AgentBert") as bert,
        sit(folder, "cleo", "AgentCleo") as cleo,
    ):
        bert.assert_("(early Bird)", context="CxCleo")
        early = [
            "(implies (early ?x) (worm ?x))", "(genl early late)", "(channel CxCleo)",
            "(convened CxCleo)", "(genlCx CxCleo CxBert)",
            MASK,
        ]  # fmt: skip
        assert not bert.load(early, context="CxCleo").refused
        bert.commit()
        assert hand_over(bert, anna).counts == Received(received=7, new=7)
        (worm,) = anna.ask("(worm ?x)", context="CxCleo")
        assert write(worm["?x"]) == "Bird"
        cleo.assert_("(mine Own)")
        cleo.commit()

        for seat in (anna, bert):
            hand_over(cleo, seat)

            assert sorted(held.reason for held in seat.held()) == (
                ["koinii/foreign-context"] * 7
            )
            assert not list(seat.ask("(worm ?x)"))
            assert not seat.channels()
            assert {said[3] for said in says(seat)} == {"(mine Own)"}
        assert anna.status().commit == bert.status().commit == cleo.status().commit
        assert anna.status().inputs == bert.status().inputs


def test_two_seats_in_one_pull_meet_before_their_lines_are_weighed(
    folder: Path, tmp_path: Path
) -> None:
    """Counts say what is held at the end, whichever seat's id comes first."""
    remote = koinii_remote(tmp_path)
    with (
        sit(folder, "anna", "AgentAnna") as anna,
        sit(folder, "bert", "AgentBert") as bert,
        sit(folder, "cleo", "AgentCleo") as cleo,
    ):
        bert.assert_("(early Bird)", context="CxCleo")
        cleo.assert_("(early Bird)", context="CxBert")
        for seat in (anna, bert, cleo):
            seat.remotes.add("origin", remote)
        for seat in (bert, cleo):
            seat.commit()
            seat.push()

        pulled = anna.pull()

        assert (pulled.received, pulled.new, pulled.held) == (2, 0, 2)
        assert len(anna.held()) == 2
        assert not pulled.whole


def koinii_remote(folder: Path) -> str:
    """Make an empty bare repository with stock git; return its address."""
    where = folder / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", str(where)], check=True)
    return f"file://{where}"


# Two keys for one name --------------------------------------------------------


def test_two_keys_for_one_name_are_told_and_neither_is_dropped(folder: Path) -> None:
    with (
        sit(folder, "one", "AgentTwin") as one,
        sit(folder, "two", "AgentTwin") as two,
        sit(folder, "anna", "AgentAnna") as anna,
    ):
        for seat, text in ((one, "(said One)"), (two, "(said Two)")):
            seat.assert_(text)
            seat.commit()
        prints = {seat.id: seat.agents()[0].fingerprint for seat in (one, two)}

        hand_over(one, anna)
        counts = hand_over(two, anna).counts

        assert counts == Received(received=1, held=1)
        assert {said[3] for said in says(anna)} == {"(said One)"}
        (held,) = anna.held()
        assert (held.seat, held.reason) == (two.id, "koinii/name-contested")
        (contest,) = contests(anna)
        assert (contest.agent, contest.seat) == ("AgentTwin", two.id)
        assert (contest.pinned, contest.other) == (prints[one.id], prints[two.id])
        contested = {
            row.seat: row.contested for row in anna.agents() if row.name == "AgentTwin"
        }
        assert contested == {one.id: False, two.id: True}


def test_each_seat_keeps_the_key_that_came_first(folder: Path) -> None:
    with (
        sit(folder, "one", "AgentTwin") as one,
        sit(folder, "two", "AgentTwin") as two,
    ):
        for seat, text in ((one, "(said One)"), (two, "(said Two)")):
            seat.assert_(text)
            seat.commit()

        hand_over(one, two)
        hand_over(two, one)

        assert {said[3] for said in says(one)} == {"(said One)"}
        assert {said[3] for said in says(two)} == {"(said Two)"}
        assert len(contests(one)) == len(contests(two)) == 1
        assert one.status().inputs != two.status().inputs
        assert one.status().commit != two.status().commit


def test_lines_move_back_when_the_name_is_decided_the_other_way(folder: Path) -> None:
    with (
        sit(folder, "one", "AgentTwin") as one,
        sit(folder, "two", "AgentTwin") as two,
        sit(folder, "anna", "AgentAnna") as anna,
    ):
        for seat, text in ((one, "(said One)"), (two, "(said Two)")):
            seat.assert_(text)
            seat.commit()
            hand_over(seat, anna)
        before = anna.status()
        keys = {row.seat: sha256(row.public_key) for row in anna.histories.agents()}

        with anna.kb.write():
            anna.histories.pin("AgentTwin", keys[two.id].hexdigest(), decided=True)
            review(anna)

        assert {said[3] for said in says(anna)} == {"(said Two)"}
        assert [held.seat for held in anna.held()] == [one.id]
        assert anna.status().commit == two.status().commit
        assert anna.status().inputs == two.status().inputs

        with anna.kb.write():
            anna.histories.pin("AgentTwin", keys[one.id].hexdigest(), decided=True)
            review(anna)

        now = anna.status()
        assert [one.decided for one in now.contested] == [True]
        assert now._replace(contested=before.contested) == before


def test_a_contested_author_goes_on_being_held(folder: Path) -> None:
    with (
        sit(folder, "one", "AgentTwin") as one,
        sit(folder, "two", "AgentTwin") as two,
    ):
        two.assert_("(said Two)")
        two.commit()
        hand_over(two, one)
        two.assert_("(said More)")
        two.retract(two.locate("(said Two)", "CxTwin"))
        two.commit()

        counts = hand_over(two, one).counts

        assert counts == Received(received=1, held=1, removed=1)
        assert [held.line.split(" ", 2)[2] for held in one.held()] == ["(said More)"]


def test_one_key_at_two_seats_is_one_agent_and_no_contest(folder: Path) -> None:
    key = make_key(folder / "key")
    with (
        sit(folder, "one", "AgentTwin", key=key) as one,
        sit(folder, "two", "AgentTwin", key=key) as two,
    ):
        for seat in (one, two):
            seat.assert_("(said Both)")
            seat.commit()

        hand_over(one, two)
        hand_over(two, one)

        assert not contests(one)
        assert not one.held()
        assert one.status().commit == two.status().commit
        assert {said[1] for said in says(one)} == {one.id, two.id}
        with pytest.raises(RefusedError) as caught:
            hand_over_and_retract_there(one, two)
        assert caught.value.code == "koinii/not-own-assertion"


def hand_over_and_retract_there(one: RemoteSeat, two: RemoteSeat) -> None:
    """Try to take back at one seat what the same agent said at the other."""
    two.assert_("(only There)")
    two.commit()
    hand_over(two, one)
    one.retract(one.locate("(only There)", "CxTwin"))


def test_bc_019_a_look_alike_name_is_another_agent(folder: Path) -> None:
    with (
        sit(folder, "anna", "AgentAnna") as anna,
        sit(folder, "bert", "AgentBert") as bert,
    ):
        for name in ("Agent\u0410nna", "AgentAnna ", "agentAnna", "Agent\u00c0nna"):
            with pytest.raises(RefusedError) as caught:
                bert.new_agent(name)
            assert caught.value.code == "naming"
        assert [row.name for row in anna.agents()] == ["AgentAnna"]


def test_an_own_line_that_a_pull_makes_held_is_named(folder: Path, bare: Path) -> None:
    with (
        sit(folder, "one", "AgentOne") as one,
        sit(folder, "anna", "AgentAnna") as anna,
    ):
        one.assert_("(a B)", context="CxAnna")
        for seat in (one, anna):
            seat.remotes.add("origin", str(bare))
            seat.commit()
            seat.push()

        pulled = one.pull()

        (trouble,) = pulled.troubles
        assert (trouble.seat, trouble.agent) == (one.id, "AgentOne")
        assert (trouble.path, pulled.held) == ("CxAnna", 0)
        assert pulled.set_aside == 0
        assert "koinii/foreign-context" in trouble.reason
        assert not pulled.whole
        assert one.pull().whole


def meet(bare: Path, *seats: RemoteSeat) -> None:
    for seat in seats:
        seat.remotes.add("origin", str(bare))
        seat.commit()
        seat.push()


@pytest.mark.parametrize("taken_back", [False, True])
def test_lines_of_others_that_a_pull_makes_held_are_counted(
    folder: Path, bare: Path, *, taken_back: bool
) -> None:
    """A context finds its owner; what its author takes back then is gone, not held."""
    with (
        sit(folder, "one", "AgentOne") as one,
        sit(folder, "anna", "AgentAnna") as anna,
        sit(folder, "zoe", "AgentZoe") as zoe,
    ):
        for text in ("(a B)", "(c D)", "(e F)"):
            one.assert_(text, context="CxAnna")
        one.assert_("(g H)")
        anna.assert_("(i J)")
        meet(bare, one)
        zoe.remotes.add("origin", str(bare))
        assert zoe.pull().whole
        one.retract(one.locate("(e F)", "CxAnna"))
        meet(bare, anna)
        if taken_back:
            one.commit()
            one.push()

        expected = zoe.rehearse_pull()
        pulled = zoe.pull()

        assert expected._replace(foreseen=None) == pulled
        assert pulled.set_aside == len(zoe.held()) == (2 if taken_back else 3)
        assert (pulled.received, pulled.new, pulled.held) == (1, 1, 0)
        assert pulled.removed == int(taken_back)
        assert not pulled.troubles
        assert not pulled.whole
        again = zoe.pull()
        assert (again.set_aside, again.whole) == (0, True)
