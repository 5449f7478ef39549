"""Where a seat lies: its settings, its locks, the disk and the file system."""

from __future__ import annotations

import os
from shlex import quote
from typing import TYPE_CHECKING

from koinii.errors import KoiniiError
from koinii.seat.check import UNKNOWN, Check, attention, looked, ok
from koinii.seat.config import read_config
from koinii.seat.disk import NETWORKED, kind_of_disk
from koinii.seat.founding import own_agents
from koinii.store.database import LOCK_WAIT_SECONDS
from koinii.store.lock import holder_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.seat.layout import Layout

LEAST_FREE = 100 * 1000 * 1000  # bytes


def check_place(layout: Layout, now: int) -> list[Check]:
    """Look at what surrounds the store; `now` is in milliseconds."""
    return [
        *looked("settings", lambda: _settings(layout)),
        *looked("lock", lambda: _lock("lock", layout.store + ".lock", now)),
        *looked("lock", lambda: _lock("remotes' lock", layout.git + ".lock", now)),
        *looked("disk", lambda: _disk(layout)),
        *looked("file system", lambda: _file_system(layout)),
    ]


def _settings(layout: Layout) -> Iterator[Check]:
    if not os.path.lexists(layout.config):
        found = f"{layout.config} is missing, which names who speaks and the remotes"
        yield attention("settings", found, _anew(layout))
        return
    config = read_config(layout.config)
    names = ", ".join(sorted(config.remotes)) or "none"
    who = config.agent or "nobody"
    yield ok("settings", f"{who} speaks; mode {config.mode}; remotes: {names}")


def _anew(layout: Layout) -> str:
    """Return what writes lost settings anew."""
    try:
        agents = own_agents(layout)
    except KoiniiError:
        agents = []
    if not agents:
        return "put the file back from a backup"
    return f"koinii init {quote(layout.directory)} --as {agents[0]}"


def _lock(name: str, path: str, now: int) -> Iterator[Check]:
    """A lock is held by a process or free; nothing that was killed holds one."""
    holder = holder_of(path)
    if holder is None:
        yield ok(name, "free")
        return
    seconds = max(0, now // 1000 - int(holder.since))
    found = f"process {holder.process} has held it for {seconds} seconds"
    if seconds <= LOCK_WAIT_SECONDS:
        yield ok(name, found)
    else:
        yield attention(name, found, f"ps -p {holder.process}")


def _disk(layout: Layout) -> Iterator[Check]:
    place = os.statvfs(layout.state)
    free = place.f_bavail * place.f_frsize
    found = f"{free // 1_000_000} MB free"
    if free < LEAST_FREE:
        yield attention("disk", found, "free some space")
    else:
        yield ok("disk", found)


def _file_system(layout: Layout) -> Iterator[Check]:
    kind = kind_of_disk(layout.state)
    if kind is None:
        yield Check("file system", UNKNOWN, "only Linux tells what it is")
        return
    if kind in NETWORKED:
        yield attention(
            "file system",
            f"the store is on {kind}, where locks and the disk's word may not hold",
            "move the seat's directory to a disk of this machine",
        )
    else:
        yield ok("file system", kind or "of no name")
