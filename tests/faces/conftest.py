"""Seats for the faces' tests, and an environment that knows no user."""

import shutil
from pathlib import Path

import pytest

import koinii
from faces.command import SENTENCE
from koinii.seat import instance

UNSET = ("KOINII_SEAT", "KOINII_AGENT", "KOINII_HOME", "KOINII_DEBUG", "NO_COLOR")


@pytest.fixture(autouse=True)
def nobody(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Take away what a user may have set."""
    for name in (*UNSET, "CLICOLOR_FORCE", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A seat that is copied for each test."""
    folder = tmp_path_factory.mktemp("made") / "seat"
    with koinii.init(str(folder), agent="AgentAtlas") as seat:
        seat.assert_(SENTENCE)
        seat.commit()
    return folder


@pytest.fixture
def seat(made: Path, tmp_path: Path) -> Path:
    """A seat that holds one claim and has committed it."""
    folder = tmp_path / "seat"
    shutil.copytree(made, folder)
    with koinii.open(str(folder)) as copy:
        instance.keep(copy)  # it is the only one on this test's machine
    return folder


@pytest.fixture
def here(seat: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The seat, as the current directory."""
    monkeypatch.chdir(seat)
    return seat
