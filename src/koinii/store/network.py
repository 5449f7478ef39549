"""Rows of rules, of what they have drawn, and of what that depends on."""

from __future__ import annotations

from array import array
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

ON_CONTEXT, ON_FUNCTOR, ON_SENTEX, ON_LATTICE = range(4)
_BLOCK = 2000
_MANY = 500

# id, context, label, digest, body
Fact = tuple[int, int, int, bytes, bytes]
_FACT = "SELECT id, context, label, digest, body FROM sentex"
_FACT_BY_ARGUMENT = (
    "SELECT id, context, label, digest, body FROM argument CROSS JOIN sentex"
    " ON sentex.id = argument.sentex"
)


class Firing(NamedTuple):
    """A rule over one tuple of facts, as it is stored."""

    id: int
    footing: int
    facts: list[int]
    conclusions: list[int]
    body: bytes


class Grounds(NamedTuple):
    """One reason for a conclusion."""

    firing: int
    rule: int
    strict: bool
    facts: list[int]


def pack(ids: Iterable[int]) -> bytes:
    """Return ids as one blob."""
    return array("q", ids).tobytes()


def unpack(blob: bytes) -> list[int]:
    """Return the ids of a blob."""
    ids = array("q")
    ids.frombytes(blob)
    return ids.tolist()


