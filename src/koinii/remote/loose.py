"""Loose objects of a remote on a path, found whole before libgit2 opens them."""

from __future__ import annotations

import zlib
from hashlib import sha1
from pathlib import Path

_CHUNK = 1 << 16
_MOST = 257 << 20  # bytes, inflated


def is_whole(file: Path, oid: str) -> bool:
    """Tell whether a file inflates to its end, to the object of that id."""
    inflater, digest, total = zlib.decompressobj(), sha1(usedforsecurity=False), 0
    try:
        with file.open("rb") as packed:
            while total <= _MOST and not inflater.eof:
                data = inflater.unconsumed_tail or packed.read(_CHUNK)
                body = inflater.decompress(data, 1 << 20)
                if not (data or body):
                    return False
                digest.update(body)
                total += len(body)
    except (OSError, zlib.error):
        return False
    return inflater.eof and digest.hexdigest() == oid
