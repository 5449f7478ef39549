"""Evidence of a fork as text, one spelling, at most 1.5 MiB.

    koinii.fork/v1
    ssh-ed25519 …           the seat's key
    (empty line)
    the smaller head, with the seat's line
    (empty line)
    the other head, with the seat's line
    (empty line)
    common 3                leaves of both, in base64, one a line
    first 1                 then those of the smaller head alone
    second 2                then those of the other head alone

Where the leaves of one head only are known, `first` or `second` has them all and
`common` is missing; where none are, the heads end the text.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from koinii.errors import VerificationError
from koinii.history.evidence import (
    MAX_HEAD,
    MAX_LEAVES,
    Branch,
    Evidence,
    common_prefix,
)
from koinii.note.base64_text import from_base64, to_base64
from koinii.note.checkpoint import HASH_SIZE, parse_checkpoint
from koinii.note.keys import PublicKey, read_public_key
from koinii.note.signed import parse_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FORK = "koinii.fork/v1"
MAX_EVIDENCE = 3 << 19  # bytes; two lists of 16,000 leaves fit

_GAP = "\n\n"
_SECTION = re.compile(r"(common|first|second) (0|[1-9][0-9]{0,4})", re.ASCII)


def write_evidence(evidence: Evidence) -> bytes:
    """Return the evidence as text; the same bytes for the same evidence."""
    for branch in evidence.branches:
        _check_branch(branch)
    first, second = evidence.branches
    text = "".join(
        f"{name} {len(leaves)}\n" + "".join(to_base64(leaf) + "\n" for leaf in leaves)
        for name, leaves in _sections(first.leaves, second.leaves)
    )
    parts = [heading(FORK, evidence.key), first.note, second.note]
    return b"\n".join([*parts, text.encode()] if text else parts)


def read_evidence(data: bytes) -> Evidence:
    """Return the evidence in a text; anything but the one spelling is refused."""
    if len(data) > MAX_EVIDENCE:
        raise _refused(f"more than {MAX_EVIDENCE} bytes")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise _refused("not UTF-8") from None
    parts = text.removesuffix("\n").split(_GAP)
    if len(parts) not in {5, 6}:
        raise _refused("no header, two heads and leaves")
    begin, text1, lines1, text2, lines2, *leaves = parts
    kind, _, line = begin.partition("\n")
    if kind != FORK:
        raise _refused(f"the first line is not {FORK}")
    key = read_public_key(line)
    known1, known2 = _read_leaves("\n".join(leaves))
    first = Branch(f"{text1}{_GAP}{lines1}\n".encode(), known1)
    second = Branch(f"{text2}{_GAP}{lines2}\n".encode(), known2)
    evidence = Evidence(key, (first, second))
    if write_evidence(evidence) != data:
        raise _refused("not in its one spelling")
    return evidence


def heading(kind: str, key: PublicKey) -> bytes:
    """Return the first two lines of a text about the seat that signs with `key`."""
    return f"{kind}\n{key.openssh()}\n".encode()


def _check_branch(branch: Branch) -> None:
    if len(branch.note) > MAX_HEAD:
        raise _refused(f"a head of more than {MAX_HEAD} bytes")
    parse_checkpoint(parse_note(branch.note).claimed_text)
    leaves = branch.leaves or ()
    if len(leaves) > MAX_LEAVES or any(len(leaf) != HASH_SIZE for leaf in leaves):
        raise _refused(f"no more than {MAX_LEAVES} hashes of 32 bytes")


def _sections(
    first: Sequence[bytes] | None, second: Sequence[bytes] | None
) -> Iterator[tuple[str, Sequence[bytes]]]:
    shared = 0
    if first is not None and second is not None:
        shared = common_prefix(first, second)
        yield "common", first[:shared]
    if first is not None:
        yield "first", first[shared:]
    if second is not None:
        yield "second", second[shared:]


def _read_leaves(
    text: str,
) -> tuple[tuple[bytes, ...] | None, tuple[bytes, ...] | None]:
    """Return the leaves of the two heads; the caller compares the spelling."""
    found: dict[str, tuple[bytes, ...]] = {}
    lines = iter(text.split("\n") if text else ())
    for line in lines:
        match = _SECTION.fullmatch(line)
        if not match or int(match[2]) > MAX_LEAVES:
            raise _refused("a line of leaves is off")
        leaves = islice(lines, int(match[2]))
        found[match[1]] = tuple(from_base64(one, length=HASH_SIZE) for one in leaves)
    shared = found.get("common", ())
    first, second = found.get("first"), found.get("second")
    return (
        None if first is None else shared + first,
        None if second is None else shared + second,
    )


def _refused(reason: str) -> VerificationError:
    return VerificationError(
        f"no evidence of a fork: {reason}", code="koinii/bad-evidence", reason=reason
    )
