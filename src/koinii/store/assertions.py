"""Rows of assertions, held lines and of what the next commit carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

WHOLE_CONTEXT = b""  # the digest that stands for a context no commit holds yet

# sentex, author, context, strength, created, extras, leaf, wrappers
AssertionRow = tuple[int, int, int, int, int, str | None, bytes, int]
BY_DEFAULT, INERT = 1, 2  # bits of wrappers
# author, context, digest, leaf, line, reason
HeldKey = tuple[int, int, bytes]  # author, context, digest
HeldRow = tuple[int, int, bytes, bytes, str, str]


class WaitingRow(NamedTuple):
    """An applied line whose sentex waits for what it names."""

    sentex: int
    author: int
    context: int
    digest: bytes
    body: bytes
    strength: int
    created: int
    extras: str | None
    wrappers: int
    local: int  # 0 where it would be exchanged


_MANY = 400
_BLOCK = 4096
_LEAVES_OF = """
    SELECT a.leaf FROM sentex s INDEXED BY sentex_digest
        CROSS JOIN assertion a ON a.sentex = s.id AND a.author = ?
        WHERE s.context = ? AND s.digest IN ({marks})
    UNION ALL SELECT leaf FROM held
        WHERE author = ? AND context = ? AND digest IN ({marks})
"""


class Assertions:
    """Statements over `assertion`, `held`, `change` and `published`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.held_moved: set[int] = set()  # contexts whose held lines came or went
        self._connection = connection

    def of_sentexes(
        self, sentexes: Sequence[int], author: int
    ) -> dict[int, AssertionRow]:
        """Return one author's assertions of these sentexes, by sentex."""
        found: dict[int, AssertionRow] = {}
        for start in range(0, len(sentexes), _MANY):
            part = sentexes[start : start + _MANY]
            marks = ",".join("?" * len(part))
            for row in self._connection.execute(
                f"SELECT * FROM assertion WHERE sentex IN ({marks}) AND author = ?",  # noqa: S608 - marks only
                (*part, author),
            ):
                found[row[0]] = row
        return found

    def of_sentex(self, sentex: int) -> list[AssertionRow]:
        """Return every author's assertion of one sentex."""
        return self._connection.execute(
            "SELECT * FROM assertion WHERE sentex = ?", (sentex,)
        ).fetchall()

    def with_extras(self, context: int) -> list[int]:
        """Return the sentexes of a context that somebody asserts with extras."""
        rows = self._connection.execute(
            "SELECT DISTINCT sentex FROM assertion"
            " WHERE context = ? AND extras IS NOT NULL ORDER BY sentex",
            (context,),
        )
        return [one for (one,) in rows]

    def standing(self, sentex: int) -> tuple[bool, bool]:
        """Return whether a sentex is asserted, and whether as known.

        Monotonic is a standing, not a word: it counts from an arbiter only.
        """
        asserted, known = self._connection.execute(
            "SELECT count(*), coalesce(max(a.strength * w.arbiter), 0)"
            " FROM assertion a CROSS JOIN author w ON w.id = a.author"
            " WHERE a.sentex = ?",
            (sentex,),
        ).fetchone()
        return bool(asserted), bool(known)

    def rule_standing(self, sentex: int) -> tuple[bool, bool, bool]:
        """Return whether a rule is strict, runs, and is asserted as known."""
        rows = self._connection.execute(
            "SELECT a.wrappers, w.arbiter, a.strength"
            " FROM assertion a CROSS JOIN author w ON w.id = a.author"
            " WHERE a.sentex = ?",
            (sentex,),
        ).fetchall()
        strict = any(arbiter and not bits & BY_DEFAULT for bits, arbiter, _ in rows)
        forward = any(not bits & INERT for bits, _, _ in rows)
        known = any(arbiter and strength for _, arbiter, strength in rows)
        return strict, forward, known

    def weighty(self, author: int) -> list[int]:
        """Return what of an author's assertions its standing bears on.

        What it says as known, edges among it, and its rules.
        """
        rows = self._connection.execute(
            "SELECT a.sentex FROM assertion a INDEXED BY assertion_line"
            " WHERE a.author = ? AND (a.strength OR EXISTS"
            " (SELECT 1 FROM rule r WHERE r.sentex = a.sentex))",
            (author,),
        )
        return [one for (one,) in rows]

    def put(self, rows: Sequence[AssertionRow]) -> None:
        """Add assertions, replacing the author's earlier one of each sentex."""
        self._connection.executemany(
            "INSERT OR REPLACE INTO assertion VALUES (?,?,?,?,?,?,?,?)", rows
        )

    def delete(self, keys: Sequence[tuple[int, int]]) -> None:
        """Remove assertions named by (sentex, author)."""
        self._connection.executemany(
            "DELETE FROM assertion WHERE sentex = ? AND author = ?", keys
        )

    # Authored sets -----------------------------------------------------------

    def line_leaves(self, author: int, context: int) -> Iterator[bytes]:
        """Yield the leaf hashes of an author's live lines in a context, sorted.

        Held lines are part of what their author asserts.
        """
        cursor = self._connection.execute(
            "SELECT leaf FROM assertion WHERE author = ?1 AND context = ?2"
            " UNION ALL SELECT leaf FROM held WHERE author = ?1 AND context = ?2"
            " ORDER BY leaf",
            (author, context),
        )
        while block := cursor.fetchmany(_BLOCK):
            for (leaf,) in block:
                yield leaf

    def has_lines(self, author: int) -> tuple[bool, bool]:
        """Tell whether any line of an author is live, and whether any is held."""
        live, held = self._connection.execute(
            "SELECT EXISTS (SELECT 1 FROM assertion INDEXED BY assertion_line"
            " WHERE author = ?1), EXISTS (SELECT 1 FROM held WHERE author = ?1)",
            (author,),
        ).fetchone()
        return bool(live), bool(held)

    def contexts_of(self, author: int) -> list[int]:
        """Return the contexts in which an author has applied lines."""
        rows = self._connection.execute(
            "SELECT DISTINCT context FROM assertion WHERE author = ?", (author,)
        )
        return [context for (context,) in rows]

    def lines(
        self, author: int, context: int
    ) -> Iterator[tuple[bytes, bytes, int, int, str | None, int]]:
        """Yield an author's live lines in a context by locator.

        Each is (digest, body, strength, created, extras, wrappers).
        """
        cursor = self._connection.execute(
            "SELECT s.digest, s.body, a.strength, a.created, a.extras, a.wrappers"
            " FROM assertion a JOIN sentex s ON s.id = a.sentex"
            " WHERE a.author = ? AND a.context = ? ORDER BY s.digest",
            (author, context),
        )
        while block := cursor.fetchmany(_BLOCK):
            yield from block

    def line(
        self, author: int, digest: bytes
    ) -> tuple[bytes, int, int, str | None, int, bytes] | None:
        """Return (body, strength, created, extras, wrappers, leaf) of one assertion."""
        row: tuple[bytes, int, int, str | None, int, bytes] | None
        row = self._connection.execute(
            "SELECT s.body, a.strength, a.created, a.extras, a.wrappers, a.leaf"
            " FROM sentex s JOIN assertion a ON a.sentex = s.id AND a.author = ?"
            " WHERE s.digest = ?",
            (author, digest),
        ).fetchone()
        return row

    # Held lines --------------------------------------------------------------

    def hold(self, rows: Sequence[HeldRow]) -> None:
        """Store lines that are not applied, replacing what was held of each."""
        self.held_moved.update(row[1] for row in rows)
        self._connection.executemany(
            "INSERT OR REPLACE INTO held VALUES (?,?,?,?,?,?)", rows
        )

    def release(self, keys: Sequence[tuple[int, int, bytes]]) -> int:
        """Remove held lines named by (author, context, digest); return how many."""
        self.held_moved.update(key[1] for key in keys)
        cursor = self._connection.executemany(
            "DELETE FROM held WHERE author = ? AND context = ? AND digest = ?", keys
        )
        return max(0, cursor.rowcount)

    def held(self) -> list[HeldRow]:
        """Return every held line, by author, context and digest."""
        return self._connection.execute(
            "SELECT author, context, digest, leaf, line, reason FROM held"
            " ORDER BY author, context, digest"
        ).fetchall()

    def held_at(self, context: int) -> list[HeldRow]:
        """Return every held line of one context."""
        return self._connection.execute(
            "SELECT author, context, digest, leaf, line, reason FROM held"
            " WHERE context = ? ORDER BY author, digest",
            (context,),
        ).fetchall()

    def held_keys(self, *, apart: str = "") -> frozenset[HeldKey]:
        """Return which lines are stored and not applied, their text unread.

        Those that are held for the reason `apart` are left out.
        """
        rows = self._connection.execute(
            "SELECT author, context, digest FROM held WHERE reason <> ?", (apart,)
        )
        return frozenset(rows)

    def digests(self, author: int, context: int) -> list[bytes]:
        """Return the digests of an author's live and held lines in a context."""
        rows = self._connection.execute(
            "SELECT s.digest FROM assertion a JOIN sentex s ON s.id = a.sentex"
            " WHERE a.author = ?1 AND a.context = ?2 UNION ALL"
            " SELECT digest FROM held WHERE author = ?1 AND context = ?2",
            (author, context),
        )
        return [digest for (digest,) in rows]

    def leaves_of(
        self, author: int, context: int, digests: Sequence[bytes]
    ) -> list[bytes]:
        """Return the leaves of those of the digests that are live or held lines."""
        leaves: list[bytes] = []
        for start in range(0, len(digests), _MANY):
            part = digests[start : start + _MANY]
            rows = self._connection.execute(
                _LEAVES_OF.format(marks=",".join("?" * len(part))),
                (author, context, *part, author, context, *part),
            )
            leaves.extend(leaf for (leaf,) in rows)
        return leaves

    def waits(self, author: int, digest: bytes) -> bool:
        """Tell whether an author's line is applied and waits."""
        row = self._connection.execute(
            "SELECT 1 FROM sentex s CROSS JOIN assertion a"
            " ON a.sentex = s.id AND a.author = ?"
            " WHERE s.digest = ? AND s.label & 16",
            (author, digest),
        ).fetchone()
        return row is not None

    def waiting(self) -> list[WaitingRow]:
        """Return the applied lines whose sentex waits; costs what it returns."""
        rows = self._connection.execute(
            "SELECT s.id, a.author, a.context, s.digest, s.body, a.strength,"
            " a.created, a.extras, a.wrappers, s.label & 32"
            " FROM sentex s INDEXED BY sentex_waiting"
            " CROSS JOIN assertion a ON a.sentex = s.id WHERE s.label & 16"
            " ORDER BY a.author, a.context, s.digest"
        )
        return list(map(WaitingRow._make, rows))

    def held_in(self, author: int, context: int) -> list[tuple[bytes, str]]:
        """Return (digest, line) of an author's held lines in a context."""
        return self._connection.execute(
            "SELECT digest, line FROM held WHERE author = ? AND context = ?",
            (author, context),
        ).fetchall()

    def held_line(
        self, author: int, context: int, digest: bytes
    ) -> tuple[str, bytes] | None:
        """Return (line, leaf) of one held line."""
        row: tuple[str, bytes] | None = self._connection.execute(
            "SELECT line, leaf FROM held"
            " WHERE author = ? AND context = ? AND digest = ?",
            (author, context, digest),
        ).fetchone()
        return row

    def asserted_in(self, context: int) -> list[tuple[int, int]]:
        """Return (author, sentex) of every applied assertion in one context."""
        return self._connection.execute(
            "SELECT a.author, a.sentex FROM author CROSS JOIN assertion a"
            " INDEXED BY assertion_line ON a.author = author.id WHERE a.context = ?",
            (context,),
        ).fetchall()

    # What the next commit carries -------------------------------------------

    def is_published(self, author: int, context: int) -> bool:
        """Tell whether a commit holds lines of this author in this context."""
        return (
            self._connection.execute(
                "SELECT 1 FROM published WHERE author = ? AND context = ?",
                (author, context),
            ).fetchone()
            is not None
        )

    def note_changes(
        self, rows: Sequence[tuple[int, int, bytes, bytes | None]]
    ) -> None:
        """Remember touched lines with the leaf that the last commit has of each."""
        self._connection.executemany(
            "INSERT OR IGNORE INTO change VALUES (?,?,?,?)", rows
        )

    def dirty(self) -> list[tuple[int, int]]:
        """Return the (author, context) pairs touched since the last commit."""
        return self._connection.execute(
            "SELECT DISTINCT author, context FROM change ORDER BY author, context"
        ).fetchall()

    def count_changes(self) -> int:
        """Return how many lines the next commit would add, replace or take away."""
        (whole,) = self._connection.execute(
            "SELECT (SELECT count(*) FROM change c CROSS JOIN assertion a"
            " INDEXED BY assertion_line ON a.author = c.author"
            " AND a.context = c.context WHERE c.digest = x'')"
            " + (SELECT count(*) FROM change c CROSS JOIN held h ON h.author = c.author"
            " AND h.context = c.context WHERE c.digest = x'')"
        ).fetchone()
        (single,) = self._connection.execute(
            "SELECT count(*) FROM change c LEFT JOIN sentex s ON s.digest = c.digest"
            " LEFT JOIN assertion a ON a.sentex = s.id AND a.author = c.author"
            " LEFT JOIN held h ON h.author = c.author AND h.context = c.context"
            " AND h.digest = c.digest"
            " WHERE c.digest <> x'' AND c.before IS NOT coalesce(a.leaf, h.leaf)"
        ).fetchone()
        return int(whole) + int(single)

    def changes(self, author: int, context: int) -> list[tuple[bytes, bytes | None]]:
        """Return the touched (digest, leaf before) of one pair, by digest."""
        return self._connection.execute(
            "SELECT digest, before FROM change WHERE author = ? AND context = ?"
            " ORDER BY digest",
            (author, context),
        ).fetchall()

    def clear_changes(self, author: int) -> None:
        """Forget an author's changes; a commit holds them now."""
        self._connection.execute("DELETE FROM change WHERE author = ?", (author,))

    def publish(self, author: int, context: int, size: int, root: bytes) -> None:
        """Record the authored root of one context as the newest commit has it."""
        if size:
            self._connection.execute(
                "INSERT OR REPLACE INTO published VALUES (?,?,?,?)",
                (author, context, size, root),
            )
        else:
            self._connection.execute(
                "DELETE FROM published WHERE author = ? AND context = ?",
                (author, context),
            )

    def published(self, author: int) -> list[tuple[int, int, bytes]]:
        """Return (context, size, root) of an author's committed contexts."""
        return self._connection.execute(
            "SELECT context, size, root FROM published WHERE author = ?", (author,)
        ).fetchall()
