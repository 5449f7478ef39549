"""Who has cosigned the heads known here, and which seats told two histories."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.history.record import CommitRecord, decode_record
from koinii.store.heads import ForkRow

if TYPE_CHECKING:
    from koinii.seat.parts import Parts


class Cosigner(NamedTuple):
    """A seat that has checked and signed a head: of which commit, and when."""

    seat: str
    number: int
    time: int  # ms, by its own clock


class ForkHead(NamedTuple):
    """One of two heads that contradict each other."""

    number: int
    root: str


class Forked(NamedTuple):
    """A seat that signed two histories, and how far they are the same."""

    seat: str
    heads: list[ForkHead]
    prefix: int | None  # None: the leaves of one of them are not known
    decided: bool  # the operator goes on with what a remote shows


def cosigners_of(seat: Parts, other: str) -> list[Cosigner]:
    """Return who has cosigned heads of a seat, the newest head first.

    Seats that are not followed are left out; this one is among them.
    """
    without = seat.histories.unfollowed()
    rows = [
        row
        for row in seat.heads.cosignatures()
        if row.seat == other and row.cosigner not in without
    ]
    rows.sort(key=lambda row: (-row.size, -row.time, row.cosigner))
    return [Cosigner(row.cosigner, row.size, row.time * 1000) for row in rows]


def ahead(seat: Parts, other: str, number: int) -> int:
    """Return by how many ms a commit of a seat is dated later than now, 0 for none.

    No decision reads a time; people may want to know whose clock is wrong.
    """
    data = seat.histories.record(other, number)
    record = None if data is None else decode_record(data)
    if not isinstance(record, CommitRecord):
        return 0
    return max(0, record.time - seat.now())


def forks(seat: Parts) -> list[Forked]:
    """Return every seat that signed two histories, by id."""
    return [_forked(row) for row in seat.heads.forks()]


def fork_of(seat: Parts, other: str) -> Forked | None:
    """Return what is known of a seat's two histories."""
    row = seat.heads.fork(other)
    return None if row is None else _forked(row)


def _forked(row: ForkRow) -> Forked:
    from koinii.history.evidence_text import (  # noqa: PLC0415 - there are none, usually
        read_evidence,
    )
    from koinii.note import parse_checkpoint, parse_note  # noqa: PLC0415 - as above

    notes = [branch.note for branch in read_evidence(row.evidence).branches]
    tops = [parse_checkpoint(parse_note(note).claimed_text) for note in notes]
    heads = [ForkHead(top.size, f"sha256:{top.root.hex()}") for top in tops]
    return Forked(row.seat, heads, row.prefix, not row.is_frozen)
