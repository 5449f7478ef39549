"""A seat exists whole or not at all, and nothing that was there is lost."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest

import koinii
from koinii.errors import KoiniiError, RefusedError, SurroundingsError, UsageError
from koinii.note import PrivateKey, read_private_key
from koinii.seat import disk, founding
from koinii.seat.config import template
from koinii.seat.layout import Layout, find
from koinii.seat.parts import open_parts
from koinii.store.database import open_store
from seat.made import ATLAS, BOREAS, Clock, add_agent, make_seat, open_seat

INIT = """
import os, sys
from koinii.seat import disk, founding
print("ready", flush=True)
sys.stdin.read(1)
founding.found(sys.argv[1], "AgentAtlas", None, lambda: 1)
print("done", flush=True)
"""
RACE = """
import sys
from koinii.errors import KoiniiError
from koinii.seat import disk, founding
print("ready", flush=True)
sys.stdin.readline()
try:
    founding.found(sys.argv[1], sys.argv[2], None, lambda: 1)
except KoiniiError as error:
    print(error.code)
else:
    print("made")
"""


def names(path: Path) -> list[str]:
    return sorted(one.name for one in path.iterdir())


def found(path: Path, agent: str | None = ATLAS, key: PrivateKey | None = None) -> None:
    founding.found(str(path), agent, key, Clock())


def check_works(path: Path, agent: str = ATLAS) -> None:
    with open_seat(path) as seat:
        assert seat.config.agent == agent
        assert [row.name for row in seat.histories.agents()] == [agent]
        located = seat.assert_("(p A)")
        assert seat.commit() is not None
        seat.retract(located)


def test_a_seat_is_two_names_beside_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("ours")
    (tmp_path / "src").mkdir()
    found(tmp_path)
    assert names(tmp_path) == [".koinii", "notes.txt", "seat.toml", "src"]
    assert (tmp_path / "notes.txt").read_text() == "ours"
    assert (tmp_path / ".koinii" / ".gitignore").read_text() == "*\n"
    check_works(tmp_path)


def test_its_directory_is_made_with_those_above_it(tmp_path: Path) -> None:
    found(tmp_path / "a" / "b")
    check_works(tmp_path / "a" / "b")


def test_keys_are_their_owners_alone(tmp_path: Path) -> None:
    with make_seat(tmp_path / "seat", ATLAS, BOREAS) as seat:
        state = Path(seat.layout.state)
        for directory in (state, state / "keys"):
            assert stat.S_IMODE(directory.stat().st_mode) == 0o700
        keys = {key.name: key for key in (state / "keys").iterdir()}
        assert set(keys) == {"seat", ATLAS, BOREAS}
        for key in keys.values():
            assert stat.S_IMODE(key.stat().st_mode) == 0o600
        raw = {read_private_key(key).public.raw for key in keys.values()}
        assert len(raw) == 3


def test_twice_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    found(tmp_path)
    before = {one: one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()}
    with pytest.raises(UsageError) as caught:
        found(tmp_path, BOREAS)
    assert caught.value.code == "koinii/already-a-seat"
    assert {
        one: one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()
    } == before


def test_a_key_that_is_brought_is_the_agents(tmp_path: Path) -> None:
    key = PrivateKey.generate()
    for name in ("one", "two"):
        found(tmp_path / name, key=key)
        with open_seat(tmp_path / name) as seat:
            (row,) = seat.histories.agents()
            assert row.public_key == key.public.raw
            assert seat.histories.pins() == {
                ATLAS: (key.public.key_hash.hex(), True, False)
            }
            kept = read_private_key(Path(seat.layout.agent_key(ATLAS)))
            assert kept.public == key.public
            assert seat.id != key.public.key_hash.hex()[:32]


@pytest.mark.parametrize("agent", ["Atlas", "AgentMajority", "AgentCore", "operator"])
def test_a_name_no_agent_may_have_leaves_nothing(tmp_path: Path, agent: str) -> None:
    with pytest.raises(RefusedError):
        found(tmp_path / "seat", agent)
    assert names(tmp_path) == []


def test_an_agent_must_be_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        found(tmp_path, None)
    assert caught.value.code == "koinii/no-agent"
    assert names(tmp_path) == []


def test_a_second_agent_has_its_own_key_and_context(tmp_path: Path) -> None:
    with make_seat(tmp_path / "seat", ATLAS) as seat:
        seat.assert_("(p A)", context="CxBoreas")
        add_agent(seat, BOREAS)
        assert [one.name for one in seat.agents()] == [ATLAS, BOREAS]
        (held,) = seat.held()
        assert (held.agent, held.context) == (ATLAS, "CxBoreas")
        seat.assert_("(p B)", agent=BOREAS)
        with pytest.raises(RefusedError):
            seat.assert_("(p B)", agent=BOREAS, context="CxAtlas")
        with pytest.raises(UsageError):
            add_agent(seat, BOREAS)
        for agent in ("AgentMajority", "Boreas"):
            with pytest.raises(RefusedError):
                add_agent(seat, agent)


def test_a_name_that_stands_for_another_key_is_refused(tmp_path: Path) -> None:
    with make_seat(tmp_path / "seat") as seat:
        theirs = PrivateKey.generate()
        with seat.kb.write():
            seat.histories.pin(BOREAS, theirs.public.key_hash.hex(), decided=False)
        with pytest.raises(RefusedError) as caught:
            add_agent(seat, BOREAS)
        assert caught.value.code == "koinii/name-contested"
        assert not Path(seat.layout.agent_key(BOREAS)).exists()
        add_agent(seat, BOREAS, theirs)


# A seat.toml that is there ---------------------------------------------------


def test_a_seat_toml_of_a_clone_is_kept(tmp_path: Path) -> None:
    text = 'format = 1\nagent = "AgentBoreas"\n[remotes]\norigin = "/r"  # ours\n'
    (tmp_path / "seat.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        found(tmp_path, ATLAS)
    assert caught.value.code == "koinii/other-agent"
    assert names(tmp_path) == ["seat.toml"]
    found(tmp_path, None)
    assert (tmp_path / "seat.toml").read_text() == text
    check_works(tmp_path, BOREAS)


def test_a_bad_seat_toml_is_named_before_anything_is_made(tmp_path: Path) -> None:
    (tmp_path / "seat.toml").write_text("agent = \n")
    with pytest.raises(SurroundingsError) as caught:
        found(tmp_path)
    assert caught.value.code == "koinii/bad-config"
    assert names(tmp_path) == ["seat.toml"]


# Where no seat can be -----------------------------------------------------------


def test_where_nothing_can_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("ours")
    for place in (tmp_path / "file", tmp_path / "file" / "deeper"):
        with pytest.raises(SurroundingsError) as caught:
            found(place)
        assert caught.value.code == "koinii/cannot-write"
    (tmp_path / "seat").mkdir()
    (tmp_path / "seat" / ".koinii").write_text("a file of that name")
    with pytest.raises(SurroundingsError):
        found(tmp_path / "seat")
    assert names(tmp_path / "seat") == [".koinii"]
    assert (tmp_path / "file").read_text() == "ours"


def test_another_state_directory_is_not_taken_over(tmp_path: Path) -> None:
    (tmp_path / ".koinii").mkdir()
    (tmp_path / ".koinii" / "config.toml").write_text("ours")
    with pytest.raises(SurroundingsError):
        found(tmp_path)
    assert names(tmp_path) == [".koinii"]
    assert names(tmp_path / ".koinii") == ["config.toml"]


def test_an_empty_state_directory_is_filled(tmp_path: Path) -> None:
    (tmp_path / ".koinii").mkdir()
    found(tmp_path)
    check_works(tmp_path)


# Cut short ----------------------------------------------------------------------


def test_a_seat_without_its_seat_toml_is_finished_for_its_own_agent(
    tmp_path: Path,
) -> None:
    with make_seat(tmp_path / "seat") as seat:
        located, identity = seat.assert_("(p Kept)"), seat.id
    path = tmp_path / "seat"
    (path / "seat.toml").unlink()
    for agent, key in ((BOREAS, None), (ATLAS, PrivateKey.generate())):
        with pytest.raises(UsageError, match=ATLAS) as caught:
            found(path, agent, key)
        assert caught.value.code == "koinii/other-agent"
    found(path)
    with open_seat(path) as seat:
        assert seat.id == identity
        assert seat.show(located)


def test_a_lost_seat_toml_comes_back_with_the_mode_of_the_store(
    tmp_path: Path,
) -> None:
    path = tmp_path / "seat"
    with make_seat(path) as seat:
        seat.admin_init()
        seat.assert_("(p Held)")
        config = Path(seat.layout.config)
        config.write_text(config.read_text().replace("cooperative", "proof-tier"))
        seat.forget_config()
        seat.align()
        assert len(seat.held()) == 1
    config.unlink()
    with pytest.raises(UsageError) as caught:
        koinii.init(str(path), agent=BOREAS)
    assert ATLAS in caught.value.hint  # the admin is no agent to begin a seat for
    with koinii.init(str(path), agent=ATLAS) as again:
        (notice,) = again.notices
        assert "proof-tier" in notice
        assert again.config.mode == "proof-tier"
        again.align()
        assert len(again.held()) == 1
    with koinii.init(str(tmp_path / "new"), agent=ATLAS) as new:
        assert not new.notices
        assert new.config.mode == "cooperative"


def test_of_those_that_make_one_seat_at_once_one_does(tmp_path: Path) -> None:
    path = tmp_path / "seat"
    with ExitStack() as stack:
        making = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", RACE, str(path), f"AgentMaker{number}"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for number in range(4)
        ]
        for one in making:
            assert one.stdout is not None
            assert one.stdout.readline() == "ready\n"
        for one in making:
            assert one.stdin is not None
            one.stdin.write("\n")
            one.stdin.flush()
        told = [one.communicate(timeout=60)[0].strip() for one in making]
    assert sorted(told) == ["koinii/already-a-seat"] * 3 + ["made"]
    assert names(path) == [".koinii", "seat.toml"]
    check_works(path, f"AgentMaker{told.index('made')}")


def test_killed_at_any_moment_another_try_succeeds(tmp_path: Path) -> None:
    rng = Random(10)
    outcomes = set()
    whole = 0.1  # seconds that one init takes; learnt from one that nobody kills
    for number in range(16):
        path = tmp_path / str(number)
        with subprocess.Popen(
            [sys.executable, "-c", INIT, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            assert process.stdin is not None
            assert process.stdout.readline() == b"ready\n"
            process.stdin.write(b"\n")
            process.stdin.flush()
            started = time.monotonic()
            if number == 0:
                process.wait()
                whole = time.monotonic() - started
            else:
                time.sleep(rng.random() * whole)
            process.kill()
            done = process.stdout.read() == b"done\n"
        seen = names(path) if path.is_dir() else []
        outcomes.add("seat.toml" in seen)
        assert not done or "seat.toml" in seen
        if Layout(str(path)).is_seat():
            check_works(path)
            continue
        with pytest.raises(SurroundingsError):
            open_parts(str(path))
        found(path)
        assert names(path) == [".koinii", "seat.toml"]
        check_works(path)
    assert outcomes == {True, False}


def test_what_a_running_attempt_has_is_left_alone(tmp_path: Path) -> None:
    theirs = tmp_path / f".koinii.{os.getppid()}.part"
    mine = tmp_path / f".koinii.{os.getpid()}.part"
    odd = tmp_path / ".koinii.old.part"
    for directory in (theirs, mine, odd):
        directory.mkdir()
    found(tmp_path)
    assert names(tmp_path) == sorted([".koinii", theirs.name, odd.name, "seat.toml"])


def test_an_introduction_that_fails_leaves_the_agent_unknown(tmp_path: Path) -> None:
    with make_seat(tmp_path / "seat") as seat:
        with pytest.raises(ZeroDivisionError), seat.kb.write():
            add_agent(seat, BOREAS)
            raise ZeroDivisionError
        assert seat.world().owners.get("CxBoreas") is None
        with pytest.raises(KoiniiError):
            seat.speaker(BOREAS)
        add_agent(seat, BOREAS)
        key = read_private_key(Path(seat.layout.agent_key(BOREAS))).public
        row = seat.histories.agent(BOREAS, seat.id)
        assert row is not None
        assert row.public_key == key.raw
        seat.assert_("(p B)", agent=BOREAS)
        assert seat.commit() is not None


def test_what_was_just_made_can_be_taken_away(tmp_path: Path) -> None:
    layout = founding.found(str(tmp_path / "seat"), ATLAS, None, Clock())
    founding.undo(layout, None)
    assert names(tmp_path) == []
    (tmp_path / "kept").write_text("ours")
    founding.undo(founding.found(str(tmp_path), ATLAS, None, Clock()), None)
    assert names(tmp_path) == ["kept"]


def test_settings_that_lay_ready_are_put_back_by_a_clone_that_fails(
    tmp_path: Path,
) -> None:
    ready = tmp_path / "seat.toml"
    ready.write_text(template(ATLAS) + "# ours\n")
    before = ready.read_text()

    with pytest.raises(SurroundingsError):
        koinii.clone(str(tmp_path / "nowhere.git"), str(tmp_path))

    assert ready.read_text() == before
    assert names(tmp_path) == ["seat.toml"]


def test_bc_073_no_room_for_a_seat_leaves_none(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for size in (0, 1000, 20_000, 100_000):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            with pytest.raises(SurroundingsError):
                found(tmp_path / "seat")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert names(tmp_path / "seat") == []
    found(tmp_path / "seat")
    check_works(tmp_path / "seat")
    open_store(Layout(str(tmp_path / "seat")).store).close()


def test_bc_052_no_seat_on_a_network_disk_unless_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "mounts"
    table.write_text(f"server:/ {tmp_path / 'far'} nfs4 rw 0 0\n")
    monkeypatch.setattr(disk, "MOUNTS", table)
    far = tmp_path / "far" / "seat"

    with pytest.raises(SurroundingsError) as caught:
        founding.found(str(far), ATLAS, None, Clock())
    assert caught.value.code == "koinii/network-disk"
    assert not far.exists()

    far.mkdir(parents=True)
    (far / "seat.toml").write_text("network_disk = true\n" + template(ATLAS))
    assert founding.found(str(far), ATLAS, None, Clock()).is_seat()


def test_a_seat_that_lies_ready_is_not_passed_over(tmp_path: Path) -> None:
    make_seat(tmp_path).close()
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "seat.toml").write_text(template(BOREAS))

    with pytest.raises(SurroundingsError) as caught:
        find(str(inner), asked=None)
    assert caught.value.code == "koinii/unfinished-seat"
    founding.found(str(inner), None, None, Clock())
    assert find(str(inner), asked=None).directory == str(inner)
