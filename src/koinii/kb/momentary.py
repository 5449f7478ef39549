"""The base as it is about to be: what an edit adds counts, what it takes away not.

Reads what a context believes, unmasked, as the rows have it: encodings, none of
them decoded. What an edit only leads to (conclusions that come or go) is not seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.contexts.structure import GENL, word_of
from koinii.kb.rows import key_of, store_form
from koinii.kb.rules.joining import literal_of
from koinii.store.kinds import Kinds
from koinii.store.sentexes import BELIEVED, SHIPPED
from koinii.terms.structural import STRUCTURAL

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from koinii.kb.base import KnowledgeBase
    from koinii.store.network import Fact
    from koinii.terms.term import Term

_NO_FACTS = frozenset(map(word_of, (*STRUCTURAL, "implies")))


class Piece(NamedTuple):
    """A positive fact in its context, of which other facts may be the rivals."""

    context: str
    digest: bytes
    body: bytes
    functor: bytes
    arguments: list[bytes]
    shipped: bool = False


def piece_of(context: str, sentence: Term) -> Piece | None:
    """Return a canonical sentence as a piece; None for what is no positive fact."""
    stored = store_form(context, sentence)
    negative, functor, arguments = literal_of(stored.body)
    if negative or functor in _NO_FACTS:
        return None
    return Piece(context, stored.digest, stored.body, functor, arguments)


def piece_in_row(context: str, row: Fact) -> Piece:
    """Return a stored fact as a piece."""
    _, _, label, digest, body = row
    _, functor, arguments = literal_of(body)
    return Piece(context, digest, body, functor, arguments, bool(label & SHIPPED))


class Momentary:
    """What contexts believe, an edit's own pieces among it."""

    def __init__(
        self, kb: KnowledgeBase, added: Iterable[Piece], gone: Collection[int]
    ) -> None:
        """Read a base from which the sentexes `gone` are taken as away."""
        self._parts = kb.parts  # also takes in what others have written
        self._kinds = Kinds(kb.sentexes.connection)
        self._added = list(added)
        self._gone = gone

    def facts(
        self, keys: list[int | None], functor: bytes, viewer: str
    ) -> Iterator[Piece]:
        """Yield the facts of a functor that may have these first keys.

        What an edit adds comes whatever its arguments, shipped facts never.
        """
        rows = self._parts.clashes.positives(keys)
        for one in self._seen(rows, viewer):
            if one.functor == functor:
                yield one

    def kinds(
        self, thing: bytes, also: Iterable[bytes], viewer: str
    ) -> Iterator[Piece]:
        """Yield the facts that give a thing a type, or one of those named."""
        rows = self._kinds.of(key_of(thing), key_of(GENL), map(key_of, also))
        for one in self._seen(rows, viewer):
            if one.arguments == [thing]:
                yield one

    def _seen(self, rows: Iterable[Fact], viewer: str) -> Iterator[Piece]:
        structure, name_of = self._parts.structure, self._parts.names.context
        for row in rows:
            if row[2] & BELIEVED and row[0] not in self._gone:
                one = piece_in_row(name_of(row[1]), row)
                seen = structure.lattice.sees(viewer, one.context)
                if seen and not structure.masked(one.digest, viewer):
                    yield one
        for one in self._added:
            if structure.lattice.sees(viewer, one.context):
                yield one
