"""What is about to be signed, read again from the bytes that are stored.

A bit that a disk or a memory has turned must not get under a head: nothing could
put that chain right. Each line that the next commit carries is hashed again, with
its leaf in the tree of what is believed; so is the history that the head goes on
from. Lines of earlier commits are left to the doctor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import VerificationError
from koinii.history.log import BUNDLE_SIZE
from koinii.kb.claim import line_leaf, stored_line
from koinii.kb.rows import altered, stored_form
from koinii.merkle import leaf_hash
from koinii.merkle import root as tree_root
from koinii.note import open_checkpoint
from koinii.note.checkpoint import SEAT_ORIGIN, seat_verifier
from koinii.seat.damaged import naming
from koinii.seat.own_key import own_key
from koinii.seat.records import signed_root
from koinii.store.assertions import WHOLE_CONTEXT
from koinii.store.sentexes import BELIEVED, LOCAL
from koinii.terms.locator import leaf

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from koinii.seat.parts import Parts

_RECOVER = "koinii recover --from origin"


def check_lines(seat: Parts) -> None:
    """Refuse lines that are not what was said, of those the next commit carries.

    Raises:
        VerificationError: `koinii/row-altered`, with the locator.
    """
    for author, context in seat.kb.assertions.dirty():
        _check_set(seat, author)
        name = seat.kb.names.context(context)
        believed: list[bytes] = []
        for digest, body, leaf_of_line, line in _changed(seat, author, context):
            if body is not None and stored_form(name, body).digest != digest:
                raise altered(digest)
            if line_leaf(line) != leaf_of_line:
                raise altered(digest)
            believed += [digest] if body is not None else []
        _check_leaves(seat, believed)


def _check_set(seat: Parts, author: int) -> None:
    """Refuse a set on which the next one would follow and which is none."""
    row = seat.histories.input(author)
    if row is not None:
        agent, place = seat.kb.names.author(author)
        with naming(f"the signed set of {agent} at seat {place}"):
            signed_root(row)


def _changed(
    seat: Parts, author: int, context: int
) -> Iterator[tuple[bytes, bytes | None, bytes, str]]:
    """Yield (digest, body, leaf, line) of the changed lines; held ones have no body."""
    rows = seat.kb.assertions
    digests: Iterable[bytes] = [one for one, _ in rows.changes(author, context)]
    if WHOLE_CONTEXT in digests:
        digests = rows.digests(author, context)
    for digest in digests:
        row = rows.line(author, digest)
        if row is not None:
            body, strength, created, extras, wrappers, kept = row
            line = stored_line(body, strength, created, extras, wrappers)
            yield digest, body, kept, line
            continue
        held = rows.held_line(author, context, digest)
        if held is not None:
            yield digest, None, held[1], held[0]
        elif seat.kb.sentexes.has_leaf(leaf(digest)):
            seat.kb.find(digest)  # where a leaf has no sentence, a row was altered


def _check_leaves(seat: Parts, digests: list[bytes]) -> None:
    """Refuse a sentence that is believed and not a leaf, or the other way round."""
    sentexes = seat.kb.sentexes
    for digest, sentex in sentexes.ids(digests).items():
        label = sentexes.label(sentex)
        if bool(label & BELIEVED and not label & LOCAL) != sentexes.has_leaf(
            leaf(digest)
        ):
            raise altered(digest)


def check_history(seat: Parts) -> int:
    """Return the size of the own history, once it is what the signed head covers.

    Raises:
        VerificationError: `koinii/history-altered`, with the first commit found.
    """
    head = seat.histories.head(seat.id)
    if head is None:
        return 0
    verifier = seat_verifier(own_key(seat).public)
    origin = SEAT_ORIGIN + seat.id
    with naming(f"the head of seat {seat.id}"):
        top = open_checkpoint(head.checkpoint.encode(), [verifier], origin=origin)
    leaves = seat.histories.leaves(seat.id)
    if (top.size, top.root) != (len(leaves), tree_root(leaves)):
        raise _broken(seat, _first_fault(seat, leaves, 1))
    first = max(0, len(leaves) - 1) // BUNDLE_SIZE * BUNDLE_SIZE + 1
    fault = _first_fault(seat, leaves, first)
    if fault:
        raise _broken(seat, fault)
    return top.size


def sound_leaves(seat: Parts) -> list[bytes]:
    """Return the leaves of the own history, '' for a record that is not its leaf's."""
    leaves = seat.histories.leaves(seat.id)
    records = seat.histories.records(seat.id, 1, len(leaves))
    return [
        one if leaf_hash(record) == one else b""
        for one, record in zip(leaves, records, strict=True)
    ]


def _first_fault(seat: Parts, leaves: list[bytes], first: int) -> int:
    """Return the first commit whose record is not its leaf's, 0 for none."""
    records = seat.histories.records(seat.id, first, len(leaves))
    for number, record in enumerate(records, start=first):
        if leaf_hash(record) != leaves[number - 1]:
            return number
    return 0


def _broken(seat: Parts, number: int) -> VerificationError:
    which = f"its commit {number}" if number else "it"
    return VerificationError(
        f"the history of seat {seat.id} is not the one its head was signed over: "
        f"{which} was altered; nothing was signed",
        code="koinii/history-altered",
        hint=_RECOVER,
        number=number,
    )
