"""Where the files of an export go: a directory, or nowhere.

Every file is new and on the disk before `meta` is, so that a `meta` means that all of
it is there.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from koinii.errors import RefusedError, SurroundingsError
from koinii.history.exported import META
from koinii.seat.named_files import check_outside, hint_of
from koinii.store.syncing import sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterable


def check_empty(directory: str) -> None:
    """Refuse a directory that holds anything.

    Raises:
        RefusedError: `koinii/not-empty`, `koinii/seat-file`.
        SurroundingsError: `koinii/cannot-write`: it cannot be looked into.
    """
    check_outside(directory)
    try:
        with os.scandir(directory) as entries:
            first = next(entries, None)
    except FileNotFoundError:
        return
    except OSError as error:
        raise cannot_write(directory, error) from error
    if first is not None:
        raise RefusedError(
            f"{directory} is not empty: {first.name} is in it",
            code="koinii/not-empty",
            hint="name a directory that is not there yet, or empty this one",
            path=directory,
        )


def cannot_write(directory: str, error: OSError) -> SurroundingsError:
    """Return the error of a directory that cannot be written."""
    return SurroundingsError(
        f"{directory} cannot be written: {error.strerror}",
        code="koinii/cannot-write",
        hint=hint_of(error),
        path=directory,
    )


class Folder:
    """A directory that was absent or empty."""

    def __init__(self, directory: str) -> None:
        check_empty(directory)
        self._path = Path(directory)
        self._made = not self._path.is_dir()
        self._written: list[Path] = []

    def file(self, name: str, parts: Iterable[bytes]) -> None:
        """Write a new file from its parts, durably; one of nothing is none."""
        self._path.mkdir(parents=True, exist_ok=True)
        path = self._path / name
        with path.open("xb") as file:
            self._written.append(path)
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        if not size:
            path.unlink()
            self._written.remove(path)

    def finish(self, meta: bytes) -> None:
        """Write `meta` when all else is durable, whole or not at all."""
        beside, path = self._path / f".{META}", self._path / META
        self._sync()
        self.file(beside.name, [meta])
        beside.rename(path)
        self._written.append(path)
        self._sync()

    def _sync(self) -> None:
        self._path.mkdir(parents=True, exist_ok=True)
        for path in (self._path, self._path.absolute().parent):
            sync_folder(path)

    def undo(self) -> None:
        """Take away what was written here, `meta` first."""
        for path in reversed(self._written):
            with suppress(OSError):
                path.unlink()
        if self._made:
            with suppress(OSError):
                self._path.rmdir()


class Nowhere:
    """A target that keeps nothing."""

    def file(self, name: str, parts: Iterable[bytes]) -> None:
        """Let a file go by."""
        del name
        for _ in parts:
            pass

    def finish(self, meta: bytes) -> None:
        """Keep nothing of it."""
