"""The lines without effect: held, or waiting; each with why, and the way on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.claim import parse_claim
from koinii.kb.network.replies import targets_of
from koinii.seat.records import WAITING, waiting_line
from koinii.terms.locator import locator_of
from koinii.trust.boundary import admit
from koinii.trust.reasons import COUNTED, Reason, is_of_author, reason_of

if TYPE_CHECKING:
    from koinii.seat.parts import Parts
    from koinii.store.assertions import HeldKey, HeldRow, WaitingRow

_ABSENT = Reason(
    "it names what is not here",
    "koinii pull, if another seat has it; retract it otherwise",
)


class Held(NamedTuple):
    """A line that is stored and has no effect: not applied, or waiting."""

    agent: str
    seat: str
    context: str
    locator: str
    line: str
    reason: str  # a code, or waiting
    missing: tuple[str, ...] = ()  # the locators it waits for
    why: str = ""
    hint: str = ""


def held(seat: Parts) -> list[Held]:
    """Return the lines that are stored and not applied, by author and context."""
    names = seat.kb.names
    found = []
    for author, context, digest, _, line, code in without_effect(seat):
        who, place = names.author(author), names.context(context)
        why, hint = _reason(seat, who, place, line, code)
        locator = locator_of(digest)
        found.append(Held(*who, place, locator, line, code, why=why, hint=hint))
    return sorted(found)


def without_effect(seat: Parts) -> list[HeldRow]:
    """Return the rows that are held, but for what a count here agrees with."""
    return [row for row in seat.kb.assertions.held() if row[5] != COUNTED]


def keys_without_effect(seat: Parts) -> frozenset[HeldKey]:
    """Return which lines are held, as they will be at the end of a write under way."""
    if seat.kb.writing.is_open:
        seat.kb.conclude()
    return seat.kb.assertions.held_keys(apart=COUNTED)


def waiting(seat: Parts) -> list[Held]:
    """Return the lines that wait for what they name, by author and context."""
    names = seat.kb.names
    return sorted(
        Held(
            *names.author(row.author),
            names.context(row.context),
            locator_of(row.digest),
            waiting_line(row),
            WAITING,
            tuple(_missing(seat, row)),
            *_ABSENT,
        )
        for row in seat.kb.assertions.waiting()
    )


def _reason(
    seat: Parts, who: tuple[str, str], place: str, line: str, code: str
) -> Reason:
    """Return a code in words; of a rule for lines, those for this very line."""
    agent, home = who
    if not is_of_author(code):
        claim = parse_claim(line)
        found = admit(agent, place, claim.sentence, claim.strength, seat.world())
        if found is not None and found.code == code:
            return Reason(found.message, found.hint or reason_of(code).hint)
    why, hint = reason_of(code)
    return Reason(why, hint.format(agent=agent, seat=home[:8]))


def _missing(seat: Parts, row: WaitingRow) -> list[str]:
    """Return what a reply names that is not in the store, as far as it can tell.

    What waits itself is not, nor is what is local to one that is not.
    """
    return [
        locator_of(digest)
        for digest in targets_of(row.body)
        if not seat.kb.sentexes.is_present(digest, local=bool(row.local))
    ]
