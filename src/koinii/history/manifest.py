"""The manifest: digest, size and path of every published file, bound by a record.

Lines `<sha256> <size> <path>` ending in LF, sorted bytewise by path, each path
once. The files beside it (README, checkpoint, history) are not listed: they
are checked by what they say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from koinii.errors import VerificationError
from koinii.history.paths import read_number

MAX_FILES = 100_000
MAX_PATH = 1024  # bytes
FOLDERS = frozenset({"agents", "posts", "sources", "cosigned"})
FILES = frozenset({"presence"})
ENTRIES = "history/entries/"  # the history's bundles, which no manifest lists
UNLISTED = frozenset({"README.md", "seat.pub", "checkpoint", "manifest"})

_HEX = frozenset("0123456789abcdef")
_DIGEST = 64  # hex digits of SHA-256
_MAX_LINE = _DIGEST + 1 + 15 + 1 + MAX_PATH


class Listed(NamedTuple):
    """What the manifest says of one file."""

    size: int
    sha256: str


def write_manifest(files: Mapping[str, Listed]) -> bytes:
    """Return the manifest of the files by path."""
    lines = sorted((path.encode(), listed) for path, listed in files.items())
    return b"".join(
        b"%s %d %s\n" % (listed.sha256.encode(), listed.size, path)
        for path, listed in lines
    )


def read_manifest(data: bytes) -> dict[str, Listed]:
    """Return the files by path; anything but the one spelling is refused.

    Raises `VerificationError` with the line number. Paths are relative, without
    empty parts, `.` and `..`, and lie in the folders a seat publishes.
    """
    if not data:
        return {}
    lines = data.split(b"\n", MAX_FILES)
    if lines.pop() != b"":
        raise _bad_line(
            f"no line end at the end, or more than {MAX_FILES} files", len(lines) + 1
        )
    files: dict[str, Listed] = {}
    previous = b""
    for number, line in enumerate(lines, start=1):
        path, listed = _read_line(line, number)
        if path <= previous:
            raise _bad_line("out of order, or a second time", number)
        files[path.decode()] = listed
        previous = path
    return files


def is_published_path(path: str) -> bool:
    """Tell whether a path may stand in a manifest."""
    parts = path.split("/")
    if len(parts) == 1:
        return path in FILES
    return (
        parts[0] in FOLDERS
        and not {"", ".", ".."}.intersection(parts)
        and len(path.encode()) <= MAX_PATH
        and min(path) > " "
        and "\x7f" not in path
    )


def _read_line(line: bytes, number: int) -> tuple[bytes, Listed]:
    if len(line) > _MAX_LINE:
        raise _bad_line("too long", number)
    try:
        digest, size_text, path = line.decode().split(" ", 2)
    except ValueError as fault:
        raise _bad_line("not `<sha256> <size> <path>`", number) from fault
    size = read_number(size_text)
    if len(digest) != _DIGEST or not _HEX.issuperset(digest) or size is None:
        raise _bad_line("not `<sha256> <size> <path>`", number)
    if not is_published_path(path):
        raise _bad_line(f"the path {path!r} is not one a seat publishes", number)
    return path.encode(), Listed(size, digest)


def _bad_line(reason: str, number: int) -> VerificationError:
    return VerificationError(
        f"manifest, line {number}: {reason}",
        code="koinii/bad-manifest",
        line=number,
        reason=reason,
    )
