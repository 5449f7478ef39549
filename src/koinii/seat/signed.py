"""The signed lines of a claim: which authors' newest sets hold it, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.history.proving import Said
from koinii.history.roots import author_tree, context_line
from koinii.kb.claim import stored_line
from koinii.merkle import Levels, leaf_hash
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


class SignedLines:
    """Lines of any number of claims; each author's trees are made once."""

    def __init__(self, seat: Parts) -> None:
        """Read from an open seat."""
        self._seat = seat
        self._sets: dict[tuple[int, int], _Set | None] = {}

    def first(self, sentex: Sentex) -> Said | None:
        """Return the signed line of the first author, by name and seat, or None.

        A line that its author's newest signed set does not hold yet is none.
        """
        rows = self._seat.kb.asserted_by(sentex.id)
        names = self._seat.kb.names
        for row in sorted(rows, key=lambda one: names.author(one[1])):
            said = self._said(sentex, row)
            if said is not None:
                return said
        return None

    def _said(self, sentex: Sentex, row: AssertionRow) -> Said | None:
        _, author, context, strength, created, extras, _, wrappers = row
        if (author, context) not in self._sets:
            self._sets[author, context] = self._set(author, context)
        signed = self._sets[author, context]
        line = stored_line(sentex.body, strength, created, extras, wrappers)
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
        lines = sorted(context_line(*one).encode() for one in rows)
        place = lines.index(context_line(*mine).encode())
        introduction = split_statements(known.statements.encode())[0].decode()
        contexts = author_tree(rows)
        return _Set(claims, contexts, place, statement.statement, introduction)
