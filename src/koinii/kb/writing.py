"""Batches of assertions and retractions by one author, inside a transaction.

The caller has checked shape and standing. One assertion and a million go the
same way; cost follows the batch, never the base.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.claim import format_claim, line_leaf
from koinii.kb.rows import Stored, literal_keys, store_form
from koinii.store import loading, meta
from koinii.store.assertions import WHOLE_CONTEXT
from koinii.store.sentexes import BELIEVED
from koinii.terms.encoding import decode
from koinii.terms.locator import leaf

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from koinii.store.assertions import AssertionRow, Assertions
    from koinii.store.database import Connection
    from koinii.store.names import Names
    from koinii.store.sentexes import Sentexes, SentexRow
    from koinii.terms.term import Term


class Said(NamedTuple):
    """What one author puts forward: a canonical sentence and its text."""

    context: str
    sentence: Term
    text: str
    strength: int
    created: int
    extras: str | None


class Counts(NamedTuple):
    """What a batch did to the author's live set."""

    new: int = 0
    changed: int = 0
    already: int = 0


class Writer:
    """Applies batches to the tables."""

    def __init__(
        self,
        connection: Connection,
        names: Names,
        sentexes: Sentexes,
        assertions: Assertions,
    ) -> None:
        self._connection = connection
        self._names = names
        self._sentexes = sentexes
        self._assertions = assertions

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
        ids = self._sentexes.ids(list(said))
        held = self._assertions.of_sentexes(list(ids.values()), author)
        self._insert_sentexes(said, ids)
        rows, befores, counts = self._assertion_rows(
            author, said, ids, held, replace=replace
        )
        self._assertions.put(rows)
        if journal:
            self._journal(author, befores)
        return counts

    def fill(
        self, author: int, batches: Iterable[Iterable[Said]], *, journal: bool
    ) -> Iterator[Counts]:
        """Put into an empty base what one author says at one time and strength."""
        statements = loading.drop_indexes(self._connection)
        for batch in batches:
            yield self._append(author, batch, journal=journal)
        copies = loading.drop_copies(self._connection)
        loading.build_leaves(self._connection, leaf)
        for statement in statements:
            self._connection.execute(statement)
        self.touch()
        yield Counts(new=-copies, already=copies)

    def _append(self, author: int, batch: Iterable[Said], *, journal: bool) -> Counts:
        """Add rows without looking any up."""
        said = self._by_digest(batch, replace=False)
        ids: dict[bytes, int] = {}
        rows, arguments = self._sentex_rows(said, ids)
        self._sentexes.insert(rows, arguments)
        assertions, befores, counts = self._assertion_rows(
            author, said, ids, {}, replace=True
        )
        self._assertions.put(assertions)
        if journal:
            self._journal(author, befores)
        return counts

    def _by_digest(
        self, batch: Iterable[Said], *, replace: bool
    ) -> dict[bytes, tuple[Said, Stored]]:
        said: dict[bytes, tuple[Said, Stored]] = {}
        for one in batch:
            stored = store_form(one.context, one.sentence)
            earlier = said.get(stored.digest)
            if earlier is not None and not replace:
                one = _merged(earlier[0], one)  # noqa: PLW2901 - the merged one
            said[stored.digest] = one, stored
        return said

    def _insert_sentexes(
        self, said: dict[bytes, tuple[Said, Stored]], ids: dict[bytes, int]
    ) -> None:
        """Store those that are not yet here and add their ids to `ids`."""
        rows, arguments = self._sentex_rows(said, ids)
        if rows:
            self._sentexes.insert(rows, arguments)
            self._sentexes.insert_leaves(sorted((leaf(row[7]), row[0]) for row in rows))
            self.touch()

    def _sentex_rows(
        self, said: dict[bytes, tuple[Said, Stored]], ids: dict[bytes, int]
    ) -> tuple[list[SentexRow], list[tuple[int, int, int]]]:
        """Return the rows of those without an id, and give each one in `ids`."""
        rows: list[SentexRow] = []
        arguments: list[tuple[int, int, int]] = []
        number = self._sentexes.next_id()
        for digest, (one, stored) in said.items():
            if digest in ids:
                continue
            context = self._names.make_context(one.context)
            rows.append(_sentex_row(number, context, stored))
            if len(stored.keys) > 3:  # noqa: PLR2004 - the first three have columns
                arguments.extend(_argument_rows(number, stored.keys))
            ids[digest] = number
            number += 1
        return rows, arguments

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

    def drop(self, author: int, digests: Sequence[bytes], *, journal: bool) -> int:
        """Withdraw the author's assertions of these; return how many there were.

        A sentex that nobody asserts any more leaves the store.
        """
        ids = self._sentexes.ids(digests)
        live = self._assertions.of_sentexes(list(ids.values()), author)
        gone = {ids[digest]: digest for digest in ids if ids[digest] in live}
        self._assertions.delete([(sentex, author) for sentex in gone])
        if journal:
            self._journal(author, [(live[s][2], gone[s], live[s][6]) for s in gone])
        self._sweep(gone)
        return len(gone)

    def _sweep(self, gone: dict[int, bytes]) -> None:
        orphans = self._assertions.orphans(list(gone))
        if not orphans:
            return
        for sentex in orphans:
            self._drop_arguments(sentex, gone[sentex])
        self._sentexes.delete(orphans, [leaf(gone[sentex]) for sentex in orphans])
        self.touch()

    def _drop_arguments(self, sentex: int, digest: bytes) -> None:
        found = self._sentexes.by_digest(digest)
        assert found is not None  # noqa: S101 - it was just looked up
        keys = literal_keys(decode(found[3]))
        self._sentexes.delete_arguments(_argument_rows(sentex, keys))

    # Bookkeeping -------------------------------------------------------------

    def _journal(
        self, author: int, befores: Iterable[tuple[int, bytes, bytes | None]]
    ) -> None:
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

    def touch(self) -> None:
        """Say that what is believed has moved; cached roots are void."""
        meta.advance_epoch(self._connection)


def _merged(earlier: Said, later: Said) -> Said:
    """Return one author's two assertions of one sentence as one (design 5)."""
    return later._replace(
        strength=max(earlier.strength, later.strength),
        created=min(earlier.created, later.created),
        extras=earlier.extras if later.extras is None else later.extras,
    )


def _said_before(one: Said, row: AssertionRow) -> Said:
    return one._replace(strength=row[3], created=row[4], extras=row[5])


def _sentex_row(number: int, context: int, stored: Stored) -> SentexRow:
    keys = stored.keys
    first = keys[1] if len(keys) > 1 else None
    second = keys[2] if len(keys) > 2 else None  # noqa: PLR2004 - positions
    negative = int(stored.negative)
    return (
        number, context, keys[0], first, second, negative, BELIEVED,
        stored.digest, stored.body,
    )  # fmt: skip


def _argument_rows(number: int, keys: list[int]) -> list[tuple[int, int, int]]:
    return [(key, position, number) for position, key in enumerate(keys[3:], start=3)]


def _assertion_row(sentex: int, author: int, context: int, one: Said) -> AssertionRow:
    line = format_claim(one.strength, one.created, one.text, one.extras)
    return (
        sentex, author, context, one.strength, one.created, one.extras,
        line_leaf(line),
    )  # fmt: skip
