"""Signature lines of notes, taken apart and put together again wrongly."""

from __future__ import annotations

from koinii.note import from_base64, to_base64

ORDER = 2**252 + 27742317777372353535851937790883648493
P = 2**255 - 19


def signature_of(note: bytes) -> bytes:
    """Return the 64 bytes of a note's last signature."""
    return _payload(note)[4:]


def with_signature(note: bytes, signature: bytes) -> bytes:
    """Return the note with another signature under the same name and key id."""
    line = note.rstrip(b"\n").rpartition(b"\n")[2]
    words, _, payload = line.rpartition(b" ")
    key_id = from_base64(payload.decode())[:4]
    again = words + b" " + to_base64(key_id + signature).encode()
    return note.replace(line, again)


def respelled(signature: bytes) -> bytes:
    """Return the signature with the group order added to S, which lax readers take."""
    s = int.from_bytes(signature[32:], "little") + ORDER
    return signature[:32] + s.to_bytes(32, "little")


def zeros() -> bytes:
    """Return a signature that fits every text under a key of small order."""
    return bytes(64)


def _payload(note: bytes) -> bytes:
    line = note.decode().rstrip("\n").rpartition("\n")[2]
    return from_base64(line.rpartition(" ")[2])
