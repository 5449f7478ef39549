"""Pairs that cannot hold together: who sees them, and who may fall.

Decision 6, "Clashes": every pair of rows and every vantage is tried.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import NamedTuple

from koinii.terms.term import Term
from reference.encoding_twin import encoded
from reference.engine_frame_twin import EDGE, Frame, Sentex
from reference.matching_twin import atom, functor, is_negative, negation


class Clash(NamedTuple):
    kind: str  # "rebuttal", "functional" or "disjoint"
    lo: Sentex  # the lesser locator
    hi: Sentex
    visible: bool
    lo_may_fall: bool
    hi_may_fall: bool

    def key(self) -> tuple[str, str, str]:
        return self.kind, self.lo.locator, self.hi.locator

    def partners(self) -> list[tuple[Sentex, Sentex, bool]]:
        """Each member as a loser: it, its partner, whether it may fall."""
        return [
            (self.lo, self.hi, self.lo_may_fall),
            (self.hi, self.lo, self.hi_may_fall),
        ]


class Clashing:
    """All clashes among the rows that are present."""

    def __init__(self, frame: Frame, present: set[Sentex]) -> None:
        self.frame = frame
        members = [
            row
            for row in present
            if row not in frame.shipped
            and not row.is_structural()
            and not row.is_rule()
        ]
        self.members = sorted(members, key=lambda row: row.locator)

    # Clashes -----------------------------------------------------------------

    def all(self) -> Iterator[Clash]:
        for lo, hi in combinations(self.members, 2):
            if self._rebuts(lo, hi):
                yield self._seen("rebuttal", lo, hi, self.frame.contexts)
            if self._differs(lo, hi):
                viewers = self._sees_functional(functor(lo.sentence))
                yield self._seen("functional", lo, hi, viewers)
            if self._excludes(lo, hi):
                viewers = self._sees_disjoint(lo.word(), hi.word())
                yield self._seen("disjoint", lo, hi, viewers)

    def _seen(self, kind: str, lo: Sentex, hi: Sentex, viewers: Iterable[str]) -> Clash:
        seeing = [
            one
            for one in viewers
            if self.frame.shows(lo, one) and self.frame.shows(hi, one)
        ]
        lo_falls, hi_falls = (
            any(self._may_fall(loser, (lo, hi), one) for one in seeing)
            for loser in (lo, hi)
        )
        return Clash(kind, lo, hi, bool(seeing), lo_falls, hi_falls)

    def _rebuts(self, lo: Sentex, hi: Sentex) -> bool:
        opposite = negation(lo.sentence)
        if is_negative(opposite) != is_negative(hi.sentence):
            return False
        return bool(same_spellings(atom(opposite), atom(hi.sentence), self._swaps(lo)))

    def _swaps(self, row: Sentex) -> bool:
        binary = len(atom(row.sentence)) == 3
        return binary and functor(row.sentence) in self.frame.symmetric

    def _differs(self, lo: Sentex, hi: Sentex) -> bool:
        """One functional would give one thing two values."""
        if not lo.word() or lo.word() != hi.word():
            return False
        if len(atom(lo.sentence)) != 3 or len(atom(hi.sentence)) != 3:
            return False
        swaps = self._swaps(lo)
        declared = {row.arguments()[0] for row in self._said("functional")}
        return lo.word() in declared and any(
            encoded(one[1]) == encoded(other[1])
            and encoded(one[2]) != encoded(other[2])
            for one in spellings(atom(lo.sentence), swaps)
            for other in spellings(atom(hi.sentence), swaps)
        )

    def _sees_functional(self, word: str) -> list[str]:
        declared = [
            row for row in self._said("functional") if row.arguments() == (word,)
        ]
        return [
            context
            for context in self.frame.contexts
            if any(self.frame.shows(row, context) for row in declared)
        ]

    def _excludes(self, lo: Sentex, hi: Sentex) -> bool:
        if not lo.word() or not hi.word() or lo.word() == hi.word():
            return False
        given, other = atom(lo.sentence), atom(hi.sentence)
        if len(given) != 2 or len(other) != 2 or encoded(given[1]) != encoded(other[1]):
            return False
        below = self.frame.is_below
        return any(
            below(t, row.arguments()[0]) and below(u, row.arguments()[1])
            for row in self._said("disjoint")
            for t, u in both_ways(lo.word(), hi.word())
        )

    def _sees_disjoint(self, t: str, u: str) -> list[str]:
        climbs = self.frame.climbs
        return [
            context
            for context in self.frame.contexts
            if any(
                self.frame.shows(row, context)
                and climbs(one, row.arguments()[0], context)
                and climbs(other, row.arguments()[1], context)
                for row in self._said("disjoint")
                for one, other in both_ways(t, u)
            )
        ]

    def _said(self, word: str) -> list[Sentex]:
        return [row for row in self.frame.in_force if row.word() == word]

    # Consent -----------------------------------------------------------------

    def _may_fall(
        self, loser: Sentex, members: tuple[Sentex, Sentex], vantage: str
    ) -> bool:
        return (
            all(self._consents(vantage, row.context) for row in members)
            and (vantage == loser.context or not self.frame.is_owned(vantage))
            and (vantage not in self.frame.world.local or self.frame.is_local(loser))
        )

    def _consents(self, vantage: str, context: str) -> bool:
        if vantage == context:
            return True
        frame = self.frame
        owner = frame.owner(context)
        return any(
            (one.agent == owner and frame.permits(one))
            or (
                frame.world.standing_of(one.author).moderator
                and (vantage in frame.meetings or owner is None)
            )
            for row in frame.in_force
            if row.word() == EDGE and row.arguments() == (vantage, context)
            for one in frame.asserted.get(row, [])
        )


def spellings(literal: tuple[Term, ...], swaps: bool) -> list[tuple[Term, ...]]:  # noqa: FBT001 - says how
    mirror = (literal[0], *literal[:0:-1])
    return [literal, mirror] if swaps else [literal]


def same_spellings(one: tuple[Term, ...], other: tuple[Term, ...], swaps: bool) -> bool:  # noqa: FBT001 - says how
    return encoded(other) in map(encoded, spellings(one, swaps))


def both_ways(t: str, u: str) -> list[tuple[str, str]]:
    return [(t, u), (u, t)]
