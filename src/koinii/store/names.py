"""Contexts and authors as the small integers that rows hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import VerificationError

if TYPE_CHECKING:
    import sqlite3


class Names:
    """Both directions, cached; ids never change once they are committed."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._context_ids: dict[str, int] = {}
        self._contexts: dict[int, str] = {}
        self._author_ids: dict[tuple[str, str], int] = {}
        self._authors: dict[int, tuple[str, str]] = {}

    def forget(self) -> None:
        """Drop the caches; a rolled back write may have named new ones."""
        self._context_ids.clear()
        self._contexts.clear()
        self._author_ids.clear()
        self._authors.clear()

    def context_id(self, name: str) -> int | None:
        """Return the id of a context that some row has named, else None."""
        known = self._context_ids.get(name)
        if known is None:
            row = self._connection.execute(
                "SELECT id FROM context WHERE name = ?", (name,)
            ).fetchone()
            if row is None:
                return None
            known = self._context_ids[name] = row[0]
        return known

    def make_context(self, name: str) -> int:
        """Return the id of a context, giving it one if it has none."""
        known = self.context_id(name)
        if known is None:
            cursor = self._connection.execute(
                "INSERT INTO context (name) VALUES (?)", (name,)
            )
            assert cursor.lastrowid is not None  # noqa: S101 - SQLite gives one
            known = self._context_ids[name] = cursor.lastrowid
        return known

    def context(self, context_id: int) -> str:
        """Return a context's name.

        Raises:
            VerificationError: `koinii/row-altered`: no row may have that id.
        """
        name = self._contexts.get(context_id)
        if name is None:
            row = self._connection.execute(
                "SELECT name FROM context WHERE id = ?", (context_id,)
            ).fetchone()
            if row is None:
                raise VerificationError(
                    f"a stored row stands in context {context_id}, which is none",
                    code="koinii/row-altered",
                    hint="restore the seat from its remote: koinii clone",
                )
            name = self._contexts[context_id] = str(row[0])
        return name

    def contexts(self) -> list[str]:
        """Return every context that some row has named, sorted."""
        rows = self._connection.execute("SELECT name FROM context ORDER BY name")
        return [name for (name,) in rows]

    def author_id(self, agent: str, seat: str) -> int | None:
        """Return the id of an author, else None."""
        known = self._author_ids.get((agent, seat))
        if known is None:
            row = self._connection.execute(
                "SELECT id FROM author WHERE agent = ? AND seat = ?", (agent, seat)
            ).fetchone()
            if row is None:
                return None
            known = self._author_ids[agent, seat] = row[0]
        return known

    def make_author(self, agent: str, seat: str) -> int:
        """Return the id of an author, giving it one if it has none."""
        known = self.author_id(agent, seat)
        if known is None:
            cursor = self._connection.execute(
                "INSERT INTO author (agent, seat) VALUES (?, ?)", (agent, seat)
            )
            assert cursor.lastrowid is not None  # noqa: S101 - SQLite gives one
            known = self._author_ids[agent, seat] = cursor.lastrowid
        return known

    def author(self, author_id: int) -> tuple[str, str]:
        """Return an author's agent and seat."""
        known = self._authors.get(author_id)
        if known is None:
            known = self._connection.execute(
                "SELECT agent, seat FROM author WHERE id = ?", (author_id,)
            ).fetchone()
            self._authors[author_id] = known
        return known
