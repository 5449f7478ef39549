"""The file `cosigned/<seat id>`: what a seat has checked of another seat.

    koinii.cosigned/v1
    ssh-ed25519 …           the other seat's key
    (empty line)
    its newest head that we checked, with its line and our cosignature
    (empty line)
    evidence of a fork

Head and evidence are each there or not, at least one of them; evidence is a
text of its own, `evidence_text.py`. What is read is `UnverifiedCosigned`;
`open_cosigned` says what it shows.
"""

from __future__ import annotations

from dataclasses import dataclass

from koinii.errors import VerificationError
from koinii.history.evidence import MAX_HEAD, Evidence, Fork, verify_evidence
from koinii.history.evidence_text import (
    FORK,
    MAX_EVIDENCE,
    heading,
    read_evidence,
    write_evidence,
)
from koinii.note.checkpoint import (
    Checkpoint,
    open_checkpoint,
    parse_checkpoint,
    seat_id,
    seat_verifier,
)
from koinii.note.cosignature import open_cosignatures, seat_cosigner
from koinii.note.keys import PublicKey, read_public_key
from koinii.note.signed import parse_note

COSIGNED = "koinii.cosigned/v1"
MAX_COSIGNED = MAX_EVIDENCE + 2 * MAX_HEAD


@dataclass(frozen=True, slots=True)
class UnverifiedCosigned:
    """The parts of a file whose form is right; nothing of it is verified yet."""

    key: PublicKey
    head: bytes | None
    evidence: Evidence | None


@dataclass(frozen=True, slots=True)
class CosignedHead:
    """A head with its seat's signature and one seat's cosignature, both good."""

    checkpoint: Checkpoint
    note: bytes
    seconds: int


@dataclass(frozen=True, slots=True)
class Cosigned:
    """What `cosigner` says of the seat `seat`, verified."""

    seat: str
    key: PublicKey
    cosigner: PublicKey
    head: CosignedHead | None
    fork: Fork | None


def write_cosigned(
    key: PublicKey, head: bytes | None, evidence: Evidence | None = None
) -> bytes:
    """Return the file about the seat that signs with `key`.

    `head` is what `add_cosignatures` gives for our cosigner alone.
    """
    if head is None and evidence is None:
        raise _bad_file("neither a head nor evidence")
    if evidence is not None and evidence.key != key:
        raise _bad_file("the evidence is of another seat")
    parts = [heading(COSIGNED, key)]
    if head is not None:
        parts.append(_form_of_head(head, key))
    if evidence is not None:
        parts.append(write_evidence(evidence))
    return b"\n".join(parts)


def read_cosigned(data: bytes) -> UnverifiedCosigned:
    """Return the parts of a file; anything but the one spelling is refused."""
    if len(data) > MAX_COSIGNED:
        raise _bad_file(f"more than {MAX_COSIGNED} bytes")
    begin, _, body = data.partition(b"\n\n")
    kind, _, line = begin.decode("ascii", "replace").partition("\n")
    if kind != COSIGNED:
        raise _bad_file(f"the first line is not {COSIGNED}")
    key = read_public_key(line)
    head, evidence = _split(body)
    found = UnverifiedCosigned(
        key, head or None, read_evidence(evidence) if evidence else None
    )
    if write_cosigned(found.key, found.head, found.evidence) != data:
        raise _bad_file("not in its one spelling")
    return found


def open_cosigned(
    unverified: UnverifiedCosigned,
    cosigner: PublicKey,
    *,
    seat: str,
    key: PublicKey | None = None,
) -> Cosigned:
    """Return what the file of the seat `cosigner` says of `seat`, all verified.

    `seat` is the file's name; `key` that seat's key where it is known. A file of
    another seat is refused as `koinii/other-origin`, evidence that shows no fork
    as `koinii/bad-evidence`, a signature that does not fit as `koinii/bad-signature`.
    """
    found = seat_id(unverified.key)
    if found != seat or key not in {None, unverified.key}:
        raise VerificationError(
            f"the file is of another seat: {found}",
            code="koinii/other-origin",
            expected=seat,
            found=found,
        )
    note, evidence = unverified.head, unverified.evidence
    head = None if note is None else _open_head(note, unverified.key, cosigner)
    fork = None
    if evidence is not None:
        if evidence.key != unverified.key:
            raise _bad_file("the evidence is of another seat")
        fork = verify_evidence(evidence)
    return Cosigned(seat, unverified.key, cosigner, head, fork)


def _split(body: bytes) -> tuple[bytes, bytes]:
    """Return the head and the evidence, either of them empty where it is missing."""
    marker = f"\n\n{FORK}\n".encode()
    if body.startswith(marker[2:]):
        return b"", body
    head, gap, evidence = body.partition(marker)
    return (head + b"\n", marker[2:] + evidence) if gap else (body, b"")


def _form_of_head(note: bytes, key: PublicKey) -> bytes:
    """Return the note if it says it is a head of the seat, cosigned once."""
    if len(note) > MAX_HEAD:
        raise _bad_file(f"a head of more than {MAX_HEAD} bytes")
    unverified = parse_note(note)
    claimed = parse_checkpoint(unverified.claimed_text)
    if claimed.origin != seat_verifier(key).name:
        raise _bad_file("the head is of another seat")
    if len(unverified.lines) != len(("seat", "cosigner")):
        raise _bad_file("a head has its seat's line and one of another seat")
    return note


def _open_head(note: bytes, key: PublicKey, cosigner: PublicKey) -> CosignedHead:
    verifier, witness = seat_verifier(key), seat_cosigner(cosigner)
    checkpoint = open_checkpoint(note, [verifier], origin=verifier.name)
    found = open_cosignatures(note, [witness])
    hints = [(line.name, line.key_id) for line in parse_note(note).lines]
    expected = [(one.name, one.key_id) for one in (verifier, witness)]
    if hints != expected or key == cosigner:
        raise _bad_file("a head has its seat's line, then one of the seat asked")
    return CosignedHead(checkpoint, note, found[0].seconds)


def _bad_file(reason: str) -> VerificationError:
    return VerificationError(
        f"no file of what a seat cosigned: {reason}",
        code="koinii/bad-cosigned",
        reason=reason,
    )
