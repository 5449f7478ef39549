"""An export is taken into an empty seat, and nothing in it is believed unchecked."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import koinii
from koinii import RemoteSeat
from koinii.errors import KoiniiError, NotFoundError, RefusedError
from koinii.seat.rehearsing import rehearse
from koinii.terms import locate
from remote.desks import Clock, make_key, room, says
from remote.dumped import (
    Harm,
    files_of,
    meta_of,
    put_meta,
    renamed,
    with_bytes,
    with_lines,
    with_meta,
)

ATLAS = "AgentAtlas default 7"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of three records in two contexts."""
    folder = tmp_path_factory.mktemp("good")
    with koinii.init(folder / "seat", agent="AgentAtlas", now=Clock()) as seat:
        seat.new_agent("AgentBoreas")
        seat.assert_("(p A)", context="CxA")
        seat.assert_("(p B)", context="CxA", agent="AgentBoreas")
        seat.assert_("(p C)", context="CxB")
        seat.export(folder / "dump")
    return folder / "dump"


@pytest.fixture
def dump(good: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(good, tmp_path / "dump"))


@pytest.fixture
def seat(tmp_path: Path) -> RemoteSeat:
    return koinii.init(tmp_path / "seat", agent="AgentNobody", now=Clock())


# Who said it ----------------------------------------------------------------------


def test_agents_get_a_key_and_keep_what_they_said(seat: RemoteSeat, dump: Path) -> None:
    found = seat.import_(dump)
    assert (found.lines, found.applied, found.held, found.waiting) == (3, 3, 0, 0)
    assert found.agents == ["AgentAtlas", "AgentBoreas"]
    assert found.commit == found.expected == seat.status().commit
    assert "new keys of this seat for AgentAtlas, AgentBoreas" in seat.notices[0]
    assert says(seat) == {
        ("AgentAtlas", seat.id, "CxA", "(p A)"),
        ("AgentBoreas", seat.id, "CxA", "(p B)"),
        ("AgentAtlas", seat.id, "CxB", "(p C)"),
    }
    assert seat.commit() is not None  # each set is signed with a key of this seat
    assert {one.name for one in seat.agents()} >= {"AgentAtlas", "AgentBoreas"}
    seat.retract(seat.locate("(p B)", "CxA"), agent="AgentBoreas")


def test_a_key_that_is_here_is_used(
    seat: RemoteSeat, dump: Path, tmp_path: Path
) -> None:
    key = make_key(tmp_path / "key")
    seat.new_agent("AgentAtlas", key=key)
    assert seat.import_(dump).agents == ["AgentBoreas"]


def test_what_was_imported_is_pulled_by_others(
    seat: RemoteSeat, dump: Path, tmp_path: Path
) -> None:
    seat.import_(dump)
    hub = str(tmp_path / "hub.git")
    subprocess.run(["git", "init", "-q", "--bare", hub], check=True)
    seat.remotes.add("origin", hub)
    seat.commit()
    seat.push()
    with koinii.clone(
        str(tmp_path / "hub.git"), tmp_path / "other", agent="AgentEve"
    ) as other:
        assert other.status().commit == seat.status().commit
        other.export(tmp_path / "again")
    assert files_of(tmp_path / "again") == files_of(dump)


def test_a_seat_with_claims_is_left_alone(seat: RemoteSeat, dump: Path) -> None:
    said = seat.assert_("(p A)")
    with pytest.raises(RefusedError) as refusal:
        seat.import_(dump)
    assert refusal.value.code == "koinii/not-empty"
    assert "koinii init" in refusal.value.hint
    seat.commit()
    seat.retract(said)
    assert seat.import_(dump).whole
    assert seat.commit() is not None


def test_a_rehearsal_leaves_nothing(seat: RemoteSeat, dump: Path) -> None:
    keys = Path(seat.layout.keys)
    before = sorted(keys.iterdir())
    would = rehearse(seat, lambda: seat.import_(dump))
    assert sorted(keys.iterdir()) == before
    assert not says(seat)
    assert [one.name for one in seat.agents()] == ["AgentNobody"]
    assert seat.import_(dump) == would


# What rules refuse is held ----------------------------------------------------------


def test_nobody_writes_in_the_own_context_of_who_is_here(
    seat: RemoteSeat, dump: Path
) -> None:
    with_lines("CxNobody.kb", f"{ATLAS} (p D)\n", AgentAtlas=3, AgentBoreas=1)(dump)
    found = seat.import_(dump)
    assert (found.lines, found.applied, found.held) == (4, 3, 1)
    assert not found.whole
    assert [one.reason for one in seat.held()] == ["koinii/foreign-context"]
    assert seat.status().uncommitted == 4
    assert seat.commit() is not None
    author = seat.kb.names.author_id("AgentAtlas", seat.id)
    assert author is not None
    signed = seat.histories.input(author)
    assert signed is not None
    assert signed.size == 3  # what is held is said all the same


