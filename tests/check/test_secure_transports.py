"""Seats meet over ssh and https, each with a real server on loopback."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from remote.desks import room
from remote.journeys import HUB, JOURNEYS, make_hub
from remote.servers import Server, https_backend, sshd

pytestmark = pytest.mark.check

Journey = Callable[[str, Path, Path], None]


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith(("GIT_", "SSH_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    (tmp_path / "served").mkdir()
    return make_hub(tmp_path / "served")


@pytest.fixture(params=[https_backend, sshd], ids=lambda one: one.__name__)
def server(
    request: pytest.FixtureRequest,
    hub: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Server]:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with request.param(hub.parent, scratch) as found:
        for name, value in found.environ.items():
            monkeypatch.setenv(name, value)
        yield found


@pytest.mark.parametrize("journey", JOURNEYS, ids=lambda one: one.__name__)
def test_seats_meet_over(
    journey: Journey, server: Server, hub: Path, tmp_path: Path
) -> None:
    journey(server.url(HUB), hub, tmp_path)
