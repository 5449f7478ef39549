"""A clone that was cut short, by a kill or a power cut: the same clone goes on with it.

The store says from its first moment which address it is to be a clone of, until all
that is there has come. Until then the seat is one like any other.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from koinii.errors import KoiniiError, SurroundingsError, UsageError
from koinii.note import read_private_key
from koinii.remote.git_words import redact
from koinii.seat.arguments import path_text
from koinii.seat.config import read_config
from koinii.seat.founding import check_unfinished, read_key
from koinii.seat.layout import Layout
from koinii.store import meta
from koinii.store.database import open_store
from koinii.store.lock import WriterLock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from koinii.note import PrivateKey
    from koinii.remote.recovering import Recovered
    from koinii.seat.seat import Seat
    from koinii.store.database import Database

CLONING = "cloning"
_WAIT_SECONDS = 2.0  # what was killed may take a moment to be gone


def is_cut_short(
    directory: str,
    address: str,
    agent: str | None,
    key: PrivateKey | None,
    seat_key: PrivateKey | None,
) -> bool:
    """Tell whether a directory holds the beginning of this clone.

    Raises:
        UsageError: it holds that of another address, agent or key.
    """
    layout = Layout(os.path.realpath(directory))
    found = _address_in(layout) if layout.is_seat() else ""
    if not found:
        return False
    if found != address:
        raise UsageError(
            f"{layout.directory} holds a clone of {redact(found)} that was cut short",
            code="koinii/already-a-seat",
            hint=f"koinii clone {redact(found)} {layout.directory} goes on with it",
        )
    if seat_key is None:
        check_unfinished(layout, agent or read_config(layout.config).agent, key)
    elif read_private_key(Path(layout.seat_key)).public != seat_key.public:
        raise UsageError(
            f"{layout.directory} holds the clone of another seat that was cut short",
            code="koinii/already-a-seat",
        )
    return True


def _address_in(layout: Layout) -> str:
    """Return what a store is to be a clone of, '' where it is none, or opens not."""
    try:
        database = open_store(layout.store)
    except KoiniiError:
        return ""
    try:
        return str(meta.get(database.connection, CLONING) or "")
    finally:
        database.close()


def ended(database: Database) -> None:
    """Say that all has come that a clone is to bring."""
    with database.write() as connection:
        meta.put(connection, CLONING, None)


@contextmanager
def one_at_a_time(layout: Layout) -> Iterator[None]:
    """Keep others from going on with a clone that is going on.

    The kernel lets go when the process ends, and all it has just started.

    Raises:
        UsageError: another process is at it.
    """
    lock = WriterLock(f"{layout.state}/clone.lock", wait_seconds=_WAIT_SECONDS)
    try:
        lock.acquire()
    except SurroundingsError as error:
        if error.code != "koinii/locked":
            raise
        raise UsageError(
            f"{layout.directory} is being cloned by another process",
            code="koinii/already-a-seat",
            hint=f"koinii -C {layout.directory} status",
        ) from error
    try:
        yield
    finally:
        lock.release()


def lost_key(
    seat_key: str | PathLike[str] | None,
    agent: str | None,
    key: str | PathLike[str] | None,
) -> PrivateKey | None:
    """Return the key of a seat that was lost, whose agents come with its history."""
    if seat_key is None:
        return None
    if agent is not None or key is not None:
        raise UsageError(
            "the agents of a seat come with its history, so none is named with its key",
            hint="koinii clone URL DIRECTORY --seat-key FILE",
        )
    return read_key(path_text(seat_key, "seat_key"))


def tell_recovered(seat: Seat, found: Recovered) -> None:
    """Say which seat is here again, and what it still lacks."""
    seat.notices.append(
        f"this is seat {seat.id} again, up to its commit {found.number}; put the keys "
        f"of {', '.join(found.keyless) or 'its agents'} into {seat.layout.keys}, so "
        "that they can speak here, and see that no other copy of this seat goes on"
    )
