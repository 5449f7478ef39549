"""Real git under an empty HOME, so that nobody's settings change a test."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from remote.stock_git import GIT

Plain = Callable[..., str]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty HOME; nothing of a git that runs the tests is left."""
    for name in os.environ:
        if name.startswith(("GIT_", "SSH_", "XDG_")):
            monkeypatch.delenv(name)
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return folder


@pytest.fixture
def plain(home: Path) -> Plain:
    """Stock git: `plain(directory, *arguments)` returns what it prints."""

    def run(directory: Path, *arguments: str, data: bytes | None = None) -> str:
        done = subprocess.run(
            [GIT, "-C", str(directory), *arguments],
            input=data,
            capture_output=True,
            check=False,
            env={**os.environ, "HOME": str(home)},
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().rstrip("\n")

    return run


@pytest.fixture
def bare(tmp_path: Path, plain: Plain) -> Path:
    """An empty bare repository that stock git made."""
    folder = tmp_path / "bare.git"
    folder.mkdir()
    plain(folder, "init", "-q", "--bare")
    return folder


@pytest.fixture
def without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A PATH on which there is no git; tests and servers go by `GIT`."""
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
