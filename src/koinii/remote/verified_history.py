"""The head and the history of a fetched seat, checked against what was seen.

The root over the leaves seen before and the new ones has to be the signed one,
so the new head contains the old: consistency, by recomputation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from koinii.errors import VerificationError
from koinii.history.evidence import MAX_HEAD
from koinii.history.log import BUNDLE_SIZE, bundle_name, decode_bundle
from koinii.history.manifest import ENTRIES
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

MAX_BUNDLE = BUNDLE_SIZE * (2 + (16 << 10))  # bytes


class History(NamedTuple):
    """A signed head and the leaves under it; `new` and `entries` were not seen yet."""

    key: PublicKey
    checkpoint: str
    leaves: list[bytes]
    entries: list[bytes]  # the bytes of the new records
    new: list[CommitRecord]
    newest: CommitRecord

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
    entries = _new_entries(fetched, seen, head.size)
    leaves = seen + [leaf_hash(data) for data in entries]
    if tree_root(leaves) != head.root:
        raise bad("checkpoint", "its root is not that of the records")
    new = _new_records(fetched.seat, entries, leaves)
    newest = new[-1] if new else record_of(fetched, leaves, head.size)
    text = fetched.text("checkpoint")
    return History(key, text, leaves, entries, new, newest)


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
    first = history.size - len(history.new) + 1
    if number + 1 >= first:
        yield from history.new[number + 1 - first :]
        return
    start = number // BUNDLE_SIZE * BUNDLE_SIZE + 1
    for record in _all_records(fetched, history.leaves, start):
        if record.number > number:
            yield record


def bound_sets(
    fetched: FetchedSeat, leaves: list[bytes]
) -> dict[str, tuple[int, AuthoredRoot]]:
    """Return the newest set of each agent and its commit; O(history)."""
    sets: dict[str, tuple[int, AuthoredRoot]] = {}
    for record in _all_records(fetched, leaves, 1):
        sets |= {name: (record.number, row) for name, row in record.agents.items()}
    return sets


def _all_records(
    fetched: FetchedSeat, leaves: list[bytes], first: int
) -> Iterator[CommitRecord]:
    """Yield the records from the first of a file on, each under its leaf."""
    for start in range(first, len(leaves) + 1, BUNDLE_SIZE):
        for number, data in enumerate(_bundle(fetched, start, len(leaves)), start):
            if leaf_hash(data) != leaves[number - 1]:
                raise bad(ENTRIES + bundle_name(number), "it is not under the head")
            yield _record(fetched.seat, number, data)


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


def _new_entries(fetched: FetchedSeat, seen: list[bytes], size: int) -> list[bytes]:
    """Return the records beyond those seen, and compare what stands beside them."""
    new: list[bytes] = []
    first = len(seen) // BUNDLE_SIZE * BUNDLE_SIZE + 1
    for start in range(first, size + 1, BUNDLE_SIZE):
        for number, data in enumerate(_bundle(fetched, start, size), start):
            if number > len(seen):
                new.append(data)
            elif leaf_hash(data) != seen[number - 1]:
                raise bad(
                    ENTRIES + bundle_name(number),
                    f"record {number} is not the one seen before: two histories",
                )
    return new


def _bundle(fetched: FetchedSeat, number: int, size: int) -> list[bytes]:
    """Return the records of the file that holds one of them, as many as fit."""
    path = ENTRIES + bundle_name(number)
    start = (number - 1) // BUNDLE_SIZE * BUNDLE_SIZE + 1
    with naming(path):
        entries = decode_bundle(fetched.body(path, MAX_BUNDLE))
    if len(entries) != min(BUNDLE_SIZE, size - start + 1):
        raise bad(path, f"it holds {len(entries)} records")
    return entries


def _new_records(
    seat: str, entries: list[bytes], leaves: list[bytes]
) -> list[CommitRecord]:
    """Check that each new record follows the one before."""
    first = len(leaves) - len(entries) + 1
    records = []
    for number, data in enumerate(entries, start=first):
        record = _record(seat, number, data)
        if record.previous != (leaves[number - 2] if number > 1 else None):
            raise bad(ENTRIES + bundle_name(number), f"record {number} is out of line")
        records.append(record)
    return records


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
