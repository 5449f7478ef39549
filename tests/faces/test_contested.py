"""What the command says of a name with two keys, and the command that decides."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import koinii as api
from faces.command import Done, koinii


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A seat that has not yet pulled two agents of one name."""
    hub = tmp_path / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", str(hub)], check=True)
    for name in ("One", "Two"):
        with api.init(str(tmp_path / name), agent="AgentAtlas") as seat:
            seat.remotes.add("origin", str(hub))
            seat.assert_(f"(p {name})")
            seat.commit()
            seat.push()
    with api.init(str(tmp_path / "desk"), agent="AgentWatch") as seat:
        seat.remotes.add("origin", str(hub))
    return tmp_path / "desk"


def told(done: Done) -> list[str]:
    (line,) = [one for one in done.err.splitlines() if "koinii agent trust" in one]
    found = re.search(r"koinii (agent trust AgentAtlas SHA256:\S+) ", line)
    assert found
    return found[1].split()


def answers(desk: Path) -> list[str]:
    return koinii("ask", "(p ?x)", cwd=desk).out.split()


def test_what_is_told_is_what_decides(desk: Path) -> None:
    pulled = koinii("pull", cwd=desk)
    status = koinii("status", cwd=desk)
    assert (pulled.code, status.code) == (7, 7)
    assert told(pulled) == told(status)
    before = answers(desk)
    assert len(before) == 1

    rehearsed = koinii(*told(status), "--dry-run", cwd=desk)
    assert "dry run" in rehearsed.err
    assert answers(desk) == before

    decided = koinii(*told(status), "--json", cwd=desk)
    assert decided.code == 0
    assert (decided.data["held"], decided.data["back"]) == (1, 1)
    after = answers(desk)
    assert len(after) == 1
    assert after != before


def test_what_is_decided_is_listed_and_asked_no_more(desk: Path) -> None:
    (row,) = koinii("pull", "--json", cwd=desk).data["contested"]
    assert (row["decided"], row["hint"] == "") == (False, False)
    before = answers(desk)
    for key in ("pinned", "other"):
        koinii("agent", "trust", "AgentAtlas", row[key], cwd=desk)
        for verb in ("pull", "status"):
            again = koinii(verb, "--json", cwd=desk)
            assert again.code == 0
            assert "agent trust" not in again.err
            (now,) = again.data["contested"]
            assert (now["pinned"], now["decided"], now["hint"]) == (row[key], True, "")
    assert answers(desk) != before
    doctor = koinii("doctor", "--json", cwd=desk).data["checks"]
    (names,) = [one for one in doctor if one["name"] == "names"]
    assert names["state"] == "ok"


def test_the_seat_that_has_one_of_the_keys_keeps_it(desk: Path) -> None:
    one = desk.parent / "One"
    pulled = koinii("pull", cwd=one)
    assert pulled.code == 7
    (row,) = koinii("status", "--json", cwd=one).data["contested"]
    assert row["hint"].startswith(f"koinii agent trust AgentAtlas {row['pinned']} ")
    assert koinii("agent", "trust", "AgentAtlas", row["other"], cwd=one).code == 4
    assert koinii(*told(pulled), cwd=one).code == 0
    assert (koinii("pull", cwd=one).code, koinii("status", cwd=one).code) == (0, 0)
    koinii("agent", "rotate", cwd=one)
    (now,) = koinii("status", "--json", cwd=one).data["contested"]
    assert now["decided"]


def test_status_names_both_keys(desk: Path) -> None:
    koinii("pull", cwd=desk)
    (row,) = koinii("status", "--json", cwd=desk).data["contested"]
    keys = {one["fingerprint"] for one in koinii("agent", "--json", cwd=desk).data}
    assert row["agent"] == "AgentAtlas"
    assert {row["pinned"], row["other"]} < keys
    assert row["pinned"] != row["other"]


def test_a_clone_says_it_too(desk: Path) -> None:
    hub = str(desk.parent / "hub.git")
    cloned = koinii("clone", hub, str(desk.parent / "new"), "--as", "AgentNew")
    assert cloned.code == 7
    assert told(cloned)


def test_refusals_have_their_codes(desk: Path) -> None:
    koinii("pull", cwd=desk)
    wrong = koinii("agent", "trust", "AgentAtlas", "SHA256:x", "--json", cwd=desk)
    assert (wrong.code, wrong.error["code"]) == (3, "koinii/unknown-fingerprint")
