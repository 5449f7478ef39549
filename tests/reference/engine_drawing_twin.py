"""What is present, which rules fire on it, and where the conclusions stand.

Decision 6, "Present", "Firings" and "Places": one least fixpoint, iterated from
nothing, every context tried for every firing.
"""

from collections.abc import Iterator
from typing import NamedTuple

from koinii.terms.printer import write
from koinii.terms.term import Term
from reference.encoding_twin import Content
from reference.engine_frame_twin import Frame, Sentex
from reference.matching_twin import (
    Binding,
    Need,
    atom,
    binding_literals,
    depth,
    filled,
    filters,
    fitted,
    holds,
    parts,
    readings,
)

Joined = tuple[tuple[Sentex, ...], frozenset[Need], Binding]


class Firing(NamedTuple):
    rule: Sentex
    facts: tuple[Sentex, ...]
    needs: frozenset[Need]
    conclusion: Content

    def ingredients(self) -> tuple[Sentex, ...]:
        return self.rule, *self.facts


class Drawing:
    """The rows of a base, and the firings on those that do not wait."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.placed: dict[Firing, set[str]] = {}
        self.stored: set[Sentex] = set()
        self.present: set[Sentex] = set()
        self._settle()

    # Present -----------------------------------------------------------------

    def _settle(self) -> None:
        """The least set of rows that are stated or concluded and do not wait."""
        while True:
            drawn = set(self._firings())
            self.placed = {one: self._places(one) for one in drawn}
            self.stored = self.frame.stated | self._conclusions()
            here = {row for row in self.stored if not self._waits(row)}
            if here == self.present:
                return
            self.present = here

    def _conclusions(self) -> set[Sentex]:
        return {row for firing in self.placed for row in self.concluded(firing)}

    def concluded(self, firing: Firing) -> set[Sentex]:
        return {
            Sentex(context, firing.conclusion.term) for context in self.placed[firing]
        }

    def _waits(self, row: Sentex) -> bool:
        if row in self.frame.shipped or not self.frame.follows(row):
            return False
        targets = {
            one.locator
            for one in self.present
            if self.frame.is_local(row) or not self.frame.is_local(one)
        }
        return not row.named() <= targets

    # Firings -----------------------------------------------------------------

    def _firings(self) -> Iterator[Firing]:
        facts = [row for row in self.present if not row.is_rule()]
        for rule in self.present:
            if rule.is_rule() and self._runs(rule):
                for chosen, needs, binding in self._joined(rule.sentence, facts):
                    conclusion = filled(parts(rule.sentence)[2], binding)
                    if is_small(conclusion):
                        yield Firing(rule, chosen, needs, Content(conclusion))

    def _runs(self, rule: Sentex) -> bool:
        saying = self.frame.asserted.get(rule, [])
        return rule in self.frame.shipped or any(
            "inert" not in one.wrappers for one in saying
        )

    def _joined(self, rule: Term, facts: list[Sentex]) -> list[Joined]:
        """Every tuple of facts that one substitution makes equal to the literals."""
        empty: Binding = {}
        joined: list[Joined] = [((), frozenset(), empty)]
        for literal in binding_literals(rule):
            joined = [
                ((*chosen, fact), needs | more, wider)
                for fact in facts
                for read, more in self._readings(literal, fact)
                for chosen, needs, binding in joined
                if (wider := fitted(atom(literal), read, binding)) is not None
            ]
        return [one for one in joined if all(holds(f, one[2]) for f in filters(rule))]

    def _readings(
        self, literal: Term, fact: Sentex
    ) -> Iterator[tuple[tuple[Term, ...], frozenset[Need]]]:
        frame = self.frame
        return readings(literal, fact.sentence, frame.is_below, frame.symmetric)

    # Places ------------------------------------------------------------------

    def _places(self, firing: Firing) -> set[str]:
        candidates = [
            one for one in self.frame.contexts if self._is_candidate(firing, one)
        ]
        up = self.frame.up
        general = [
            one
            for one in candidates
            if all(one in up(other) for other in candidates if other in up(one))
        ]
        preferred = sorted(general, key=lambda one: self._preference(firing, one))
        return {
            next(other for other in preferred if other in up(one)) for one in general
        }

    def _is_candidate(self, firing: Firing, context: str) -> bool:
        frame, ingredients = self.frame, firing.ingredients()
        stands = context in {row.context for row in ingredients}
        local = any(frame.is_local(row) for row in ingredients)
        return (
            all(frame.shows(row, context) for row in ingredients)
            and all(
                frame.climbs(p, q, context)
                for kind, p, q in firing.needs
                if kind == "genl"
            )
            and (stands or not frame.is_own(context))
            and (context in frame.world.local or not local)
        )

    def _preference(self, firing: Firing, context: str) -> tuple[bool, bool, str]:
        stands = context in {row.context for row in firing.ingredients()}
        return not stands, context not in self.frame.channels, context


def is_small(conclusion: Term) -> bool:
    return depth(conclusion) <= 64 and len(write(conclusion).encode()) <= 64 * 1024
