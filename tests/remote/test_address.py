"""Addresses of remotes: a path means the same from everywhere, and to every door."""

from __future__ import annotations

from pathlib import Path

import pytest

import koinii
from koinii.errors import UsageError
from koinii.remote.address import whole_address
from remote.desks import Clock
from remote.test_exchange_push import say


@pytest.mark.parametrize(
    "text",
    ["", "/srv/hub.git", "host:hub.git", "git@host:a/b", "ssh://h/x", "-x", "C:x"],
)
def test_what_is_no_relative_path_stays(text: str) -> None:
    assert whole_address(text) == text


@pytest.mark.parametrize("text", ["hub.git", "./hub.git", "a/../hub.git", "hub.git/"])
def test_a_relative_path_is_made_whole(text: str) -> None:
    assert whole_address(text) == str(Path.cwd() / "hub.git")
    assert whole_address("./a:b") == str(Path.cwd() / "a:b")


def test_the_library_takes_a_path_as_the_command_does(
    tmp_path: Path, bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with koinii.init("one", agent="AgentAnna", now=Clock()) as seat:
        seat.remotes.add("origin", bare.name)
        say(seat, "(a B)")
        monkeypatch.chdir("/")
        assert seat.push().moved
        with pytest.raises(UsageError):
            seat.remotes.add("bad", "-x")

    monkeypatch.chdir(tmp_path)
    with koinii.clone(bare.name, "two", agent="AgentBert", now=Clock()) as other:
        monkeypatch.chdir("/")
        assert other.remotes.addresses() == {"origin": str(bare)}
        assert other.pull().whole
