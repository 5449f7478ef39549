"""C2SP tlog-proofs: an inclusion in a log with its checkpoint, in one text.

    c2sp.org/tlog-proof@v1
    extra base64            (only where there is something)
    index 12
    base64 of each hash of the path
    (empty line)
    the signed checkpoint

As we write it the leaf is a commit record and `extra` the JSON state proof, so
stock tools check the outer half.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from koinii.errors import VerificationError
from koinii.history.document import MAX_BYTES, read, write
from koinii.merkle import MAX_PATH, MAX_SIZE, verify_inclusion
from koinii.note.base64_text import from_base64, to_base64
from koinii.note.checkpoint import Checkpoint, open_checkpoint
from koinii.note.signed import Verifier, check_text

_FIRST = "c2sp.org/tlog-proof@v1"
_INDEX = re.compile(r"index (0|[1-9][0-9]{0,19})")
_EXTRA = "extra "
_MAX_TEXT = 2 * MAX_BYTES
_HASH_SIZE = 32


@dataclass(frozen=True, slots=True)
class TlogProof:
    """The parts of a tlog-proof; nothing of it is verified yet."""

    index: int
    path: tuple[bytes, ...]
    checkpoint: str
    extra: bytes | None = None

    def text(self) -> str:
        """Return the text that `parse_tlog` reads back."""
        extra = [] if self.extra is None else [_EXTRA + to_base64(self.extra)]
        path = map(to_base64, self.path)
        lines = [_FIRST, *extra, f"index {self.index}", *path, ""]
        return "".join(line + "\n" for line in lines) + self.checkpoint


def parse_tlog(text: str) -> TlogProof:
    """Return the parts of a tlog-proof; anything else is a VerificationError."""
    if len(text) > _MAX_TEXT:
        raise _refused(f"more than {_MAX_TEXT} characters")
    check_text(text)
    header, gap, checkpoint = text.partition("\n\n")
    if not gap or not checkpoint:
        raise _refused("no header, empty line and checkpoint")
    first, *lines = header.split("\n")
    if first != _FIRST:
        raise _refused(f"the first line is not {_FIRST}")
    extra = None
    if lines and lines[0].startswith(_EXTRA):
        extra = from_base64(lines.pop(0)[len(_EXTRA) :])
    match = _INDEX.fullmatch(lines.pop(0)) if lines else None
    if not match or int(match[1]) > MAX_SIZE:
        raise _refused("no index")
    if len(lines) > MAX_PATH:
        raise _refused(f"more than {MAX_PATH} hashes")
    path = tuple(from_base64(line, length=_HASH_SIZE) for line in lines)
    return TlogProof(int(match[1]), path, checkpoint, extra)


def verify_tlog(
    proof: TlogProof, leaf: bytes, verifiers: Iterable[Verifier], *, origin: str
) -> Checkpoint:
    """Return the checkpoint of log `origin` that holds leaf hash `leaf`."""
    head = open_checkpoint(proof.checkpoint.encode(), verifiers, origin=origin)
    if not verify_inclusion(leaf, proof.index, head.size, proof.path, head.root):
        raise _refused("the path does not lead from the leaf to the checkpoint")
    return head


def to_tlog(document: Mapping[str, object]) -> str:
    """Return a state proof as a tlog-proof of its commit record."""
    document = dict(document)
    fields = read(document)
    if not fields.has("history"):
        raise _refused(f"a proof of kind {fields.text('kind')} has no commit record")
    place = fields.object("history", {"index", "size", "path"})
    return TlogProof(
        place.count("index"),
        tuple(place.path("path")),
        fields.text("head"),
        write(document).encode(),
    ).text()


def _refused(reason: str) -> VerificationError:
    return VerificationError(f"not a tlog-proof: {reason}", code="koinii/bad-proof")
