"""A key that was replaced: what it signed stays good, and it signs no more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import VerificationError
from koinii.history.log import decode_bundle
from koinii.history.record import AuthoredRoot, CommitRecord, decode_record
from koinii.history.roots import agents_root
from koinii.note.statements import open_authored
from remote.desks import Clock, Files, hand_over, make_desk, room, says, shown, take
from remote.forging import BUNDLE, Forger, signed_by

EVE = "AgentEve"
AUTHORED = f"agents/{EVE}/authored"
LONG_AGO = 1


class Story(NamedTuple):
    """A seat of eleven commits whose agent took a new key after the fifth."""

    folder: Path
    seat: RemoteSeat
    old: Forger  # holds the seat's key and the agent's first one
    trees: dict[int, Files]  # as the seat showed them after each commit

    def newcomer(self, name: str, *numbers: int) -> RemoteSeat:
        """Return a seat that has applied these commits, one after another."""
        desk = make_desk(self.folder, name, [f"Agent{name.title()}"])
        reader = koinii.open(str(desk.path), now=Clock())
        for number in numbers:
            assert not take(reader, self.trees[number], self.seat.id).refused
        return reader

    def by_the_old_key(self, number: int) -> Files:
        """Return a commit, dated long before, whose set the old key has signed."""
        files = self.trees[number]
        key = self.old.agents[EVE]
        last = decode_record(decode_bundle(files[BUNDLE])[-1])
        assert isinstance(last, CommitRecord)
        new = self.seat.weighing().known[EVE, self.seat.id].key
        set_ = replace(
            open_authored(files[AUTHORED], new), key_hash=key.public.key_hash
        )
        entry = AuthoredRoot(set_.key_hash, set_.root, set_.size)
        return self.old.resealed(
            {**files, AUTHORED: signed_by(key, EVE, set_)},
            time=LONG_AGO,
            agents={EVE: entry},
            agents_root=agents_root([(EVE, *entry)]),
        )


@pytest.fixture
def story() -> Iterator[Story]:
    with room() as folder:
        desk = make_desk(folder, "seat", [EVE])
        with koinii.open(str(desk.path), now=Clock()) as seat:
            made = Story(folder, seat, Forger(seat, (EVE,)), {})
            for number in range(1, 12):
                seat.assert_(f"(said {number})")
                assert seat.commit()
                made.trees[number] = shown(seat)
                if number == 5:
                    seat.rotate_agent(EVE)
            yield made


def numbers(seat: RemoteSeat) -> set[int]:
    """Return of which commits the claims have come."""
    return {
        int(text[6:-1]) for _, _, _, text in says(seat) if text.startswith("(said ")
    }


def test_bc_075_ten_commits_around_a_rotation_are_all_valid(story: Story) -> None:
    with (
        story.newcomer("step", *range(1, 11)) as step,
        story.newcomer("leap", 10) as leap,
    ):
        assert numbers(step) == numbers(leap) == set(range(1, 11))
        assert says(step) == says(leap)
        assert not step.held()
        assert not step.status().contested


@pytest.mark.parametrize("number", [6, 11], ids=["child of 5", "child of 10"])
def test_bc_075_the_old_key_adds_nothing_whatever_the_date(
    story: Story, number: int
) -> None:
    forged = story.by_the_old_key(number)
    before = number - 1
    for name, seen in (("met", [before]), ("new", [])):
        with story.newcomer(name, *seen) as reader:
            (refused,) = take(reader, forged, story.seat.id).refused
            assert (refused.name, refused.path) == (EVE, AUTHORED)
            assert "another key" in refused.reason
            assert numbers(reader) == (set(range(1, before + 1)) if seen else set())
            assert [one.agent for one in reader.status().refused] == [EVE]


def test_bc_075_a_child_of_5_is_another_history_for_who_has_seen_10(
    story: Story,
) -> None:
    with story.newcomer("late", 10) as reader:
        before = reader.status()
        with pytest.raises(VerificationError) as caught:
            take(reader, story.by_the_old_key(6), story.seat.id)
        assert caught.value.details["path"] in {"checkpoint", BUNDLE}
        assert reader.status() == before


def test_the_old_key_is_refused_by_its_own_seat(story: Story) -> None:
    """Its file gone and put back: the seat says which key it wants."""
    path = Path(story.seat.layout.agent_key(EVE))
    path.unlink()
    koinii.note.write_private_key(path, story.old.agents[EVE])
    story.seat.assert_("(said 12)")
    with pytest.raises(koinii.KoiniiError) as caught:
        story.seat.commit()
    assert caught.value.code == "koinii/other-key"


def test_what_both_keys_signed_comes_again_to_who_had_it(story: Story) -> None:
    with story.newcomer("twice", 5, 10) as reader:
        assert not hand_over(story.seat, reader).counts.held
        assert numbers(reader) == set(range(1, 12))
