"""The contexts of an author: the lines under its authored root, as a file.

Lines `<Context> <size> <root hex>`, sorted bytewise, each context once and none
empty. Whoever has this file and the signed root can check one context alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from koinii.errors import RefusedError, VerificationError
from koinii.history.paths import quote, read_number
from koinii.history.roots import context_line

MAX_CONTEXTS = 8 << 20  # bytes of the file

_HEX = frozenset("0123456789abcdef")
_ROOT = 64  # hex digits

ContextSet: TypeAlias = tuple[str, int, bytes]  # context, size, root


def write_contexts(rows: Iterable[ContextSet]) -> bytes:
    """Return the file of an author's contexts."""
    lines = sorted(context_line(*row).encode() for row in rows)
    return b"".join(line + b"\n" for line in lines)


def read_contexts(data: bytes) -> list[ContextSet]:
    """Return an author's contexts; anything but the one spelling is refused."""
    if not data:
        return []
    lines = data.split(b"\n")
    if lines.pop() != b"":
        raise _bad_line("no line end at the end", len(lines) + 1)
    rows: dict[str, ContextSet] = {}
    previous = b""
    for number, line in enumerate(lines, start=1):
        row = _read_line(line, number)
        if line <= previous or row[0] in rows:
            raise _bad_line("out of order, or a second time", number)
        rows[row[0]] = row
        previous = line
    return list(rows.values())


def _read_line(line: bytes, number: int) -> ContextSet:
    try:
        context, size_text, top = line.decode().split(" ")
    except ValueError as fault:
        raise _bad_line("not `<Context> <size> <root>`", number) from fault
    size = read_number(size_text)
    if not size or len(top) != _ROOT or not _HEX.issuperset(top):
        raise _bad_line("not `<Context> <size> <root>`", number)
    try:
        quote(context)
    except RefusedError as fault:
        raise _bad_line("no name of a context", number) from fault
    return context, size, bytes.fromhex(top)


def _bad_line(reason: str, number: int) -> VerificationError:
    return VerificationError(
        f"contexts, line {number}: {reason}",
        code="koinii/bad-contexts",
        line=number,
        reason=reason,
    )
