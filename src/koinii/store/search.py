"""The words of the stored sentexes: an FTS5 table that searches bring up to date.

It holds the words of every row up to a mark, whatever the row's label. A trigger
notes which of those rows leave the store, in the transaction in which they leave,
so that an id may be given out again. What is noted or above the mark is *fresh*:
read row by row, until it is taken in. The trigger touches plain tables only, so
that a program without FTS5 can still write to the seat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import SurroundingsError
from koinii.store import meta
from koinii.store.sentexes import BELIEVED, SHIPPED

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Generator, Iterable, Sequence

    from koinii.store.sentexes import Found

MODULE = "fts5"
_MARK, _READING = "searched", "searched by"
_MOST_WORDS = 32  # given to FTS5; the caller compares all of them

# Words come folded and separated by spaces, which the tokenizer `ascii` leaves
# as they are: all that is not ASCII is part of a word to it.
_TABLES = (
    "CREATE VIRTUAL TABLE searched USING fts5"
    " (words, tokenize = 'ascii', detail = none, columnsize = 0)",
    "CREATE TABLE search_gone (id INTEGER PRIMARY KEY) STRICT",
    "CREATE TRIGGER search_gone AFTER DELETE ON sentex"
    " WHEN old.id <= (SELECT value FROM meta WHERE key = 'searched')"
    " BEGIN INSERT OR IGNORE INTO search_gone VALUES (old.id); END",
)
_DROP = (
    "DROP TRIGGER IF EXISTS search_gone",
    "DROP TABLE IF EXISTS search_gone",
    "DROP TABLE IF EXISTS searched",
    "DELETE FROM meta WHERE key IN ('searched', 'searched by')",
)
_SOME_GONE = "SELECT id FROM search_gone ORDER BY id LIMIT :most"
_ROW = "SELECT id, context, digest, body FROM sentex"


def require_fts5(connection: sqlite3.Connection) -> None:
    """Refuse to search where SQLite was built without FTS5.

    Raises:
        SurroundingsError: `koinii/no-fts`.
    """
    found = connection.execute(
        "SELECT 1 FROM pragma_module_list WHERE name = ?", (MODULE,)
    )
    if found.fetchone() is None:
        raise SurroundingsError(
            "the SQLite of this Python was built without FTS5, which searches text",
            code="koinii/no-fts",
            hint="use another Python, such as your system's; koinii ask needs no FTS5",
        )


class WordIndex:
    """Statements over `searched` and `search_gone`.

    `reading` names the way in which words are read from a row; an index that
    was made in another way counts as none.
    """

    def __init__(self, connection: sqlite3.Connection, reading: str) -> None:
        self._connection = connection
        self._reading = reading

    def is_built(self) -> bool:
        """Tell whether there is an index of this reading."""
        return meta.get(self._connection, _READING) == self._reading

    def mark(self) -> int:
        """Return the id up to which rows are taken in."""
        mark = meta.get(self._connection, _MARK) if self.is_built() else 0
        assert isinstance(mark, int)  # noqa: S101 - put with the reading
        return mark

    # Taking in ---------------------------------------------------------------

    def has_fresh(self, most: int) -> bool:
        """Tell whether more rows than these are not taken in; reads no more."""
        gone = "SELECT id FROM search_gone UNION ALL " if self.is_built() else ""
        (count,) = self._connection.execute(
            f"SELECT count(*) FROM ({gone}"  # noqa: S608 - no text of the user's
            " SELECT id FROM sentex WHERE id > ? LIMIT ?)",
            (self.mark(), most + 1),
        ).fetchone()
        return int(count) > most

    def take_in(self, most: int, words_of: Callable[[Found], Iterable[str]]) -> bool:
        """Take in so many fresh rows, inside a write; tell whether none is left."""
        if not self.is_built():
            self._build()
        given = {"most": most, "mark": self.mark()}
        gone = self._connection.execute(_SOME_GONE, given).fetchall()
        self._connection.executemany("DELETE FROM searched WHERE rowid = ?", gone)
        self._put(f"{_ROW} WHERE id IN ({_SOME_GONE})", given, words_of)
        self._connection.execute(
            f"DELETE FROM search_gone WHERE id IN ({_SOME_GONE})",  # noqa: S608 - no text of the user's
            given,
        )
        new = self._put(
            f"{_ROW} WHERE id > :mark ORDER BY id LIMIT :most", given, words_of
        )
        if new:
            meta.put(self._connection, _MARK, new[-1])
        return max(len(gone), len(new)) < most

    def _put(
        self,
        statement: str,
        given: dict[str, int],
        words_of: Callable[[Found], Iterable[str]],
    ) -> list[int]:
        rows = self._connection.execute(statement, given).fetchall()
        self._connection.executemany(
            "INSERT INTO searched (rowid, words) VALUES (?, ?)",
            ((row[0], " ".join(words_of(row))) for row in rows),
        )
        return [row[0] for row in rows]

    def _build(self) -> None:
        self.drop()
        for statement in _TABLES:
            self._connection.execute(statement)
        meta.put(self._connection, _MARK, 0)
        meta.put(self._connection, _READING, self._reading)

    def drop(self) -> None:
        """Remove the index, inside a write; the next search makes a new one."""
        for statement in _DROP:
            self._connection.execute(statement)

    # Finding -----------------------------------------------------------------

    def hits(
        self, words: Sequence[str], contexts: frozenset[int] | None
    ) -> Generator[tuple[int, bytes, int]]:
        """Yield length, digest and id of rows with these words, the shortest first.

        Only believed claims that are taken in and have again. Words are letters
        and digits alone. A caller that stops early closes the iterator.
        """
        if not self.is_built():
            return
        longest = sorted(words, key=len, reverse=True)[:_MOST_WORDS]
        cursor = self._connection.execute(
            "SELECT length(body), digest, id FROM searched CROSS JOIN sentex"  # noqa: S608 - no text of the user's
            " ON sentex.id = searched.rowid"
            f" WHERE searched MATCH ? AND {_wanted(contexts)}"
            " AND id NOT IN (SELECT id FROM search_gone)"
            " ORDER BY length(body), digest",
            (" AND ".join(f'"{word}"' for word in longest),),
        )
        try:
            yield from cursor
        finally:
            cursor.close()

    def fresh(self, contexts: frozenset[int] | None, most: int) -> list[Found]:
        """Return believed claims that are not taken in, the highest ids first."""
        return self._connection.execute(
            f"{self._fresh(_ROW, contexts)} ORDER BY id DESC LIMIT :most",
            {"mark": self.mark(), "most": most},
        ).fetchall()

    def count_fresh(self, contexts: frozenset[int] | None) -> int:
        """Return how many rows `fresh` could return; reads all of them."""
        (count,) = self._connection.execute(
            f"SELECT count(*) FROM ({self._fresh('SELECT id FROM sentex', contexts)})",  # noqa: S608 - no text of the user's
            {"mark": self.mark()},
        ).fetchone()
        return int(count)

    def _fresh(self, select: str, contexts: frozenset[int] | None) -> str:
        above = f"{select} WHERE id > :mark AND {_wanted(contexts)}"
        if not self.is_built():
            return above
        again = "id <= :mark AND id IN (SELECT id FROM search_gone)"
        return f"{above} UNION ALL {select} WHERE {again} AND {_wanted(contexts)}"


def _wanted(contexts: frozenset[int] | None) -> str:
    wanted = f"label & {BELIEVED | SHIPPED} = {BELIEVED}"
    if contexts is None:
        return wanted
    return f"{wanted} AND context IN ({','.join(map(str, sorted(contexts)))})"
