"""What a seat that selects has to hold: by definition, from a seat that takes all."""

from __future__ import annotations

from typing import NamedTuple

from koinii import RemoteSeat
from koinii.seat.reporting import Claim
from remote.bookkeeping import digest_of
from remote.selected import Part

LINES = """
    SELECT agent, seat, context.name, digest, leaf, '' FROM assertion
        JOIN sentex ON sentex.id = sentex JOIN author ON author.id = author
        JOIN context ON context.id = assertion.context
    UNION ALL
    SELECT agent, seat, context.name, digest, leaf, reason FROM held
        JOIN author ON author.id = author JOIN context ON context.id = held.context
"""
WAITS = ("(endorses ", "(disputes ")


class Line(NamedTuple):
    """One line in a store; its leaf is over sentence, strength, time and extras."""

    agent: str
    seat: str
    context: str
    digest: bytes
    leaf: bytes
    held: str  # the reason, '' where it is applied


def lines_of(seat: RemoteSeat) -> set[Line]:
    rows = seat.database.connection.execute(LINES).fetchall()
    return {Line(*row) for row in rows}


def of_others(seat: RemoteSeat, *without: RemoteSeat) -> set[Line]:
    """Return what stands in a store of seats other than it and those named."""
    mine = {seat.id, *(one.id for one in without)}
    return {line for line in lines_of(seat) if line.seat not in mine}


def takes(named: Part, line: Line) -> bool:
    return named.takes(line.agent, line.context)


def check_part(part: RemoteSeat, whole: RemoteSeat, named: Part) -> None:
    """Compare a seat that selects with one that takes all and has seen the same."""
    expected = {line for line in of_others(whole, part) if takes(named, line)}
    assert of_others(part, whole) == expected
    check_waiting(part)


def check_waiting(seat: RemoteSeat) -> None:
    """What waits is what names something that is not here, or that waits itself."""
    waiting = {(one.agent, one.seat, digest_of(one.locator)) for one in seat.waiting()}
    applied = {line for line in lines_of(seat) if not line.held}
    here = {line.digest for line in applied}
    stands = here - {digest for _, _, digest in waiting}
    for row in seat.waiting():
        assert row.missing
        assert not {digest_of(one) for one in row.missing} & stands
    for line in applied - {one for one in applied if one[:2] + one[3:4] in waiting}:
        assert targets(seat, line) <= stands


def targets(seat: RemoteSeat, line: Line) -> set[bytes]:
    """Return what a line has to wait for, from its text: masks wait for nothing."""
    claim = seat.show(f"sha256:{line.digest.hex()}")
    assert isinstance(claim, Claim)
    if not claim.sentence.startswith(WAITS):
        return set()
    pieces = claim.sentence.split('(sentexHandle "')[1:]
    return {digest_of(piece.partition('"')[0]) for piece in pieces}
