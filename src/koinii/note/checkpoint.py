"""C2SP checkpoints: whose log, its size, its root, as the text of a signed note.

    origin
    size, decimal
    root, base64 of 32 bytes
    extension lines, if any

The origin is inside the signed text. It is compared with the one expected, so
the head of one log cannot be shown as another's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from koinii.errors import VerificationError
from koinii.note.base64_text import from_base64, to_base64
from koinii.note.signed import Signer, Verifier, open_note, sign_note

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from koinii.note.keys import PublicKey

SEAT_ORIGIN = "koinii.seat/"
HASH_SIZE = 32
MAX_SIZE = 2**64 - 1

_SEAT_ID_DIGITS = 32
_DECIMAL = re.compile(r"0|[1-9][0-9]{0,19}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The head of a log: its origin, how many leaves, the root over them."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.origin or "\n" in self.origin:
            raise _refused("the origin of a checkpoint is one line of text")
        if not 0 <= self.size <= MAX_SIZE:
            raise _refused("the size of a checkpoint is not below 2**64")
        if len(self.root) != HASH_SIZE:
            raise _refused("the root of a checkpoint is not 32 bytes")
        if any(not line or "\n" in line for line in self.extensions):
            raise _refused("an extension line of a checkpoint is empty")

    def text(self) -> str:
        """Return the text that is signed."""
        lines = [self.origin, str(self.size), to_base64(self.root), *self.extensions]
        return "".join(line + "\n" for line in lines)


def parse_checkpoint(text: str) -> Checkpoint:
    """Return the checkpoint that `text` spells; it says nothing until signed."""
    lines = text.split("\n")
    if len(lines) < len(("origin", "size", "root", "")) or lines.pop():
        raise _refused("a checkpoint has three lines, each with its line end")
    origin, size, root, *extensions = lines
    if not _DECIMAL.fullmatch(size):
        raise _refused("the size of a checkpoint is no decimal number")
    return Checkpoint(
        origin, int(size), from_base64(root, length=HASH_SIZE), tuple(extensions)
    )


def sign_checkpoint(checkpoint: Checkpoint, signers: Sequence[Signer]) -> bytes:
    """Return the signed note of a checkpoint."""
    return sign_note(checkpoint.text(), signers)


def open_checkpoint(
    data: bytes, verifiers: Iterable[Verifier], *, origin: str
) -> Checkpoint:
    """Return the checkpoint of a signed note if it is that of the log `origin`."""
    checkpoint = parse_checkpoint(open_note(data, verifiers).text)
    if checkpoint.origin != origin:
        raise VerificationError(
            f"the checkpoint is of another log: {checkpoint.origin}",
            code="koinii/other-origin",
            expected=origin,
            found=checkpoint.origin,
        )
    return checkpoint


def seat_id(key: PublicKey) -> str:
    """Return the id of the seat that signs with `key`: 32 hex digits of its hash."""
    return key.key_hash.hex()[:_SEAT_ID_DIGITS]


def seat_verifier(key: PublicKey) -> Verifier:
    """Return the verifier of a seat's checkpoints; its name is the log's origin."""
    return Verifier(SEAT_ORIGIN + seat_id(key), key)


def _refused(reason: str) -> VerificationError:
    return VerificationError(reason, code="koinii/bad-checkpoint")
