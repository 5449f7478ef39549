"""What is exported is a function of what is said, and comes back as it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import koinii
from koinii import RemoteSeat
from koinii.errors import (
    KoiniiError,
    NotFoundError,
    RefusedError,
    SurroundingsError,
)
from koinii.kb.writing import Said
from koinii.terms import read
from pages import blocks
from remote.desks import Clock, examples, make_key, room
from remote.dumped import files_of, meta_of
from remote.round_table import CHAIN, FOLLOWING, Table

seeds = st.integers(0, 2**32)


def taken(
    folder: Path, name: str, dump: Path, agent: str = "AgentNobody"
) -> RemoteSeat:
    """Return a new seat that has taken an export in, with nothing left over."""
    seat = koinii.init(folder / name, agent=agent, now=Clock())
    found = seat.import_(dump)
    assert found.whole, found
    assert (found.applied, found.held, found.skew) == (found.lines, 0, [])
    return seat


def same(one: RemoteSeat, other: RemoteSeat) -> None:
    assert other.status().commit == one.status().commit
    assert other.state_root() == one.state_root()
    assert other.status().waiting == one.status().waiting


# There and back -----------------------------------------------------------------


@settings(max_examples=examples(6), deadline=None)
@given(seeds)
def test_any_base_comes_back_as_it_was(seed: int) -> None:
    with room() as folder:
        table = Table(folder, seed)
        chair = table.sit("one", "AgentAnna", "AgentBert", keys={})
        table.say(chair, "AgentAnna", FOLLOWING, "CxUniverse")
        for _ in range(60):
            table.speak(chair)
        source = chair.seat
        told = source.export(folder / "dump")
        assert told.lines == meta_of(folder / "dump")["lines"]
        assert (told.commit, told.size, told.held) == (
            source.status().commit, source.status().size, 0,
        )  # fmt: skip
        with taken(folder, "copy", folder / "dump") as copy:
            same(source, copy)
            copy.export(folder / "again")
            assert copy.commit() is not None
            copy.export(folder / "committed")
        for name in ("again", "committed"):
            assert files_of(folder / name) == files_of(folder / "dump")
        table.close()


@settings(max_examples=examples(2), deadline=None)
@given(seeds)
def test_seats_that_hold_the_same_lines_export_the_same_bytes(seed: int) -> None:
    """Whoever said it first and wherever, one agent at both seats among them."""
    with room() as folder:
        table = Table(folder, seed)
        keys = {"AgentBoth": make_key(folder / "both")}
        one = table.sit("one", "AgentAnna", "AgentBoth", keys=keys)
        two = table.sit("two", "AgentBert", "AgentBoth", keys=keys)
        table.say(one, "AgentAnna", FOLLOWING, "CxUniverse")
        for chair in (one, two, one):
            table.sync(chair)
        for chair, text in ((one, "(p A)"), (two, "(p A)"), (two, "(q B)")):
            table.say(chair, "AgentBoth", text, "CxBoth")
        for _ in range(24):
            chair = table.source.choice(table.chairs)
            (table.speak if table.source.random() < 0.8 else table.sync)(chair)
        for _ in range(CHAIN + 2):
            for chair in table.chairs:
                table.sync(chair)
        for chair in table.chairs:
            assert not chair.seat.held()
            chair.seat.export(folder / f"dump {chair.agents[0]}")
        dump = folder / "dump AgentAnna"
        assert files_of(dump) == files_of(folder / "dump AgentBert")
        with taken(folder, "copy", dump) as copy:
            same(one.seat, copy)
            copy.export(folder / "again")
        assert files_of(folder / "again") == files_of(dump)
        table.close()


def test_what_one_agent_says_at_two_seats_is_one_record(tmp_path: Path) -> None:
    key = make_key(tmp_path / "key")
    rule = "(implies (p ?x) (q ?x))"
    seats = []
    for number, (said, strength) in enumerate(
        [(rule, "monotonic"), (f"(set/inertRule (set/defaultRule {rule}))", None)]
    ):
        seat = koinii.init(
            tmp_path / str(number), agent="AgentAnna", key=key, now=Clock(7 - number)
        )
        seat.remotes.add("origin", str(tmp_path / "hub.git"))
        seat.assert_(said, strength=strength)
        seats.append(seat)
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "hub.git"], check=True)
    for seat in (*seats, *seats):
        seat.sync()
    for number, seat in enumerate(seats):
        seat.export(tmp_path / f"dump{number}")
        record = (tmp_path / f"dump{number}" / "CxAnna.kb").read_text(encoding="utf-8")
        text = "(implies (p ?var0) (q ?var0))"
        assert record == f"AgentAnna monotonic 8 {text}\n"
        assert meta_of(tmp_path / f"dump{number}")["agents"] == {"AgentAnna": 1}
        with taken(tmp_path, f"copy{number}", tmp_path / f"dump{number}") as copy:
            same(seat, copy)
        seat.close()


def test_the_page_shows_what_is_written(tmp_path: Path) -> None:
    shown = blocks("export")
    now = 1_750_000_000_000
    with koinii.init(tmp_path / "a", agent="AgentAtlas", now=lambda: now) as seat:
        seat.new_agent("AgentBoreas")
        denied = "(not (usesDatabase TestCluster Postgres))"
        said = "(usesDatabase ProdCluster Postgres)"
        seat.assert_(
            said, context="CxDeploy", agent="AgentBoreas", strength="monotonic"
        )
        seat.edit(add=[denied, said], context="CxDeploy")
        seat.export(tmp_path / "dump")
    written = files_of(tmp_path / "dump")
    assert written.keys() == {"CxDeploy.kb", "meta"}
    assert written["CxDeploy.kb"].decode() == shown["records"]
    assert written["meta"].decode() == shown["meta"]


# What is not in it, and what is refused ------------------------------------------


@pytest.fixture
def atlas(tmp_path: Path) -> RemoteSeat:
    seat = koinii.init(tmp_path / "atlas", agent="AgentAtlas", now=Clock())
    seat.assert_("(p A)")
    seat.assert_("(p B)", context="CxDeploy")
    return seat


def test_held_and_local_lines_are_left_out_and_told(
    atlas: RemoteSeat, tmp_path: Path
) -> None:
    atlas.export(tmp_path / "before")
    with atlas.kb.write():
        kb = atlas.kb
        author = kb.names.make_author("AgentAtlas", atlas.id)
        place = kb.names.make_context("CxDisputes")
        row = (author, place, bytes(32), bytes(32), "default 7 (p C)", "koinii/retired")
        kb.assertions.hold([row])
        local = [("CxDisputes", "(p D)"), ("CxUniverse", "(genlCx CxDisputes CxA)")]
        said = [Said(where, read(text), text, 1, 7, None) for where, text in local]
        kb.put(author, said, replace=False, journal=True)
    told = atlas.export(tmp_path / "dump")
    assert told.held == 1
    assert files_of(tmp_path / "dump") == files_of(tmp_path / "before")


def test_a_directory_has_to_be_empty(atlas: RemoteSeat, tmp_path: Path) -> None:
    for name in ("dump", "."):
        (tmp_path / "dump").mkdir(exist_ok=True)
        (tmp_path / "dump" / "other").write_text("x")
        for verb in (atlas.export, atlas.rehearse_export):
            with pytest.raises(RefusedError) as refusal:
                verb(tmp_path / name)
            assert refusal.value.code == "koinii/not-empty"
    assert files_of(tmp_path / "dump") == {"other": b"x"}
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file", tmp_path / "file" / "dump"):
        with pytest.raises(SurroundingsError) as fault:
            atlas.export(path)
        assert fault.value.code == "koinii/cannot-write"


def test_what_fails_leaves_nothing_behind(atlas: RemoteSeat, tmp_path: Path) -> None:
    """A row that was altered is not given away, nor is what was written before it."""
    (tmp_path / "there").mkdir()
    statement = "UPDATE sentex SET body = CAST(body || 'x' AS BLOB) WHERE context = ?"
    number = atlas.kb.names.context_id("CxDeploy")
    atlas.database.connection.execute(statement, (number,))
    for name in ("there", "new"):
        with pytest.raises(KoiniiError) as fault:
            atlas.export(tmp_path / name)
        assert fault.value.code == "koinii/row-altered"
    assert list((tmp_path / "there").iterdir()) == []
    assert not (tmp_path / "new").exists()


def test_a_rehearsal_writes_nothing_and_tells_the_same(
    atlas: RemoteSeat, tmp_path: Path
) -> None:
    told = atlas.rehearse_export(tmp_path / "dump")
    assert not (tmp_path / "dump").exists()
    assert atlas.export(tmp_path / "dump") == told


def test_an_empty_seat_is_exported_and_imported(tmp_path: Path) -> None:
    with koinii.init(tmp_path / "a", agent="AgentAtlas") as seat:
        assert seat.export(tmp_path / "dump").lines == 0
    assert files_of(tmp_path / "dump").keys() == {"meta"}
    with taken(tmp_path, "b", tmp_path / "dump") as copy:
        assert copy.status().size == 0


def test_a_kill_leaves_no_meta(tmp_path: Path) -> None:
    """At whatever moment: without `meta` it is no export, with it it is whole."""
    with koinii.init(tmp_path / "a", agent="AgentAtlas") as seat:
        for place in ("CxA", "CxB", "CxC", "CxD"):
            seat.load((f"(f {number})" for number in range(4000)), context=place)
    words = [sys.executable, "-m", "koinii", "-C", str(tmp_path / "a"), "export"]
    source, cut = Random(7), 0
    for number in range(5):
        dump = tmp_path / f"dump{number}"
        with subprocess.Popen(
            [*words, str(dump)], stdout=subprocess.DEVNULL
        ) as process:
            while not dump.exists() and process.poll() is None:
                time.sleep(0.001)
            time.sleep(source.random() * 0.25)
            process.send_signal(signal.SIGKILL)
        copy = koinii.init(tmp_path / f"copy{number}", agent="AgentAtlas")
        if (dump / "meta").exists():
            assert copy.import_(dump).lines == 16_000
        else:
            cut += 1
            with pytest.raises(NotFoundError) as fault:
                copy.import_(dump)
            assert fault.value.code == "koinii/no-export"
        copy.close()
    assert cut


def test_bytes_depend_on_no_hash_seed_and_no_locale(
    atlas: RemoteSeat, tmp_path: Path
) -> None:
    atlas.assert_('(label A "Zürich")', context="CxDeploy")
    for number, locale in enumerate(("C", "C.UTF-8")):
        words = ["-m", "koinii", "-C", atlas.layout.directory, "export"]
        env = {**os.environ, "PYTHONHASHSEED": str(number), "LC_ALL": locale}
        subprocess.run(
            [sys.executable, *words, str(tmp_path / str(number))],
            env=env, check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
    assert files_of(tmp_path / "0") == files_of(tmp_path / "1")
