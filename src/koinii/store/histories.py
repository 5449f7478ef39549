"""Rows of histories, heads, agents, pins, inputs and refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable


_AGENT = "SELECT name, seat, public_key, statements FROM agent"
_BY_OPERATOR = 2  # `decided` of a pin
AUTHORS = "authors"  # the trouble of a head of which only some authors were refused


class Head(NamedTuple):
    """The newest checkpoint known of a seat; number 0 means none.

    Without a public key nothing of the seat has ever verified.
    """

    seat: str
    public_key: bytes
    size: int
    checkpoint: str
    tip: str
    trouble: str


class AgentRow(NamedTuple):
    """One introduction: an agent's name with its key at one seat."""

    name: str
    seat: str
    public_key: bytes
    statements: str


class Pin(NamedTuple):
    """The key that a name stands for; `decided` by the operator or an own key."""

    key_hash: str  # hex
    decided: bool
    by_operator: bool = False


class InputRow(NamedTuple):
    """The newest authored statement of one author that is applied here."""

    author: int
    number: int
    size: int
    root: str
    statement: str


class Histories:
    """Statements over the tables that make a seat's public face."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    # Histories and heads -----------------------------------------------------

    def append(self, seat: str, rows: Iterable[tuple[int, bytes, bytes]]) -> None:
        """Add records (number, record, leaf) to a seat's history."""
        self._connection.executemany(
            "INSERT INTO history VALUES (?,?,?,?)", ((seat, *row) for row in rows)
        )

    def cut(self, seat: str, number: int) -> None:
        """Forget the records of a seat after one."""
        self._connection.execute(
            "DELETE FROM history WHERE seat = ? AND number > ?", (seat, number)
        )

    def record(self, seat: str, number: int) -> bytes | None:
        """Return one record's bytes."""
        row = self._connection.execute(
            "SELECT record FROM history WHERE seat = ? AND number = ?", (seat, number)
        ).fetchone()
        return None if row is None else bytes(row[0])

    def records(self, seat: str, first: int, last: int) -> list[bytes]:
        """Return the records first..last of a seat, both included."""
        rows = self._connection.execute(
            "SELECT record FROM history WHERE seat = ? AND number BETWEEN ? AND ?"
            " ORDER BY number",
            (seat, first, last),
        )
        return [record for (record,) in rows]

    def leaves(self, seat: str) -> list[bytes]:
        """Return the leaf hashes of a seat's history."""
        rows = self._connection.execute(
            "SELECT leaf FROM history WHERE seat = ? ORDER BY number", (seat,)
        )
        return [leaf for (leaf,) in rows]

    def leaf(self, seat: str, number: int) -> bytes:
        """Return one record's leaf hash, which must be there."""
        (leaf,) = self._connection.execute(
            "SELECT leaf FROM history WHERE seat = ? AND number = ?", (seat, number)
        ).fetchone()
        return bytes(leaf)

    def bind_heads(self, heads: dict[str, int]) -> None:
        """Remember which heads of other seats our newest record binds."""
        self._connection.executemany(
            "INSERT OR REPLACE INTO bound VALUES (?,?)", list(heads.items())
        )

    def clear_bound(self) -> None:
        """Forget which heads our newest record binds; another one is the newest."""
        self._connection.execute("DELETE FROM bound")

    def bound_heads(self) -> dict[str, int]:
        """Return the heads of other seats that our newest record binds."""
        return dict(self._connection.execute("SELECT seat, number FROM bound"))

    def put_head(self, head: Head) -> None:
        """Set the newest head of a seat."""
        self._connection.execute(
            "INSERT OR REPLACE INTO head VALUES (?,?,?,?,?,?)", head
        )

    def drop_head(self, seat: str) -> None:
        """Forget a seat of which nothing is held."""
        self._connection.execute("DELETE FROM head WHERE seat = ?", (seat,))

    def head(self, seat: str) -> Head | None:
        """Return the newest head of a seat."""
        row = self._connection.execute(
            "SELECT * FROM head WHERE seat = ?", (seat,)
        ).fetchone()
        return None if row is None else Head(*row)

    def tip(self, seat: str) -> str:
        """Return the git commit that shows a seat's head, '' for none."""
        head = self.head(seat)
        return "" if head is None else head.tip

    def set_tip(self, seat: str, tip: str) -> None:
        """Set the git commit that shows a seat's head."""
        self._connection.execute("UPDATE head SET tip = ? WHERE seat = ?", (tip, seat))

    def set_trouble(self, seat: str, trouble: str) -> None:
        """Set what was refused at a seat's newest tip, '' for nothing."""
        self._connection.execute(
            "UPDATE head SET trouble = ? WHERE seat = ?", (trouble, seat)
        )

    def heads(self) -> list[Head]:
        """Return the newest head of every known seat, by seat id."""
        rows = self._connection.execute("SELECT * FROM head ORDER BY seat")
        return [Head(*row) for row in rows]

    # Agents and pins ---------------------------------------------------------

    def put_agent(self, agent: AgentRow) -> None:
        """Set what is known of an agent at a seat."""
        self._connection.execute(
            "INSERT INTO agent (name, seat, public_key, statements) VALUES (?,?,?,?)"
            " ON CONFLICT DO UPDATE SET public_key = excluded.public_key,"
            " statements = excluded.statements",
            agent,
        )

    def drop_agent(self, name: str, seat: str) -> None:
        """Forget an introduction."""
        self._connection.execute(
            "DELETE FROM agent WHERE name = ? AND seat = ?", (name, seat)
        )

    def agents(self) -> list[AgentRow]:
        """Return every introduction, by name and seat."""
        rows = self._connection.execute(_AGENT + " ORDER BY name, seat")
        return [AgentRow(*row) for row in rows]

    def agent(self, name: str, seat: str) -> AgentRow | None:
        """Return one introduction."""
        row = self._connection.execute(
            _AGENT + " WHERE name = ? AND seat = ?", (name, seat)
        ).fetchone()
        return None if row is None else AgentRow(*row)

    def weigh(self, name: str, seat: str, refusal: str, *, owns: bool) -> None:
        """Set why an agent's lines are held, and whether its contexts are its own."""
        self._connection.execute(
            "UPDATE agent SET refusal = ?, owns = ? WHERE name = ? AND seat = ?",
            (refusal, int(owns), name, seat),
        )

    def refusal(self, name: str, seat: str) -> str:
        """Return why one agent's lines are held, '' where they count."""
        row = self._connection.execute(
            "SELECT refusal FROM agent WHERE name = ? AND seat = ?", (name, seat)
        ).fetchone()
        return "" if row is None else str(row[0])

    def weighed(self) -> dict[tuple[str, str], tuple[str, bool]]:
        """Return that of every agent that does not simply count, by name and seat."""
        rows = self._connection.execute(
            "SELECT name, seat, refusal, owns FROM agent"
            " WHERE refusal <> '' OR NOT owns"
        )
        return {(n, s): (refusal, bool(owns)) for n, s, refusal, owns in rows}

    def pin(
        self, agent: str, key_hash: str, *, decided: bool, by_operator: bool = False
    ) -> None:
        """Make a name stand for a key here; `decided` by the operator or an own key.

        What the operator has decided stays so when an own key follows on another.
        """
        self._connection.execute(
            "INSERT INTO pin VALUES (:agent, :key, :decided) ON CONFLICT DO UPDATE SET"
            " key_hash = :key,"
            " decided = CASE :decided WHEN 0 THEN 0 ELSE max(decided, :decided) END",
            {
                "agent": agent,
                "key": key_hash,
                "decided": _BY_OPERATOR if by_operator else int(decided),
            },
        )

    def unpin(self, agent: str) -> None:
        """Let a name stand for no key here."""
        self._connection.execute("DELETE FROM pin WHERE agent = ?", (agent,))

    def pins(self) -> dict[str, Pin]:
        """Return the key each agent name stands for, by name."""
        rows = self._connection.execute("SELECT * FROM pin ORDER BY agent")
        return {
            agent: Pin(key, bool(decided), decided == _BY_OPERATOR)
            for agent, key, decided in rows
        }

    # Whom the operator follows ------------------------------------------------

    def follow(self, seat: str, *, follows: bool) -> None:
        """Remember that a seat is followed whatever comes, or is not."""
        self._connection.execute(
            "INSERT OR REPLACE INTO following VALUES (?,?)", (seat, int(follows))
        )

    def unfollowed(self) -> frozenset[str]:
        """Return the seats that are not followed."""
        return self._following(follows=False)

    def followed(self) -> frozenset[str]:
        """Return the seats that the operator has said to follow."""
        return self._following(follows=True)

    def _following(self, *, follows: bool) -> frozenset[str]:
        rows = self._connection.execute(
            "SELECT seat FROM following WHERE follows = ?", (int(follows),)
        )
        return frozenset(seat for (seat,) in rows)

    # Inputs and refusals -----------------------------------------------------

    def put_input(self, row: InputRow) -> None:
        """Set the newest applied authored statement of an author."""
        self._connection.execute("INSERT OR REPLACE INTO input VALUES (?,?,?,?,?)", row)

    def drop_input(self, author: int) -> None:
        """Forget what is applied of an author."""
        self._connection.execute("DELETE FROM input WHERE author = ?", (author,))

    def input(self, author: int) -> InputRow | None:
        """Return the newest applied authored statement of an author."""
        row = self._connection.execute(
            "SELECT * FROM input WHERE author = ?", (author,)
        ).fetchone()
        return None if row is None else InputRow(*row)

    def inputs(self) -> list[InputRow]:
        """Return the newest applied statement of every author."""
        return [
            InputRow(*row)
            for row in self._connection.execute("SELECT * FROM input ORDER BY author")
        ]

    def refuse(self, agent: str, seat: str, path: str, reason: str) -> None:
        """Remember that an author's newest set was refused, and why."""
        self._connection.execute(
            "INSERT OR REPLACE INTO refusal VALUES (?,?,?,?)",
            (agent, seat, path, reason),
        )

    def accept(self, agent: str, seat: str) -> None:
        """Forget an earlier refusal; the author's newest set is good."""
        self._connection.execute(
            "DELETE FROM refusal WHERE agent = ? AND seat = ?", (agent, seat)
        )

    def refusals(self) -> list[tuple[str, str, str, str]]:
        """Return every refused author as (agent, seat, path, reason)."""
        return self._connection.execute(
            "SELECT * FROM refusal ORDER BY agent, seat"
        ).fetchall()