def test_in_proof_tier_who_is_not_granted_is_held(
    seat: RemoteSeat, dump: Path, tmp_path: Path
) -> None:
    config = Path(seat.layout.config)
    config.write_text(config.read_text().replace('"cooperative"', '"proof-tier"'))
    seat.forget_config()
    found = seat.import_(dump)
    assert (found.applied, found.held) == (0, 3)
    assert {one.reason for one in seat.held()} == {"koinii/not-granted"}
    assert any("3 lines are held" in one for one in seat.notices)
    seat.admin_init()
    for agent in ("AgentAtlas", "AgentBoreas"):
        seat.grant(agent, ["moderator"])
    assert seat.status().commit == found.expected
    seat.export(tmp_path / "again")
    assert files_of(tmp_path / "again") == files_of(dump)


def test_what_an_admin_says_takes_the_admins_key(seat: RemoteSeat, dump: Path) -> None:
    with_lines("CxRegistry.kb", "AdminRoot default 7 (p D)\n", AdminRoot=1)(dump)
    with pytest.raises(NotFoundError) as fault:
        seat.import_(dump)
    assert fault.value.code == "koinii/no-admin"
    assert not says(seat)
    seat.admin_init()
    assert seat.import_(dump).applied == 4


def test_a_commit_id_that_the_records_do_not_give_is_told(
    seat: RemoteSeat, dump: Path
) -> None:
    vocabulary = {**meta_of(dump)["vocabulary"], "CxCore": "0" * 64}
    with_meta(commit="sha256:" + "0" * 64, vocabulary=vocabulary, rules=2)(dump)
    found = seat.import_(dump)
    assert not found.whole
    assert found.skew == ["CxCore", "rules"]
    assert any("CxCore, rules differ" in one for one in seat.notices)


# Hostile directories ------------------------------------------------------------------


def _replace(name: str, make: Harm) -> Harm:
    def harm(directory: Path) -> None:
        (directory / name).unlink()
        make(directory / name)

    return harm


def _linked(path: Path) -> None:
    other = path.parent.parent / "elsewhere"
    other.write_text(f"{ATLAS} (p C)\n")
    path.symlink_to(other)


