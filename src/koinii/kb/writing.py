"""Batches of assertions and retractions by one author, inside a transaction.

The caller has checked shape and standing. One assertion and a million go the
same way; cost follows the batch, never the base.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.claim import format_claim, line_leaf, wrapper_names
from koinii.kb.contexts.structure import GENL_CX
from koinii.kb.network.replies import targets_of
from koinii.kb.network.reshaping import WORDS
from koinii.kb.rows import Stored, argument_rows, key_of, sentex_row, store_form
from koinii.store import loading
from koinii.store.assertions import WHOLE_CONTEXT
from koinii.store.sentexes import BELIEVED, KNOWN, LOCAL, SHIPPED, WAITING
from koinii.terms.canonical import wrap
from koinii.terms.locator import leaf as tree_leaf
from koinii.terms.printer import write
from koinii.terms.slices import split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from koinii.kb.network.parts import Parts
    from koinii.kb.network.settling import Settlement
    from koinii.store.assertions import AssertionRow
    from koinii.store.database import Connection
    from koinii.store.sentexes import SentexRow
    from koinii.terms.term import Term

STRUCTURAL_KEYS = frozenset(map(key_of, WORDS))
_GENL_CX = key_of(GENL_CX)


class Said(NamedTuple):
    """What one author puts forward: a canonical sentence and its text.

    The text has the wrappers of a rule. What comes after their bits follows from
    the rest, for callers that have worked it out already.
    """

    context: str
    sentence: Term
    text: str
    strength: int
    created: int
    extras: str | None
    wrappers: int = 0
    stored: Stored | None = None  # its row form
    leaf: bytes | None = None  # of its claim line


class Counts(NamedTuple):
    """What a batch did to the author's live set."""

    new: int = 0
    changed: int = 0
    already: int = 0


