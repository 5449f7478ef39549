"""The signed lines of a claim: which authors' newest sets hold it, and where.

A line that is held stands in its author's set like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.history.proving import Said, Sentence
from koinii.history.roots import author_tree, context_line
from koinii.history.signers import MAX_ROTATIONS
from koinii.kb.claim import parse_claim, stored_line
from koinii.merkle import Levels, leaf_hash
from koinii.note.signed import parse_note
from koinii.note.statements import Rotation, parse_statement
from koinii.terms.printer import write
from koinii.trust.statements import split_statements

if TYPE_CHECKING:
    from koinii.kb.base import Sentex
    from koinii.seat.parts import Parts
    from koinii.store.assertions import AssertionRow


class _Set(NamedTuple):
    """What an author signed of one context, as trees over it."""

    claims: Levels
    contexts: Levels
    place: int
    authored: str
    introduction: str
    rotations: tuple[str, ...]


class SignedLines:
    """Lines of any number of claims; each author's trees are made once."""

    def __init__(self, seat: Parts) -> None:
        """Read from an open seat."""
        self._seat = seat
        self._sets: dict[tuple[int, int], _Set | None] = {}
        self.too_often: set[str] = set()  # whose keys were replaced more than is shown

    def first(self, sentex: Sentex) -> Said | None:
        """Return the signed line of the first author, by name and seat, or None.

        A line that its author's newest signed set does not hold yet is none.
        """
        rows = self._seat.kb.asserted_by(sentex.id)
        names = self._seat.kb.names
        for row in sorted(rows, key=lambda one: names.author(one[1])):
            said = self._said(row[1], row[2], _line(sentex, row))
            if said is not None:
                return said
        return None

    def held(self, digest: bytes) -> tuple[Sentence, Said] | None:
        """Return the first such line among those that are held, and its sentence."""
        rows = [row for row in self._seat.kb.assertions.held() if row[2] == digest]
        names = self._seat.kb.names
        for author, context, _, _, line, _ in sorted(
            rows, key=lambda one: names.author(one[0])
        ):
            said = self._said(author, context, line)
            if said is not None:
                text = write(parse_claim(line).sentence)
                return Sentence(names.context(context), text), said
        return None

    def _said(self, author: int, context: int, line: str) -> Said | None:
        if (author, context) not in self._sets:
            self._sets[author, context] = self._set(author, context)
        signed = self._sets[author, context]
        if signed is None or signed.claims.index_of(leaf_hash(line.encode())) is None:
            return None
        return Said(line, *signed)

    def _set(self, author: int, context: int) -> _Set | None:
        """Return an author's set; None where it has moved since it was signed."""
        seat, names = self._seat, self._seat.kb.names
        statement = seat.histories.input(author)
        known = seat.histories.agent(*names.author(author))
        if statement is None or known is None:
            return None
        claims = Levels(seat.kb.assertions.line_leaves(author, context))
        rows = [
            (names.context(number), size, root)
            for number, size, root in seat.kb.assertions.published(author)
        ]
        mine = (names.context(context), claims.size, claims.root)
        if mine not in rows:
            return None
        introduction, *later = split_statements(known.statements.encode())
        rotations = _rotations(later, statement.number)
        if len(rotations) > MAX_ROTATIONS:
            self.too_often.add(known.name)
            return None
        lines = sorted(context_line(*one).encode() for one in rows)
        place = lines.index(context_line(*mine).encode())
        return _Set(
            claims, author_tree(rows), place, statement.statement,
            introduction.decode(), rotations,
        )  # fmt: skip


def _line(sentex: Sentex, row: AssertionRow) -> str:
    _, _, _, strength, created, extras, _, wrappers = row
    return stored_line(sentex.body, strength, created, extras, wrappers)


def _rotations(notes: list[bytes], number: int) -> tuple[str, ...]:
    """Return the rotations among an author's statements up to a commit, in order."""
    known = [(note, parse_statement(parse_note(note).claimed_text)) for note in notes]
    return tuple(
        note.decode()
        for note, one in known
        if isinstance(one, Rotation) and one.number <= number
    )
