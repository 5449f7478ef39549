"""Bundle files: opened as hostile, and written whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha1
from pathlib import Path
from typing import BinaryIO, NamedTuple

from koinii.errors import (
    KoiniiError,
    NotFoundError,
    SurroundingsError,
    UsageError,
    VerificationError,
)
from koinii.remote.bundle_header import BEGIN, Header, no_bundle, read_header
from koinii.seat.named_files import check_outside, hint_of, other_file
from koinii.seat.unfinished import clear_unfinished, unfinished
from koinii.store.syncing import sync_folder

NO_FILE = "koinii/no-file"
DAMAGED = "koinii/damaged-bundle"
_CHUNK = 1 << 20
_PACK = b"PACK"
_TRAILER = 20  # bytes of SHA-1 at the end of a pack


class Bundle(NamedTuple):
    """A file whose header and checksum are good; nothing else of it is known."""

    path: str  # absolute
    named: str  # as it was given
    size: int  # bytes
    header: Header


def read_bundle(named: str) -> Bundle:
    """Look at a file and return what it says of itself; O(file), bounded memory.

    Raises:
        NotFoundError: `koinii/no-file`.
        SurroundingsError: `koinii/no-file`: no plain file, or it cannot be read.
        VerificationError: `koinii/not-a-bundle`, `koinii/damaged-bundle`.
    """
    path = os.path.abspath(named)  # noqa: PTH100 - a path as it was given
    try:
        with opened(path, named) as file:
            header = read_header(file)
            size = header.length + _check_pack(file)
    except VerificationError as error:
        raise _naming(named, error) from None
    return Bundle(path, named, size, header)


def _naming(named: str, error: VerificationError) -> VerificationError:
    return VerificationError(
        f"{named}: {error.message}",
        code=error.code,
        hint=error.hint,
        **{**error.details, "path": named},
    )


@contextmanager
def opened(path: str, named: str) -> Iterator[BinaryIO]:
    """Open a plain file; neither a link nor a pipe is one."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise NotFoundError(
            f"there is no file {named}",
            code=NO_FILE,
            hint="check the name; koinii bundle create FILE makes one",
            path=named,
        ) from None
    except OSError as error:
        raise _no_file(named, _why(path, error)) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _no_file(named, "it is no plain file")
    with os.fdopen(descriptor, "rb") as file:
        yield file


def _why(path: str, error: OSError) -> str:
    if os.path.islink(path):  # noqa: PTH114 - a path as it was given
        return "it is a link, and a bundle is a plain file"
    return error.strerror or str(error)


def _no_file(named: str, reason: str) -> KoiniiError:
    return SurroundingsError(
        f"{named} cannot be read: {reason}",
        code=NO_FILE,
        hint="name a plain file that can be read",
        path=named,
    )


def _check_pack(file: BinaryIO) -> int:
    """Compare the pack with its own checksum; return how many bytes it has."""
    start = file.read(len(_PACK))
    if start != _PACK:
        raise no_bundle("there is no pack behind its header")
    digest, size = sha1(usedforsecurity=False), 0
    kept = start
    while chunk := file.read(_CHUNK):
        kept += chunk
        body = max(0, len(kept) - _TRAILER)
        digest.update(kept[:body])
        size, kept = size + body, kept[body:]
    if not size or digest.digest() != kept:
        raise VerificationError(
            "it was cut short or damaged on the way: the checksum of its pack is wrong",
            code=DAMAGED,
            hint="copy it once more, or make it again: koinii bundle create FILE",
        )
    return size + _TRAILER


# Writing ----------------------------------------------------------------------


def check_place(named: str) -> str:
    """Return where a bundle is to be written, which may hold an older one.

    Raises:
        UsageError: that is a directory, or anything else than a plain file.
        RefusedError: `koinii/seat-file`; `koinii/other-file`: it holds something else.
        SurroundingsError: `koinii/no-file`: what is there cannot be read.
    """
    path = os.path.abspath(named)  # noqa: PTH100 - a path as it was given
    is_there = os.path.lexists(path)
    if named in ("", "-") or (is_there and not stat.S_ISREG(os.lstat(path).st_mode)):
        raise UsageError(
            f"{named or '-'} is no plain file to write a bundle to",
            hint="koinii bundle create FILE",
            path=named,
        )
    check_outside(named)
    if is_there:
        _check_is_bundle(path, named)
    return path


def _check_is_bundle(path: str, named: str) -> None:
    """Refuse to replace what is no bundle; an empty file holds nothing to lose."""
    with opened(path, named) as file:
        begin = file.read(len(BEGIN))
    if begin not in (b"", BEGIN):
        raise other_file(named, "no bundle")


def write_whole(path: str, header: bytes, pack: BinaryIO) -> int:
    """Write a bundle beside its place, and put it there once it is durable.

    Return how many bytes it has.
    """
    beside = Path(unfinished(path))
    try:
        clear_unfinished(path)
        try:
            size = _write(beside, header, pack)
            beside.replace(path)
            sync_folder(beside.parent)
        finally:
            with suppress(FileNotFoundError):
                beside.unlink()
    except OSError as error:
        raise SurroundingsError(
            f"{path} cannot be written: {error.strerror}",
            code="koinii/cannot-write",
            hint=hint_of(error),
            path=path,
        ) from error
    return size


def _write(beside: Path, header: bytes, pack: BinaryIO) -> int:
    with beside.open("xb") as file:
        file.write(header)
        while chunk := pack.read(_CHUNK):
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
        return file.tell()
