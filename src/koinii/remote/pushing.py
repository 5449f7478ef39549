"""One ref pushed, and what a killed push left at a remote that is a directory.

There, what receives a push is a child of ours and dies with us, and may leave a lock
on the ref. Git never takes it away, and says so at every push that follows. So a push
to a directory is noted in the private repository until it has succeeded: a lock that
is found on the noted ref, and that nobody moves for two seconds, is of that push. It
is removed, and told. Every other lock at a remote is told and left.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from koinii.errors import SurroundingsError
from koinii.remote.git import remove_unless_moved
from koinii.remote.repository import Git
from koinii.seat.seat import Seat

_NOTE = "koinii-pushing"
_FILE = "file://"


def push_ref(  # noqa: PLR0917 - those of `push_and_confirm`, and what tells
    seat: Seat,
    git: Git,
    url: str,
    oid: str,
    ref: str,
    expected_old: str | None,
    *,
    replace: bool = False,
) -> None:
    """Push a ref and read it back, as `Git.push_and_confirm` does.

    Call it while `moving`, so that no other push of this seat runs.
    """
    place = _directory(url)
    if place is None:
        git.push_and_confirm(url, oid, ref, expected_old, replace=replace)
        return
    note = git.directory / _NOTE
    line = f"{ref} {place}\n".encode(errors="surrogateescape")
    was_noted = line in _read(note)
    _write(note, _read(note) | {line})
    try:
        git.push_and_confirm(url, oid, ref, expected_old, replace=replace)
    except SurroundingsError as error:
        if error.code != "koinii/remote-locked":
            raise
        lock = _lock_of(place, ref, str(error.details["file"]))
        if not was_noted or lock is None:
            _write(note, _read(note) - {line})
            raise
        if remove_unless_moved(lock):
            seat.notices.append(
                f"removed {lock}, which a push of this seat left when it was killed"
            )
        git.push_and_confirm(url, oid, ref, expected_old, replace=replace)
    _write(note, _read(note) - {line})


def _directory(url: str) -> str | None:
    """Return the directory that an address means, None where it is no path."""
    if url.startswith("/"):
        return url
    return unquote(url.removeprefix(_FILE)) if url.startswith(_FILE) else None


def _lock_of(place: str, ref: str, file: str) -> Path | None:
    """Return the lock that git has named, if it is that of the ref in that place."""
    for top in (place, f"{place}/.git", f"{place}.git"):
        lock = Path(top, f"{ref}.lock")
        if lock.exists() and Path(file).exists() and lock.samefile(file):
            return lock
    return None


def _read(note: Path) -> set[bytes]:
    """Return the refs and places of pushes that have not succeeded."""
    try:
        return set(note.read_bytes().splitlines(keepends=True))
    except OSError:
        return set()


def _write(note: Path, lines: set[bytes]) -> None:
    """Keep what is noted; where that cannot be, a lock is told and left."""
    beside = note.with_suffix(".new")
    with suppress(OSError):
        if lines:
            beside.write_bytes(b"".join(sorted(lines)))
            beside.replace(note)
        else:
            note.unlink(missing_ok=True)
