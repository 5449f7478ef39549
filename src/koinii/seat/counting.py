"""Counts' rulings: in force at this seat exactly while its own tally agrees.

The lines of those who called a count are never applied: they are kept as held ones,
`koinii/counted` while the tally agrees and `koinii/tally-disagrees` while it does not.
What they say is held by the seat itself, in the name of `AgentMajority`, signed by
nobody and never exchanged. All of it follows from ballots, members and lines, so it is
the same at every seat that holds the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.kb.claim import MONOTONIC, line_leaf, parse_claim
from koinii.kb.contexts import MAJORITY
from koinii.kb.writing import Said
from koinii.seat.ballots import tally
from koinii.terms.canonical import canonical
from koinii.terms.locator import locate, raw_digest
from koinii.terms.printer import write
from koinii.terms.term import Symbol
from koinii.trust.counts import MAJORITY_AGENT, count_of
from koinii.trust.reasons import COUNTED, DISAGREES, OF_COUNTS

if TYPE_CHECKING:
    from koinii.kb.claim import Claim
    from koinii.seat.parts import Parts
    from koinii.store.assertions import HeldRow
    from koinii.terms.term import Term
    from koinii.trust.counts import Count


def recount(seat: Parts) -> None:
    """Bring what counts have ruled up to date; O(such lines, and their ballots)."""
    place = seat.kb.names.context_id(MAJORITY)
    if place is None:
        return
    rows = [row for row in seat.kb.assertions.held_at(place) if row[5] in OF_COUNTS]
    agreed: dict[bytes, Said] = {}
    for row in rows:
        claim = parse_claim(row[4])
        reason = COUNTED if _agrees(seat, claim) else DISAGREES
        if reason != row[5]:
            seat.kb.assertions.hold([(*row[:5], reason)])
        if reason == COUNTED:
            earlier = agreed.get(row[2])
            created = min(claim.created, earlier.created if earlier else claim.created)
            agreed[row[2]] = _ruling(claim.sentence, created)
    _say(seat, place, agreed)


def _agrees(seat: Parts, ruling: Claim) -> bool:
    """Tell whether the tally here comes to what a line says it came to."""
    count = count_of(ruling.sentence, ruling.strength, ruling.extras)
    claim = None if count is None else seat.kb.find(count.claim)
    if count is None or claim is None or claim.context == MAJORITY:
        return False
    outcome = tally(seat.kb, count.claim, count.channel).outcome
    return ruling.sentence == {
        "for": claim.sentence, "against": opposite(claim.sentence)
    }.get(outcome)  # fmt: skip


def opposite(sentence: Term) -> Term:
    """Return the denial of a sentence, in canonical form."""
    return canonical((Symbol("not"), sentence))


def _ruling(sentence: Term, created: int) -> Said:
    return Said(MAJORITY, sentence, write(sentence), MONOTONIC, created, None, 0)


def _say(seat: Parts, place: int, agreed: dict[bytes, Said]) -> None:
    """Hold these, and no others, in the name of the majority."""
    names, rows = seat.kb.names, seat.kb.assertions
    author = names.author_id(MAJORITY_AGENT, seat.id)
    if author is None:
        if not agreed:
            return
        author = names.make_author(MAJORITY_AGENT, seat.id)
        seat.kb.set_standing(author, arbiter=True, moderator=False)
    gone = [one for one in rows.digests(author, place) if one not in agreed]
    if gone:
        seat.kb.set_aside(author, gone)
    if agreed:
        seat.kb.put(author, list(agreed.values()), replace=True, journal=False)


# What an agent of this seat does -------------------------------------------------


def call_count(seat: Parts, author: int, sentence: Term, count: Count) -> bytes:
    """Keep an agent's line that a count has ruled so; return its locator's digest."""
    said = _ruling(sentence, seat.now())
    line = f"monotonic {said.created} {said.text} {count.extras()}"
    digest = raw_digest(locate(Symbol(MAJORITY), sentence))
    place = seat.kb.names.make_context(MAJORITY)
    before = seat.kb.assertions.held_line(author, place, digest)
    if before is None or parse_claim(before[0]).extras != count.extras():
        row: HeldRow = (author, place, digest, line_leaf(line), line, DISAGREES)
        seat.kb.assertions.hold([row])
        leaf = None if before is None else before[1]
        seat.kb.writing.writer.journal(author, [(place, digest, leaf)])
    recount(seat)
    return digest


def calls_of(seat: Parts, author: int, dispute: tuple[bytes, bytes]) -> list[HeldRow]:
    """Return an author's lines of counts on a dispute, whether they agree or not."""
    place = seat.kb.names.context_id(MAJORITY)
    if place is None:
        return []
    found = []
    for row in seat.kb.assertions.held_at(place):
        claim = parse_claim(row[4])
        count = count_of(claim.sentence, claim.strength, claim.extras)
        if row[0] == author and count is not None and count.dispute == dispute:
            found.append(row)
    return found