class Writer:
    """Applies batches to the tables, and notes in an operation what it touched."""

    def __init__(
        self, connection: Connection, parts: Parts, operation: Settlement
    ) -> None:
        self._connection = connection
        self._structure = parts.structure
        self._names = parts.names
        self._sentexes = parts.sentexes
        self._assertions = parts.assertions
        self._operation = operation
        self.functors: set[int] = set()  # keys of what was put or dropped

    # Asserting ---------------------------------------------------------------

    def put(
        self,
        author: int,
        batch: Iterable[Said],
        *,
        replace: bool,
        journal: bool,
    ) -> Counts:
        """Make these the author's live assertions.

        `replace` takes each line as it is (another seat's word); otherwise a
        repeated assertion keeps the stronger strength and the earlier time.
        `journal` remembers what the next commit must carry.
        """
        said = self._by_digest(batch, replace=replace)
        self.functors.update(stored.keys[0] for _, stored in said.values())
        ids = self._sentexes.ids(list(said))
        stored = set(ids.values())
        held = self._assertions.of_sentexes(list(stored), author)
        self._insert_sentexes(author, said, ids)
        rows, befores, counts = self._assertion_rows(
            author, said, ids, held, replace=replace
        )
        self._assertions.put(rows)
        self._operation.touch(row[0] for row in rows if row[0] in stored)
        self._operation.shape(ids[one] for one in said if self._shapes(said[one][1]))
        if journal:
            self.journal(author, befores)
        return counts

    def fill(
        self, author: int, batches: Iterable[Iterable[Said]], *, journal: bool
    ) -> Iterator[Counts]:
        """Put into an empty base what one author says, as `put_many` has it."""
        statements = loading.drop_indexes(self._connection)
        for batch in batches:
            yield self._append(author, batch, journal=journal)
        with loading.sorting(self._connection):
            copies = loading.drop_copies(self._connection)
            for statement in statements:
                self._connection.execute(statement)
            loading.build_leaves(self._connection, tree_leaf)
        self._operation.nodes.clear()
        self._operation.nodes.moved = True
        yield Counts(new=-copies, already=copies)

    def _append(self, author: int, batch: Iterable[Said], *, journal: bool) -> Counts:
        """Add rows without looking any up."""
        said = self._by_digest(batch, replace=False)
        self.functors.update(stored.keys[0] for _, stored in said.values())
        ids: dict[bytes, int] = {}
        self._sentexes.insert(*self._sentex_rows(author, said, ids))
        assertions, befores, counts = self._assertion_rows(
            author, said, ids, {}, replace=True
        )
        self._assertions.put(assertions)
        self._operation.shape(ids[one] for one in said if self._shapes(said[one][1]))
        if journal:
            self.journal(author, befores)
        return counts

    def ship(self, sentences: Iterable[tuple[str, Term]]) -> None:
        """Store the sentences of the vocabulary, which nobody asserts."""
        said = {
            stored.digest: (Said(context, sentence, "", 0, 0, None), stored)
            for context, sentence in sentences
            for stored in [store_form(context, sentence)]
        }
        ids = self._sentexes.ids(list(said))
        rows, arguments = self._sentex_rows(None, said, ids)
        self._sentexes.insert(rows, arguments)
        self._operation.nodes.came(rows)
        self._operation.shape(row[0] for row in rows)

    def _shapes(self, stored: Stored) -> bool:
        return stored.keys[0] in STRUCTURAL_KEYS

    def _by_digest(
        self, batch: Iterable[Said], *, replace: bool
    ) -> dict[bytes, tuple[Said, Stored]]:
        said: dict[bytes, tuple[Said, Stored]] = {}
        for one in batch:
            stored = one.stored or store_form(one.context, one.sentence)
            earlier = said.get(stored.digest)
            if earlier is not None and not replace:
                one = _merged(earlier[0], one)  # noqa: PLW2901 - the merged one
            said[stored.digest] = one, stored
        return said

    def _insert_sentexes(
        self,
        author: int,
        said: dict[bytes, tuple[Said, Stored]],
        ids: dict[bytes, int],
    ) -> None:
        """Store those that are not yet here and add their ids to `ids`."""
        rows, arguments = self._sentex_rows(author, said, ids)
        if rows:
            self._sentexes.insert(rows, arguments)
            self._operation.nodes.came(rows)

    def _sentex_rows(
        self,
        author: int | None,
        said: dict[bytes, tuple[Said, Stored]],
        ids: dict[bytes, int],
    ) -> tuple[list[SentexRow], list[tuple[int, int, int]]]:
        """Return the rows of those without an id, and give each one in `ids`."""
        rows: list[SentexRow] = []
        arguments: list[tuple[int, int, int]] = []
        targets: list[tuple[bytes, int]] = []
        number = self._sentexes.next_id()
        for digest, (one, stored) in said.items():
            if digest in ids:
                continue
            named = targets_of(stored.body)
            label = self._first_label(author, one, stored, named)
            context = self._names.make_context(one.context)
            rows.append(sentex_row(number, context, stored, label))
            if len(stored.keys) > 3:  # noqa: PLR2004 - the first three have columns
                arguments.extend(argument_rows(number, stored.keys))
            targets.extend((target, number) for target in named)
            ids[digest] = number
            number += 1
        if targets:
            self._structure.name_targets(targets)
        return rows, arguments

    def _first_label(
        self, author: int | None, one: Said, stored: Stored, named: list[bytes]
    ) -> int:
        """Return the label of a new row as far as it is plain what it will be.

        Structural statements come into force, and replies are taken in, when the
        operation is settled.
        """
        label = LOCAL if self._is_local(one, stored) else 0
        if author is None:
            label |= SHIPPED
        if stored.keys[0] in STRUCTURAL_KEYS:
            return label
        if author is None:
            return label | BELIEVED | KNOWN
        if named and not stored.negative and self._follows(stored):
            return label | WAITING
        known = one.strength and self._structure.is_arbiter(author)
        return label | (BELIEVED | KNOWN if known else BELIEVED)

    def _is_local(self, one: Said, stored: Stored) -> bool:
        local = self._structure.locals
        if one.context in local:
            return True
        if not local or stored.keys[0] != _GENL_CX or type(one.sentence) is not tuple:
            return False
        return write(one.sentence[1]) in local

    def _follows(self, stored: Stored) -> bool:
        parts = split(stored.body)
        return parts is not None and parts[0] in self._structure.following

    def _assertion_rows(
        self,
        author: int,
        said: dict[bytes, tuple[Said, Stored]],
        ids: dict[bytes, int],
        held: dict[int, AssertionRow],
        *,
        replace: bool,
    ) -> tuple[list[AssertionRow], list[tuple[int, bytes, bytes | None]], Counts]:
        rows: list[AssertionRow] = []
        befores: list[tuple[int, bytes, bytes | None]] = []
        new = already = 0
        for digest, (one, _) in said.items():
            earlier = held.get(ids[digest])
            if earlier is not None and not replace:
                one = _merged(_said_before(one, earlier), one)  # noqa: PLW2901 - the merged one
            context = self._names.make_context(one.context)
            row = _assertion_row(ids[digest], author, context, one)
            if earlier == row:
                already += 1
                continue
            new += earlier is None
            rows.append(row)
            befores.append((context, digest, earlier[6] if earlier else None))
        return rows, befores, Counts(new, len(rows) - new, already)

    # Retracting --------------------------------------------------------------

    def drop(
        self, author: int, digests: Sequence[bytes], *, journal: bool
    ) -> list[bytes]:
        """Withdraw the author's assertions of these; return those there were.

        What nothing holds any more leaves the store when that is settled.
        """
        ids = self._sentexes.ids(digests)
        live = self._assertions.of_sentexes(list(ids.values()), author)
        gone = {ids[digest]: digest for digest in ids if ids[digest] in live}
        self._assertions.delete([(sentex, author) for sentex in gone])
        if journal:
            self.journal(author, [(live[s][2], gone[s], live[s][6]) for s in gone])
        self._operation.touch(gone)
        bodies = self._sentexes.functors(list(gone))
        self.functors.update(functor for _, functor in bodies)
        self._operation.shape(
            one for one, functor in bodies if functor in STRUCTURAL_KEYS
        )
        return list(gone.values())

    # Bookkeeping -------------------------------------------------------------

    def journal(
        self, author: int, befores: Iterable[tuple[int, bytes, bytes | None]]
    ) -> None:
        """Note what the next commit carries: (context, locator, leaf it had)."""
        published: dict[int, bool] = {}
        rows: dict[tuple[int, bytes], tuple[int, int, bytes, bytes | None]] = {}
        for context, digest, before in befores:
            if context not in published:
                published[context] = self._assertions.is_published(author, context)
            if published[context]:
                rows[context, digest] = (author, context, digest, before)
            else:
                rows[context, b""] = (author, context, WHOLE_CONTEXT, None)
        self._assertions.note_changes(list(rows.values()))


def _merged(earlier: Said, later: Said) -> Said:
    """Return one author's two assertions of one sentence as one (design 5)."""
    wrappers = earlier.wrappers & later.wrappers
    text = later.text
    if wrappers != later.wrappers:
        text = write(wrap(later.sentence, wrapper_names(wrappers)))
    return later._replace(
        strength=max(earlier.strength, later.strength),
        created=min(earlier.created, later.created),
        extras=earlier.extras if later.extras is None else later.extras,
        wrappers=wrappers,
        text=text,
        leaf=None,
    )


def _said_before(one: Said, row: AssertionRow) -> Said:
    return one._replace(
        strength=row[3], created=row[4], extras=row[5], wrappers=row[7], leaf=None
    )


def _assertion_row(sentex: int, author: int, context: int, one: Said) -> AssertionRow:
    leaf = one.leaf
    if leaf is None:
        line = format_claim(one.strength, one.created, one.text, one.extras)
        leaf = line_leaf(line)
    return (
        sentex, author, context, one.strength, one.created, one.extras, leaf,
        one.wrappers,
    )  # fmt: skip
