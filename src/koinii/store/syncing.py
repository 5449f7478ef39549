"""Names of files made durable: what is in a directory is on the disk."""

from __future__ import annotations

import os


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Wait until a directory's entries are on the disk; a file's bytes are not its."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
