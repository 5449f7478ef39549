"""The vocabulary files of every released version, as this program ships them.

A file is found by its SHA-256, which is what a commit record binds of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files


def shipped_files() -> Iterator[bytes]:
    """Yield the bytes of each file; none where the program came without them."""
    folder = files("koinii") / "vocabulary"
    if not folder.is_dir():
        return
    for version in folder.iterdir():
        if version.is_dir():
            yield from (
                file.read_bytes()
                for file in version.iterdir()
                if file.name.endswith(".kb")
            )
