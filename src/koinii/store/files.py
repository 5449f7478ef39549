"""Rows of the files of a seat's ref: our own, and those seen of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence


class Files:
    """Statements over `file`, `outbox`, `entry` and `seen`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def put(self, path: str, sha256: str, size: int, body: bytes) -> None:
        """Set a file of our tree."""
        self._connection.execute(
            "INSERT OR REPLACE INTO file VALUES (?,?,?,?)", (path, sha256, size, body)
        )

    def remove(self, path: str) -> None:
        """Take a file out of our tree."""
        self._connection.execute("DELETE FROM file WHERE path = ?", (path,))

    def body(self, path: str) -> bytes | None:
        """Return a file's compressed body."""
        row = self._connection.execute(
            "SELECT body FROM file WHERE path = ?", (path,)
        ).fetchone()
        return None if row is None else bytes(row[0])

    def listing(self, prefix: str = "") -> list[tuple[str, str, int]]:
        """Return (path, sha256, size) of our files below a prefix, by path."""
        return self._connection.execute(
            "SELECT path, sha256, size FROM file WHERE path >= ?1 AND path < ?2"
            " ORDER BY path",
            (prefix, prefix + "\U0010ffff"),
        ).fetchall()

    # Commits that are not yet git objects --------------------------------------

    def send(self, number: int, path: str, body: bytes | None) -> None:
        """Remember that a commit changed a file; None removes it."""
        self._connection.execute(
            "INSERT OR REPLACE INTO outbox VALUES (?,?,?)", (number, path, body)
        )

    def unsent(self) -> list[int]:
        """Return the numbers of the commits that are not yet git objects."""
        rows = self._connection.execute(
            "SELECT DISTINCT number FROM outbox ORDER BY number"
        )
        return [number for (number,) in rows]

    def outgoing(self, number: int) -> Iterator[tuple[str, bytes | None]]:
        """Yield the (path, compressed body) that one commit changed."""
        yield from self._connection.execute(
            "SELECT path, body FROM outbox WHERE number = ? ORDER BY path", (number,)
        )

    def sent(self, numbers: Sequence[int]) -> None:
        """Forget commits whose git objects are durable."""
        self._connection.executemany(
            "DELETE FROM outbox WHERE number = ?", [(number,) for number in numbers]
        )

    # The newest git tree -------------------------------------------------------

    def entries(self, directory: str) -> list[tuple[str, int, str]]:
        """Return (name, mode, oid) of one directory of our newest tree."""
        return self._connection.execute(
            "SELECT name, mode, oid FROM entry WHERE directory = ? ORDER BY name",
            (directory,),
        ).fetchall()

    def clear_entries(self) -> None:
        """Forget the tree; it is about to be written whole."""
        self._connection.execute("DELETE FROM entry")

    def put_entries(
        self, directory: str, entries: Sequence[tuple[str, int, str]]
    ) -> None:
        """Set the entries of one directory; none removes it."""
        self._connection.execute("DELETE FROM entry WHERE directory = ?", (directory,))
        self._connection.executemany(
            "INSERT INTO entry VALUES (?,?,?,?)",
            [(directory, *entry) for entry in entries],
        )

    # Segments of others ------------------------------------------------------

    def seen(self, author: int, prefix: str) -> set[tuple[str, str]]:
        """Return (path, sha256) of an author's applied segments below a prefix."""
        rows = self._connection.execute(
            "SELECT path, sha256 FROM seen WHERE author = ?1 AND path >= ?2"
            " AND path < ?3",
            (author, prefix, prefix + "\U0010ffff"),
        )
        return set(rows)

    def see(self, author: int, prefix: str, present: Sequence[tuple[str, str]]) -> None:
        """Set which segments below a prefix are applied."""
        self._connection.execute(
            "DELETE FROM seen WHERE author = ?1 AND path >= ?2 AND path < ?3",
            (author, prefix, prefix + "\U0010ffff"),
        )
        self._connection.executemany(
            "INSERT INTO seen VALUES (?,?,?)",
            [(author, path, sha256) for path, sha256 in present],
        )
