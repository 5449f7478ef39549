"""Rows of forks and cosignatures: what is known of other seats' heads."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3

# What the operator has decided of a seat that told two histories.
FROZEN = 0  # nothing yet: the seat stays at the prefix
GOES_ON = 1  # the next pull takes what the remote shows
TAKEN = 2  # one of its histories is followed


class ForkRow(NamedTuple):
    """A seat that signed two histories."""

    seat: str
    prefix: int | None  # commits that all its histories share; None: not known
    evidence: bytes  # the text that shows it
    decided: int

    @property
    def is_frozen(self) -> bool:
        """Whether a pull leaves the seat where it is."""
        return self.decided == FROZEN


class CosignatureRow(NamedTuple):
    """The newest head of a seat that another seat, or this one, has cosigned."""

    seat: str
    cosigner: str
    size: int
    time: int  # seconds
    note: str  # the checkpoint with the seat's line and the cosigner's


class Heads:
    """Statements over `fork` and `cosignature`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def put_fork(self, row: ForkRow) -> None:
        """Set what is known of a seat's fork."""
        self._connection.execute("INSERT OR REPLACE INTO fork VALUES (?,?,?,?)", row)

    def fork(self, seat: str) -> ForkRow | None:
        """Return what is known of a seat's fork."""
        row = self._connection.execute(
            "SELECT * FROM fork WHERE seat = ?", (seat,)
        ).fetchone()
        return None if row is None else ForkRow(*row)

    def forks(self) -> list[ForkRow]:
        """Return every seat that signed two histories, by id."""
        rows = self._connection.execute("SELECT * FROM fork ORDER BY seat")
        return [ForkRow(*row) for row in rows]

    def decide(self, seat: str, decided: int) -> None:
        """Remember the operator's decision on a fork; nothing where there is none."""
        self._connection.execute(
            "UPDATE fork SET decided = ? WHERE seat = ?", (decided, seat)
        )

    def put_cosignature(self, row: CosignatureRow) -> None:
        """Set the newest head of a seat that a cosigner has signed."""
        self._connection.execute(
            "INSERT OR REPLACE INTO cosignature VALUES (?,?,?,?,?)", row
        )

    def cosignature(self, seat: str, cosigner: str) -> CosignatureRow | None:
        """Return the newest head of a seat that one cosigner has signed."""
        row = self._connection.execute(
            "SELECT * FROM cosignature WHERE seat = ? AND cosigner = ?",
            (seat, cosigner),
        ).fetchone()
        return None if row is None else CosignatureRow(*row)

    def cosignatures(self) -> list[CosignatureRow]:
        """Return every cosignature, by seat and cosigner."""
        rows = self._connection.execute(
            "SELECT * FROM cosignature ORDER BY seat, cosigner"
        )
        return [CosignatureRow(*row) for row in rows]