def _flipped(name: str) -> Harm:
    def harm(directory: Path) -> None:
        data = bytearray((directory / name).read_bytes())
        data[len(data) // 2] ^= 1
        (directory / name).write_bytes(data)

    return harm


def _reworded(name: str, old: str, new: str) -> Harm:
    def harm(directory: Path) -> None:
        text = (directory / name).read_text()
        assert old in text
        (directory / name).write_text(text.replace(old, new))

    return harm


def _huge(name: str) -> Harm:
    def harm(directory: Path) -> None:
        os.truncate(directory / name, 1 << 40)

    return harm


def _written(name: str, text: str) -> Harm:
    def harm(directory: Path) -> None:
        (directory / name).write_text(text)

    return harm


def _longer(name: str) -> Harm:
    def harm(directory: Path) -> None:
        with (directory / name).open("a") as file:
            file.write("\n")

    return harm


def _twice(directory: Path) -> None:
    text = (directory / "meta").read_text(encoding="utf-8")
    (directory / "meta").write_text(
        text.replace('"lines": 3', '"lines": 2,\n "lines": 3')
    )


HARMS: dict[str, Harm] = {
    "a link": _replace("CxB.kb", _linked),
    "a link to nothing": _replace("CxB.kb", lambda path: path.symlink_to("gone")),
    "a pipe": _replace("CxB.kb", os.mkfifo),
    "a directory": _replace("CxB.kb", lambda path: path.mkdir()),
    "a meta that is a link": _replace("meta", _linked),
    "a meta that is a pipe": _replace("meta", os.mkfifo),
    "a meta without end": _huge("meta"),
    "a meta that is no JSON": _written("meta", "[" * 100_000),
    "a meta with a name twice": _twice,
    "a meta in another spelling": _longer("meta"),
    "a meta of something else": with_meta(format="other"),
    "no version": with_meta(version=True),
    "a field too few": with_meta(rules=None),
    "a field too many": with_meta(more=1),
    "a count that is none": with_meta(size=-1),
    "a commit that is none": with_meta(commit="sha256:0"),
    "files that are none": with_meta(files=[]),
    "lines that do not add up": with_meta(lines=4),
    "an agent who says nothing": with_meta(
        agents={"AgentAtlas": 2, "AgentBoreas": 1, "AgentC": 1}
    ),
    "other counts": with_meta(agents={"AgentAtlas": 1, "AgentBoreas": 2}),
    "a flipped bit": _flipped("CxA.kb"),
    "another record": _reworded("CxB.kb", "(p C)", "(p D)"),
    "a file without end": _huge("CxA.kb"),
    "a file cut short": lambda one: os.truncate(one / "CxA.kb", 10),
    "a file that is gone": lambda one: (one / "CxA.kb").unlink(),
    "a file more": _written("CxC.kb", f"{ATLAS} (p C)\n"),
    "a hidden file more": lambda one: (one / ".git").mkdir(),
    "a path upward": renamed("CxB.kb", "../CxB.kb"),
    "a path with parts": renamed("CxB.kb", "a/CxB.kb"),
    "an absolute path": renamed("CxB.kb", "/CxB.kb"),
    "a name in another spelling": renamed("CxB.kb", "Cx%42.kb"),
    "a name that is none": renamed("CxB.kb", ".kb"),
    "a name with NUL": renamed("CxB.kb", "Cx\0.kb"),
    "a name that cannot be one": renamed("CxB.kb", "Cx\ud800.kb"),
    "no context": with_lines("deploy.kb", f"{ATLAS} (p D)\n", AgentAtlas=3),
}  # fmt: skip
LINES = {
    "out of order": [
        f"{ATLAS} {text}\n"
        for text in sorted(("(p A)", "(p C)"), key=lambda one: locate("CxB", one))[::-1]
    ],
    "twice": [f"{ATLAS} (p C)\n"] * 2,
    "no line end": [f"{ATLAS} (p C)"],
    "another line end": [f"{ATLAS} (p C)\r\n"],
    "no strength": ["AgentAtlas 7 (p C)\n"],
    "no agent": ["default 7 (p C)\n"],
    "an agent who is not named": ["AgentEve default 7 (p C)\n"],
    "no canonical spelling": [f"{ATLAS} (p  C)\n"],
    "no canonical form": [f"{ATLAS} (not (not (p C)))\n"],
    "a value that is none": [f"{ATLAS} (p +1)\n"],
    "a time that is none": ["AgentAtlas default -7 (p C)\n"],
    "a wrapped fact": [f"{ATLAS} (set/inertRule (p C))\n"],
    "extras that are none": [f"{ATLAS} (p C) (b a)\n"],
    "a line without end": [f"{ATLAS} (p {'C' * 80_000})\n"],
    "a shape that is none": ["AgentAtlas monotonic 7 (genlCx CxA)\n"],
    "an empty line": ["\n"],
    "no UTF-8": ["AgentAtlas default 7 (p \udcff)\n"],
}


def _lines(lines: list[str]) -> Harm:
    """Put records into a file, counted as if each were one."""
    data = "".join(lines).encode(errors="surrogateescape")

    def harm(directory: Path) -> None:
        with_lines("CxB.kb", *["x\n"] * len(lines), AgentAtlas=1 + len(lines))(
            directory
        )
        with_bytes("CxB.kb", data)(directory)

    return harm


HARMS |= {f"a record: {name}": _lines(lines) for name, lines in LINES.items()}


@pytest.mark.parametrize("name", HARMS)
def test_a_hostile_directory_changes_nothing(
    name: str, seat: RemoteSeat, dump: Path
) -> None:
    HARMS[name](dump)
    before = seat.status()
    with pytest.raises(KoiniiError) as fault:
        seat.import_(dump)
    assert fault.value.code == "koinii/bad-export", fault.value.message
    assert fault.value.exit_code == 6
    assert seat.status() == before
    assert [one.name for one in seat.agents()] == ["AgentNobody"]


def test_the_harms_are_what_is_refused(seat: RemoteSeat, dump: Path) -> None:
    """What the harms are made with gives a good export where nothing is harmed."""
    _lines([f"{ATLAS} (p C)\n"])(dump)
    assert seat.import_(dump).lines == 3


@pytest.mark.parametrize(
    ("harm", "code"),
    [
        (with_meta(version=2, more=[]), "koinii/newer-export"),
        (lambda one: (one / "meta").unlink(), "koinii/no-export"),
        (shutil.rmtree, "koinii/no-export"),
        (
            with_lines("CxC.kb", "Atlas default 7 (p D)\n", Atlas=1),
            "naming",
        ),
        (
            with_lines("CxC.kb", "AgentMajority default 7 (p D)\n", AgentMajority=1),
            "koinii/reserved-name",
        ),
    ],
)
def test_what_else_is_refused_is_named(
    harm: Harm, code: str, seat: RemoteSeat, dump: Path
) -> None:
    harm(dump)
    with pytest.raises(KoiniiError) as fault:
        seat.import_(dump)
    assert fault.value.code == code
    assert not says(seat)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_meta_of_any_kind_gets_one_verdict(good: Path, data: st.DataObject) -> None:
    values = st.recursive(
        st.none() | st.booleans() | st.integers(-1, 2**65) | st.text(max_size=5),
        lambda one: (
            st.lists(one, max_size=2)
            | st.dictionaries(st.text(max_size=5), one, max_size=2)
        ),
        max_leaves=4,
    )
    meta = meta_of(good)
    name = data.draw(st.sampled_from(sorted(meta)))
    changed = {**meta, name: data.draw(values)}
    with room() as folder:
        dump = Path(shutil.copytree(good, folder / "dump"))
        put_meta(dump, changed)
        with koinii.init(folder / "seat", agent="AgentNobody", now=Clock()) as seat:
            if changed == meta or name in ("size", "rules"):
                return  # counts that nothing here is compared with
            with pytest.raises(KoiniiError):
                seat.import_(dump)
            assert not says(seat)
