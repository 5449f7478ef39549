"""What is kept outside a seat, where no copy and no backup of it takes it along.

The place is `$KOINII_HOME`, else `$XDG_STATE_HOME/koinii`, else
`~/.local/state/koinii`; in it `seats/<seat id>/`, for its owner only. Reading makes
nothing there.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from koinii.errors import SurroundingsError
from koinii.seat.config import write_file
from koinii.store import meta
from koinii.store.syncing import sync_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from koinii.seat.parts import Parts

_OWNER_ONLY = 0o700


def state_home(environ: Mapping[str, str]) -> Path:
    """Return the place of this user; a relative XDG_STATE_HOME counts for nothing.

    Raises:
        SurroundingsError: `koinii/no-home`: no directory is named, or a relative one,
            which would be another place for each place to start from.
    """
    own = environ.get("KOINII_HOME")
    if own:
        return _whole("KOINII_HOME", own)
    state = environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(state):  # noqa: PTH117 - '' is no path yet
        return Path(state, "koinii")
    return _whole("HOME", environ.get("HOME", "")) / ".local/state/koinii"


def _whole(name: str, value: str) -> Path:
    if not os.path.isabs(value):  # noqa: PTH117 - '' is no path yet
        shown = f"is {value!r}, no absolute path" if value else "is not set"
        raise SurroundingsError(
            f"{name} {shown}, so there is no place outside of seats",
            code="koinii/no-home",
            hint="KOINII_HOME=/a/directory names one",
            variable=name,
        )
    return Path(value)


class Home:
    """The files outside one seat, by name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        """Return where a file is, there or not; a name may hold one `/`."""
        return self.folder / name

    def read(self, name: str) -> str | None:
        """Return a file's text, None where there is no such file.

        Raises:
            SurroundingsError: `koinii/cannot-read`.
        """
        path = self.path(name)
        try:
            return path.read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8"
            raise SurroundingsError(
                f"{path} cannot be read: {reason}",
                code="koinii/cannot-read",
                hint="check its permissions",
                path=str(path),
            ) from error

    def write(self, name: str, text: str) -> None:
        """Replace a file whole and durably.

        Raises:
            SurroundingsError: `koinii/cannot-write`.
        """
        path = self.path(name)
        try:
            made = _make(path.parent)
            write_file(str(path), text)
            for folder in (path.parent, *made):
                sync_folder(folder)
        except OSError as error:
            raise SurroundingsError(
                f"{error.filename or path} cannot be written: {error.strerror}",
                code="koinii/cannot-write",
                hint="KOINII_HOME names another place",
                path=str(path),
            ) from error

    def remove(self, name: str) -> None:
        """Take a file away, if it is there.

        Raises:
            SurroundingsError: `koinii/cannot-write`.
        """
        path = self.path(name)
        try:
            path.unlink(missing_ok=True)
        except NotADirectoryError:
            return  # nothing can be there
        except OSError as error:
            raise SurroundingsError(
                f"{path} cannot be taken away: {error.strerror}",
                code="koinii/cannot-write",
                hint="KOINII_HOME names another place",
                path=str(path),
            ) from error

    def obstacle(self) -> str:
        """Return what keeps from writing here, '' for nothing; writes nothing."""
        place = self.folder
        while not place.exists() and place != place.parent:
            place = place.parent
        if not place.is_dir():
            return f"{place} is no directory"
        effective = os.access in os.supports_effective_ids
        writable = os.access(place, os.W_OK | os.X_OK, effective_ids=effective)
        return "" if writable else f"{place} is not writable"


def home_of(seat: Parts) -> Home:
    """Return the files outside a seat that is open."""
    place = state_home(os.environ) if seat.home is None else seat.home
    return Home(place / "seats" / seat.id)


def _make(folder: Path) -> list[Path]:
    """Make a directory and those above it; return the ones that hold a new one."""
    missing = [folder, *folder.parents]
    missing = [one for one in missing if not one.exists()]
    for one in reversed(missing):
        one.mkdir(mode=_OWNER_ONLY, exist_ok=True)
    return [one.parent for one in missing]


def may_be_copied(seat: Parts) -> bool:
    """Tell whether what is outside of a seat is anything but its newest token.

    A look at one small file; `instance` says what it means.
    """
    try:
        text = home_of(seat).read("instance")
    except SurroundingsError:
        return True
    newest = str(meta.get(seat.database.connection, "instance"))
    return text is not None and f'"token": "{newest}"' not in text
