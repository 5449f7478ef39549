"""Every applied assertion by context, in the order of content: for an export."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

_BLOCK = 4096


class DumpRow(NamedTuple):
    """One author's assertion with its sentence."""

    digest: bytes
    agent: str
    body: bytes
    strength: int
    created: int
    extras: str | None
    wrappers: int


def contexts(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    """Return (name, id) of the contexts that hold assertions to give away, by name.

    One pass over an index of the assertions. Seat-local contexts are none of them.
    """
    rows = connection.execute(
        "SELECT name, id FROM context WHERE NOT local AND id IN"
        " (SELECT DISTINCT context FROM assertion INDEXED BY assertion_line)"
    )
    return sorted(rows)


def rows_of(connection: sqlite3.Connection, context: int) -> Iterator[DumpRow]:
    """Yield what is asserted in a context by locator, agent and the rest of the row.

    What is behind the membrane, such as an edge from a seat-local context, is left
    out. SQLite sorts on disk beyond its cache.
    """
    cursor = connection.execute(
        "SELECT s.digest, w.agent, s.body, a.strength, a.created, a.extras, a.wrappers"
        " FROM author w CROSS JOIN assertion a INDEXED BY assertion_line"
        " ON a.author = w.id AND a.context = ?"
        " CROSS JOIN sentex s ON s.id = a.sentex"
        " WHERE NOT s.label & 32 ORDER BY s.digest, w.agent, a.created, a.extras",
        (context,),
    )
    while block := cursor.fetchmany(_BLOCK):
        yield from map(DumpRow._make, block)
