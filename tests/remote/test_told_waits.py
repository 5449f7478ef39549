"""Whoever waits for another to move objects is told for whom, while it waits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from koinii.store.lock import WriterLock
from remote.desks import Sit, room, sitting


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing."""
    with room() as folder:
        yield folder


@pytest.fixture
def sit(tmp_path: Path, bare: Path) -> Iterator[Sit]:
    with sitting(tmp_path, bare) as open_one:
        yield open_one


def test_a_push_says_for_whom_it_waits_and_goes_on(sit: Sit) -> None:
    anna = sit("anna")
    other = WriterLock(f"{anna.layout.git}.lock", wait_seconds=1)
    other.acquire()
    told: list[str] = []

    def hear(notice: str) -> None:
        told.append(notice)
        other.release()  # told while the other still holds it

    anna.tell_now = hear
    assert anna.push().moved
    (notice,) = told
    assert notice.startswith(f"waiting for process {os.getpid()}, which moves objects")


def test_where_no_face_listens_it_is_a_notice(sit: Sit) -> None:
    anna = sit("anna")
    anna.tell_now("waiting")
    assert anna.notices == ["waiting"]
    assert anna.push().moved
    assert anna.notices == ["waiting"]  # nobody was in the way
