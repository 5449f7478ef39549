"""Names in paths: one spelling of a symbol as one part of a published path.

ASCII letters, digits, `-`, `_` and `.` and everything beyond ASCII stand for
themselves; every other character is `%` and two upper-case hex digits, so no
name can hold a slash or anything else a file system or `git fsck` objects to.
"""

from __future__ import annotations

from koinii.errors import RefusedError, VerificationError

MAX_PART = 200  # bytes of a quoted name
MAX_DIGITS = 15  # of a number: below 2^53 in every reader

_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")


def quote(name: str) -> str:
    """Return the name as one part of a path; a longer one is a `RefusedError`."""
    part = "".join(
        char if char in _SAFE or not char.isascii() else f"%{ord(char):02X}"
        for char in name
    )
    if not part or part[0] == "." or len(part.encode()) > MAX_PART:
        raise RefusedError(
            f"{name!r} cannot be published: as a part of a path it is empty, hidden "
            f"or above {MAX_PART} bytes",
            code="koinii/name-not-publishable",
            hint="choose a shorter name",
            name=name,
        )
    return part


def unquote(part: str) -> str:
    """Return the name that `quote` spells so, or raise `VerificationError`."""
    pieces = part.split("%")
    name = pieces[0]
    try:
        for piece in pieces[1:]:
            name += chr(int(piece[:2], 16)) + piece[2:]
        spelled = quote(name)
    except (ValueError, RefusedError) as fault:
        raise _not_quoted(part) from fault
    if spelled != part:
        raise _not_quoted(part)
    return name


def read_number(text: str) -> int | None:
    """Return a decimal without sign or leading zeros, or None for anything else."""
    if not text.isdecimal() or not text.isascii() or len(text) > MAX_DIGITS:
        return None
    return None if text[0] == "0" and text != "0" else int(text)


def _not_quoted(part: str) -> VerificationError:
    return VerificationError(
        f"{part!r} is no name in a path", code="koinii/bad-path", part=part
    )
