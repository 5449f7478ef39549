"""Private key files: written once, whole, durable and for their owner only."""

from __future__ import annotations

import os
import tempfile
from shlex import quote
from typing import TYPE_CHECKING

from koinii.errors import SurroundingsError, VerificationError
from koinii.note.keys import PrivateKey
from koinii.store.syncing import sync_folder

if TYPE_CHECKING:
    from pathlib import Path

_MAX_FILE = 16_384
_OTHERS = 0o077


def write_private_key(path: Path, key: PrivateKey) -> None:
    """Create `path` with mode 0600; it appears whole or not at all, and stays.

    A file that is there already is never replaced: SurroundingsError with the
    code `koinii/key-exists`.
    """
    try:
        _write(path, key.openssh())
    except FileExistsError as fault:
        raise SurroundingsError(
            f"{path} is there already, and a key is never overwritten",
            code="koinii/key-exists",
            path=str(path),
        ) from fault
    except OSError as fault:
        raise SurroundingsError(
            f"cannot write the key {path}: {fault.strerror}",
            code="koinii/key-unwritable",
            path=str(path),
        ) from fault


def read_private_key(path: Path) -> PrivateKey:
    """Return the key in `path`; SurroundingsError when others could read it too.

    What is no key is told first: of another file nobody should change the mode.
    """
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            data = file.read(_MAX_FILE + 1)
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or "no file has that name"
        raise SurroundingsError(
            f"cannot read the key {path}: {reason}",
            code="koinii/key-unreadable",
            hint="restore it from a backup; koinii doctor tells what a seat lacks",
            path=str(path),
        ) from fault
    key = _parse(path, data)
    if mode & _OTHERS:
        raise SurroundingsError(
            f"the key {path} is open to others (mode {mode & 0o777:04o})",
            code="koinii/key-permissions",
            hint=f"chmod 600 {quote(str(path))}",
            path=str(path),
            mode=mode & 0o777,
        )
    return key


def _parse(path: Path, data: bytes) -> PrivateKey:
    try:
        if len(data) <= _MAX_FILE:
            return PrivateKey.from_openssh(data)
        reason = "too long"
    except VerificationError as fault:
        reason = fault.message
    raise VerificationError(
        f"{path} is no key file: {reason}",
        code="koinii/bad-key-file",
        path=str(path),
    )


def _write(path: Path, data: bytes) -> None:
    """Link a finished file to its name, which fails when the name is taken."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".key-")
    temporary = path.parent / name
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        path.hardlink_to(temporary)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)
