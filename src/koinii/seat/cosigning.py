"""What a commit says of other seats: their heads, cosigned, and evidence of forks.

A file `cosigned/<seat id>` for each seat, written with a commit that is made anyway:
a head that moved is no reason to commit, or two seats would answer each other for
ever. Evidence is a reason, and so is `commit --cosign`, which also cosigns anew
what has not moved.
"""

from __future__ import annotations

import zlib
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from koinii.history.cosigned import write_cosigned
from koinii.history.evidence import MAX_HEAD
from koinii.history.evidence_text import read_evidence
from koinii.note import (
    PublicKey,
    Signer,
    add_cosignatures,
    cosign,
    parse_note,
    seat_cosigner,
    seat_verifier,
)
from koinii.note.checkpoint import SEAT_ORIGIN
from koinii.seat.damaged import naming
from koinii.seat.own_key import own_key
from koinii.store.heads import CosignatureRow, ForkRow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.history.evidence import Evidence
    from koinii.history.record import CommitRecord
    from koinii.seat.parts import Parts
    from koinii.seat.publishing import Draft
    from koinii.store.histories import Head

FOLDER = "cosigned/"


def is_due(seat: Parts, *, asked: bool) -> bool:
    """Tell whether there is a reason to commit: new evidence, or being asked."""
    return any(_unsaid(seat)) or (asked and any(_heads(seat)))


def carry(
    seat: Parts, draft: Draft, record: CommitRecord, *, afresh: bool
) -> CommitRecord:
    """Write what has moved since it was written last; return the record with it."""
    moved = set()
    for head in _heads(seat):
        with naming(f"the head of seat {head.seat}, or its cosignature,"):
            moved |= {head.seat} if _cosign(seat, head, afresh=afresh) else set()
    moved |= {row.seat for row in _unsaid(seat)}
    for other in sorted(moved):
        draft.write(FOLDER + other, _file(seat, other))
    if not moved:
        return record
    return replace(record, manifest=sha256(draft.manifest()).digest())


# Heads ------------------------------------------------------------------------


def _heads(seat: Parts) -> Iterator[Head]:
    """Yield the heads of others that this seat follows and takes for their only one."""
    without = seat.histories.unfollowed() | {seat.id}
    frozen = {row.seat for row in seat.heads.forks() if row.is_frozen}
    for head in seat.histories.heads():
        if head.checkpoint and head.seat not in without | frozen:
            yield head


def _cosign(seat: Parts, head: Head, *, afresh: bool) -> bool:
    """Cosign a head if it is another than was cosigned last; tell whether it is."""
    last = seat.heads.cosignature(head.seat, seat.id)
    if last is not None and not afresh and _text(last.note) == _text(head.checkpoint):
        return False
    key, log = own_key(seat), seat_verifier(PublicKey(head.public_key))
    note, seconds = head.checkpoint.encode(), seat.now() // 1000
    line = cosign(note, Signer.of(SEAT_ORIGIN + seat.id, key), seconds, log=log)
    us = seat_cosigner(key.public)
    cosigned = add_cosignatures(note, [line], log=log, cosigners=[us])
    if len(cosigned) > MAX_HEAD:
        return False
    seat.heads.put_cosignature(
        CosignatureRow(head.seat, seat.id, head.size, seconds, cosigned.decode())
    )
    return True


def _text(note: str) -> str:
    return parse_note(note.encode()).claimed_text


# Evidence ---------------------------------------------------------------------


def _unsaid(seat: Parts) -> Iterator[ForkRow]:
    """Yield the forks whose evidence our files do not show as it is known now."""
    for row in seat.heads.forks():
        packed = seat.files.body(FOLDER + row.seat)
        shown = b"" if packed is None else zlib.decompress(packed)
        if not shown.endswith(row.evidence):
            yield row


def _file(seat: Parts, other: str) -> bytes:
    row, fork = seat.heads.cosignature(other, seat.id), seat.heads.fork(other)
    evidence: Evidence | None = None if fork is None else read_evidence(fork.evidence)
    if evidence is not None:
        key = evidence.key
    else:
        head = seat.histories.head(other)
        assert head is not None  # noqa: S101 - it was cosigned
        key = PublicKey(head.public_key)
    return write_cosigned(key, None if row is None else row.note.encode(), evidence)
