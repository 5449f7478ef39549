"""What careless use once got wrong: each kind refused, named or counted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import koinii
from koinii.errors import RefusedError, SurroundingsError, UsageError
from koinii.history import segments
from koinii.seat import publishing
from koinii.seat.layout import find
from koinii.store.database import open_store


@pytest.mark.parametrize("time", [-1, 10**16, 1.5, None])
def test_a_clock_that_no_claim_can_carry(tmp_path: Path, time: object) -> None:
    koinii.init(str(tmp_path), agent="AgentAtlas").close()
    with koinii.open(str(tmp_path), now=lambda: time) as seat:  # type: ignore[arg-type,return-value]
        for work in (lambda: seat.assert_("(p A)"), lambda: seat.load(["(p A)"])):
            with pytest.raises(SurroundingsError) as caught:
                work()
            assert caught.value.code == "koinii/clock"
    with koinii.open(str(tmp_path)) as seat:
        assert seat.status().size == 0
        seat.assert_("(p A)")
        assert seat.commit()


@pytest.mark.parametrize("name", ["seat", "AgentAtlas"])
def test_another_key_in_the_place_of_ours(tmp_path: Path, name: str) -> None:
    with koinii.init(str(tmp_path), agent="AgentAtlas") as seat:
        seat.new_agent("AgentBoreas")
        seat.assert_("(p A)")
        ours, theirs = (
            Path(seat.layout.keys, name),
            Path(seat.layout.keys, "AgentBoreas"),
        )
        kept = ours.read_bytes()
        shutil.copy(theirs, ours)
        with pytest.raises(SurroundingsError) as caught:
            seat.commit()
        assert caught.value.code == "koinii/other-key"

        ours.write_bytes(kept)
        assert seat.commit()


def test_a_channel_is_joined_only_where_one_is_declared(tmp_path: Path) -> None:
    with koinii.init(str(tmp_path), agent="AgentAtlas") as seat:
        with pytest.raises(RefusedError) as caught:
            seat.join("CxNowhere")
        assert caught.value.code == "koinii/no-channel"
        assert seat.status().size == 0
        seat.new_channel("CxNowhere")
        assert len(seat.join("CxNowhere")) == 2


def test_what_another_context_sees_is_its_owners_to_say(tmp_path: Path) -> None:
    with koinii.init(str(tmp_path), agent="AgentAtlas") as seat:
        seat.new_agent("AgentBoreas")
        for sub in ("CxBoreas", "CxAgentAgentBoreas", "CxUniverse", "CxCore"):
            with pytest.raises(RefusedError) as caught:
                seat.assert_(f"(genlCx {sub} CxAtlas)")
            assert caught.value.code == "koinii/foreign-context"
        seat.assert_("(genlCx CxAtlas CxBoreas)")
        seat.assert_("(genlCx CxPlain CxBoreas)")


def test_an_edge_waits_for_nobody_and_is_held_once_its_sub_has_an_owner(
    tmp_path: Path,
) -> None:
    with koinii.init(str(tmp_path), agent="AgentAtlas") as seat:
        seat.assert_("(genlCx CxBoreas CxAtlas)")
        seat.assert_("(p A)")
        assert list(seat.ask("(p ?x)", context="CxBoreas"))

        seat.new_agent("AgentBoreas")

        assert not list(seat.ask("(p ?x)", context="CxBoreas"))
        (held,) = seat.held()
        assert (held.agent, held.reason) == ("AgentAtlas", "koinii/foreign-context")


def test_settings_that_are_gone_are_named_and_no_outer_seat_is_taken(
    tmp_path: Path,
) -> None:
    koinii.init(str(tmp_path), agent="AgentAtlas").close()
    inner = tmp_path / "inner"
    koinii.init(str(inner), agent="AgentBoreas").close()
    (inner / "seat.toml").unlink()

    with pytest.raises(SurroundingsError) as caught:
        find(str(inner), asked=str(inner))
    assert caught.value.code == "koinii/no-settings"
    koinii.init(str(inner), agent="AgentBoreas").close()
    assert find(str(inner), asked=None).directory == str(inner)


def test_a_store_that_cannot_be_reached_is_not_said_to_be_missing(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SurroundingsError) as caught:
        open_store(str(tmp_path / "file" / "store.db"))
    assert caught.value.code == "koinii/cannot-read"


def test_what_the_next_commit_carries_is_counted_in_lines(tmp_path: Path) -> None:
    with koinii.init(str(tmp_path), agent="AgentAtlas") as seat:
        seat.load([f"(p A{at})" for at in range(8)])
        assert seat.status().uncommitted == 8
        seat.commit()
        assert seat.status().uncommitted == 0
        seat.retract(seat.assert_("(q A)"))
        assert seat.status().uncommitted == 0
        seat.retract(seat.locate("(p A1)", "CxAtlas"))
        seat.assert_("(p A2)", strength="monotonic")
        seat.assert_("(q B)")
        assert seat.status().uncommitted == 3


def test_one_text_is_not_several(tmp_path: Path) -> None:
    with koinii.init(str(tmp_path), agent="AgentAtlas") as seat:
        with pytest.raises(UsageError):
            seat.load("(p A)")
        with pytest.raises(UsageError):
            seat.edit(add="(p A)")
        assert seat.status().size == 0


def test_a_segment_has_a_bound_that_every_reader_bears(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert segments.MAX_SEGMENT < 256 << 20
    monkeypatch.setattr(publishing, "MAX_SEGMENT", 2_000)
    with koinii.init(str(tmp_path), agent="AgentAtlas") as seat:
        for turn in range(20):
            seat.load([f"(p A{turn}x{at})" for at in range(10)])
            assert seat.commit()
        sizes = [size for _, _, size in seat.files.listing("agents/AgentAtlas/claims/")]
        assert max(sizes) <= 2_000
        located = [seat.assert_(f"(q A{at})") for at in range(90)]

        with pytest.raises(RefusedError) as caught:
            seat.commit()
        assert caught.value.code == "koinii/segment-too-large"

        for locator in located[40:]:
            seat.retract(locator)
        assert seat.commit()
