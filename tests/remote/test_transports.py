"""Seats meet over a path, file://, git:// and http, each with a real server.

https and ssh, which need more than git, are in `check/test_secure_transports.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from remote.desks import room
from remote.journeys import HUB, JOURNEYS, make_hub
from remote.servers import git_daemon, http_backend

Journey = Callable[[str, Path, Path], None]


@contextmanager
def path(folder: Path) -> Iterator[str]:
    yield str(folder / HUB)


@contextmanager
def file(folder: Path) -> Iterator[str]:
    yield f"file://{folder / HUB}"


@contextmanager
def git(folder: Path) -> Iterator[str]:
    with git_daemon(folder) as server:
        yield server.url(HUB)


@contextmanager
def http(folder: Path) -> Iterator[str]:
    with http_backend(folder) as server:
        yield server.url(HUB)


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.mark.parametrize(
    "transport", [path, file, git, http], ids=lambda one: one.__name__
)
@pytest.mark.parametrize("journey", JOURNEYS, ids=lambda one: one.__name__)
def test_seats_meet_over(
    journey: Journey,
    transport: Callable[[Path], AbstractContextManager[str]],
    tmp_path: Path,
) -> None:
    served = tmp_path / "served"
    served.mkdir()
    hub = make_hub(served)
    with transport(served) as url:
        journey(url, hub, tmp_path)
