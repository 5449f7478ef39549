"""A name that another seat's agent has here is not taken from it in silence."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import NotFoundError, RefusedError
from remote.desks import Clock, hand_over, make_desk, make_key, room, says

ATLAS, WATCH = "AgentAtlas", "AgentWatch"


@pytest.fixture
def folder() -> Iterator[Path]:
    with room() as made:
        yield made


@pytest.fixture
def atlas(folder: Path) -> Iterator[RemoteSeat]:
    key = make_key(folder / "key")
    path = make_desk(folder, "atlas", [ATLAS], {ATLAS: key}).path
    with koinii.open(str(path), now=Clock()) as seat:
        seat.assert_("(p A)")
        seat.commit()
        yield seat


@pytest.fixture
def watch(folder: Path, atlas: RemoteSeat) -> Iterator[RemoteSeat]:
    path = make_desk(folder, "watch", [WATCH]).path
    with koinii.open(str(path), now=Clock()) as seat:
        hand_over(atlas, seat)
        yield seat


def state(seat: RemoteSeat) -> tuple[object, ...]:
    agents = [
        (one.name, one.seat, one.fingerprint, one.refusal) for one in seat.agents()
    ]
    return agents, seat.histories.pins(), seat.held(), says(seat)


def refuse(seat: RemoteSeat, key: str | None = None) -> RefusedError:
    before = state(seat)
    with pytest.raises(RefusedError) as caught:
        seat.new_agent(ATLAS, key=key)
    assert caught.value.code == "koinii/name-contested"
    assert "--key FILE" in caught.value.hint
    assert state(seat) == before
    assert not Path(seat.layout.agent_key(ATLAS)).exists()
    return caught.value


def test_a_new_key_does_not_take_a_name_over(folder: Path, watch: RemoteSeat) -> None:
    refuse(watch)
    refuse(watch, str(make_key(folder / "other")))


def test_no_name_is_taken_in_proof_tier_either(watch: RemoteSeat) -> None:
    config = Path(watch.layout.config)
    text = config.read_text()
    config.write_text(text.replace("cooperative", "proof-tier"))
    watch.forget_config()
    watch.align()
    assert not watch.weighing().counting.lineage(ATLAS)
    refuse(watch)


def test_who_brings_the_key_of_a_name_has_it(folder: Path, watch: RemoteSeat) -> None:
    watch.new_agent(ATLAS, key=folder / "key")
    watch.assert_("(p B)", agent=ATLAS)
    assert not watch.held()
    assert not watch.status().contested


def test_a_rotated_key_is_the_key_of_a_name_too(
    folder: Path, atlas: RemoteSeat, watch: RemoteSeat
) -> None:
    atlas.rotate_agent(ATLAS)
    atlas.commit()
    hand_over(atlas, watch)
    shutil.copy(atlas.layout.agent_key(ATLAS), folder / "newer")
    watch.new_agent(ATLAS, key=folder / "newer")
    assert not watch.held()
    assert not watch.status().contested


def test_who_has_no_key_here_is_told_to_bring_it(watch: RemoteSeat) -> None:
    for call in (
        lambda: watch.rotate_agent(ATLAS),
        lambda: watch.retire_agent(ATLAS, watch.peers()[0].seat),
        lambda: watch.assert_("(p B)", agent=ATLAS),
    ):
        with pytest.raises(NotFoundError) as caught:
            call()
        assert caught.value.code == "koinii/unknown-agent"
        assert f"koinii agent new {ATLAS} --key FILE" in caught.value.hint
    with pytest.raises(NotFoundError) as caught:
        watch.rotate_agent("AgentNobody")
    assert caught.value.hint == "koinii agent new AgentNobody"
