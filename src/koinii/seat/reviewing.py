"""The write boundary over what is stored, after trust has changed.

Standing is read at every settle, never decided once at the door: an introduction
can give a context its owner after others have written there, and a name can turn
out to be contested. Lines move to held and back; none is lost.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.claim import line_leaf, parse_claim, stored_line
from koinii.kb.writing import Said
from koinii.note import PublicKey
from koinii.terms.term import Symbol
from koinii.trust.boundary import Refusal, admit
from koinii.trust.names import belief_context, own_context

if TYPE_CHECKING:
    from koinii.seat.parts import Parts

CONTESTED = "koinii/name-contested"


class Contest(NamedTuple):
    """One name with two keys; lines of the other key are held."""

    agent: str
    seat: str
    pinned: str
    other: str


def contested(seat: Parts) -> set[tuple[str, str]]:
    """Return the (agent, seat) whose key is not the one the name stands for here."""
    pins = {agent: pin.key_hash for agent, pin in seat.histories.pins().items()}
    return {
        (row.name, row.seat)
        for row in seat.histories.agents()
        if pins.get(row.name) != sha256(row.public_key).hexdigest()
    }


def contests(seat: Parts) -> list[Contest]:
    """Return the names that stand for another key here than elsewhere."""
    pins = {agent: pin.key_hash for agent, pin in seat.histories.pins().items()}
    rows = {(row.name, row.seat): row for row in seat.histories.agents()}
    by_hash = {PublicKey(row.public_key).key_hash.hex(): row for row in rows.values()}
    return [
        Contest(
            agent,
            place,
            PublicKey(by_hash[pins[agent]].public_key).fingerprint,
            PublicKey(rows[agent, place].public_key).fingerprint,
        )
        for agent, place in sorted(contested(seat))
    ]


def review(seat: Parts, introduced: set[str]) -> None:
    """Run the boundary again, after these agents were introduced.

    O(lines in their contexts + held lines + lines of contested authors).
    """
    with seat.kb.write():
        seat.forget_world()
        disputed = contested(seat)
        owned = [
            context
            for agent in introduced
            for context in (own_context(agent), belief_context(agent))
        ]
        seat.kb.own(set(owned))
        for author in disputed:
            _hold_author(seat, author)
        for context in owned:
            _hold_foreign(seat, context)
            _hold_statements(seat, ("genlCx", context, "?super"))
        for meeting in ("channel", "convened"):
            _hold_statements(seat, (meeting, "?context"))
        _readmit(seat, disputed)


def _hold_author(seat: Parts, author: tuple[str, str]) -> None:
    number = seat.kb.names.author_id(*author)
    if number is None:
        return
    for context in seat.kb.assertions.contexts_of(number):
        for row in list(seat.kb.assertions.lines(number, context)):
            _hold(seat, number, context, row, CONTESTED)


def _hold_foreign(seat: Parts, context: str) -> None:
    """Hold what others wrote in a context that has an owner now."""
    number = seat.kb.names.context_id(context)
    if number is None:
        return
    for author, sentex in seat.kb.assertions.asserted_in(number):
        _hold_if_refused(seat, author, number, sentex)


def _hold_statements(seat: Parts, words: tuple[str, ...]) -> None:
    """Hold edges from, and channel declarations over, contexts that have an owner."""
    pattern = tuple(map(Symbol, words))
    seat.kb.settle()
    for found in seat.kb.matching(pattern, "CxUniverse", "exact"):
        for row in seat.kb.asserted_by(found.id):
            _hold_if_refused(seat, row[1], row[2], found.id)


def _hold_if_refused(seat: Parts, author: int, context: int, sentex: int) -> None:
    found = seat.kb.get(sentex)
    row = seat.kb.assertions.of_sentexes([sentex], author)[sentex]
    _, _, _, strength, created, extras, _, wrappers = row
    agent, _ = seat.kb.names.author(author)
    refusal = admit(agent, found.context, found.sentence, strength, seat.world())
    if refusal is not None:
        line = (found.digest, found.body, strength, created, extras, wrappers)
        _hold(seat, author, context, line, refusal.code)


def _hold(
    seat: Parts,
    author: int,
    context: int,
    row: tuple[bytes, bytes, int, int, str | None, int],
    reason: str,
) -> None:
    digest, body, strength, created, extras, wrappers = row
    line = stored_line(body, strength, created, extras, wrappers)
    seat.kb.set_aside(author, [digest])
    seat.kb.assertions.hold([(author, context, digest, line_leaf(line), line, reason)])


def _readmit(seat: Parts, disputed: set[tuple[str, str]]) -> None:
    """Apply what is held and now allowed; note the reason of what is not."""
    world = seat.world()
    for author, context, digest, leaf, line, reason in seat.kb.assertions.held():
        who = seat.kb.names.author(author)
        if who in disputed and reason == CONTESTED:
            continue
        place = seat.kb.names.context(context)
        claim = parse_claim(line)
        refusal = (
            Refusal(CONTESTED, "")
            if who in disputed
            else admit(who[0], place, claim.sentence, claim.strength, world)
        )
        if refusal is None:
            said = Said(
                place, claim.sentence, claim.text, claim.strength,
                claim.created, claim.extras, claim.wrappers,
            )  # fmt: skip
            seat.kb.assertions.release([(author, context, digest)])
            seat.kb.put(author, [said], replace=True, journal=False)
        elif refusal.code != reason:
            seat.kb.assertions.hold(
                [(author, context, digest, leaf, line, refusal.code)]
            )
