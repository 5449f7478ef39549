"""Checking a seat's history from files: a signed head, and the records under it.

    entry bundles -> records, each following the one before -> root -> head
        -> signature -> seat key -> seat id

With an older head of the same seat, also that the newer one extends it: that root is
the one over the first records. The files are those of the seat's ref.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from koinii.history.document import refused
from koinii.history.log import BUNDLE_SIZE, decode_bundle
from koinii.history.record import CommitRecord, decode_record
from koinii.history.verdict import Expected, known_keys
from koinii.merkle import leaf_hash
from koinii.merkle import root as tree_root
from koinii.note.checkpoint import (
    SEAT_ORIGIN,
    Checkpoint,
    open_checkpoint,
    parse_checkpoint,
    seat_id,
    seat_verifier,
)
from koinii.note.keys import PublicKey
from koinii.note.signed import parse_note

KIND = "history"
MAX_HEAD = 1_048_576  # bytes
NOT_SHOWN = (
    "that nobody was shown another history: compare heads with others, or look for "
    "cosignatures",
    "that what a record binds is what the seat believed, or that it is true",
    "that there is no newer commit",
)


def is_head(document: object) -> bool:
    """Tell whether a document is a seat's head, signed or not, and no proof."""
    if isinstance(document, str):
        return document.startswith(SEAT_ORIGIN)
    return isinstance(document, bytes) and document.startswith(SEAT_ORIGIN.encode())


def check_history(
    head: str | bytes,
    entries: object,
    since: str | bytes | None,
    expected: Expected,
    checked: list[str],
) -> None:
    """Check every link, noting each in `checked`; raises a `VerificationError`."""
    note = _bytes(head, "the head")
    seat, key = _signer(note, expected)
    newest = open_checkpoint(note, [seat_verifier(key)], origin=SEAT_ORIGIN + seat)
    checked.append(f"the head is signed by the key of seat {seat}")
    leaves, record = _leaves(_bundles(entries), seat)
    if record is None or len(leaves) != newest.size:
        raise refused(
            f"the head covers {newest.size} records, and {len(leaves)} are given"
        )
    if tree_root(leaves) != newest.root:
        raise refused("the head is not over these records")
    checked.append(f"records under it, each following the one before: {len(leaves)}")
    if since is not None:
        _check_extends(_bytes(since, "the older head"), key, leaves, checked)
    expected.compare_root(record.commit_id, checked)
    expected.compare_head(note.decode(errors="replace"), checked)
    expected.compare_key(key, checked)


def _signer(note: bytes, expected: Expected) -> tuple[str, PublicKey]:
    """Return the seat of a head and its key, which is among those expected."""
    origin = _claimed(note).origin
    seat = origin.removeprefix(SEAT_ORIGIN)
    for key in known_keys(expected.keys):
        if origin == SEAT_ORIGIN + seat_id(key):
            return seat, key
    raise refused(f"a head does not hold its key: give that of seat {seat[:32]!a}")


def _claimed(note: bytes) -> Checkpoint:
    return parse_checkpoint(parse_note(note).claimed_text)


def _leaves(
    bundles: Iterable[bytes], seat: str
) -> tuple[list[bytes], CommitRecord | None]:
    """Return the leaves of records that are in line, and the last record."""
    leaves: list[bytes] = []
    record = None
    for data in bundles:
        if len(leaves) % BUNDLE_SIZE:
            raise refused("a file of records that is not the last one is not full")
        for entry in decode_bundle(data):
            record = _record(entry, seat, leaves)
            leaves.append(leaf_hash(entry))
    return leaves, record


def _record(entry: bytes, seat: str, leaves: list[bytes]) -> CommitRecord:
    record = decode_record(entry)
    number = len(leaves) + 1
    if not isinstance(record, CommitRecord):
        raise refused(f"the record is of version {record.version}, a newer koinii's")
    if (record.seat, record.number) != (seat, number):
        raise refused(f"record {number} names another seat or number")
    if record.previous != (leaves[-1] if leaves else None):
        raise refused(f"record {number} does not follow the one before")
    return record


def _check_extends(
    note: bytes, key: PublicKey, leaves: list[bytes], checked: list[str]
) -> None:
    """Check that an older head of the same seat is over the first of these records."""
    origin = SEAT_ORIGIN + seat_id(key)
    older = open_checkpoint(note, [seat_verifier(key)], origin=origin)
    if older.size > len(leaves):
        raise refused(f"the older head covers {older.size} records, the newer one less")
    if tree_root(leaves[: older.size]) != older.root:
        raise refused("the older head is over other records: two histories of one seat")
    checked.append(f"the head extends the older one, that of commit {older.size}")


def _bundles(entries: object) -> Iterator[bytes]:
    given = entries if isinstance(entries, Iterable) else [entries]
    for one in given:
        if not isinstance(one, bytes):
            raise refused("a head goes with the records under it, as bytes of files")
        yield one


def _bytes(text: object, what: str) -> bytes:
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    if not isinstance(data, bytes) or len(data) > MAX_HEAD:
        raise refused(f"{what} is no signed checkpoint")
    return data
