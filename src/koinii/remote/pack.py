"""Git packs: many objects in one file that is either all there or not there.

A pack (version 2) is written whole, without deltas, and stored under its own
checksum, so storing the same objects again changes nothing. One pack that was
fsynced takes the place of many loose objects: a loose object torn by a power
cut counts as present for ever, and is never written again.
"""

from __future__ import annotations

import errno
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha1
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from koinii.errors import SurroundingsError, VerificationError
from koinii.store.syncing import sync_folder

Kind: TypeAlias = Literal[b"blob", b"tree", b"commit"]
GitObject: TypeAlias = tuple[Kind, bytes]

_CODES: dict[Kind, int] = {b"commit": 1, b"tree": 2, b"blob": 3}
_KINDS: dict[int, Kind] = {code: kind for kind, code in _CODES.items()}
_HEADER = b"PACK\x00\x00\x00\x02"
_TRAILER = 20  # bytes of SHA-1 at the end of a pack
_MAX_PACK = 1 << 31  # offsets beyond need a second table in the index


class Entry(NamedTuple):
    """Where one object lies in a pack; `crc` covers its packed bytes."""

    oid: bytes
    crc: int
    offset: int


def object_id(kind: Kind, data: bytes) -> str:
    """Return the id git gives the object: 40 hex digits of SHA-1."""
    return sha1(kind + b" %d\x00" % len(data) + data, usedforsecurity=False).hexdigest()


def write_pack(objects: Iterable[GitObject]) -> bytes:
    """Return a pack of the objects in the order given, each object once."""
    seen: set[str] = set()
    parts = [b""]
    for kind, data in objects:
        oid = object_id(kind, data)
        if oid not in seen:
            seen.add(oid)
            parts += [_entry_header(kind, len(data)), zlib.compress(data)]
    parts[0] = _HEADER + len(seen).to_bytes(4, "big")
    body = b"".join(parts)
    return body + _checksum(body)


def index(pack: bytes) -> bytes:
    """Return the index (version 2) of a pack that `write_pack` made.

    Every object is inflated again and named by what it holds, so a pack that
    was altered since, or holds deltas, is a `VerificationError`.
    """
    entries = sorted(_entries(pack))
    first = [0] * 256
    for entry in entries:
        first[entry.oid[0]] += 1
    total, fan = 0, []
    for count in first:
        total += count
        fan.append(total.to_bytes(4, "big"))
    body = b"".join(
        (
            b"\xfftOc\x00\x00\x00\x02",
            *fan,
            *(entry.oid for entry in entries),
            *(entry.crc.to_bytes(4, "big") for entry in entries),
            *(entry.offset.to_bytes(4, "big") for entry in entries),
            pack[-_TRAILER:],
        )
    )
    return body + _checksum(body)


def store_pack(repository: Path, pack: bytes) -> Path:
    """Keep a pack in a bare repository, durably, and return its file.

    The pack is in place and on the disk before its index is: git sees a pack
    by its index, so a kill at any point leaves it whole or unseen. Storing the
    same pack twice is no change. A full disk is an `SurroundingsError`, and
    what was half written is taken away.
    """
    folder = repository / "objects" / "pack"
    final = folder / f"pack-{pack[-_TRAILER:].hex()}.pack"
    paths = final, final.with_suffix(".idx")
    try:
        if _is_stored(final, pack):
            return final
        folder.mkdir(parents=True, exist_ok=True)
        _write_durably(_temporary(paths[0]), pack)
        _write_durably(_temporary(paths[1]), index(pack))
        for path in paths:
            _temporary(path).replace(path)
            sync_folder(folder)
    except OSError as fault:
        for path in paths:
            with suppress(OSError):
                _temporary(path).unlink()
        raise _not_stored(final, fault) from fault
    return final


def _entry_header(kind: Kind, size: int) -> bytes:
    """Kind and size: four bits of size, then seven a byte, least first."""
    byte, size = _CODES[kind] << 4 | size & 15, size >> 4
    header = bytearray()
    while size:
        header.append(byte | 0x80)
        byte, size = size & 0x7F, size >> 7
    header.append(byte)
    return bytes(header)


def _entries(pack: bytes) -> Iterator[Entry]:
    """Walk the pack from its header to its checksum, inflating every object."""
    end = len(pack) - _TRAILER
    if end >= _MAX_PACK:
        raise _bad_pack("it is larger than 2 GiB")
    if pack[:8] != _HEADER or _checksum(pack[:end]) != pack[end:]:
        raise _bad_pack("its header or its checksum is wrong")
    position = 12
    view = memoryview(pack)
    for _ in range(int.from_bytes(pack[8:12], "big")):
        start = position
        kind, size, position = _read_entry_header(pack, position)
        bound = min(end, position + size + (size >> 8) + 64)  # deflate's worst case
        inflater = zlib.decompressobj()
        try:
            data = inflater.decompress(view[position:bound], size + 1)
        except zlib.error as fault:
            raise _bad_pack("an object does not inflate", offset=start) from fault
        if len(data) != size or not inflater.eof:
            raise _bad_pack("an object has another size than it says", offset=start)
        position = bound - len(inflater.unused_data)
        oid = bytes.fromhex(object_id(kind, data))
        yield Entry(oid, zlib.crc32(view[start:position]), start)
    if position != end:
        raise _bad_pack("there are bytes after its last object", offset=position)


def _read_entry_header(pack: bytes, position: int) -> tuple[Kind, int, int]:
    byte = pack[position]
    code, size, shift = byte >> 4 & 7, byte & 15, 4
    while byte & 0x80:
        position += 1
        byte = pack[position]
        size |= (byte & 0x7F) << shift
        shift += 7
    kind = _KINDS.get(code)
    if kind is None:
        raise _bad_pack(f"an object is of kind {code}", offset=position)
    return kind, size, position + 1


def _checksum(data: bytes) -> bytes:
    return sha1(data, usedforsecurity=False).digest()


def _bad_pack(reason: str, offset: int = 0) -> VerificationError:
    return VerificationError(
        f"not a pack of ours: {reason}", code="koinii/bad-pack", offset=offset
    )


def _is_stored(final: Path, pack: bytes) -> bool:
    try:
        has_index = final.with_suffix(".idx").stat().st_size > 0
        return has_index and final.stat().st_size == len(pack)
    except FileNotFoundError:
        return False


def _temporary(path: Path) -> Path:
    """Return a name beside `path` that git takes for litter (`tmp_`) and prunes."""
    return path.with_name(f"tmp_{path.name}")


def _write_durably(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
        os.fchmod(file.fileno(), 0o444)


def _not_stored(final: Path, fault: OSError) -> SurroundingsError:
    full = fault.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
    return SurroundingsError(
        f"cannot write the pack {final}: {fault.strerror}",
        code="koinii/disk-full" if full else "koinii/not-writable",
        hint="free some space and run the command again; nothing is lost"
        if full
        else f"make {final.parent} writable and run the command again",
        file=str(final),
    )
