"""What a store keeps twice: rows that follow from the live assertions alone.

Everything but assertions, held lines, names, keys and history. Cleared here and
filled again by `kb.recomputing`, inside one write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.store import loading
from koinii.store.sentexes import BELIEVED, KNOWN, LOCAL, SHIPPED, WAITING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Sequence

BLOCK = 4_096
_CLEARED = (
    "argument",
    "target",
    "leaf",
    "rule",
    "trigger",
    "footing",
    "footing_on",
    "firing",
    "ingredient",
    "justification",
    "clash",
    "sight",
    "sight_on",
)
_ASSERTED = """
    SELECT a.sentex, a.author, a.context, a.strength, a.created, a.extras, a.leaf,
        a.wrappers, s.digest, s.body
    FROM assertion a LEFT JOIN sentex s ON s.id = a.sentex
    WHERE (a.sentex, a.author) > (?, ?) ORDER BY a.sentex, a.author LIMIT ?
"""


class Asserted(NamedTuple):
    """An assertion, and the row of the sentence that it holds in the store."""

    sentex: int
    author: int
    context: int
    strength: int
    created: int
    extras: str | None
    leaf: bytes
    wrappers: int
    digest: bytes | None  # None where the row is gone
    body: bytes | None


class Rekeyed(NamedTuple):
    """A row's columns as its sentence and context make them."""

    context: int
    functor: int
    first: int | None
    second: int | None
    negative: int
    label: int
    digest: bytes
    body: bytes
    id: int


class Caches:
    """Statements over all that can be worked out again."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._indexes: list[str] = []

    def asserted(self) -> Iterator[list[Asserted]]:
        """Yield every live assertion with its sentence, in blocks, by sentence."""
        after = -1, -1
        while True:
            rows = self._connection.execute(_ASSERTED, (*after, BLOCK)).fetchall()
            yield [Asserted(*row) for row in rows]
            if len(rows) < BLOCK:
                return
            after = rows[-1][:2]

    def clear(self, shipped: Sequence[int]) -> None:
        """Throw all of it away, but for the rows of what is asserted or shipped.

        Indexes go too, until `build_indexes`.
        """
        for table in _CLEARED:
            self._connection.execute(f"DELETE FROM {table}")  # noqa: S608 - ours
        self._connection.execute("DELETE FROM meta WHERE key = 'root'")
        self._indexes = loading.drop_indexes(self._connection)
        marks = ",".join("?" * len(shipped))
        self._connection.execute(
            "DELETE FROM sentex WHERE id NOT IN (SELECT sentex FROM assertion)"  # noqa: S608 - marks only
            f" AND id NOT IN ({marks})",
            shipped,
        )

    def build_indexes(self) -> None:
        """Make the indexes again."""
        with loading.sorting(self._connection):
            for statement in self._indexes:
                self._connection.execute(statement)

    def rekey(self, rows: Sequence[Rekeyed]) -> None:
        """Write rows as they should be; those of what is shipped may be new."""
        self._connection.executemany(
            "INSERT OR REPLACE INTO sentex"
            " (context, functor, first, second, negative, label, digest, body, id)"
            " VALUES (?,?,?,?,?,?,?,?,?)",
            rows,
        )

    def put_arguments(self, rows: Sequence[tuple[int, int, int]]) -> None:
        """Add (key, position, sentex) for the arguments that have no column."""
        self._connection.executemany("INSERT INTO argument VALUES (?,?,?)", rows)

    def first_labels(self, structural: Iterable[int], following: Iterable[int]) -> None:
        """Label what is no structural statement as if nothing followed from it.

        Both are keys of functors: of the words of structural statements, and of
        the predicates whose sentences wait for what they name.
        """
        words, waits = (",".join(map(str, one)) for one in (structural, following))
        self._connection.execute(
            f"UPDATE sentex SET label = label | {BELIEVED} | CASE"  # noqa: S608 - numbers
            f" WHEN label & {SHIPPED} OR EXISTS (SELECT 1 FROM assertion a"
            "  CROSS JOIN author w ON w.id = a.author"
            f" WHERE a.sentex = sentex.id AND a.strength AND w.arbiter) THEN {KNOWN}"
            f" ELSE 0 END WHERE functor NOT IN ({words})"
        )
        self._connection.execute(
            f"UPDATE sentex SET label = label & {LOCAL} | {WAITING}"  # noqa: S608 - numbers
            f" WHERE NOT label & {SHIPPED} AND NOT negative AND functor IN ({waits})"
            " AND id IN (SELECT sentex FROM target)"
        )

    def build_leaves(self, leaf: Callable[[bytes], bytes]) -> None:
        """Make the leaves of the tree again, from the labels."""
        self._connection.execute("DELETE FROM leaf")
        with loading.sorting(self._connection):
            loading.build_leaves(self._connection, leaf)

    def believed(self) -> Iterator[bytes]:
        """Yield the digests of all that is believed, leaf or not, sorted."""
        rows = self._connection.execute(
            f"SELECT digest FROM sentex WHERE label & {BELIEVED} ORDER BY digest"  # noqa: S608 - a number
        )
        while block := rows.fetchmany(BLOCK):
            for (digest,) in block:
                yield digest
