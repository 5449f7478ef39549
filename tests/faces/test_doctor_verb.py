"""`koinii doctor`: a line for each check, and exit codes that tell."""

import shutil
from pathlib import Path

import pytest

from faces.command import within


@pytest.mark.parametrize("full", [False, True])
def test_a_line_for_each_check(*, full: bool, here: Path) -> None:
    done = within("doctor", full=full)
    assert (done.code, done.err) == (0, "")
    checks = within("doctor", "--json", full=full).data["checks"]
    lines = done.out.splitlines()
    assert len(lines) == len(checks)
    for line, check in zip(lines, checks, strict=True):
        assert line.startswith(f"{check['state']:9}  {check['name']}: ")
        assert line.endswith(f"next: {check['next']}" if check["next"] else "")


def test_what_wants_attention_is_seven(here: Path) -> None:
    key = here / ".koinii/keys/AgentAtlas"
    key.chmod(0o644)
    done = within("doctor")
    assert done.code == 7
    assert f"next: chmod 600 {key}" in done.out
    answer = within("doctor", "--json")
    assert answer.code == 7
    assert answer.json["ok"] is True


def test_what_was_done_comes_first(here: Path) -> None:
    assert within("pull").code == 3  # no remote, and no repository
    (here / ".koinii/git").mkdir()
    done = within("doctor", "--fix")
    assert done.code == 0
    assert done.out.startswith("done       ")
    assert within("doctor", "--fix", "--json").data["done"] == ["nothing to mend"]


def test_a_store_that_does_not_open_is_told(here: Path) -> None:
    (here / ".koinii/store.db").write_bytes(b"x" * 9000)
    done = within("doctor")
    assert done.code == 7
    assert "attention  store: " in done.out


def test_nothing_is_a_seat(here: Path) -> None:
    shutil.rmtree(here / ".koinii")
    assert within("doctor").code == 5
    assert within("doctor", "--dry-run").code == 2
