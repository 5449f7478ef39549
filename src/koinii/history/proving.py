"""Making state proofs: documents that `stateproof.verify` accepts.

All parts of a document come from one commit: a `Commitment` refuses a tree that
is not the one its record binds, so no proof is made against a newer tree than
the head it is shown with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from koinii.errors import NotFoundError, RefusedError, VerificationError
from koinii.history.record import CommitRecord, decode_record
from koinii.history.stateproof import SORTED, VERSION
from koinii.merkle import (
    Levels,
    Neighbour,
    leaf_hash,
    prove_absence,
    prove_inclusion,
    prove_steps,
)
from koinii.note.base64_text import to_base64
from koinii.note.checkpoint import parse_checkpoint
from koinii.note.keys import PublicKey
from koinii.note.signed import parse_note

Document: TypeAlias = "dict[str, object]"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A canonical sentence's text and its context, as a document shows them."""

    context: str
    text: str


class Commitment:
    """A record with its place under a signed head; ready for many proofs."""

    def __init__(
        self, record: bytes, path: Sequence[bytes], head: str, key: PublicKey
    ) -> None:
        """Take a record's bytes, its history path, and the head it leads to."""
        known = decode_record(record)
        assert isinstance(known, CommitRecord)  # noqa: S101 - it is our own
        checkpoint = parse_checkpoint(parse_note(head.encode()).claimed_text)
        self.record = known
        self._fields: Document = {
            "root": known.commit_id,
            "size": known.size,
            "record": to_base64(record),
            "history": {
                "index": known.number - 1,
                "size": checkpoint.size,
                "path": _hex(path),
            },
            "head": head,
            "key": key.openssh(),
        }

    def fields(self, tree: Levels) -> Document:
        """Return what every state proof under this record holds."""
        if (tree.root, tree.size) != (self.record.commit, self.record.size):
            raise VerificationError(
                "the tree is not the one the record binds", code="koinii/other-tree"
            )
        return self._fields


def inclusion(
    locator: str, tree: Levels, commitment: Commitment, sentence: Sentence | None = None
) -> Document:
    """Return the proof that a locator is believed; NotFoundError if it is not."""
    index = tree.index_of(leaf_hash(locator.encode()))
    if index is None:
        raise NotFoundError(
            f"{locator} is not believed in commit {commitment.record.number}",
            code="koinii/not-believed",
            locator=locator,
        )
    place = {"index": index, "path": _hex(prove_inclusion(tree, index))}
    return {
        **_claim("inclusion", locator, sentence),
        **place,
        **commitment.fields(tree),
    }


def absence(
    locator: str, tree: Levels, commitment: Commitment, sentence: Sentence | None = None
) -> Document:
    """Return the proof that a locator is not believed; RefusedError if it is."""
    leaf = leaf_hash(locator.encode())
    if tree.index_of(leaf) is not None:
        raise RefusedError(
            f"{locator} is believed in commit {commitment.record.number}",
            code="koinii/believed",
            locator=locator,
        )
    left, right = prove_absence(tree, leaf)
    return {
        **_claim("absence", locator, sentence),
        "left": _neighbour(left),
        "right": _neighbour(right),
        "assumes": [SORTED],
        **commitment.fields(tree),
    }


@dataclass(frozen=True, slots=True)
class Said:
    """Where a line stands in the set its author signed.

    `claims` is the tree over the author's lines in the sentence's context,
    `contexts` the author's tree, `place` the index of that context in it.
    """

    line: str
    claims: Levels
    contexts: Levels
    place: int
    authored: str
    introduction: str


def attribution(locator: str, sentence: Sentence, said: Said) -> Document:
    """Return the proof that an author signed a line; NotFoundError if it did not."""
    index = said.claims.index_of(leaf_hash(said.line.encode()))
    if index is None:
        raise NotFoundError(
            "the line is not in the author's signed set",
            code="koinii/not-asserted",
            locator=locator,
        )
    return {
        **_claim("attribution", locator, sentence),
        "line": said.line,
        "claims": {
            "root": said.claims.root.hex(),
            "size": said.claims.size,
            "index": index,
            "path": _hex(prove_inclusion(said.claims, index)),
        },
        "contexts": prove_steps(said.contexts, said.place),
        "authored": said.authored,
        "introduction": said.introduction,
    }


def _claim(kind: str, locator: str, sentence: Sentence | None) -> Document:
    start: Document = {"v": VERSION, "kind": kind, "locator": locator}
    if sentence is not None:
        start |= {"context": sentence.context, "sentence": sentence.text}
    return start


def _neighbour(one: Neighbour | None) -> Document | None:
    if one is None:
        return None
    return {"index": one.at, "leaf": one.leaf.hex(), "path": _hex(one.path)}


def _hex(path: Sequence[bytes]) -> list[str]:
    return [one.hex() for one in path]
