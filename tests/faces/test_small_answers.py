"""What is not there is 3 with a hint, `-q` is quiet, and a hint can be followed."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

import koinii
from faces.command import koinii as command
from faces.command import within
from koinii.errors import SurroundingsError

COMMITS = [["commit"], []]
NOWHERE = "sha256:" + "12" * 32


def say(*words: str) -> str:
    """Run what has to succeed; return what it printed."""
    done = within(*words)
    assert done.code == 0, done.err
    return done.out.strip()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["import", "nope"], "koinii/no-export"),
        (["bundle", "verify", "nope"], "koinii/no-file"),
        (["bundle", "apply", "nope"], "koinii/no-file"),
        (["verify", "nope"], "koinii/no-file"),
        (["load", "nope"], "koinii/no-file"),
        (["log", "--belief", "12" * 4], "koinii/unknown-locator"),
        (["log", "--belief", NOWHERE], "koinii/unknown-locator"),
        (["show", NOWHERE], "koinii/unknown-locator"),
    ],
)
@pytest.mark.parametrize("first", COMMITS)
def test_what_is_not_there_is_not_found(
    words: list[str], code: str, first: list[str], here: Path
) -> None:
    say("assert", "(is here)")
    if first:
        say(*first)
    done = within(*words, "--json")
    assert (done.code, done.error["code"]) == (3, code)
    assert done.error["hint"]


def test_what_is_stored_and_was_never_committed_is_no_error(here: Path) -> None:
    locator = say("assert", "(is here)")
    for _ in range(2):
        assert within("log", "--belief", locator).code == 0
        say("assert", "(is more)")


def test_a_bundle_without_a_seat_is_refused_alike(here: Path) -> None:
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(here / "g"))
    subprocess.run(["git", "init", "-q", str(here / "g")], check=True)
    for words in (
        ("commit", "-q", "--allow-empty", "-m", "x"),
        ("bundle", "create", "-q", str(here / "x"), "HEAD"),
    ):
        subprocess.run([*git, *words], check=True)
    for verb in (["apply"], ["apply", "--dry-run"], ["verify"]):
        done = within("bundle", *verb, str(here / "x"), "--json")
        assert (done.code, done.error["code"]) == (6, "koinii/bundle-refused")
        assert "it holds no seat's ref" in done.error["message"]


def test_quiet_leaves_notices_out(here: Path) -> None:
    say("assert", "(is here)")
    say("commit")
    say("assert", "(is more)")
    told = within("bundle", "create", "x")
    assert "not committed" in told.err
    assert within("bundle", "create", "x", "-q").err == ""


def test_a_path_that_is_not_utf_8_is_told_to_have_another_name(here: Path) -> None:
    done = command("export", b"caf\xe9", "--json")
    assert done.error["code"] == "koinii/not-utf-8"
    assert "give a file a name in UTF-8" in done.error["hint"]


def test_lost_settings_are_told_with_what_writes_them_anew(here: Path) -> None:
    """The doctor looks at all else; what each hint names can be done."""
    say("assert", "(is here)")
    say("agent", "new", "AgentBoreas")
    (here / "seat.toml").unlink()
    with pytest.raises(SurroundingsError) as opened:
        koinii.open(here)
    hints = {opened.value.hint, within("status", "--json").error["hint"]}
    assert hints == {f"koinii -C {here} doctor says how it is written anew"}
    found = within("doctor", "--json")
    assert found.code == 7
    states = {one["name"]: one for one in found.data["checks"]}
    assert {"store", "keys", "trust", "derived"} <= states.keys()
    assert states["keys"]["state"] == states["derived"]["state"] == "ok"
    program, *words = shlex.split(states["settings"]["next"])
    assert (program, words) == ("koinii", ["init", str(here), "--as", "AgentAtlas"])
    assert within(*words).code == 0
    assert within("status").code == 0
