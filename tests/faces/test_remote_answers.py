"""What the command line says of a remote that refuses, or of what came half."""

import subprocess
from pathlib import Path

import pytest

from faces.command import SENTENCE, within


@pytest.fixture
def hub(here: Path, tmp_path: Path) -> Path:
    """An empty remote of a seat with one commit."""
    bare = tmp_path / "hub.git"
    git("init", "-q", "--bare", str(bare))
    assert within("remote", "add", "origin", str(bare)).code == 0
    assert within("assert", SENTENCE).code == 0
    assert within("commit").code == 0
    return bare


def git(*words: str) -> None:
    subprocess.run(["git", *words], check=True, capture_output=True)


def closed(bare: Path, *lines: str) -> None:
    """Let the remote refuse every push with these words."""
    hook = bare / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    said = "".join(f"printf '%b\\n' '{line}' >&2\n" for line in lines)
    hook.write_text(f"#!/bin/sh\n{said}exit 1\n")
    hook.chmod(0o755)


def test_the_words_of_the_server_stand_below_the_error(hub: Path) -> None:
    closed(hub, "closed on Sundays", r"\033[31mask Zoe")

    done = within("push")

    assert done.code == 1
    lines = done.err.splitlines()
    assert lines[0].startswith("koinii: ")
    assert "  | remote: closed on Sundays" in lines
    assert r"  | remote: \x1b[31mask Zoe" in lines
    assert lines[-1].startswith("hint: ")
    answer = within("push", "--json")
    assert "closed on Sundays" in answer.error["details"]["words"]


def test_a_sync_that_could_not_push_says_what_it_has_done(
    hub: Path, tmp_path: Path
) -> None:
    other = str(tmp_path / "other")
    assert within("clone", str(hub), other, "--as", "AgentBoreas").code == 0
    assert within("push").code == 0
    within("-C", other, "assert", "(likes Ann Tea)")
    assert within("-C", other, "commit").code == 0
    closed(hub, "closed on Sundays")

    first = within("-C", other, "sync")

    assert first.code == 7
    assert "the pull is done (1 received, 1 new, 0 held" in first.err
    assert "commit 2 was made; the push failed: " in first.err
    assert "  | remote: closed on Sundays" in first.err.splitlines()
    assert within("-C", other, "sync").code == 1
    within("-C", other, "assert", "(likes Cem Tea)")
    again = within("-C", other, "sync", "--json")
    assert (again.code, again.error["code"]) == (7, "koinii/push-refused")
    details = again.error["details"]
    assert (details["pulled"]["received"], details["commit"]["number"]) == (0, 3)
    assert "closed on Sundays" in details["words"]
