"""Rows that shape how others are read: statements in force, masks, owners."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from koinii.store.sentexes import Found

_FOUND = "SELECT s.id, s.context, s.digest, s.body FROM sentex s"
_MEMBERS_EDGES = """
    SELECT s.id FROM
        (SELECT id FROM sentex WHERE functor = ?1 AND first = ?2
            UNION SELECT id FROM sentex WHERE functor = ?1 AND second = ?2) s
    WHERE EXISTS (SELECT 1 FROM assertion a CROSS JOIN author w ON w.id = a.author
        WHERE a.sentex = s.id AND NOT w.moderator)
"""


class Declarations:
    """Statements over `sentex`, `target` and `agent`, of what is in force."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def of_functors(self, functors: Sequence[int]) -> list[Found]:
        """Return what is believed with one of these functors (keys)."""
        marks = ",".join("?" * len(functors))
        return self._connection.execute(
            f"{_FOUND} WHERE functor IN ({marks}) AND label & 1",
            functors,
        ).fetchall()

    def by_first(self, functor: int, first: int) -> list[Found]:
        """Return what is believed of a functor with this first argument."""
        return self._connection.execute(
            f"{_FOUND} WHERE functor = ? AND first = ? AND label & 1", (functor, first)
        ).fetchall()

    def by_second(self, functor: int, second: int) -> list[Found]:
        """Return what is believed of a functor with this second argument."""
        return self._connection.execute(
            f"{_FOUND} WHERE functor = ? AND second = ? AND label & 1",
            (functor, second),
        ).fetchall()

    def in_contexts(self, functor: int, contexts: Sequence[int]) -> list[int]:
        """Return the sentexes of a functor in these contexts."""
        marks = ",".join("?" * len(contexts))
        rows = self._connection.execute(
            f"SELECT id FROM sentex WHERE functor = ? AND context IN ({marks})",  # noqa: S608 - marks only
            (functor, *contexts),
        )
        return [one for (one,) in rows]

    def has_any(self, functor: int) -> bool:
        """Tell whether anything with this functor is stored."""
        row = self._connection.execute(
            "SELECT 1 FROM sentex WHERE functor = ? LIMIT 1", (functor,)
        ).fetchone()
        return row is not None

    # What sentences name ------------------------------------------------------

    def name_targets(self, rows: Sequence[tuple[bytes, int]]) -> None:
        """Remember the locators (digest, sentex) that sentences name."""
        self._connection.executemany("INSERT OR IGNORE INTO target VALUES (?,?)", rows)

    def forget_targets(self, rows: Sequence[tuple[bytes, int]]) -> None:
        """Forget them; their sentences leave the store."""
        self._connection.executemany(
            "DELETE FROM target WHERE digest = ? AND sentex = ?", rows
        )

    def naming(self, digest: bytes) -> list[tuple[int, int, int]]:
        """Return (id, functor, label) of the sentexes that name a locator."""
        return self._connection.execute(
            "SELECT s.id, s.functor, s.label FROM target t"
            " CROSS JOIN sentex s ON s.id = t.sentex WHERE t.digest = ?",
            (digest,),
        ).fetchall()

    def has_targets(self) -> bool:
        """Tell whether any sentence names a locator."""
        row = self._connection.execute("SELECT 1 FROM target LIMIT 1").fetchone()
        return row is not None

    def masks(self, functor: int, digest: bytes) -> list[Found]:
        """Return the statements in force that mask a locator, none if it is shipped."""
        return self._connection.execute(
            "SELECT s.id, s.context, s.digest, s.body FROM target t"
            " CROSS JOIN sentex s ON s.id = t.sentex"
            " WHERE t.digest = ?1 AND s.functor = ?2 AND s.label & 1 AND NOT EXISTS"
            " (SELECT 1 FROM sentex m WHERE m.digest = ?1 AND m.label & 8)",
            (digest, functor),
        ).fetchall()

    # Whose contexts are -------------------------------------------------------

    def agents(self) -> list[str]:
        """Return the names of the agents whose contexts are their own."""
        rows = self._connection.execute("SELECT DISTINCT name FROM agent WHERE owns")
        return [name for (name,) in rows]

    def asserters(self, sentex: int) -> list[tuple[str, bool]]:
        """Return (agent, whether it is a moderator) of those who assert a sentex."""
        rows = self._connection.execute(
            "SELECT w.agent, w.moderator FROM assertion a"
            " CROSS JOIN author w ON w.id = a.author WHERE a.sentex = ?",
            (sentex,),
        )
        return [(agent, bool(moderator)) for agent, moderator in rows]

    def has_members(self) -> bool:
        """Tell whether any author is no moderator; O(authors)."""
        row = self._connection.execute(
            "SELECT 1 FROM author WHERE NOT moderator LIMIT 1"
        ).fetchone()
        return row is not None

    def members_edges(self, functor: int, end: int) -> list[int]:
        """Return what is said of a functor with this first or second argument.

        In force or not, and by somebody who is no moderator.
        """
        rows = self._connection.execute(_MEMBERS_EDGES, (functor, end))
        return [one for (one,) in rows]

    def is_arbiter(self, author: int) -> bool:
        """Tell whether an author has arbiter standing."""
        (arbiter,) = self._connection.execute(
            "SELECT arbiter FROM author WHERE id = ?", (author,)
        ).fetchone()
        return bool(arbiter)

    def set_standing(self, author: int, *, arbiter: bool, moderator: bool) -> None:
        """Record what an author may do beyond its own context."""
        self._connection.execute(
            "UPDATE author SET arbiter = ?, moderator = ? WHERE id = ?",
            (int(arbiter), int(moderator), author),
        )

    def locals(self) -> list[int]:
        """Return the contexts behind the seat's membrane."""
        rows = self._connection.execute("SELECT id FROM context WHERE local")
        return [one for (one,) in rows]

    def make_local(self, context: int) -> None:
        """Put a context behind the membrane."""
        self._connection.execute(
            "UPDATE context SET local = 1 WHERE id = ?", (context,)
        )
