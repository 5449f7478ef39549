"""What a pull did not apply: said in its report, and remembered until it is mended."""

from __future__ import annotations

from typing import NamedTuple

from koinii.errors import KoiniiError
from koinii.seat.seat import Seat
from koinii.store.histories import Head


class Trouble(NamedTuple):
    """What was not applied, whose it is, the file, and why.

    An own line that a pull makes held stands here too, with its context. `code`
    tells the kinds apart that a program would treat apart, '' for the others.
    """

    seat: str
    agent: str
    path: str
    reason: str
    code: str = ""


def one_line(text: str) -> str:
    """Return what git or a remote said as one line, its control characters escaped."""
    lines = (line.strip() for line in text.splitlines())
    joined = "; ".join(line for line in lines if line)
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode()
        for one in joined
    )


def trouble_of(other: str, error: KoiniiError) -> Trouble:
    """Return what to say of a seat that was refused."""
    path = str(error.details.get("path", ""))
    return Trouble(other, "", path, one_line(error.message), error.code)


def mark(seat: Seat, other: str, reason: str) -> None:
    """Remember that a seat's newest ref was refused; it stays where it was."""
    with seat.database.write():
        if seat.histories.head(other) is None:
            seat.histories.put_head(Head(other, b"", 0, "", "", ""))
        seat.histories.set_trouble(other, one_line(reason))
