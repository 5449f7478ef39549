"""A store that is gone or damaged, made again from what this seat has signed.

What the seat's key signed lies in the private repository and on its remotes: its
history, what its agents said, and their statements. That is taken over as `recover`
takes over what a copy has pushed, into a new store that is made beside and moved to
its place. What was never in git is gone: what was said since the last push, decisions
about others' names, seat-local contexts. Others' claims come with the next pull.

Numbers do not begin again: commits go on after the newest found, and events after the
time of day in milliseconds, which no seat has had as many of. So readers of the feed
are told that they have lagged.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from koinii.errors import KoiniiError, SurroundingsError
from koinii.kb.base import KnowledgeBase
from koinii.kb.feed import LAGGED
from koinii.note import read_private_key
from koinii.note.checkpoint import seat_id
from koinii.remote.moving import WAIT_SECONDS, is_made
from koinii.remote.recovering import recover_from
from koinii.remote.repository import Git
from koinii.remote.seat import RemoteSeat
from koinii.seat import instance
from koinii.seat.layout import Layout
from koinii.seat.parts import open_parts
from koinii.seat.unfinished import clear_unfinished, unfinished
from koinii.store import meta
from koinii.store.database import create, explained, open_store
from koinii.store.events import Events
from koinii.store.lock import WriterLock
from koinii.store.migrations import is_of_a_seat

_PARTS = ("", "-wal", "-shm")


def remake(layout: Layout, now: Callable[[], int]) -> Iterator[str]:
    """Make the store again if it is broken, and yield what was done.

    Raises:
        SurroundingsError: the store is broken, and nowhere is anything this seat has
            signed; everything is as it was.
    """
    fault = _fault(layout)
    if fault is None:
        return
    with _alone(layout), _beside(layout) as scratch:
        _make_empty(scratch, now)
        done = list(_take_over(scratch, layout, fault))
        yield f"the store: {fault.message}"
        yield from _put_in_place(scratch, layout)
        yield from done
    with explained(layout.store), RemoteSeat(*open_parts(layout.directory)) as seat:
        instance.keep(seat, afresh=True)
    yield (
        "what was said after that, decisions about names and seats, and seat-local "
        "contexts are gone; koinii pull brings what others said"
    )


def _fault(layout: Layout) -> SurroundingsError | None:
    """Return why a store cannot be used, None where it can be."""
    try:
        with explained(layout.store), closing(open_store(layout.store)) as database:
            wrong = database.quick_check()
    except SurroundingsError as error:
        if _is_broken(layout, error.code) and Path(layout.seat_key).exists():
            return error
        raise
    if not wrong:
        return None
    return SurroundingsError(
        f"{layout.store} is damaged: {wrong[0]}", code="koinii/damaged-store"
    )


def _is_broken(layout: Layout, code: str) -> bool:
    """Tell whether nothing but another store helps, as it does not for a right."""
    if code == "koinii/damaged-store":
        return True
    return code == "koinii/no-store" and not is_of_a_seat(layout.store)


@contextmanager
def _alone(layout: Layout) -> Iterator[None]:
    """Keep pulls and pushes out, which would work on the store that is broken."""
    lock = WriterLock(f"{layout.git}.lock", wait_seconds=WAIT_SECONDS)
    lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _beside(layout: Layout) -> Iterator[Layout]:
    """Give a seat beside this one, with its keys, repository and settings."""
    place = f"{layout.state}/again"
    clear_unfinished(place)
    scratch = Layout(unfinished(place))
    try:
        Path(scratch.state).mkdir(parents=True, mode=0o700)
        shutil.copy(layout.config, scratch.config)
        Path(scratch.keys).symlink_to(layout.keys)
        if is_made(Git(Path(layout.git))):
            Path(scratch.git).symlink_to(layout.git)
        yield scratch
    finally:
        shutil.rmtree(scratch.directory, ignore_errors=True)


def _make_empty(scratch: Layout, now: Callable[[], int]) -> None:
    key = read_private_key(Path(scratch.seat_key))
    with (
        closing(create(scratch.store)) as database,
        KnowledgeBase(database).write() as connection,
    ):
        meta.put(connection, "seat", seat_id(key.public))
        meta.put(connection, instance.INSTANCE, instance.new_token())
        Events(connection).begin_at(now(), LAGGED)


def _take_over(
    scratch: Layout, layout: Layout, fault: SurroundingsError
) -> Iterator[str]:
    """Take the history from the repository here, then from remotes that know more."""
    said = list[str]()
    with RemoteSeat(*open_parts(scratch.directory)) as seat:
        seen = _seen(seat)
        for name, url in _places(seat, layout):
            try:
                done = recover_from(seat, seat.git, name, url)
            except KoiniiError as error:
                said.append(f"{name}: {error.message}")
                continue
            if done.moved:
                yield f"took {done.number} commits and {done.taken} claims from {name}"
        if not seat.histories.leaves(seat.id):
            fault.details["looked"] = said
            raise fault
        yield from said
        if seen is not None and seen.head and instance.is_beyond(seat, seen):
            yield (
                f"commit {seen.size} was made here and is nowhere to be had: whoever "
                "has a proof from it will meet another commit of that number"
            )


def _places(seat: RemoteSeat, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield where this seat's commits may be, the nearest first."""
    if is_made(seat.git):
        yield "the private repository", layout.git
    yield from sorted(seat.config.remotes.items())


def _seen(seat: RemoteSeat) -> instance.Outside | None:
    """Return what is known outside of the newest commit."""
    with suppress(KoiniiError):
        return instance.read_outside(seat)
    return None


def _put_in_place(scratch: Layout, layout: Layout) -> Iterator[str]:
    """Move the broken store aside, and the new one where it was."""
    number = 1
    while Path(aside := f"{layout.store}.damaged-{number}").exists():
        number += 1
    for part in _PARTS:
        with suppress(FileNotFoundError):
            Path(layout.store + part).rename(aside + part)
    Path(scratch.store).rename(layout.store)
    if Path(aside).exists():
        yield f"made it again; what was there is {aside}"
    else:
        yield "made it again"
