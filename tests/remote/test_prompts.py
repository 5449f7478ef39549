"""Git that wants credentials asks a person on a terminal, and nobody else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from faces.command import koinii
from remote.desks import room
from remote.journeys import HUB, at, make_hub
from remote.servers import http_backend
from remote.terminals import processes_with, started

LOGIN = "anna:S3CRET"


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with room() as folder:
        yield folder


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    (tmp_path / "served").mkdir()
    return make_hub(tmp_path / "served")


@pytest.fixture
def url(hub: Path) -> Iterator[str]:
    """A repository that lets in only who logs in."""
    with http_backend(hub.parent, login=LOGIN) as server:
        yield server.url(HUB)


@pytest.fixture
def seat(tmp_path: Path, url: str) -> str:
    """A seat with something to push there."""
    place = str(tmp_path / "anna")
    for words in (
        ("init", place, "--as", "AgentAnna"),
        ("-C", place, "assert", "(a B)"),
        ("-C", place, "remote", "add", "origin", url),
    ):
        assert koinii(*words).code == 0
    return place


@pytest.fixture
def window(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Programs that would open a window to ask; the file is there once one ran."""
    shown = tmp_path / "shown"
    program = tmp_path / "askpass"
    program.write_text(f"#!/bin/sh\ntouch {shown}\nsleep 60\n")
    program.chmod(0o755)
    (home / ".gitconfig").write_text(f"[core]\n\taskPass = {program}\n")
    for name in ("GIT_ASKPASS", "SSH_ASKPASS"):
        monkeypatch.setenv(name, str(program))
    monkeypatch.setenv("DISPLAY", ":99")
    return shown


def test_a_person_at_a_terminal_is_asked(seat: str, hub: Path) -> None:
    answers = {"Username": "anna", "Password": "S3CRET"}

    with started("-C", seat, "sync") as ended:
        done = ended(answers)

    assert done.code == 0, done.err
    assert "Username for 'http://127.0.0.1" in done.seen
    assert "S3CRET" not in done.seen + done.out + done.err
    assert at(hub, "for-each-ref", "refs/koinii/seats")


def test_a_person_who_does_not_know_the_password_is_told(seat: str, hub: Path) -> None:
    answers = {"Username": "anna", "Password": "wrong"}

    with started("-C", seat, "sync") as ended:
        done = ended(answers)

    assert done.code == 5
    assert "Authentication failed" in done.err
    assert at(hub, "for-each-ref") == ""


def test_bc_029_no_input_asks_nobody_on_a_terminal(
    seat: str, url: str, window: Path
) -> None:
    with started("-C", seat, "--no-input", "sync") as ended:
        done = ended()

    _is_told(done.code, done.err, url)
    assert done.seen == ""
    assert done.seconds < 30
    assert not window.exists()


def test_bc_029_without_a_terminal_nobody_is_asked(seat: str, url: str) -> None:
    done = koinii("-C", seat, "sync")

    _is_told(done.code, done.err, url)


def test_bc_029_no_input_opens_no_window(seat: str, url: str, window: Path) -> None:
    done = koinii("-C", seat, "sync", "--no-input")

    _is_told(done.code, done.err, url)
    assert not window.exists()


def _is_told(code: int, said: str, url: str) -> None:
    assert code == 5, said
    assert url in said
    assert "credentials are needed" in said
    assert processes_with("KOINII_HOME", os.environ["KOINII_HOME"]) == []
