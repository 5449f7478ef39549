"""What things are said to be: unary facts, found by the thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from koinii.store.network import Fact

_KINDS = """
WITH kind(functor) AS (
    SELECT first FROM sentex WHERE functor = :genl
    UNION SELECT second FROM sentex WHERE functor = :genl
    UNION VALUES {also}
)
SELECT s.id, s.context, s.label, s.digest, s.body FROM kind
CROSS JOIN sentex s ON s.functor = kind.functor AND s.first = :thing
WHERE s.second IS NULL AND s.negative = 0 AND s.label & 1
"""


class Kinds:
    """One statement over `sentex`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def of(self, thing: int, genl: int, also: Iterable[int]) -> list[Fact]:
        """Return the believed unary facts of a thing whose functor is a type.

        Types are what `genl` statements are said of and, at least one, `also`;
        all are keys. O(`genl` statements), within SQLite.
        """
        values = ",".join(f"({int(one)})" for one in also)
        return self._connection.execute(
            _KINDS.format(also=values), {"genl": genl, "thing": thing}
        ).fetchall()
