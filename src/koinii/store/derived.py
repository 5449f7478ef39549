"""Reading all that is derived, in blocks, from a copy that may be changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.store.network import unpack
from koinii.store.sentexes import Sentexes

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterator

    from koinii.store.clashes import Pair

BLOCK = 2_000


class DerivedFiring(NamedTuple):
    """A firing with what the tables around it say of it."""

    id: int
    footing: int
    facts: list[int]
    conclusions: list[int]
    body: bytes
    ingredients: list[int]
    justified: list[int]

    def named(self) -> set[int]:
        """Return all sentexes it names."""
        return {*self.facts, *self.conclusions, *self.ingredients, *self.justified}


class Derived:
    """Statements that read the network and the clashes whole."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._sentexes = Sentexes(connection)
        self.leaf_hashes = self._sentexes.leaf_hashes
        self.count_leaves = self._sentexes.count_leaves
        for table, column in (
            ("ingredient", "firing"),
            ("justification", "firing"),
            ("footing_on", "footing"),
            ("sight_on", "sight"),
        ):
            connection.execute(
                f"CREATE INDEX IF NOT EXISTS {table}_by ON {table} ({column})"
            )

    def contexts(self) -> dict[int, str]:
        """Return the names of all contexts."""
        return dict(self._connection.execute("SELECT id, name FROM context"))

    def digests(self, ids: Collection[int]) -> dict[int, bytes]:
        """Return the digests of those that are stored."""
        return self._sentexes.digests(list(ids))

    def firings(self) -> Iterator[list[DerivedFiring]]:
        """Yield every firing, in blocks."""
        after = -1
        while rows := self._connection.execute(
            "SELECT id, footing, facts, conclusions, body FROM firing"
            " WHERE id > ? ORDER BY id LIMIT ?",
            (after, BLOCK),
        ).fetchall():
            span = after, rows[-1][0]
            facts = self._around("sentex", "ingredient", span)
            concluded = self._around("conclusion", "justification", span)
            yield [
                DerivedFiring(
                    one, footing, _ids(a), _ids(b), body,
                    facts.get(one, []), concluded.get(one, []),
                )
                for one, footing, a, b, body in rows
            ]  # fmt: skip
            after = rows[-1][0]

    def _around(
        self, column: str, table: str, span: tuple[int, int]
    ) -> dict[int, list[int]]:
        """Return what a table has of the firings of a span, by firing."""
        found: dict[int, list[int]] = {}
        for firing, sentex in self._connection.execute(
            f"SELECT firing, {column} FROM {table} WHERE firing > ? AND firing <= ?",  # noqa: S608 - our names
            span,
        ):
            found.setdefault(firing, []).append(sentex)
        return found

    def footing(self, number: int) -> tuple[int, bytes, list[int]] | None:
        """Return (rule, key, places) of a footing."""
        row = self._connection.execute(
            "SELECT rule, key, places FROM footing WHERE id = ?", (number,)
        ).fetchone()
        if row is None:
            return None
        return row[0], row[1], [int(one) for one in row[2].split() if one.isdecimal()]

    def sight(self, number: int) -> tuple[bytes, int] | None:
        """Return (key, state) of a sight."""
        row: tuple[bytes, int] | None = self._connection.execute(
            "SELECT key, state FROM sight WHERE id = ?", (number,)
        ).fetchone()
        return row

    def depends_on(self, what: str, number: int) -> list[tuple[int, int]]:
        """Return the things (kind, thing) that a footing or a sight depends on."""
        return self._connection.execute(
            f"SELECT kind, thing FROM {what}_on WHERE {what} = ?",  # noqa: S608 - our names
            (number,),
        ).fetchall()

    def pairs(self) -> Iterator[list[Pair]]:
        """Yield every clash, in blocks."""
        cursor = self._connection.execute("SELECT lo, hi, kind, sight FROM clash")
        while block := cursor.fetchmany(BLOCK):
            yield block

    def unused(self) -> Iterator[tuple[str, bytes]]:
        """Yield the keys of footings and sights that nothing has any more."""
        for what, user in (("footing", "firing"), ("sight", "clash")):
            rows = self._connection.execute(
                f"SELECT key FROM {what} WHERE id NOT IN (SELECT {what} FROM {user})"  # noqa: S608 - our names
            )
            yield from ((what, key) for (key,) in rows)


def _ids(blob: bytes) -> list[int]:
    """Return the ids of a blob, none of one that is no list of ids."""
    try:
        return unpack(blob)
    except ValueError:
        return []
