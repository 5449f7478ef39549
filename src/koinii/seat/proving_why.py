"""Why a claim is believed, from the firings of this base to a document.

Of the reasons that a base keeps for each conclusion, one is taken that leads to
premises and vocabulary without a circle: the one found in the fewest rounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import NotFoundError, RefusedError
from koinii.history import explaining
from koinii.history.document import MAX_ITEMS
from koinii.history.explaining import Fact, Step
from koinii.seat.grounds import Gathering, as_sentence
from koinii.seat.readings import read_firing
from koinii.terms.folds import functor
from koinii.terms.printer import write
from koinii.terms.term import same

if TYPE_CHECKING:
    from koinii.history.proving import Commitment, Document
    from koinii.kb.base import Sentex
    from koinii.kb.supporting import Support
    from koinii.merkle import Levels
    from koinii.seat.parts import Parts
    from koinii.seat.readings import Read


def prove_why(
    seat: Parts, claim: Sentex, tree: Levels, commitment: Commitment
) -> Document:
    """Return the proof of why a claim is believed.

    Raises:
        NotFoundError: `koinii/not-believed`.
        RefusedError: `koinii/proof-too-large`.
    """
    if not seat.kb.is_believed(claim):
        raise NotFoundError(
            f"{claim.locator} is not believed",
            code="koinii/not-believed",
            locator=claim.locator,
        )
    gathering = Gathering(seat, commitment.record.vocabulary)
    reasons = _Reasons(seat, gathering, claim)
    steps = [
        _step(gathering, conclusion, support)
        for conclusion, support in reasons.chosen()
    ]
    return explaining.why(
        as_sentence(claim), steps, gathering.grounds(claim), tree, commitment
    )


class _Reasons:
    """What the base keeps of how a claim came about, back to its grounds."""

    def __init__(self, seat: Parts, gathering: Gathering, claim: Sentex) -> None:
        self._kb = seat.kb
        self._gathering = gathering
        self._claim = claim
        self._supports: dict[int, list[Support]] = {}
        self._sentexes: dict[int, Sentex] = {claim.id: claim}

    def chosen(self) -> list[tuple[Sentex, Support]]:
        """Return one reason for each conclusion needed, what it needs before it.

        Nothing for a claim that only its author's assertion supports.
        """
        self._look_back()
        grounded: dict[int, Support | None] = {
            number: None for number, found in self._supports.items() if not found
        }
        ready = set(grounded) - {self._claim.id}
        while self._claim.id not in ready:
            more = self._one_round(ready)
            if not more:
                return []
            grounded.update(more)
            ready |= more.keys()
        return self._needed(grounded)

    def _look_back(self) -> None:
        """Read the reasons of the claim and of all that they may stand on."""
        waiting = [self._claim]
        for sentex in waiting:
            if len(self._supports) > MAX_ITEMS:
                raise RefusedError(
                    f"{self._claim.locator} stands on more than a proof holds",
                    code="koinii/proof-too-large",
                    hint="prove what it stands on first, claim by claim",
                )
            found = [] if self._is_ground(sentex) else self._believed(sentex)
            self._supports[sentex.id] = found
            for fact in (fact for one in found for fact in one.facts):
                if fact.id not in self._sentexes:
                    self._sentexes[fact.id] = fact
                    waiting.append(fact)

    def _is_ground(self, sentex: Sentex) -> bool:
        """Tell whether a sentex stands by itself: a premise, or shipped."""
        if sentex.id == self._claim.id:
            return False
        shipped = self._gathering.is_shipped(sentex)
        return shipped or bool(self._kb.asserted_by(sentex.id))

    def _believed(self, sentex: Sentex) -> list[Support]:
        """Return the reasons whose facts are believed."""
        return [
            one
            for one in self._kb.supports(sentex.id)
            if all(map(self._kb.is_believed, one.facts))
        ]

    def _one_round(self, ready: set[int]) -> dict[int, Support]:
        """Return a reason for each conclusion whose facts are all ready."""
        found: dict[int, Support] = {}
        for number, reasons in self._supports.items():
            for one in reasons:
                if number not in ready and all(fact.id in ready for fact in one.facts):
                    found.setdefault(number, one)
        return found

    def _needed(
        self, grounded: dict[int, Support | None]
    ) -> list[tuple[Sentex, Support]]:
        needed, waiting = {self._claim.id}, [self._claim.id]
        for number in waiting:
            support = grounded[number]
            for fact in support.facts if support else ():
                if fact.id not in needed:
                    needed.add(fact.id)
                    waiting.append(fact.id)
        return [
            (self._sentexes[number], support)
            for number, support in grounded.items()
            if number in needed and support is not None
        ]


def _step(gathering: Gathering, conclusion: Sentex, support: Support) -> Step:
    """Return a firing as a step, standing on all that it needs."""
    read = read_firing(
        support.rule.sentence,
        [one.sentence for one in support.facts],
        conclusion.sentence,
        lambda *functors: any(map(gathering.symmetric, functors)),
    )
    assert read is not None  # noqa: S101 - the base drew it from these
    viewer = conclusion.context
    facts = [
        _fact(gathering, read, at, fact, viewer)
        for at, fact in enumerate(support.facts)
    ]
    standing = {support.rule.context, *(one.context for one in support.facts)}
    for one in facts:
        standing |= {gathering.context_of(locator) for locator in one.climbs}
    return Step(
        gathering.take(conclusion),
        gathering.take(support.rule),
        {name: write(value) for name, value in sorted(read.values.items())},
        facts,
        {one: gathering.path(viewer, one) for one in sorted(standing - {viewer})},
    )


def _fact(gathering: Gathering, read: Read, at: int, fact: Sentex, viewer: str) -> Fact:
    """Return how one fact is read, standing on the declarations that allow it."""
    low, high = functor(fact.sentence), read.functors[at]
    climbs = [] if same(low, high) else gathering.climb(low, high, viewer)
    mirror = ""
    if read.turned[at]:
        declared = gathering.symmetric(low) or gathering.symmetric(high)
        assert declared is not None  # noqa: S101 - it was turned by one
        mirror = gathering.take(declared)
    return Fact(gathering.take(fact), climbs, mirror)
