"""Everything that follows from the live assertions, worked out anew.

Labels, keys, leaves, firings and clashes are kept change by change; here all of
them are thrown away and made as a load into an empty seat makes them. What is
asserted stays as it is: what of it was altered is lost, and nothing is rebuilt
on it.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import KoiniiError, VerificationError
from koinii.kb import vocabulary
from koinii.kb.claim import STRENGTHS, line_leaf, stored_line
from koinii.kb.contexts.structure import GENL_CX, name_in
from koinii.kb.feed import LAGGED
from koinii.kb.network.nodes import Nodes
from koinii.kb.network.replies import targets_of
from koinii.kb.network.reshaping import WORDS, Reshaper
from koinii.kb.network.settling import Settlement
from koinii.kb.rows import (
    Stored,
    argument_rows,
    key_of,
    read_row,
    sentex_row,
    store_form,
    stored_form,
)
from koinii.kb.words import READING
from koinii.merkle import root as tree_root
from koinii.store import meta
from koinii.store.caches import Caches, Rekeyed
from koinii.store.episodes import Episodes
from koinii.store.events import Events
from koinii.store.search import WordIndex
from koinii.store.sentexes import LOCAL, SHIPPED
from koinii.terms.locator import leaf
from koinii.terms.slices import split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from koinii.kb.base import KnowledgeBase
    from koinii.store.caches import Asserted
    from koinii.store.database import Connection, Database

    # What is done, and how many lines more of it are done.
    Progress = Callable[[str, int], None]

_STRUCTURAL = frozenset(map(key_of, WORDS))


class Lost(NamedTuple):
    """An assertion that is not what its author said."""

    name: str  # the locator, or what is left to call it by
    why: str


class Rebuilt(NamedTuple):
    """What a rebuild came to: commit roots and sizes, by the leaves as stored."""

    before: tuple[bytes, int]
    after: tuple[bytes, int]
    moved: bool  # something is believed that was not, or the reverse


def lost(base: KnowledgeBase, progress: Progress) -> Iterator[Lost]:
    """Yield the assertions that were altered, or whose sentence was; O(asserted).

    A sentence is rehashed against its locator, in the context its author said it
    in, and what the author signed against the hash of the line.
    """
    for block in Caches(base.sentexes.connection).asserted():
        for one in block:
            why = _fault(base, one)
            if why is not None:
                yield Lost(_name(base, one), why)
        progress("checking", len(block))


def rebuild(
    base: KnowledgeBase,
    database: Database,
    progress: Progress,
    *,
    is_checked: bool = False,
) -> Rebuilt:
    """Replace every cache in one transaction; assertions and history stay.

    `is_checked` says that `lost` has just found nothing.

    Raises:
        VerificationError: `koinii/row-altered`: an assertion was altered, with
            its name. Nothing is changed.
    """
    with database.write() as connection:
        for one in () if is_checked else lost(base, progress):
            raise VerificationError(
                f"{one.name} cannot be rebuilt: {one.why}",
                code="koinii/row-altered",
                hint="restore the seat from its remote: koinii clone",
                locator=one.name,
            )
        return _Rebuilding(base, connection, progress).run()


# What cannot be made again ---------------------------------------------------------


def _fault(base: KnowledgeBase, one: Asserted) -> str | None:
    if one.digest is None or one.body is None:
        return "the row of its sentence is gone"
    try:
        read_row(base.names.context(one.context), one.digest, one.body)
    except KoiniiError:
        return "the row of its sentence was altered"
    if one.strength not in range(len(STRENGTHS)):
        return "its strength was altered"
    line = stored_line(one.body, one.strength, one.created, one.extras, one.wrappers)
    if line_leaf(line) != one.leaf:
        return "its line is not the one its author signed"
    return None


def _name(base: KnowledgeBase, one: Asserted) -> str:
    if one.digest is not None:
        return f"sha256:{one.digest.hex()}"
    agent, seat = base.names.author(one.author)
    return f"what {agent} said at seat {seat} with the line hash {one.leaf.hex()}"


# Making everything else again --------------------------------------------------------


class _Rebuilding:
    """The steps of one rebuild, inside its transaction."""

    def __init__(
        self, base: KnowledgeBase, connection: Connection, progress: Progress
    ) -> None:
        self._parts = base.parts
        self._now = base.now
        self._connection = connection
        self._progress = progress
        self._caches = Caches(connection)
        self._shipped = {
            form.digest: (context, form)
            for context, sentence in vocabulary.sentences()
            for form in [store_form(context, sentence)]
        }
        self._shaping: list[int] = []

    def run(self) -> Rebuilt:
        root, believed = self._root(), self._believed()
        self._forget()
        local = self._parts.names.make_context("CxDisputes")
        self._parts.structure.rows.make_local(local)
        ids = self._shipped_ids()
        WordIndex(self._connection, READING).drop()
        self._caches.clear(list(ids.values()))
        self._rekey(ids)
        self._caches.build_indexes()
        self._settle()
        Episodes(self._connection).reconcile(self._now())
        self._forget()
        meta.put(self._connection, "vocabulary", vocabulary.digest())
        meta.advance_epoch(self._connection)
        moved = self._believed() != believed
        if moved:
            Events(self._connection).append(LAGGED)
        return Rebuilt(root, self._root(), moved)

    def _forget(self) -> None:
        self._parts.forget()
        self._parts.sentexes.forget()

    def _root(self) -> tuple[bytes, int]:
        sentexes = self._parts.sentexes
        return tree_root(sentexes.leaf_hashes()), sentexes.count_leaves()

    def _believed(self) -> bytes:
        told = hashlib.sha256()
        for digest in self._caches.believed():
            told.update(digest)
        return told.digest()

    # Rows ----------------------------------------------------------------------------

    def _shipped_ids(self) -> dict[bytes, int]:
        """Return the ids of the vocabulary's rows, new ones where there is none."""
        ids = self._parts.sentexes.ids(list(self._shipped))
        number = self._parts.sentexes.next_id()
        for digest in self._shipped:
            if digest not in ids:
                ids[digest] = number
                number += 1
        return ids

    def _rekey(self, ids: dict[bytes, int]) -> None:
        """Write the rows of all that is shipped or asserted as they should be."""
        context_of = self._parts.names.make_context
        self._put(
            (ids[digest], context_of(context), form)
            for digest, (context, form) in self._shipped.items()
        )
        last = 0
        for block in self._caches.asserted():
            fresh: dict[int, tuple[int, bytes]] = {}
            for one in block:
                assert one.body is not None  # noqa: S101 - `lost` has looked
                if one.sentex != last and one.digest not in self._shipped:
                    fresh[one.sentex] = one.context, one.body
                last = one.sentex
            name_of = self._parts.names.context
            self._put(
                (sentex, context, stored_form(name_of(context), body))
                for sentex, (context, body) in fresh.items()
            )
            self._progress("settling", len(block))

    def _put(self, forms: Iterable[tuple[int, int, Stored]]) -> None:
        rows: list[Rekeyed] = []
        arguments: list[tuple[int, int, int]] = []
        targets: list[tuple[bytes, int]] = []
        for sentex, context, form in forms:
            row = sentex_row(sentex, context, form, self._bits(context, form))
            rows.append(Rekeyed(*row[1:], row[0]))
            arguments.extend(argument_rows(sentex, form.keys))
            targets.extend((digest, sentex) for digest in targets_of(form.body))
            if form.keys[0] in _STRUCTURAL:
                self._shaping.append(sentex)
        self._caches.rekey(rows)
        self._caches.put_arguments(arguments)
        self._parts.structure.rows.name_targets(targets)

    def _bits(self, context: int, form: Stored) -> int:
        """Return the bits of a label that no fixpoint decides."""
        local = self._parts.structure.locals
        shipped = SHIPPED if form.digest in self._shipped else 0
        is_local = self._parts.names.context(context) in local
        if not is_local and form.keys[0] == key_of(GENL_CX):
            edge = split(form.body)
            is_local = edge is not None and name_in(edge[1]) in local
        return shipped | (LOCAL if is_local else 0)

    # Belief --------------------------------------------------------------------------

    def _settle(self) -> None:
        """Bring into force what shapes, label the rest, and draw what follows."""
        self._forget()
        nodes = Nodes(self._parts.sentexes)
        Reshaper(self._parts, nodes).reshape(self._shaping)
        nodes.flush()
        self._parts.forget()
        following = self._parts.structure.following
        self._caches.first_labels(_STRUCTURAL, map(key_of, following))
        Settlement(self._parts, first=1).settle()
        self._caches.build_leaves(leaf)
