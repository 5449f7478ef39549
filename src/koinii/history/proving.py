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
from koinii.history.disputeproof import SORTED
from koinii.history.record import CommitRecord, decode_record
from koinii.history.stateproof import VERSION
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
from koinii.terms.locator import locate
from koinii.terms.reader import read_canonical
from koinii.terms.term import Symbol

Document: TypeAlias = "dict[str, object]"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A canonical sentence's text and its context, as a document shows them."""

    context: str
    text: str

    @property
    def locator(self) -> str:
        """The content address."""
        return locate(Symbol(self.context), read_canonical(self.text))


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
    return {
        **claim_fields("inclusion", locator, sentence),
        **place_of(locator, tree, commitment),
        **commitment.fields(tree),
    }


def absence(
    locator: str, tree: Levels, commitment: Commitment, sentence: Sentence | None = None
) -> Document:
    """Return the proof that a locator is not believed; RefusedError if it is."""
    standing = standing_of(locator, tree)
    if "index" in standing:
        raise RefusedError(
            f"{locator} is believed in commit {commitment.record.number}",
            code="koinii/believed",
            locator=locator,
        )
    return {
        **claim_fields("absence", locator, sentence),
        **standing,
        "assumes": [SORTED],
        **commitment.fields(tree),
    }


def place_of(locator: str, tree: Levels, commitment: Commitment) -> Document:
    """Return index and path of a leaf; NotFoundError if the locator is none."""
    standing = standing_of(locator, tree)
    if "index" not in standing:
        raise NotFoundError(
            f"{locator} is not believed in commit {commitment.record.number}",
            code="koinii/not-believed",
            locator=locator,
        )
    return standing


def standing_of(locator: str, tree: Levels) -> Document:
    """Return index and path of a leaf, or the neighbours of one that is absent."""
    leaf = leaf_hash(locator.encode())
    index = tree.index_of(leaf)
    if index is not None:
        return {"index": index, "path": _hex(prove_inclusion(tree, index))}
    left, right = prove_absence(tree, leaf)
    return {"left": _neighbour(left), "right": _neighbour(right)}


@dataclass(frozen=True, slots=True)
class Said:
    """Where a line stands in the set its author signed.

    `claims` is the tree over the author's lines in the sentence's context,
    `contexts` the author's tree, `place` the index of that context in it.
    `rotations` lead from the introduction's key to the one that signed the set.
    """

    line: str
    claims: Levels
    contexts: Levels
    place: int
    authored: str
    introduction: str
    rotations: tuple[str, ...] = ()


def attribution(locator: str, sentence: Sentence, said: Said) -> Document:
    """Return the proof that an author signed a line; NotFoundError if it did not."""
    return {
        **claim_fields("attribution", locator, sentence),
        **said_fields(said, locator),
        **author_fields(said),
    }


def author_fields(said: Said) -> Document:
    """Return the statements by which a set is its author's."""
    fields: Document = {"authored": said.authored, "introduction": said.introduction}
    if said.rotations:
        fields["rotations"] = list(said.rotations)
    return fields


def said_fields(said: Said, locator: str) -> Document:
    """Return the path of a line in its author's set; NotFoundError without one."""
    index = said.claims.index_of(leaf_hash(said.line.encode()))
    if index is None:
        raise NotFoundError(
            "the line is not in the author's signed set",
            code="koinii/not-asserted",
            locator=locator,
        )
    return {
        "line": said.line,
        "claims": {
            "root": said.claims.root.hex(),
            "size": said.claims.size,
            "index": index,
            "path": _hex(prove_inclusion(said.claims, index)),
        },
        "contexts": prove_steps(said.contexts, said.place),
    }


def claim_fields(kind: str, locator: str, sentence: Sentence | None) -> Document:
    """Return how a document of a kind begins."""
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
