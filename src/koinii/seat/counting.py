"""Counts' rulings: in force at this seat exactly while its own tally agrees.

The lines of those who called a count are never applied: they are kept as held ones,
`koinii/counted` while what they settle is a dispute and the tally agrees,
`koinii/undisputed` or `koinii/tally-disagrees` while not.
What they say is held by the seat itself, in the name of `AgentMajority`, signed by
nobody and never exchanged. All of it follows from ballots, members and lines, so it is
the same at every seat that holds the same.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from koinii.kb.claim import MAX_EXTRAS_BYTES, MONOTONIC, line_leaf, parse_claim
from koinii.kb.contexts import MAJORITY
from koinii.kb.writing import Said
from koinii.seat.ballots import tally
from koinii.seat.disputing import is_disputed
from koinii.terms.locator import locate, locator_of, raw_digest
from koinii.terms.printer import write
from koinii.terms.term import Symbol
from koinii.trust.counts import MAJORITY_AGENT, call_of
from koinii.trust.reasons import COUNTED, DISAGREES, OF_COUNTS, UNDISPUTED

if TYPE_CHECKING:
    from koinii.kb.claim import Claim
    from koinii.seat.parts import Parts
    from koinii.store.assertions import HeldRow
    from koinii.terms.term import Term
    from koinii.trust.counts import Call, Count


def recount(seat: Parts) -> None:
    """Bring what counts have ruled up to date; O(such lines, and their ballots)."""
    place = seat.kb.names.context_id(MAJORITY)
    if place is None:
        return
    rows = _counted_at(seat, place)
    agreed: dict[bytes, list[Claim]] = {}
    for row in rows:
        reason = _weigh(seat, row[4])
        if reason != row[5]:
            seat.kb.assertions.hold([(*row[:5], reason)])
        if reason == COUNTED:
            agreed.setdefault(row[2], []).append(parse_claim(row[4]))
    _say(seat, place, {digest: _ruling(lines) for digest, lines in agreed.items()})


def has_moved(seat: Parts, place: int) -> bool:
    """Tell whether a dispute that lines in `CxMajority` settle is one no more, or now.

    O(such lines), each with what its sides rest on; no ballot is read.
    """
    return any(
        (_settled(seat, _call(row[4])) is None) != (row[5] == UNDISPUTED)
        for row in _counted_at(seat, place)
    )


def _counted_at(seat: Parts, place: int) -> list[HeldRow]:
    return [row for row in seat.kb.assertions.held_at(place) if row[5] in OF_COUNTS]


@lru_cache(maxsize=1024)
def _call(line: str) -> Call | None:
    return called(parse_claim(line))


def _settled(seat: Parts, call: Call | None) -> Call | None:
    """Return a call that settles what is a dispute here, None for another."""
    disputes = () if call is None else call.counted.disputes
    return call if any(is_disputed(seat.kb, one) for one in disputes) else None


def _weigh(seat: Parts, line: str) -> str:
    """Return whether a line has effect, and why not."""
    call = _settled(seat, _call(line))
    if call is None:
        return UNDISPUTED
    here = tally(seat.kb, call.counted.claim, call.counted.channel)
    return COUNTED if here.outcome == call.outcome else DISAGREES


def called(line: Claim) -> Call | None:
    """Return what a line in `CxMajority` says of a count, None if it is no ruling."""
    return call_of(line.sentence, line.strength, line.extras)


def is_call(context: str, line: Claim) -> bool:
    """Tell whether a line is one of those who called a count, of anybody."""
    return context == MAJORITY and called(line) is not None


def _ruling(lines: list[Claim]) -> Said:
    """Return what the majority says: since when, and which disputes it settles.

    The extras are those of an arbiter's ruling (`coordination/rulings.py`).
    """
    sentence, created = lines[0].sentence, min(line.created for line in lines)
    calls = filter(None, map(called, lines))
    disputes = {one for call in calls for one in call.counted.disputes}
    settled = sorted(" ".join(map(locator_of, one)) for one in disputes)
    extras = write(((Symbol("adjudication"), tuple(settled)),))
    return Said(MAJORITY, sentence, write(sentence), MONOTONIC, created, extras, 0)


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
    digest = raw_digest(locate(Symbol(MAJORITY), sentence))
    place = seat.kb.names.make_context(MAJORITY)
    before = seat.kb.assertions.held_line(author, place, digest)
    earlier = None if before is None else parse_claim(before[0])
    if earlier is not None:
        count = _with_earlier(count, earlier)
    if earlier is None or earlier.extras != count.extras():
        created = seat.now() if earlier is None else earlier.created
        line = f"monotonic {created} {write(sentence)} {count.extras()}"
        row: HeldRow = (author, place, digest, line_leaf(line), line, DISAGREES)
        seat.kb.assertions.hold([row])
        leaf = None if before is None else before[1]
        seat.kb.writing.writer.journal(author, [(place, digest, leaf)])
    recount(seat)
    return digest


def _with_earlier(count: Count, line: Claim) -> Count:
    """Return a count that settles what an earlier one of the same votes did, too."""
    call = called(line)
    if call is None or call.counted[1:4] != count[1:4]:
        return count
    both = count._replace(disputes=tuple({*count.disputes, *call.counted.disputes}))
    return both if len(both.extras().encode()) <= MAX_EXTRAS_BYTES else count


def calls_of(seat: Parts, author: int, dispute: tuple[bytes, bytes]) -> list[HeldRow]:
    """Return an author's lines of counts on either side, whether they agree or not."""
    place = seat.kb.names.context_id(MAJORITY)
    if place is None:
        return []
    found = []
    for row in seat.kb.assertions.held_at(place):
        call = called(parse_claim(row[4]))
        if row[0] == author and call is not None and call.counted.claim in dispute:
            found.append(row)
    return found
