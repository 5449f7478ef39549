"""Rulings: the lines by which arbiters settle disputes, and how they are read.

A ruling is a monotonic line in the arbiter's own context whose extras name the
disputes that it settles (docs/formats/claims.md):

    ((adjudication ("<lo> <hi>" "<lo> <hi>" …)))

sorted, each once, beside whatever other extras. Any other spelling makes the line a
plain claim.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.coordination.dispute_id import Disputed, DisputeId, find_id, read_id
from koinii.errors import KoiniiError, NotFoundError, RefusedError
from koinii.kb.claim import MAX_EXTRAS_BYTES, MONOTONIC
from koinii.seat.arguments import text
from koinii.terms.locator import Locator, locator_of
from koinii.terms.order import content_key
from koinii.terms.printer import write
from koinii.terms.reader import read_canonical
from koinii.terms.term import Symbol
from koinii.trust.names import home_context

if TYPE_CHECKING:
    from collections.abc import Iterable

    from koinii.kb.sentex import Sentex
    from koinii.seat.seat import Seat
    from koinii.store.assertions import AssertionRow
    from koinii.terms.term import Term

KEY = Symbol("adjudication")


class Ruling(NamedTuple):
    """What an arbiter ruled."""

    locator: Locator
    sentence: Term
    arbiter: str
    dispute_ids: frozenset[DisputeId]
    at: int  # ms; the earliest, where the arbiter ruled so at several seats


# The extras ------------------------------------------------------------------------


def disputes_of(extras: str | None) -> frozenset[DisputeId]:
    """Return the disputes that extras say are settled; none where they say it not."""
    if extras is None:
        return frozenset()
    said = [value for key, value in _pairs(extras) if key == KEY]
    try:
        return frozenset(_read(said[0]))
    except (IndexError, KoiniiError):
        return frozenset()


def _read(said: Term) -> list[DisputeId]:
    if not isinstance(said, tuple):
        return []
    texts = [one for one in said if isinstance(one, str)]
    if len(texts) != len(said) or texts != sorted(set(texts)):
        return []
    return [*map(read_id, texts)]


def with_disputes(extras: str | None, disputes: Iterable[DisputeId]) -> str:
    """Return extras that say these are settled, beside what else they say.

    Raises:
        RefusedError: `koinii/ruling-full`: one line cannot name so many.
    """
    said: Term = tuple(sorted(one.text for one in disputes))
    others = [] if extras is None else [one for one in _pairs(extras) if one[0] != KEY]
    pairs = sorted([*others, (KEY, said)], key=lambda pair: write(pair[0]))
    found = write(tuple(pairs))
    if len(found.encode()) > MAX_EXTRAS_BYTES:
        raise RefusedError(
            "this ruling names as many disputes as one line can",
            code="koinii/ruling-full",
            hint="what it rules holds against all who deny it, where it is seen; "
            "or let another arbiter rule",
        )
    return found


def _pairs(extras: str) -> list[tuple[Term, Term]]:
    """Return the pairs of stored extras, which have their one spelling."""
    pairs = read_canonical(extras)
    assert isinstance(pairs, tuple)  # noqa: S101 - extras are a list of pairs
    return [(pair[0], pair[1]) for pair in pairs if isinstance(pair, tuple)]


# Reading them ----------------------------------------------------------------------


def ruled_in(seat: Seat, found: Sentex, row: AssertionRow) -> frozenset[DisputeId]:
    """Return the disputes that one author's assertion settles; none of a claim."""
    agent, _ = seat.kb.names.author(row[1])
    if row[3] != MONOTONIC or found.context != home_context(agent):
        return frozenset()
    return disputes_of(row[5])


def ruling_of(seat: Seat, found: Sentex) -> Ruling | None:
    """Return what the assertions of a sentex rule, None where they rule nothing."""
    rows = seat.kb.asserted_by(found.id)
    ruled = [(row, one) for row in rows if (one := ruled_in(seat, found, row))]
    if not ruled:
        return None
    arbiter, _ = seat.kb.names.author(ruled[0][0][1])
    disputes = frozenset[DisputeId]().union(*(one for _, one in ruled))
    at = min(row[4] for row, _ in ruled)
    return Ruling(locator_of(found.digest), found.sentence, arbiter, disputes, at)


def who_ruled(seat: Seat, locator: str) -> Ruling | None:
    """Return the ruling that a locator names; None of a claim, or of nothing here."""
    with seat.kb.view():
        try:
            found = seat.kb.find(seat.resolve(locator))
        except NotFoundError:
            return None
        return None if found is None else ruling_of(seat, found)


def standing_rulings(seat: Seat, arbiter: str, dispute: Disputed) -> list[Ruling]:
    """Return an arbiter's rulings on a dispute that are believed, by content.

    From whatever seat. O(rulings of the arbiter).
    """
    home = home_context(text(arbiter, "arbiter"))
    with seat.kb.view():
        named = find_id(seat, dispute)
        place = seat.kb.names.context_id(home)
        if place is None:
            return []
        rows = map(seat.kb.get, seat.kb.assertions.with_extras(place))
        rulings = (ruling_of(seat, one) for one in rows if seat.kb.is_believed(one))
        found = [one for one in rulings if one and named in one.dispute_ids]
    return sorted(found, key=lambda one: content_key(one.sentence))