class Network:
    """Statements over `rule`, `trigger`, `footing`, `firing` and their edges."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    # Rules ---------------------------------------------------------------------

    def put_rule(self, rule: int, *, strict: bool, forward: bool) -> None:
        """Record how a rule runs."""
        self._connection.execute(
            "INSERT OR REPLACE INTO rule VALUES (?,?,?)",
            (rule, int(strict), int(forward)),
        )

    def rule(self, rule: int) -> tuple[bool, bool] | None:
        """Return (strict, forward) of a rule that is present."""
        row = self._connection.execute(
            "SELECT strict, forward FROM rule WHERE sentex = ?", (rule,)
        ).fetchone()
        return None if row is None else (bool(row[0]), bool(row[1]))

    def put_triggers(self, rows: Sequence[tuple[int, int, int, int]]) -> None:
        """Record the literals (functor, negative, rule, position) of a rule."""
        self._connection.executemany("INSERT INTO trigger VALUES (?,?,?,?)", rows)

    def triggers(self, functor: int, negative: int) -> list[tuple[int, int]]:
        """Return (rule, position) of the literals with a functor and a sign."""
        return self._connection.execute(
            "SELECT rule, position FROM trigger WHERE functor = ? AND negative = ?",
            (functor, negative),
        ).fetchall()

    def drop_rule(
        self, rule: int, triggers: Sequence[tuple[int, int, int, int]]
    ) -> None:
        """Forget a rule and its literals; its firings went before."""
        self._connection.execute("DELETE FROM rule WHERE sentex = ?", (rule,))
        self._connection.executemany(
            "DELETE FROM trigger WHERE functor = ? AND negative = ?"
            " AND rule = ? AND position = ?",
            triggers,
        )

    # Facts for joins -------------------------------------------------------------

    def facts(
        self, keys: Sequence[int | None], *, negative: bool, until: int
    ) -> Iterable[Fact]:
        """Return the present facts up to an id whose literal may have these keys.

        Of very many only a block is in memory. Rows may be added meanwhile.
        """
        values = [keys[0] or 0]
        values += [key for key in keys[1:3] if key is not None]
        position = 0
        if len(values) == 1:
            for at, key in enumerate(keys[3:], start=3):
                if key is not None:
                    position = at
                    values.append(key)
                    break
        is_open = tuple([key is None for key in keys[1:3]])
        statement = _facts(is_open, position, negative=negative)
        cursor = self._connection.execute(statement, (*values, until))
        facts: list[Fact] = cursor.fetchmany(_BLOCK)
        if len(facts) < _BLOCK:
            return facts
        return chain(facts, self._facts_by_id(array("q", (row[0] for row in cursor))))

    def _facts_by_id(self, ids: array[int]) -> Iterator[Fact]:
        for start in range(0, len(ids), _MANY):
            part = ids[start : start + _MANY]
            marks = ",".join("?" * len(part))
            yield from self._connection.execute(
                f"{_FACT} WHERE id IN ({marks})",
                part.tolist(),
            ).fetchall()

    # Footings --------------------------------------------------------------------

    def footing(self, key: bytes) -> tuple[int, list[int]] | None:
        """Return (id, places) of a footing by its key."""
        row = self._connection.execute(
            "SELECT id, places FROM footing WHERE key = ?", (key,)
        ).fetchone()
        return None if row is None else (row[0], _ids(row[1]))

    def make_footing(
        self, rule: int, key: bytes, places: list[int], on: Iterable[tuple[int, int]]
    ) -> int:
        """Add a footing with the things (kind, thing) it depends on."""
        cursor = self._connection.execute(
            "INSERT INTO footing (rule, key, places) VALUES (?,?,?)",
            (rule, key, _text(places)),
        )
        assert cursor.lastrowid is not None  # noqa: S101 - SQLite gives one
        self._connection.executemany(
            "INSERT OR IGNORE INTO footing_on VALUES (?,?,?)",
            [(kind, thing, cursor.lastrowid) for kind, thing in on],
        )
        return cursor.lastrowid

    def has_footing(self, footing: int) -> bool:
        """Tell whether a footing is stored."""
        row = self._connection.execute("SELECT 1 FROM footing WHERE id = ?", (footing,))
        return row.fetchone() is not None

    def footing_row(self, footing: int) -> tuple[int, bytes, list[int]]:
        """Return (rule, key, places) of a footing."""
        rule, key, places = self._connection.execute(
            "SELECT rule, key, places FROM footing WHERE id = ?", (footing,)
        ).fetchone()
        return rule, key, _ids(places)

    def footings_on(self, kind: int, thing: int) -> list[int]:
        """Return the footings that depend on a thing."""
        rows = self._connection.execute(
            "SELECT footing FROM footing_on WHERE kind = ? AND thing = ?", (kind, thing)
        )
        return [one for (one,) in rows]

    def footings_of(self, rule: int) -> list[int]:
        """Return the footings of a rule."""
        rows = self._connection.execute(
            "SELECT id FROM footing WHERE rule = ?", (rule,)
        )
        return [one for (one,) in rows]

    def place(self, footing: int, places: list[int]) -> None:
        """Move a footing."""
        self._connection.execute(
            "UPDATE footing SET places = ? WHERE id = ?", (_text(places), footing)
        )

    def drop_footing(self, footing: int, on: Iterable[tuple[int, int]]) -> None:
        """Forget a footing that no firing has any more."""
        self._connection.execute("DELETE FROM footing WHERE id = ?", (footing,))
        self._connection.executemany(
            "DELETE FROM footing_on WHERE kind = ? AND thing = ? AND footing = ?",
            [(kind, thing, footing) for kind, thing in on],
        )

    def is_used(self, footing: int) -> bool:
        """Tell whether any firing has this footing."""
        row = self._connection.execute(
            "SELECT 1 FROM firing WHERE footing = ? LIMIT 1", (footing,)
        ).fetchone()
        return row is not None

    # Firings ---------------------------------------------------------------------

    def next_firing(self) -> int:
        """Return the first firing id above all that are in use."""
        (top,) = self._connection.execute("SELECT max(id) FROM firing").fetchone()
        return int(top or 0) + 1

    def insert_firings(
        self, rows: Sequence[tuple[int, int, bytes, bytes, bytes]]
    ) -> None:
        """Add firings (id, footing, facts, conclusions, body)."""
        self._connection.executemany("INSERT INTO firing VALUES (?,?,?,?,?)", rows)

    def insert_ingredients(self, rows: Sequence[tuple[int, int]]) -> None:
        """Add (sentex, firing) for each fact of a firing."""
        self._connection.executemany(
            "INSERT OR IGNORE INTO ingredient VALUES (?,?)", rows
        )

    def insert_justifications(self, rows: Sequence[tuple[int, int]]) -> None:
        """Add (conclusion, firing)."""
        self._connection.executemany("INSERT INTO justification VALUES (?,?)", rows)

    def firings_of_footing(self, footing: int) -> Iterator[Firing]:
        """Yield the firings of a footing; they may be changed meanwhile."""
        after = 0
        while True:
            rows = self._connection.execute(
                "SELECT id, footing, facts, conclusions, body FROM firing"
                " WHERE footing = ? AND id > ? ORDER BY id LIMIT ?",
                (footing, after, _BLOCK),
            ).fetchall()
            yield from map(_firing, rows)
            if len(rows) < _BLOCK:
                return
            after = rows[-1][0]

    def firings_with(self, fact: int) -> list[Firing]:
        """Return the firings that rest on a fact."""
        rows = self._connection.execute(
            "SELECT f.id, f.footing, f.facts, f.conclusions, f.body FROM ingredient i"
            " CROSS JOIN firing f ON f.id = i.firing WHERE i.sentex = ?",
            (fact,),
        )
        return [_firing(row) for row in rows]

    def firing(self, firing: int) -> Firing:
        """Return one firing, which must be there."""
        return _firing(
            self._connection.execute(
                "SELECT id, footing, facts, conclusions, body FROM firing WHERE id = ?",
                (firing,),
            ).fetchone()
        )

    def concluded_from(self, fact: int) -> list[int]:
        """Return what the firings with a fact conclude."""
        rows = self._connection.execute(
            "SELECT f.conclusions FROM ingredient i"
            " CROSS JOIN firing f ON f.id = i.firing WHERE i.sentex = ?",
            (fact,),
        )
        return [one for (blob,) in rows for one in unpack(blob)]

    def concluded_by(self, rule: int) -> Iterator[int]:
        """Yield what a rule concludes."""
        for footing in self.footings_of(rule):
            for firing in self.firings_of_footing(footing):
                yield from firing.conclusions

    def grounds(self, conclusion: int) -> list[Grounds]:
        """Return the reasons for a conclusion."""
        rows = self._connection.execute(
            "SELECT f.id, t.rule, r.strict, f.facts FROM justification j"
            " CROSS JOIN firing f ON f.id = j.firing"
            " CROSS JOIN footing t ON t.id = f.footing"
            " CROSS JOIN rule r ON r.sentex = t.rule WHERE j.conclusion = ?",
            (conclusion,),
        )
        return [
            Grounds(firing, rule, bool(strict), unpack(facts))
            for firing, rule, strict, facts in rows
        ]

    def set_footing(self, firing: int, footing: int) -> None:
        """Move one firing to another footing."""
        self._connection.execute(
            "UPDATE firing SET footing = ? WHERE id = ?", (footing, firing)
        )

    def set_conclusions(self, rows: Sequence[tuple[bytes, int]]) -> None:
        """Set (conclusions, firing)."""
        self._connection.executemany(
            "UPDATE firing SET conclusions = ? WHERE id = ?", rows
        )

    def drop_justifications(self, rows: Sequence[tuple[int, int]]) -> None:
        """Remove (conclusion, firing)."""
        self._connection.executemany(
            "DELETE FROM justification WHERE conclusion = ? AND firing = ?", rows
        )

    def drop_firings(self, firings: Sequence[Firing]) -> None:
        """Remove firings with what ties them to their facts and conclusions."""
        if not firings:
            return
        many = self._connection.executemany
        many(
            "DELETE FROM ingredient WHERE sentex = ? AND firing = ?",
            [(fact, one.id) for one in firings for fact in one.facts],
        )
        self.drop_justifications(
            [(conclusion, one.id) for one in firings for conclusion in one.conclusions]
        )
        many("DELETE FROM firing WHERE id = ?", [(one.id,) for one in firings])


@lru_cache(maxsize=64)
def _facts(is_open: tuple[bool, ...], position: int, *, negative: bool) -> str:
    """Return the query for facts with these of the first two arguments open.

    A further argument's position, if any, where both are.
    """
    where = ["functor = ?"]
    columns = zip(("first", "second"), is_open, strict=False)
    where += [f"{column} = ?" for column, free in columns if not free]
    source = _FACT
    if position:
        source = f"{_FACT_BY_ARGUMENT} AND position = {position}"
        where.append("key = ?")
    where.append(f"negative = {int(negative)} AND NOT label & 16 AND id <= ?")
    return f"{source} WHERE {' AND '.join(where)}"


def _firing(row: tuple[int, int, bytes, bytes, bytes]) -> Firing:
    return Firing(row[0], row[1], unpack(row[2]), unpack(row[3]), row[4])


def _ids(text: str) -> list[int]:
    return list(map(int, text.split()))


def _text(ids: Iterable[int]) -> str:
    return " ".join(map(str, ids))
