"""Proofs about this seat's newest commit, as documents that need no base."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import NotFoundError, UsageError
from koinii.history import proving
from koinii.history.document import write as write_document
from koinii.history.log import Log
from koinii.history.proving import Commitment, Said, Sentence
from koinii.history.roots import author_tree, context_line
from koinii.history.tlogproof import to_tlog
from koinii.kb.claim import format_claim
from koinii.merkle import Levels, leaf_hash
from koinii.note import PublicKey
from koinii.seat.records import last_record
from koinii.seat.speaking import digest_of
from koinii.terms.locator import locator_of
from koinii.terms.printer import write
from koinii.trust.statements import split_statements

if TYPE_CHECKING:
    from koinii.history.proving import Document
    from koinii.kb.base import Sentex
    from koinii.seat.parts import Parts

KINDS = ("inclusion", "absence", "attribution")
FORMATS = ("json", "tlog")


def prove(seat: Parts, locator: str, kind: str, form: str = "json") -> str:
    """Return a proof document about a locator in the newest commit.

    Raises:
        UsageError: `koinii/uncommitted`: belief has moved since that commit.
        NotFoundError: the claim is not there to be proven.
    """
    if kind not in KINDS or form not in FORMATS:
        raise UsageError(
            f"no proof of kind {kind} and format {form}",
            hint=f"kinds: {', '.join(KINDS)}; formats: {', '.join(FORMATS)}",
        )
    if kind == "attribution":
        return write_document(_attribution(seat, locator))
    document = _state(seat, locator, kind)
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


def _state(seat: Parts, locator: str, kind: str) -> Document:
    if kind == "absence" and (whole := digest_of(locator)) is not None:
        return proving.absence(locator_of(whole), seat.kb.tree(), commitment(seat))
    found = _found(seat, locator)
    make = proving.inclusion if kind == "inclusion" else proving.absence
    sentence = Sentence(found.context, write(found.sentence))
    return make(found.locator, seat.kb.tree(), commitment(seat), sentence)


def _found(seat: Parts, locator: str) -> Sentex:
    found = seat.kb.find(seat.resolve(locator))
    assert found is not None  # noqa: S101 - resolve found it
    return found


def _attribution(seat: Parts, locator: str) -> Document:
    """Prove that the first author, by name and seat, signed the claim."""
    found = _found(seat, locator)
    signed = sorted(
        (seat.kb.names.author(row[1]), row) for row in seat.kb.asserted_by(found.id)
    )
    for (agent, place), row in signed:
        statement = seat.histories.input(row[1])
        known = seat.histories.agent(agent, place)
        if statement is None or known is None:
            continue
        line = format_claim(row[3], row[4], write(found.sentence), row[5])
        claims = Levels(seat.kb.assertions.line_leaves(row[1], row[2]))
        introduction = split_statements(known.statements.encode())[0].decode()
        contexts, index = _contexts(seat, row[1], found.context)
        said = Said(line, claims, contexts, index, statement.statement, introduction)
        return proving.attribution(
            found.locator, Sentence(found.context, write(found.sentence)), said
        )
    raise NotFoundError(
        f"nobody has signed {found.locator} in a commit yet",
        code="koinii/not-signed",
        hint="koinii commit",
    )


def _contexts(seat: Parts, author: int, context: str) -> tuple[Levels, int]:
    """Return the author's tree over its contexts, and where one of them stands."""
    rows = [
        (seat.kb.names.context(number), size, root)
        for number, size, root in seat.kb.assertions.published(author)
    ]
    lines = sorted(context_line(*row).encode() for row in rows)
    (mine,) = [context_line(*row).encode() for row in rows if row[0] == context]
    tree = author_tree(rows)
    assert tree.leaf(lines.index(mine)) == leaf_hash(mine)  # noqa: S101 - one order
    return tree, lines.index(mine)
