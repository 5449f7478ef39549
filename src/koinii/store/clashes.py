"""Rows of pairs that cannot hold together, and of who sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from koinii.store.network import Fact

REBUTTAL, FUNCTIONAL, DISJOINT = 1, 2, 3
VISIBLE, LO_FALLS, HI_FALLS = 1, 2, 4

# lo, hi, kind, sight
Pair = tuple[int, int, int, int]
Ids = tuple[int, int, int]  # lo, hi, kind
_FACT = "SELECT id, context, label, digest, body FROM sentex"
_BLOCK = 1000
_MANY = 100_000  # pairs, beyond which those that move are not remembered one by one


class Clashes:
    """Statements over `clash` and `sight`, and the look-ups that find pairs."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._moved: set[Ids] | None = set()

    # Finding pairs ---------------------------------------------------------------

    def denials(self, keys: Sequence[int]) -> list[Fact]:
        """Return the present negatives whose literal may have these first keys."""
        columns = ("functor = ?", "first = ?", "second = ?")[: len(keys)]
        return self._connection.execute(
            f"{_FACT} WHERE {' AND '.join(columns)} AND negative = 1"
            " AND NOT label & 24",
            tuple(keys),
        ).fetchall()

    def positives(self, keys: Sequence[int | None]) -> list[Fact]:
        """Return the present positives with these keys; None is open."""
        named = zip(("functor", "first", "second"), keys, strict=False)
        closed = [(column, key) for column, key in named if key is not None]
        where = " AND ".join(f"{column} = ?" for column, _ in closed)
        return self._connection.execute(
            f"{_FACT} WHERE {where} AND negative = 0 AND NOT label & 24",
            tuple(key for _, key in closed),
        ).fetchall()

    def by_digests(self, digests: Sequence[bytes]) -> Iterator[Fact]:
        """Yield the present sentexes among these locators."""
        for start in range(0, len(digests), 500):
            part = digests[start : start + 500]
            marks = ",".join("?" * len(part))
            yield from self._connection.execute(
                f"{_FACT} WHERE digest IN ({marks}) AND NOT label & 24",
                part,
            )

    def has_denials(self, functor: int) -> bool:
        """Tell whether any negative of a functor is stored."""
        row = self._connection.execute(
            "SELECT 1 FROM sentex WHERE functor = ? AND negative = 1 LIMIT 1",
            (functor,),
        ).fetchone()
        return row is not None

    # Pairs -------------------------------------------------------------------------

    def put(self, pairs: Sequence[Pair]) -> None:
        """Record pairs."""
        self._connection.executemany(
            "INSERT OR IGNORE INTO clash VALUES (?,?,?,?)", pairs
        )
        self._note(pairs)

    def drop(self, pairs: Sequence[Pair]) -> None:
        """Forget pairs."""
        self._connection.executemany(
            "DELETE FROM clash WHERE lo = ? AND hi = ? AND kind = ?",
            [pair[:3] for pair in pairs],
        )
        self._note(pairs)

    def _note(self, pairs: Iterable[Pair]) -> None:
        if self._moved is not None:
            self._moved.update(pair[:3] for pair in pairs)
            if len(self._moved) > _MANY:
                self._moved = None

    def take_moved(self) -> set[Ids] | None:
        """Return the pairs that came, went or are seen otherwise, since last asked.

        None where they were too many to remember.
        """
        moved, self._moved = self._moved, set()
        return moved

    def of(self, sentex: int) -> list[Pair]:
        """Return the pairs that a sentex is in, seen by anybody or not."""
        return self._connection.execute(
            "SELECT lo, hi, kind, sight FROM clash WHERE lo = ?1 UNION ALL"
            " SELECT lo, hi, kind, sight FROM clash WHERE hi = ?1",
            (sentex,),
        ).fetchall()

    def rivals(self, sentex: int) -> list[tuple[int, bool]]:
        """Return (other member, whether this one may fall to it) of seen pairs."""
        rows = self._connection.execute(
            "SELECT c.hi, s.state & 2 FROM clash c CROSS JOIN sight s"
            " ON s.id = c.sight WHERE c.lo = ?1 AND s.state & 1 UNION ALL"
            " SELECT c.lo, s.state & 4 FROM clash c CROSS JOIN sight s"
            " ON s.id = c.sight WHERE c.hi = ?1 AND s.state & 1",
            (sentex,),
        )
        return [(other, bool(falls)) for other, falls in rows]

    def any(self) -> bool:
        """Tell whether any pair is recorded."""
        row = self._connection.execute("SELECT 1 FROM clash LIMIT 1").fetchone()
        return row is not None

    def standing(self) -> Iterator[tuple[Pair, int, int]]:
        """Yield the seen pairs of which both are believed, with both labels."""
        rows = self._connection.execute(
            "SELECT c.lo, c.hi, c.kind, c.sight, a.label, b.label FROM clash c"
            " CROSS JOIN sight s ON s.id = c.sight"
            " CROSS JOIN sentex a ON a.id = c.lo CROSS JOIN sentex b ON b.id = c.hi"
            " WHERE s.state & 1 AND a.label & 1 AND b.label & 1"
        )
        for lo, hi, kind, sight, first, second in rows:
            yield (lo, hi, kind, sight), first, second

    # Sights ------------------------------------------------------------------------

    def sight(self, key: bytes) -> tuple[int, int] | None:
        """Return (id, state) of a sight by its key."""
        row: tuple[int, int] | None = self._connection.execute(
            "SELECT id, state FROM sight WHERE key = ?", (key,)
        ).fetchone()
        return row

    def make_sight(self, key: bytes, state: int, on: Iterable[tuple[int, int]]) -> int:
        """Add a sight with the things (kind, thing) it depends on."""
        cursor = self._connection.execute(
            "INSERT INTO sight (key, state) VALUES (?,?)", (key, state)
        )
        assert cursor.lastrowid is not None  # noqa: S101 - SQLite gives one
        self._connection.executemany(
            "INSERT OR IGNORE INTO sight_on VALUES (?,?,?)",
            [(kind, thing, cursor.lastrowid) for kind, thing in on],
        )
        return cursor.lastrowid

    def sight_row(self, sight: int) -> tuple[bytes, int]:
        """Return (key, state) of a sight."""
        row: tuple[bytes, int] = self._connection.execute(
            "SELECT key, state FROM sight WHERE id = ?", (sight,)
        ).fetchone()
        return row

    def has_sight(self, sight: int) -> bool:
        """Tell whether a sight is stored."""
        row = self._connection.execute("SELECT 1 FROM sight WHERE id = ?", (sight,))
        return row.fetchone() is not None

    def sights_on(self, kind: int, thing: int) -> list[int]:
        """Return the sights that depend on a thing."""
        rows = self._connection.execute(
            "SELECT sight FROM sight_on WHERE kind = ? AND thing = ?", (kind, thing)
        )
        return [one for (one,) in rows]

    def set_state(self, sight: int, state: int) -> None:
        """Record who may see a pair, and who may fall."""
        self._connection.execute(
            "UPDATE sight SET state = ? WHERE id = ?", (state, sight)
        )
        for pair in self.pairs_at(sight):
            self._note([pair])

    def pairs_at(self, sight: int) -> Iterator[Pair]:
        """Yield the pairs of a sight; they may be changed meanwhile."""
        lo = hi = -1
        while True:
            rows = self._connection.execute(
                "SELECT lo, hi, kind, sight FROM clash WHERE sight = ?"
                " AND (lo, hi) > (?, ?) ORDER BY lo, hi LIMIT ?",
                (sight, lo, hi, _BLOCK),
            ).fetchall()
            yield from rows
            if len(rows) < _BLOCK:
                return
            lo, hi = rows[-1][:2]

    def drop_sight(self, sight: int, on: Iterable[tuple[int, int]]) -> None:
        """Forget a sight that no pair has any more."""
        self._connection.execute("DELETE FROM sight WHERE id = ?", (sight,))
        self._connection.executemany(
            "DELETE FROM sight_on WHERE kind = ? AND thing = ? AND sight = ?",
            [(kind, thing, sight) for kind, thing in on],
        )

    def is_used(self, sight: int) -> bool:
        """Tell whether any pair has this sight."""
        row = self._connection.execute(
            "SELECT 1 FROM clash WHERE sight = ? LIMIT 1", (sight,)
        ).fetchone()
        return row is not None
