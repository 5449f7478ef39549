"""Attributions by seats: of what a replaced key signed, of what is held."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import koinii
from history.stand_alone import verify as by_both
from koinii import RemoteSeat
from koinii.errors import NotFoundError, RefusedError
from koinii.history.shipped import shipped_files
from koinii.history.signers import MAX_ROTATIONS
from remote.desks import Clock, hand_over, make_desk, room

ATLAS = "AgentAtlas"
VOCABULARY = list(shipped_files())


@pytest.fixture
def folder() -> Iterator[Path]:
    with room() as made:
        yield made


@pytest.fixture
def seat(folder: Path) -> Iterator[RemoteSeat]:
    with sit(folder, "seat", ATLAS) as made:
        yield made


def sit(folder: Path, name: str, agent: str) -> RemoteSeat:
    return koinii.open(str(make_desk(folder, name, [agent]).path), now=Clock())


def say(seat: RemoteSeat, text: str, **place: Any) -> str:
    locator = seat.assert_(text, **place)
    assert seat.commit()
    return locator


def proven(seat: RemoteSeat, locator: str, **kind: Any) -> dict[str, Any]:
    kind = kind or {"attribution": True}
    document: dict[str, Any] = json.loads(seat.prove(locator, **kind))
    verdict = by_both(document, vocabulary=VOCABULARY)
    assert verdict, verdict.reason
    return document


def keys(seat: RemoteSeat) -> list[str]:
    known = seat.weighing().known[seat.config.agent, seat.id]
    return [key.openssh() for _, key in known.keys]


# After a rotation ---------------------------------------------------------------


def test_what_the_first_key_signed_needs_no_rotation(seat: RemoteSeat) -> None:
    locator = say(seat, "(p First)")
    seat.rotate_agent(ATLAS)

    assert "rotations" not in proven(seat, locator)


def test_each_rotation_up_to_the_set_is_shown(seat: RemoteSeat) -> None:
    first = say(seat, "(p First)")
    for number in range(3):
        seat.rotate_agent(ATLAS)
        last = say(seat, f"(p Number {number})")
    seat.rotate_agent(ATLAS)

    for locator in (first, last):
        document = proven(seat, locator)
        assert len(document["rotations"]) == 3
        for key in keys(seat)[:4]:
            assert by_both(document, keys=[key])
        assert not by_both(document, keys=[keys(seat)[4]])


def test_others_prove_it_too(seat: RemoteSeat, folder: Path) -> None:
    seat.rotate_agent(ATLAS)
    locator = say(seat, "(p First)")
    with sit(folder, "other", "AgentBoreas") as other:
        hand_over(seat, other)

        assert proven(other, locator) == proven(seat, locator)


def test_why_shows_rotations_of_each_author(seat: RemoteSeat) -> None:
    say(seat, "(implies (p ?x) (q ?x))")
    seat.new_agent("AgentBoreas")
    seat.assert_("(genlCx CxAtlas CxBoreas)", context="CxUniverse")
    seat.rotate_agent(ATLAS)
    seat.assert_("(p A)", agent="AgentBoreas")
    seat.commit()

    document = proven(seat, seat.locate("(q A)", "CxAtlas"), why=True)
    assert sorted(len(one.get("rotations", [])) for one in document["authors"]) == [
        0,
        1,
    ]


def test_more_rotations_than_are_read(seat: RemoteSeat) -> None:
    locator = say(seat, "(p A)")
    for _ in range(MAX_ROTATIONS):
        seat.rotate_agent(ATLAS)
    say(seat, "(p B)")
    assert len(proven(seat, locator)["rotations"]) == MAX_ROTATIONS
    seat.rotate_agent(ATLAS)
    say(seat, "(p C)")

    with pytest.raises(RefusedError) as caught:
        seat.prove(locator, attribution=True)
    assert caught.value.code == "koinii/proof-too-large"
    document = proven(seat, locator, why=True)
    assert "said" not in document
    assert document["authors"] == []


# Of what is held ----------------------------------------------------------------


def test_a_line_of_a_contested_name_is_held_and_said_all_the_same(
    folder: Path, seat: RemoteSeat
) -> None:
    with sit(folder, "two", ATLAS) as two, sit(folder, "watch", "AgentZoe") as watch:
        say(seat, "(p Both)")
        say(two, "(p Both)")
        only = say(two, '(set/inertRule (implies (p ?x) (q ?x "two")))')
        hand_over(seat, watch)
        hand_over(two, watch)
        assert {one.reason for one in watch.held()} == {"koinii/name-contested"}

        document = proven(watch, only)
        assert document == proven(two, only)
        assert by_both(document, keys=keys(two))
        assert not by_both(document, keys=keys(seat))
        assert proven(watch, only[:20]) == document
        both = proven(watch, watch.locate("(p Both)", "CxAtlas"))
        assert by_both(both, keys=keys(seat))


def test_a_line_that_broke_a_rule_or_is_not_followed(
    folder: Path, seat: RemoteSeat
) -> None:
    with sit(folder, "other", "AgentBoreas") as other:
        locator = say(other, "(p Foreign)", context="CxAtlas")
        hand_over(other, seat)
        assert [one.reason for one in seat.held()] == ["koinii/foreign-context"]
        assert proven(seat, locator) == proven(other, locator)

        mine = say(other, "(p Mine)")
        hand_over(other, seat)
        seat.unfollow(other.id)
        assert proven(seat, mine) == proven(other, mine)


def test_what_nobody_has_signed_is_not_proven(seat: RemoteSeat) -> None:
    say(seat, "(p A)")
    later = seat.assert_("(p B)")
    with pytest.raises(NotFoundError) as caught:
        seat.prove(later, attribution=True)
    assert caught.value.code == "koinii/not-signed"
    with pytest.raises(NotFoundError) as caught:
        seat.prove(seat.locate("(p C)", "CxAtlas"), attribution=True)
    assert caught.value.code == "koinii/unknown-locator"


def test_a_claim_that_nobody_could_deny_has_no_proof_of_who_disputes_it(
    seat: RemoteSeat,
) -> None:
    deep = "A"
    for _ in range(64):
        deep = f"(f {deep})"
    for text in (deep, '(f "' + "a" * 65_530 + '")'):
        locator = say(seat, text)
        assert seat.prove(locator)
        with pytest.raises(RefusedError) as caught:
            seat.prove(locator, dispute=True)
        assert caught.value.code == "koinii/no-negation"
