"""The head and the history of a fetched seat, checked against what was seen.

The root over the leaves seen before and the new ones has to be the signed one,
so the new head contains the old: consistency, by recomputation. Only the hashes of
a long history are kept in memory; its records are read again where they are needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from koinii.errors import VerificationError
from koinii.history.evidence import MAX_HEAD
from koinii.history.log import BUNDLE_SIZE, bundle_name, decode_bundle
from koinii.history.manifest import ENTRIES, MAX_FILES
from koinii.history.record import AuthoredRoot, CommitRecord, decode_record
from koinii.merkle import leaf_hash
from koinii.merkle import root as tree_root
from koinii.note import PublicKey, open_checkpoint, read_public_key
from koinii.note.checkpoint import (
    SEAT_ORIGIN,
    Checkpoint,
    seat_id,
    seat_verifier,
)
from koinii.remote.fetched import FetchedSeat, bad, naming

MAX_NEW = 1 << 20  # records in one pull
_KEPT = 4 << 20  # bytes of records

MAX_BUNDLE = BUNDLE_SIZE * (2 + (16 << 10))  # bytes


class Records:
    """The records of a history from one number on, each under its leaf.

    Those that come to little are kept; more are read again each time.
    """

    def __init__(self, fetched: FetchedSeat, leaves: list[bytes], first: int) -> None:
        self._fetched = fetched
        self._leaves = leaves
        self._first = first
        self._kept: list[tuple[bytes, CommitRecord]] | None = None

    def __len__(self) -> int:
        return len(self._leaves) - self._first + 1

    def __iter__(self) -> Iterator[CommitRecord]:
        """Yield the records, oldest first."""
        if self._kept is not None:
            yield from (record for _, record in self._kept)
            return
        kept: list[tuple[bytes, CommitRecord]] | None = []
        room = _KEPT
        for number, data in enumerate(self.entries(), start=self._first):
            record = _record(self._fetched.seat, number, data)
            room -= len(data)
            if room < 0:
                kept = None
            if kept is not None:
                kept.append((data, record))
            yield record
        self._kept = kept

    def entries(self) -> Iterator[bytes]:
        """Yield the bytes of the records, oldest first."""
        if self._kept is not None:
            yield from (data for data, _ in self._kept)
            return
        for number, data in _entries(self._fetched, self._first, len(self._leaves)):
            if leaf_hash(data) != self._leaves[number - 1]:
                raise bad(ENTRIES + bundle_name(number), "it is not under the head")
            yield data


class History(NamedTuple):
    """A signed head and the leaves under it; `new` were not seen yet."""

    key: PublicKey
    checkpoint: str
    leaves: list[bytes]
    new: Records
    newest: CommitRecord
    bound: dict[str, int]  # the agents that the new records bind, and when last

    @property
    def entries(self) -> Iterator[bytes]:
        """The bytes of the new records."""
        return self.new.entries()

    @property
    def size(self) -> int:
        """How many commits the head covers."""
        return len(self.leaves)

    @property
    def paths(self) -> set[str]:
        """The files that hold a history of this size."""
        starts = range(1, self.size + 1, BUNDLE_SIZE)
        return {ENTRIES + bundle_name(number) for number in starts}


def verify_history(
    fetched: FetchedSeat, public_key: bytes | None, seen: list[bytes]
) -> History:
    """Check key, checkpoint and records; `seen` are the leaves known before.

    Raises:
        VerificationError: another key, a head that is not signed, a history that
            went back or is another one, records out of line.
    """
    key = _key(fetched, public_key)
    head = _head(fetched, key)
    if head.size < len(seen):
        raise _went_back(head.size, head.root, seen)
    if head.size == 0:
        raise bad("checkpoint", "it covers no record")
    leaves = seen + _new_leaves(fetched, seen, head.size)
    if tree_root(leaves) != head.root:
        raise bad("checkpoint", "its root is not that of the records")
    new = Records(fetched, leaves, len(seen) + 1)
    newest, bound = _in_line(new, leaves)
    text = fetched.text("checkpoint")
    newest = newest or record_of(fetched, leaves, head.size)
    return History(key, text, leaves, new, newest, bound)


def signed_head(fetched: FetchedSeat) -> Checkpoint:
    """Return the head as the seat's own key signed it; nothing under it is checked.

    Raises:
        VerificationError: another key, or a head that is not signed by it.
    """
    return _head(fetched, _key(fetched, None))


def record_of(fetched: FetchedSeat, leaves: list[bytes], number: int) -> CommitRecord:
    """Return one record as the ref shows it, under the leaf it has to have."""
    path = ENTRIES + bundle_name(number)
    entries = _bundle(fetched, number, len(leaves))
    at = (number - 1) % BUNDLE_SIZE
    if number > len(leaves) or leaf_hash(entries[at]) != leaves[number - 1]:
        raise bad(path, f"record {number} is not the one under the head")
    return _record(fetched.seat, number, entries[at])


def records_since(
    fetched: FetchedSeat, history: History, number: int
) -> Iterator[CommitRecord]:
    """Yield the records after a commit; those seen before are read again."""
    records = history.new
    if number < history.size - len(history.new):
        records = Records(fetched, history.leaves, number + 1)
    yield from (record for record in records if record.number > number)


def bound_sets(
    fetched: FetchedSeat, leaves: list[bytes]
) -> dict[str, tuple[int, AuthoredRoot]]:
    """Return the newest set of each agent and its commit; O(history)."""
    sets: dict[str, tuple[int, AuthoredRoot]] = {}
    for record in Records(fetched, leaves, 1):
        sets |= {name: (record.number, row) for name, row in record.agents.items()}
    return sets


def _key(fetched: FetchedSeat, public_key: bytes | None) -> PublicKey:
    with naming("seat.pub"):
        key = read_public_key(fetched.text("seat.pub"))
    if seat_id(key) != fetched.seat:
        raise bad("seat.pub", f"it is not the key of seat {fetched.seat}")
    if public_key not in (None, key.raw):
        raise bad("seat.pub", "the seat had another key before")
    return key


def _head(fetched: FetchedSeat, key: PublicKey) -> Checkpoint:
    note = fetched.text("checkpoint").encode()
    if len(note) > MAX_HEAD:
        raise bad("checkpoint", f"a head of more than {MAX_HEAD} bytes")
    with naming("checkpoint"):
        return open_checkpoint(
            note,
            [seat_verifier(key)],
            origin=SEAT_ORIGIN + fetched.seat,
        )


def _went_back(size: int, top: bytes, seen: list[bytes]) -> VerificationError:
    if tree_root(seen[:size]) == top:
        return bad("checkpoint", f"the history went back from {len(seen)} to {size}")
    return bad("checkpoint", "two histories: it is not the one seen before")


def _new_leaves(fetched: FetchedSeat, seen: list[bytes], size: int) -> list[bytes]:
    """Return the leaves beyond those seen, and compare what stands beside them."""
    new: list[bytes] = []
    first = len(seen) // BUNDLE_SIZE * BUNDLE_SIZE + 1
    for number, data in _entries(fetched, first, size):
        leaf = leaf_hash(data)
        if number > len(seen):
            new.append(leaf)
            if len(new) > MAX_NEW:
                raise bad("checkpoint", f"it covers more than {MAX_NEW} new records")
        elif leaf != seen[number - 1]:
            raise bad(
                ENTRIES + bundle_name(number),
                f"record {number} is not the one seen before: two histories",
            )
    return new


def _entries(
    fetched: FetchedSeat, first: int, size: int
) -> Iterator[tuple[int, bytes]]:
    """Yield the records of a history from one on, a file of them in memory."""
    number = first
    while number <= size:
        entries = _bundle(fetched, number, size)
        for data in entries[(number - 1) % BUNDLE_SIZE :]:
            yield number, data
            number += 1


def _bundle(fetched: FetchedSeat, number: int, size: int) -> list[bytes]:
    """Return the records of the file that holds one of them, as many as fit."""
    path = ENTRIES + bundle_name(number)
    start = (number - 1) // BUNDLE_SIZE * BUNDLE_SIZE + 1
    with naming(path):
        entries = decode_bundle(fetched.body(path, MAX_BUNDLE))
    if len(entries) != min(BUNDLE_SIZE, size - start + 1):
        raise bad(path, f"it holds {len(entries)} records")
    return entries


def _in_line(
    new: Records, leaves: list[bytes]
) -> tuple[CommitRecord | None, dict[str, int]]:
    """Check that each new record follows the one before; return the last one.

    With it comes which agents they bind, and when last.
    """
    newest = None
    bound: dict[str, int] = {}
    for newest in new:
        number = newest.number
        if newest.previous != (leaves[number - 2] if number > 1 else None):
            raise bad(ENTRIES + bundle_name(number), f"record {number} is out of line")
        bound |= dict.fromkeys(newest.agents, number)
        if len(bound) > MAX_FILES:
            raise bad(ENTRIES + bundle_name(number), "too many agents are bound")
    return newest, bound


def _record(seat: str, number: int, data: bytes) -> CommitRecord:
    path = ENTRIES + bundle_name(number)
    with naming(path):
        record = decode_record(data)
    if not isinstance(record, CommitRecord):
        raise VerificationError(
            f"record {number} of seat {seat} needs a newer koinii",
            code="koinii/newer-record",
            hint="install a newer koinii; nothing of that seat was changed",
            path=path,
        )
    if (record.seat, record.number) != (seat, number):
        raise bad(path, f"record {number} names another seat or number")
    return record
