"""Rows of sentexes and of the leaves of the commit tree."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakSet

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

# Bits of a label. A sentex with none is present and not believed. In SQL: & 9 = 1 is
# believed and not shipped, & 24 shipped or waiting, & 41 = 1 has a leaf.
BELIEVED, KNOWN, DEFEATED, SHIPPED, WAITING, LOCAL = 1, 2, 4, 8, 16, 32
FIRST_BLOCK = 256
BLOCK = 4096
_MANY = 500

# id, context, functor, first, second, negative, label, digest, body
SentexRow = tuple[int, int, int, int | None, int | None, int, int, bytes, bytes]
# id, context, digest, body
Found = tuple[int, int, bytes, bytes]
# id, context, label, digest, body, functor, negative
Row = tuple[int, int, int, bytes, bytes, int, int]
_FOUND = "SELECT id, context, digest, body FROM sentex"
_FOUND_BY_ARGUMENT = (
    "SELECT id, context, digest, body FROM argument CROSS JOIN sentex"
    " ON sentex.id = argument.sentex"
)


class Node(NamedTuple):
    """A row of a sentex as the engine reads it."""

    id: int
    context: int
    label: int
    digest: bytes
    body: bytes


class Sentexes:
    """Statements over `sentex`, `argument` and `leaf`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = self._connection = connection
        self._unread: WeakSet[_Rest] = WeakSet()
        self._next: int | None = None

    def next_id(self) -> int:
        """Return the first id above all that are in use."""
        if self._next is None:
            (top,) = self._connection.execute("SELECT max(id) FROM sentex").fetchone()
            self._next = int(top or 0) + 1
        return self._next

    def forget(self) -> None:
        """Read again which ids are in use: at the beginning of each write."""
        self._next = None

    def ids(self, digests: Sequence[bytes]) -> dict[bytes, int]:
        """Return the ids of those digests that are stored."""
        found: dict[bytes, int] = {}
        for start in range(0, len(digests), _MANY):
            part = digests[start : start + _MANY]
            marks = ",".join("?" * len(part))
            found.update(
                self._connection.execute(
                    f"SELECT digest, id FROM sentex WHERE digest IN ({marks})",  # noqa: S608 - marks only
                    part,
                )
            )
        return found

    def insert(
        self,
        rows: Sequence[SentexRow],
        arguments: Sequence[tuple[int, int, int]],
    ) -> None:
        """Add sentexes and their further arguments."""
        many = self._connection.executemany
        many("INSERT INTO sentex VALUES (?,?,?,?,?,?,?,?,?)", rows)
        if rows:
            self._next = rows[-1][0] + 1
        if arguments:
            many("INSERT INTO argument VALUES (?,?,?)", arguments)

    def nodes(self, ids: Sequence[int]) -> Iterator[Node]:
        """Yield the rows of those that are stored."""
        for start in range(0, len(ids), _MANY):
            part = ids[start : start + _MANY]
            marks = ",".join("?" * len(part))
            rows = self._connection.execute(
                "SELECT id, context, label, digest, body FROM sentex"  # noqa: S608 - marks only
                f" WHERE id IN ({marks})",
                part,
            )
            yield from map(Node._make, rows)

    def digests(self, ids: Sequence[int]) -> dict[int, bytes]:
        """Return the digests of stored sentexes by id."""
        return {row.id: row.digest for row in self.nodes(ids)}

    def after(self, sentex: int, limit: int) -> list[Row]:
        """Return the next rows by id."""
        return self._connection.execute(
            "SELECT id, context, label, digest, body, functor, negative FROM sentex"
            " WHERE id > ? ORDER BY id LIMIT ?",
            (sentex, limit),
        ).fetchall()

    def functors(self, ids: Sequence[int]) -> list[tuple[int, int]]:
        """Return (id, functor) of stored sentexes."""
        found: list[tuple[int, int]] = []
        for start in range(0, len(ids), _MANY):
            part = ids[start : start + _MANY]
            marks = ",".join("?" * len(part))
            found += self._connection.execute(
                f"SELECT id, functor FROM sentex WHERE id IN ({marks})",  # noqa: S608 - marks only
                part,
            )
        return found

    def of_functor(self, functor: int, until: int) -> list[int]:
        """Return the ids up to one of all sentexes of a functor."""
        rows = self._connection.execute(
            "SELECT id FROM sentex WHERE functor = ? AND id <= ?", (functor, until)
        )
        return [one for (one,) in rows]

    def believed_from(self, sentex: int, limit: int) -> list[Node]:
        """Return at most so many believed rows from an id on, none of them shipped."""
        return [
            Node(*row)
            for row in self._connection.execute(
                "SELECT id, context, label, digest, body FROM sentex"
                " WHERE id >= ? AND label & 9 = 1 LIMIT ?",
                (sentex, limit),
            )
        ]

    def digests_from(self, sentex: int) -> list[bytes]:
        """Return the digests of all sentexes from an id on."""
        rows = self._connection.execute(
            "SELECT digest FROM sentex WHERE id >= ?", (sentex,)
        )
        return [digest for (digest,) in rows]

    def set_labels(self, rows: Sequence[tuple[int, int]]) -> None:
        """Set (label, sentex)."""
        self._connection.executemany("UPDATE sentex SET label = ? WHERE id = ?", rows)

    def change_leaves(
        self, came: Sequence[tuple[bytes, int]], went: Sequence[bytes]
    ) -> None:
        """Add leaves (hash, sentex) to the tree and take others out."""
        self.insert_leaves(sorted(came))
        self._connection.executemany(
            "DELETE FROM leaf WHERE hash = ?", [(one,) for one in went]
        )

    def insert_leaves(self, leaves: Sequence[tuple[bytes, int]]) -> None:
        """Add leaves (hash, sentex) to the tree."""
        self._connection.executemany("INSERT INTO leaf VALUES (?,?)", leaves)

    def delete(self, ids: Sequence[int], leaves: Sequence[bytes]) -> None:
        """Remove sentexes with their arguments and leaves.

        Costs what it removes: argument rows are found by the sentexes' bodies,
        which the caller turned into keys before.
        """
        many = self._connection.executemany
        many("DELETE FROM sentex WHERE id = ?", [(one,) for one in ids])
        many("DELETE FROM leaf WHERE hash = ?", [(one,) for one in leaves])

    def delete_arguments(self, arguments: Sequence[tuple[int, int, int]]) -> None:
        """Remove argument rows (key, position, sentex)."""
        self._connection.executemany(
            "DELETE FROM argument WHERE key = ? AND position = ? AND sentex = ?",
            arguments,
        )

    def by_digest(self, digest: bytes) -> Found | None:
        """Return the stored sentex of a locator, whatever its label."""
        row: Found | None = self._connection.execute(
            f"{_FOUND} WHERE digest = ?", (digest,)
        ).fetchone()
        return row

    def by_id(self, sentex: int) -> Found:
        """Return a stored sentex, which must be there."""
        row: Found = self._connection.execute(
            f"{_FOUND} WHERE id = ?", (sentex,)
        ).fetchone()
        return row

    def by_prefix(self, low: bytes, high: bytes, limit: int) -> list[Found]:
        """Return at most `limit` sentexes with low <= digest <= high."""
        return self._connection.execute(
            f"{_FOUND} WHERE digest BETWEEN ? AND ? ORDER BY digest LIMIT ?",
            (low, high, limit),
        ).fetchall()

    def is_present(self, digest: bytes, *, local: bool) -> bool:
        """Tell whether a locator's sentex is here and does not wait.

        To all but what is `local`, a sentex of a seat-local context is not here.
        """
        hidden = WAITING if local else WAITING | LOCAL
        row = self._connection.execute(
            "SELECT (label & ?) = 0 FROM sentex WHERE digest = ?", (hidden, digest)
        ).fetchone()
        return row is not None and bool(row[0])

    def label(self, sentex: int) -> int:
        """Return a stored sentex's label."""
        (label,) = self._connection.execute(
            "SELECT label FROM sentex WHERE id = ?", (sentex,)
        ).fetchone()
        return int(label)

    def candidates(
        self,
        keys: Sequence[int | None],
        *,
        negative: bool,
        contexts: frozenset[int] | None,
    ) -> Iterator[Found]:
        """Return a stream of believed sentexes whose literal may have the given keys.

        `keys` are those of functor, first, second, … argument; None is open.
        """
        sql = _candidates(
            tuple([key is None for key in keys]), negative=negative, contexts=contexts
        )
        return self._stream(sql, _wanted(keys))

    def believed(self, context: int | None) -> Iterator[Found]:
        """Yield every believed sentex that is not shipped, of one context or of all."""
        only = "" if context is None else f" AND context = {int(context)}"
        return self._stream(f"{_FOUND} WHERE label & 9 = 1{only}", ())

    def _stream(self, statement: str, values: Sequence[int]) -> Iterator[Found]:
        """Return a statement's rows, those past the first block as a stream."""
        cursor = self._connection.execute(statement, values)
        block = cursor.fetchmany(FIRST_BLOCK)
        if len(block) < FIRST_BLOCK:
            return iter(block)
        rest = _Rest(cursor)
        self._unread.add(rest)
        return chain(block, rest.rows())

    def drain(self) -> None:
        """Read what open streams have left, so that none stands across a write.

        A half read statement pins what SQLite shows this connection: after
        another process has written, it could never write again.
        """
        for rest in list(self._unread):
            rest.drain()
        self._unread.clear()

    def leaf_hashes(self) -> Iterator[bytes]:
        """Yield the commit tree's leaf hashes in tree order."""
        cursor = self._connection.execute("SELECT hash FROM leaf ORDER BY hash")
        while block := cursor.fetchmany(BLOCK):
            for (one,) in block:
                yield one

    def has_leaf(self, leaf: bytes) -> bool:
        """Tell whether the commit tree has this leaf."""
        row = self._connection.execute("SELECT 1 FROM leaf WHERE hash = ?", (leaf,))
        return row.fetchone() is not None

    def of_leaf(self, leaf: bytes) -> int:
        """Return the sentex of a leaf that the commit tree has."""
        row = self._connection.execute(
            "SELECT sentex FROM leaf WHERE hash = ?", (leaf,)
        )
        return int(row.fetchone()[0])

    def count(self) -> int:
        """Return how many sentexes are stored; reads one index."""
        (count,) = self._connection.execute("SELECT count(*) FROM sentex").fetchone()
        return int(count)

    def count_leaves(self) -> int:
        """Return how many sentexes are believed."""
        (count,) = self._connection.execute("SELECT count(*) FROM leaf").fetchone()
        return int(count)

    def is_empty(self) -> bool:
        """Tell whether nothing is asserted; what is shipped may be there."""
        row = self._connection.execute("SELECT 1 FROM assertion LIMIT 1").fetchone()
        return row is None


