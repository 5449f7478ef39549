"""The file in which an agent's statements travel.

Signed notes stand one after another with an empty line between them; the text
of a statement holds none. What the statements say, and how they are signed and
opened, is in `koinii.note.statements`, whose names are here too.
"""

from __future__ import annotations

from collections.abc import Iterable

from koinii.errors import VerificationError
from koinii.note.signed import parse_note
from koinii.note.statements import (
    Authored,
    Grant,
    Introduction,
    Known,
    OtherStatement,
    RemoteStatement,
    Retirement,
    Revocation,
    Rotation,
    Statement,
    open_authored,
    open_introduction,
    open_remote,
    parse_statement,
    sign_statement,
    statement_hash,
)

__all__ = [
    "Authored",
    "Grant",
    "Introduction",
    "Known",
    "OtherStatement",
    "RemoteStatement",
    "Retirement",
    "Revocation",
    "Rotation",
    "Statement",
    "join_statements",
    "open_authored",
    "open_introduction",
    "open_remote",
    "parse_statement",
    "sign_statement",
    "split_statements",
    "statement_hash",
]

MAX_FILE = 1_048_576


def join_statements(notes: Iterable[bytes]) -> bytes:
    """Return the file of signed notes, which `split_statements` reads back."""
    notes = list(notes)
    data = b"\n".join(notes)
    if split_statements(data) != notes:
        raise _refused("a note holds an empty line")
    return data


def split_statements(data: bytes) -> list[bytes]:
    """Return the signed notes of a file, whose signatures are not checked here."""
    if len(data) > MAX_FILE:
        raise _refused("the file is larger than 1 MiB")
    if not data:
        return []
    blocks = data.removesuffix(b"\n").split(b"\n\n")
    if len(blocks) % 2 or not data.endswith(b"\n"):
        raise _refused("the file is cut short")
    pairs = zip(blocks[::2], blocks[1::2], strict=True)
    notes = [text + b"\n\n" + lines + b"\n" for text, lines in pairs]
    for note in notes:
        parse_statement(parse_note(note).claimed_text)
    return notes


def _refused(reason: str) -> VerificationError:
    return VerificationError(
        f"not a file of statements: {reason}", code="koinii/bad-statements"
    )
