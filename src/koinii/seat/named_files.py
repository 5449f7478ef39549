"""Files that a user names to be written: what is there and is not ours stays."""

from __future__ import annotations

import errno
from pathlib import Path

from koinii.errors import RefusedError
from koinii.seat.layout import CONFIG, STATE


def check_outside(named: str) -> None:
    """Refuse a place within a seat's own directory, or that of its settings.

    Raises:
        RefusedError: `koinii/seat-file`.
    """
    place = Path(named).resolve()
    if STATE in place.parts or place.name == CONFIG:
        raise RefusedError(
            f"{named} is of a seat itself, and nothing else is written there",
            code="koinii/seat-file",
            hint="name a place elsewhere",
            path=named,
        )


def other_file(named: str, wanted: str) -> RefusedError:
    """Return the error of a file that is there and is not what it would become."""
    return RefusedError(
        f"{named} is there and is {wanted}, so it stays as it is",
        code="koinii/other-file",
        hint="name a file that is not there yet, or take this one away first",
        path=named,
    )


def hint_of(error: OSError) -> str:
    """Return what to do where a file could not be written, of which nothing is left."""
    return _HINTS.get(error.errno or 0, "name a place that can be written")


_FULL = "free some space and try again; nothing was left there"
_HINTS = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.ENOENT: "make the directory first, or name another place",
    errno.EIO: "check the disk, then try again",
}
