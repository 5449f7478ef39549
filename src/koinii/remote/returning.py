"""A seat set to an earlier state of its history, or to none, whatever is applied.

Nobody has taken anything back: what stands only in the history that is left goes
out of the base as if it had never come, statements of keys included, and own
replies to it wait. Two seats that do this end equal, by whatever way they came.
"""

from __future__ import annotations

from collections.abc import Iterable

from koinii.history.segments import folder_of
from koinii.merkle import EMPTY_ROOT
from koinii.note import PublicKey
from koinii.remote.applying import Applied, Received, apply_seat, take_in
from koinii.remote.fetched import FetchedSeat
from koinii.remote.verify import VerifiedSeat
from koinii.seat.reviewing import review
from koinii.seat.seat import Seat
from koinii.store.histories import Head
from koinii.trust.presence import known_presence


def apply_anew(
    seat: Seat, fetched: FetchedSeat, verified: VerifiedSeat, tip: str
) -> Applied:
    """Make a verified ref all that there is of its seat, in one transaction."""
    speaking = {one.name for one in verified.agents if one.authored is not None}
    present = {one.name for one in verified.agents}
    with seat.kb.write():
        gone = _withdraw(seat, verified.seat, _silent(seat, verified.seat, speaking))
        _forget_agents(seat, verified.seat, present)
        take_in(seat, [verified])
        _mend_pins(seat)
        review(seat)
        applied = apply_seat(seat, fetched, verified, tip, back=True)
        refused = [one.name for one in applied.refused]
        gone += _withdraw(seat, verified.seat, refused)
        seat.kb.settle()
    return applied._replace(counts=applied.counts.plus(Received(removed=gone)))


def apply_nothing(seat: Seat, other: str, key: PublicKey) -> Received:
    """Take all that there is of a seat out of the base, its history too."""
    with seat.kb.write():
        gone = _withdraw(seat, other, _silent(seat, other, set()))
        _forget_agents(seat, other, set())
        _mend_pins(seat)
        review(seat)
        seat.histories.cut(other, 0)
        seat.histories.put_head(Head(other, key.raw, 0, "", "", ""))
        seat.kb.settle()
    return Received(removed=gone)


def _silent(seat: Seat, other: str, speaking: set[str]) -> list[str]:
    """Return the agents of a seat that are known here and are not among these."""
    rows = seat.histories.agents()
    return [one.name for one in rows if one.seat == other and one.name not in speaking]


def _withdraw(seat: Seat, other: str, names: Iterable[str]) -> int:
    """Take out what agents of a seat say here; return how many lines that were."""
    return sum(_withdraw_one(seat, name, other) for name in names)


def _withdraw_one(seat: Seat, name: str, other: str) -> int:
    author = seat.kb.names.author_id(name, other)
    if author is None:
        return 0
    rows = seat.kb.assertions
    held = [row[1] for row in rows.held() if row[0] == author]
    gone = 0
    for place in {*rows.contexts_of(author), *held}:
        digests = rows.digests(author, place)
        gone += seat.kb.set_aside(author, digests)
        gone += rows.release([(author, place, digest) for digest in digests])
    for place, _, _ in rows.published(author):
        rows.publish(author, place, 0, EMPTY_ROOT)
        seat.files.see(author, folder_of(name, seat.kb.names.context(place)), [])
    seat.histories.drop_input(author)
    seat.histories.accept(name, other)
    return gone


def _forget_agents(seat: Seat, other: str, present: set[str]) -> None:
    for name in _silent(seat, other, present):
        seat.histories.drop_agent(name, other)


def _mend_pins(seat: Seat) -> None:
    """Let no name stand for a key that was met first and is not known any more.

    Of the keys that are left for the name, the one at the seat with the least id
    counts as met first: the same at every seat that goes back.
    """
    left: dict[str, list[str]] = {}
    for row in seat.histories.agents():
        presence = known_presence(row.statements, row.name, row.seat)
        key = presence.introduction.key.key_hash.hex()
        left.setdefault(row.name, []).append(key)
    for name, pin in seat.histories.pins().items():
        keys = left.get(name, [])
        if pin.decided or pin.key_hash in keys:
            continue
        seat.histories.unpin(name)
        if keys:
            seat.histories.pin(name, keys[0], decided=False)
