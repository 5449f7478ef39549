"""Proofs about this seat's newest commit, as documents that need no base."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import KoiniiError, NotFoundError, RefusedError, UsageError
from koinii.history import proving
from koinii.history.document import write as write_document
from koinii.history.log import Log
from koinii.history.proving import Commitment
from koinii.history.signers import MAX_ROTATIONS
from koinii.history.stateproof import verify
from koinii.history.tlogproof import to_tlog
from koinii.note import PublicKey
from koinii.seat.grounds import as_sentence
from koinii.seat.proving_dispute import prove_dispute
from koinii.seat.proving_why import prove_why
from koinii.seat.records import last_record
from koinii.seat.signed import SignedLines
from koinii.seat.speaking import digest_of
from koinii.terms.locator import locator_of

if TYPE_CHECKING:
    from koinii.history.proving import Document
    from koinii.kb.base import Sentex
    from koinii.seat.parts import Parts

KINDS = ("inclusion", "absence", "attribution", "why", "dispute")
FORMATS = ("json", "tlog")


def prove(
    seat: Parts,
    locator: str,
    kind: str,
    form: str = "json",
    channel: str | None = None,
) -> str:
    """Return a proof document about a locator in the newest commit.

    A dispute is that of a channel, by default the context of the claim.

    Raises:
        UsageError: `koinii/uncommitted`: belief has moved since that commit.
        NotFoundError: the claim is not there to be proven.
    """
    if kind not in KINDS or form not in FORMATS:
        raise UsageError(
            f"no proof of kind {kind} and format {form}",
            hint=f"kinds: {', '.join(KINDS)}; formats: {', '.join(FORMATS)}",
        )
    if channel is not None and kind != "dispute":
        raise UsageError(
            "a dispute is in a context, other proofs are about a seat",
            hint=f"koinii prove {locator} --dispute --in {channel}",
        )
    if kind == "attribution":
        return write_document(_attribution(seat, locator))
    document = _state(seat, locator, kind, channel)
    return to_tlog(document) if form == "tlog" else write_document(document)


def commitment(seat: Parts) -> Commitment:
    """Return the newest record under its signed head, ready for proofs.

    Raises:
        UsageError: `koinii/uncommitted`.
    """
    head = seat.histories.head(seat.id)
    last = last_record(seat)
    root, size = seat.kb.root()
    if head is None or last is None or (last.commit, last.size) != (root, size):
        raise UsageError(
            "what is believed has moved since the last commit",
            code="koinii/uncommitted",
            hint="koinii commit",
        )
    log = Log(seat.histories.leaves(seat.id))
    return Commitment(
        last.encode(), log.prove(head.size), head.checkpoint, PublicKey(head.public_key)
    )


def _state(seat: Parts, locator: str, kind: str, channel: str | None) -> Document:
    if kind == "absence" and (whole := digest_of(locator)) is not None:
        return proving.absence(locator_of(whole), seat.kb.tree(), commitment(seat))
    found, tree, bound = _found(seat, locator), seat.kb.tree(), commitment(seat)
    if kind == "why":
        return _held(prove_why(seat, found, tree, bound))
    if kind == "dispute":
        there = channel or found.context
        return _held(prove_dispute(seat, found, there, tree, bound))
    make = proving.inclusion if kind == "inclusion" else proving.absence
    return make(found.locator, tree, bound, as_sentence(found))


def _held(document: Document) -> Document:
    """Return a document that was checked as others will check it."""
    found = verify(document)
    assert found, found.reason  # noqa: S101 - the base and its proofs agree
    return document


def _found(seat: Parts, locator: str) -> Sentex:
    found = seat.kb.find(seat.resolve(locator))
    assert found is not None  # noqa: S101 - resolve found it
    return found


def _attribution(seat: Parts, locator: str) -> Document:
    """Prove that the first author, by name and seat, signed the claim.

    A line that is held was said all the same; one that is applied goes before it.
    """
    whole = seat.resolve(locator, held=True)
    lines = SignedLines(seat)
    found = seat.kb.find(whole)
    said = None if found is None else lines.first(found)
    if found is not None and said is not None:
        return proving.attribution(found.locator, as_sentence(found), said)
    held = lines.held(whole)
    if held is not None:
        return proving.attribution(locator_of(whole), *held)
    raise _not_signed(locator_of(whole), lines)


def _not_signed(locator: str, lines: SignedLines) -> KoiniiError:
    if lines.too_often:
        return RefusedError(
            f"{min(lines.too_often)} has replaced its key there more than "
            f"{MAX_ROTATIONS} times: verifiers read no proof that shows them all",
            code="koinii/proof-too-large",
            locator=locator,
        )
    return NotFoundError(
        f"nobody has signed {locator} in a commit yet",
        code="koinii/not-signed",
        hint="koinii commit",
    )
