"""This seat's newest record beside another seat's, for saying how they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.history.record import CommitRecord, decode_record
from koinii.history.roots import heads_root

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from koinii.history.record import PeerHead
    from koinii.seat.parts import Parts

_BATCH = 64  # records read at once
_NAMED = 3  # of a list that may be long


class Two(NamedTuple):
    """What is compared: the newest record of each."""

    seat: Parts
    own: CommitRecord
    peer: CommitRecord

    def place(self, seat: str) -> str:
        """Return how a sentence for people names a seat."""
        return "this seat" if seat == self.seat.id else short(seat)


class Told(NamedTuple):
    """A difference for people, and the command to go on with."""

    explanation: str
    hint: str


def short(seat: str) -> str:
    """Return a seat's name as far as people need it."""
    return f"seat {seat[:8]}…"


def listed(names: Iterable[str]) -> str:
    """Return the first names of a list and how many more there are."""
    found = list(names)
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return ", ".join(found[:_NAMED]) + more


def bound_heads(seat: Parts, record: CommitRecord) -> dict[str, PeerHead]:
    """Return the heads that another seat's newest record binds.

    A record names those that moved with it, so this reads from the newest back to
    where they are all found; O(history) at most.
    """
    found: dict[str, PeerHead] = {}
    last = record.number
    while last and _root(found) != record.heads_root:
        first = max(1, last - _BATCH + 1)
        found = _folded(seat.histories.records(record.seat, first, last)) | found
        last = first - 1
    return found


def _folded(records: Sequence[bytes]) -> dict[str, PeerHead]:
    """Return the newest head of each seat that the records name, oldest first."""
    found: dict[str, PeerHead] = {}
    for one in map(decode_record, records):
        if isinstance(one, CommitRecord):
            found |= one.heads
    return found


def _root(heads: dict[str, PeerHead]) -> bytes:
    return heads_root((one, *head) for one, head in heads.items())
