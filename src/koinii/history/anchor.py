"""Checking that a root is in a record of a seat's signed history.

root and size in a commit record -> path -> root and size in a checkpoint
    -> signature -> seat key -> seat id
"""

from __future__ import annotations

from koinii.history.document import LOCATOR, Fields, refused
from koinii.history.record import CommitRecord, decode_record
from koinii.history.verdict import Expected
from koinii.merkle import leaf_hash, verify_inclusion
from koinii.note.base64_text import from_base64
from koinii.note.checkpoint import SEAT_ORIGIN, open_checkpoint, seat_id, seat_verifier
from koinii.note.keys import PublicKey, read_public_key


def record_of(fields: Fields) -> CommitRecord:
    """Return the commit record, which binds the document's root and size.

    Nothing is signed about it before `check_anchor`.
    """
    record = decode_record(from_base64(fields.text("record")))
    if not isinstance(record, CommitRecord):
        raise refused(f"the record is of version {record.version}, a newer koinii's")
    bound = (record.commit, record.size)
    if bound != (fields.hash("root", LOCATOR), fields.count("size")):
        raise refused("the record binds another root or size")
    return record


def check_anchor(fields: Fields, expected: Expected, checked: list[str]) -> list[str]:
    """Check every link from the root to the seat; return what is assumed."""
    record = record_of(fields)
    checked.append(f"the record of commit {record.number} binds root and size")
    key = _read_key(fields.text("key"))
    if record.seat != seat_id(key):
        raise refused("the record is of another seat than the key")
    _check_head(fields, record, key)
    checked.append("the record is in the history under the head")
    checked.append(f"the head is signed by the key of seat {record.seat}")
    expected.compare_root(fields.text("root"), checked)
    expected.compare_head(fields.text("head"), checked)
    expected.compare_key(key, checked)
    return expected.assumes(f"seat {record.seat}")


def _read_key(line: str) -> PublicKey:
    """Return the key of a line in its one spelling: no comment, no line end."""
    key = read_public_key(line)
    if line != key.openssh():
        raise refused("the key is not in its one spelling")
    return key


def _check_head(fields: Fields, record: CommitRecord, key: PublicKey) -> None:
    head = fields.text("head").encode()
    origin = SEAT_ORIGIN + record.seat
    checkpoint = open_checkpoint(head, [seat_verifier(key)], origin=origin)
    place = fields.object("history", {"index", "size", "path"})
    index, size = place.count("index"), place.count("size")
    if size != checkpoint.size or index != record.number - 1:
        raise refused("the record's place is not that of its number under the head")
    leaf = leaf_hash(from_base64(fields.text("record")))
    if not verify_inclusion(leaf, index, size, place.path("path"), checkpoint.root):
        raise refused("the path does not lead from the record to the head")