class _Rest:
    """What a half read statement has left."""

    def __init__(self, cursor: sqlite3.Cursor) -> None:
        self._cursor = cursor
        self._drained: list[Found] | None = None

    def rows(self) -> Iterator[Found]:
        """Yield the rows, from the statement or from what was read of it."""
        while block := self._fetch():
            yield from block

    def _fetch(self) -> list[Found]:
        if self._drained is None:
            return self._cursor.fetchmany(BLOCK)
        block, self._drained = self._drained, []
        return block

    def drain(self) -> None:
        """Read the rest into memory."""
        if self._drained is None:
            self._drained = self._cursor.fetchall()


@lru_cache(maxsize=256)
def _candidates(
    is_open: tuple[bool, ...], *, negative: bool, contexts: frozenset[int] | None
) -> str:
    """Return the query for literals of which these positions are open.

    The first three have columns; of the others the first that is closed is
    looked up, and only where the columns leave both arguments open.
    """
    columns = ("functor = ?", "first = ?", "second = ?")
    where = [one for one, free in zip(columns, is_open, strict=False) if not free]
    position = _further(is_open)
    source = _FOUND
    if position is not None:
        source = f"{_FOUND_BY_ARGUMENT} AND position = {position}"
        where.append("key = ?")
    if contexts is not None:
        where.append(f"context IN ({','.join(map(str, sorted(contexts)))})")
    where.append(f"negative = {int(negative)} AND label & {BELIEVED}")
    return f"{source} WHERE {' AND '.join(where)}"


def _wanted(keys: Sequence[int | None]) -> list[int]:
    values = [key for key in keys[:3] if key is not None]
    if len(keys) > 3:  # noqa: PLR2004 - the first three have columns
        position = _further(tuple([key is None for key in keys]))
        if position is not None:
            further = keys[position]
            assert further is not None  # noqa: S101 - _further looked
            values.append(further)
    return values


def _further(is_open: tuple[bool, ...]) -> int | None:
    """Return the position past the columns to look up, if the columns need help."""
    if not all(is_open[1:3]):
        return None
    closed = (at for at, free in enumerate(is_open[3:], start=3) if not free)
    return next(closed, None)
