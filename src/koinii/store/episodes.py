"""Rows of the clashes that stand: since when, by their locators."""

from __future__ import annotations

from contextlib import ExitStack, closing
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from koinii.store.clashes import Ids

_STANDING = (
    "FROM clash c CROSS JOIN sight s ON s.id = c.sight"
    " CROSS JOIN sentex a ON a.id = c.lo CROSS JOIN sentex b ON b.id = c.hi"
    " WHERE s.state & 1 AND a.label & 1 AND b.label & 1"
)

Key: TypeAlias = tuple[bytes, bytes, int]  # both locators, the lesser first; kind


class Episode(NamedTuple):
    """A clash that stands; `since` is when it began to, in ms by the clock here."""

    first: bytes
    second: bytes
    kind: int
    lo: int  # rows of the members, in the order of their ids
    hi: int
    sight: int
    since: int

    @property
    def key(self) -> Key:
        """What names it."""
        return self.first, self.second, self.kind


class Episodes:
    """Statements over `episode`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def standing(self, pair: Ids) -> tuple[int, bytes, bytes] | None:
        """Return (sight, locators of lo and hi) if a pair is seen and believed."""
        row: tuple[int, bytes, bytes] | None = self._connection.execute(
            f"SELECT c.sight, a.digest, b.digest {_STANDING}"
            " AND c.lo = ? AND c.hi = ? AND c.kind = ?",
            pair,
        ).fetchone()
        return row

    def reconcile(self, now: int) -> None:
        """Note every clash that stands, and no other; what was noted keeps its time.

        O(clashes), in the memory of one.
        """
        self._connection.execute(
            "DELETE FROM episode AS e WHERE NOT EXISTS (SELECT 1 FROM sentex a"
            " CROSS JOIN sentex b CROSS JOIN clash c CROSS JOIN sight s"
            " WHERE a.digest = e.first AND b.digest = e.second"
            " AND c.lo = min(a.id, b.id) AND c.hi = max(a.id, b.id)"
            " AND c.kind = e.kind AND s.id = c.sight"
            " AND s.state & 1 AND a.label & 1 AND b.label & 1)"
        )
        self._connection.execute(
            "INSERT INTO episode SELECT min(a.digest, b.digest),"
            f" max(a.digest, b.digest), c.kind, c.lo, c.hi, c.sight, ? {_STANDING}"
            " ON CONFLICT (first, second, kind) DO UPDATE"
            " SET lo = excluded.lo, hi = excluded.hi, sight = excluded.sight",
            (now,),
        )

    def at_rows(self, pair: Ids) -> Episode | None:
        """Return what is noted of two rows."""
        row = self._connection.execute(
            "SELECT * FROM episode WHERE lo = ? AND hi = ? AND kind = ?", pair
        ).fetchone()
        return None if row is None else Episode._make(row)

    def of(self, first: bytes, second: bytes) -> list[Episode]:
        """Return what is noted of two locators, the lesser first."""
        rows = self._connection.execute(
            "SELECT * FROM episode WHERE first = ? AND second = ? ORDER BY kind",
            (first, second),
        )
        return [*map(Episode._make, rows)]

    def put(self, episode: Episode) -> None:
        """Note a clash that stands."""
        self._connection.execute(
            "INSERT OR REPLACE INTO episode VALUES (?,?,?,?,?,?,?)", episode
        )

    def drop(self, key: Key) -> None:
        """Forget a clash that stands no longer."""
        self._connection.execute(
            "DELETE FROM episode WHERE first = ? AND second = ? AND kind = ?", key
        )

    def sights(self) -> list[int]:
        """Return the sights of the clashes that stand; one look-up for each."""
        rows = self._connection.execute(
            "WITH RECURSIVE found (sight) AS (SELECT min(sight) FROM episode UNION ALL"
            " SELECT (SELECT min(sight) FROM episode e WHERE e.sight > found.sight)"
            " FROM found WHERE found.sight IS NOT NULL)"
            " SELECT sight FROM found WHERE sight IS NOT NULL"
        )
        return [one for (one,) in rows]

    def page(
        self, sights: Sequence[int], after: tuple[int, Key], limit: int
    ) -> list[Episode]:
        """Return at most `limit` clashes of these sights, the oldest first.

        Reads one of each sight beside them.
        """
        with ExitStack() as stack:
            streams = [
                map(Episode._make, stack.enter_context(closing(self._at(one, after))))
                for one in sights
            ]
            return [*islice(merge(*streams, key=_by_time), limit)]

    def _at(self, sight: int, after: tuple[int, Key]) -> sqlite3.Cursor:
        since, key = after
        return self._connection.execute(
            "SELECT * FROM episode WHERE sight = ?"
            " AND (since, first, second, kind) > (?, ?, ?, ?)"
            " ORDER BY since, first, second, kind",
            (sight, since, *key),
        )


def _by_time(episode: Episode) -> tuple[int, Key]:
    return episode.since, episode.key
