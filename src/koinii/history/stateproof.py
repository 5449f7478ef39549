"""Checking state proofs: was a claim believed, or absent, or said by an agent.

A document links a sentence to a signed head, each link checked here:

    sentence, context -> locator -> path -> root and size in a commit record
        -> path -> root and size in a checkpoint -> signature -> seat key -> seat id

An attribution has links of its own (`attribution.py`). Documents come from
strangers: `verify` answers, it never raises, and it says yes only after every
link held. What no document of a kind can show is in `not_shown`.
"""

from __future__ import annotations

from collections.abc import Iterable

from koinii.errors import KoiniiError
from koinii.history.attribution import check_attribution
from koinii.history.document import Fields, read, refused
from koinii.history.record import CommitRecord, decode_record
from koinii.history.verdict import Expected, Verification
from koinii.merkle import Neighbour, leaf_hash, verify_absence, verify_inclusion
from koinii.note.base64_text import from_base64
from koinii.note.checkpoint import SEAT_ORIGIN, open_checkpoint, seat_id, seat_verifier
from koinii.note.keys import PublicKey, read_public_key
from koinii.terms.locator import digest
from koinii.terms.reader import read_canonical
from koinii.terms.term import Symbol

__all__ = ["Verification", "not_shown", "verify"]

VERSION = 1
SORTED = "sorted"
LOCATOR = "sha256:"

_SENTENCE = frozenset({"context", "sentence"})
_COMMON = {"v", "kind", "locator"}
_STATE = {*_COMMON, "root", "size", "record", "history", "head", "key"}
_SAID = {"line", "claims", "contexts", "authored", "introduction"}
_NAMES = {
    "inclusion": {*_STATE, "index", "path"},
    "absence": {*_STATE, "left", "right", "assumes"},
    "attribution": {*_COMMON, *_SENTENCE, *_SAID},
}

_NOT_SHOWN = {
    "inclusion": (
        "that the claim is true, or why it is believed",
        "that the seat believes it still: the head may be old",
    ),
    "absence": (
        "that the seat sorted its leaves: an inclusion of this locator under this "
        "head would be evidence against it",
        "that the claim is false, or absent still: the head may be old",
    ),
    "attribution": (
        "who the agent is: whoever could use its key said it",
        "that any seat believes the claim, or that it still stands",
    ),
}


def verify(
    document: object,
    root: str | None = None,
    head: str | bytes | None = None,
    keys: Iterable[PublicKey | str] | None = None,
) -> Verification:
    """Check a proof document (JSON text, bytes or object) and say what held.

    `root` is a commit id, `sha256:<hex>` (of an attribution, the root the author
    signed), `head` a signed checkpoint, `keys` OpenSSH lines or keys, one of
    which has to be the signer's. What is given has to agree.
    """
    checked: list[str] = []
    try:
        assumes = _verify(read(document), Expected(root, head, keys), checked)
    except KoiniiError as refusal:
        return Verification(ok=False, reason=refusal.message, checked=checked)
    return Verification(ok=True, checked=checked, assumes=assumes)


def not_shown(kind: str) -> tuple[str, ...]:
    """Return what a good proof of this kind still does not show."""
    return _NOT_SHOWN.get(kind, ())


def _verify(fields: Fields, expected: Expected, checked: list[str]) -> list[str]:
    """Check every link, noting each in `checked`; return what is assumed."""
    if fields.count("v") != VERSION:
        raise refused("the proof is of a version that a newer koinii reads")
    kind = fields.text("kind")
    if kind not in _NAMES:
        raise refused(f"unknown kind of proof: {kind[:40]}")
    fields.check_names(_NAMES[kind], _SENTENCE)
    _check_locator(fields, checked)
    if kind == "attribution":
        return check_attribution(fields, expected, checked)
    if kind == "inclusion":
        _check_inclusion(fields, checked)
        return _check_anchor(fields, expected, checked)
    _check_absence(fields, checked)
    return [SORTED, *_check_anchor(fields, expected, checked)]


def _check_locator(fields: Fields, checked: list[str]) -> None:
    """Hash the sentence where there is one; a locator alone is taken as it is."""
    locator = fields.hash("locator", LOCATOR)
    if fields.has("context") != fields.has("sentence"):
        raise refused("a sentence and its context come together")
    if not fields.has("sentence"):
        return
    context = Symbol(fields.text("context"))
    sentence = read_canonical(fields.text("sentence"))
    if digest(context, sentence) != locator:
        raise refused("the locator is not that of the sentence in its context")
    checked.append("the locator is the hash of the sentence in its context")


def _check_inclusion(fields: Fields, checked: list[str]) -> None:
    if not verify_inclusion(
        leaf_hash(fields.text("locator").encode()),
        fields.count("index"),
        fields.count("size"),
        fields.path("path"),
        fields.hash("root", LOCATOR),
    ):
        raise refused("the path does not lead from the locator to the root")
    checked.append("the locator is a leaf under the root")


def _check_absence(fields: Fields, checked: list[str]) -> None:
    if fields.words("assumes") != [SORTED]:
        raise refused("an absence assumes that leaves are sorted, and nothing else")
    if not verify_absence(
        leaf_hash(fields.text("locator").encode()),
        fields.count("size"),
        _neighbour(fields, "left"),
        _neighbour(fields, "right"),
        fields.hash("root", LOCATOR),
    ):
        raise refused("the neighbours do not enclose the locator under the root")
    checked.append("the leaves beside the locator's place are neighbours")


def _neighbour(fields: Fields, name: str) -> Neighbour | None:
    if fields.is_null(name):
        return None
    inner = fields.object(name, {"index", "leaf", "path"})
    return Neighbour(inner.count("index"), inner.hash("leaf"), inner.path("path"))


def _check_anchor(fields: Fields, expected: Expected, checked: list[str]) -> list[str]:
    """Check that the root is in a record of the seat's signed history."""
    data = from_base64(fields.text("record"))
    record = decode_record(data)
    if not isinstance(record, CommitRecord):
        raise refused(f"the record is of version {record.version}, a newer koinii's")
    bound = (record.commit, record.size)
    if bound != (fields.hash("root", LOCATOR), fields.count("size")):
        raise refused("the record binds another root or size")
    checked.append(f"the record of commit {record.number} binds root and size")
    key = _read_key(fields.text("key"))
    if record.seat != seat_id(key):
        raise refused("the record is of another seat than the key")
    _check_head(fields, record, leaf_hash(data), key)
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


def _check_head(
    fields: Fields, record: CommitRecord, leaf: bytes, key: PublicKey
) -> None:
    head = fields.text("head").encode()
    origin = SEAT_ORIGIN + record.seat
    checkpoint = open_checkpoint(head, [seat_verifier(key)], origin=origin)
    place = fields.object("history", {"index", "size", "path"})
    index, size = place.count("index"), place.count("size")
    if size != checkpoint.size or index != record.number - 1:
        raise refused("the record's place is not that of its number under the head")
    if not verify_inclusion(leaf, index, size, place.path("path"), checkpoint.root):
        raise refused("the path does not lead from the record to the head")
