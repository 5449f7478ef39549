"""Base64 with one spelling a value: standard alphabet, padded, nothing else."""

from __future__ import annotations

from base64 import b64decode, b64encode

from koinii.errors import VerificationError


def to_base64(data: bytes) -> str:
    """Return the one spelling of `data`."""
    return b64encode(data).decode("ascii")


def from_base64(text: str, *, length: int | None = None) -> bytes:
    """Return the bytes that `text` spells, `length` of them when given.

    Any other spelling is a VerificationError: spaces, missing padding, the URL
    alphabet, or bits set that the padding leaves out.
    """
    try:
        data = b64decode(text, validate=True)
    except ValueError:
        data = None
    if data is None or to_base64(data) != text:
        raise VerificationError("not strict base64", code="koinii/bad-base64")
    if length is not None and len(data) != length:
        raise VerificationError(
            f"{len(data)} bytes where {length} belong", code="koinii/bad-base64"
        )
    return data
