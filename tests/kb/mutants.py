"""Faults that make belief depend on the order of arrival, one way each.

Each entry plants its fault in the engine and names a scenario of
`permuted_scenarios.py` that shows it. `test_mutants.py` checks that it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from koinii.kb import writing
from koinii.kb.contexts.structure import CHANNEL, EXCEPT
from koinii.kb.network.arriving import Arrivals
from koinii.kb.network.labelling import Labels
from koinii.kb.network.reshaping import Reshaper
from koinii.kb.rules.joining import MIRROR, Joiner
from koinii.store.sentexes import BELIEVED

Plant = Callable[[pytest.MonkeyPatch], None]


class Mutant(NamedTuple):
    """A planted fault, and the scenario that shows it."""

    plant: Plant
    shown_by: str


def _nothing(*_: object, **__: object) -> Iterator[Any]:
    """Emit and yield no firing."""
    return iter(())


def only_what_is_believed_joins(patch: pytest.MonkeyPatch) -> None:
    sound = Joiner._candidates

    def faulty(self: Joiner, *given: Any) -> list[Any]:
        return [one for one in sound(self, *given) if one[0][2] & BELIEVED]

    patch.setattr(Joiner, "_candidates", faulty)


def a_rule_runs_on_later_facts_only(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Joiner, "from_rule", _nothing)


def a_symmetry_reads_later_facts_only(patch: pytest.MonkeyPatch) -> None:
    sound = Joiner.newly_read

    def faulty(self: Joiner, fact: Any, need: Any, *given: Any) -> None:
        if need[0] != MIRROR:
            sound(self, fact, need, *given)

    patch.setattr(Joiner, "newly_read", faulty)


def a_kind_reads_later_facts_only(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Joiner, "newly_read", _nothing)


def an_edge_places_nothing_anew(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Reshaper, "footings", lambda *_: set())


def an_edge_shows_no_clash_anew(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Reshaper, "sights", lambda *_: set())


def a_late_channel_changes_no_place(patch: pytest.MonkeyPatch) -> None:
    sound = Reshaper.reshape

    def faulty(self: Reshaper, sentexes: Any) -> Any:
        rows = list(filter(None, map(self._nodes.row, sentexes)))
        moves = sound(self, sentexes)
        if all(CHANNEL in row.body for row in rows):
            moves.contexts.clear()
        return moves

    patch.setattr(Reshaper, "reshape", faulty)


def masks_do_not_lift(patch: pytest.MonkeyPatch) -> None:
    sound = Reshaper._moves_force

    def faulty(self: Reshaper, row: Any, word: bytes) -> bool:
        moved = sound(self, row, word)
        return moved and (word != EXCEPT or bool(self._nodes.label(row.id) & BELIEVED))

    patch.setattr(Reshaper, "_moves_force", faulty)


def masks_reach_later_firings_only(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Reshaper, "refooted", _nothing)


def only_premises_are_paired(patch: pytest.MonkeyPatch) -> None:
    sound = Arrivals._pair

    def faulty(self: Arrivals, fact: Any) -> None:
        if self._parts.assertions.standing(fact[0])[0]:
            sound(self, fact)

    patch.setattr(Arrivals, "_pair", faulty)


def what_waits_is_not_woken(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Arrivals, "_rouse", lambda *_: None)


def the_first_strength_stays(patch: pytest.MonkeyPatch) -> None:
    sound = writing._merged

    def faulty(earlier: Any, later: Any) -> Any:
        return sound(earlier, later)._replace(strength=earlier.strength)

    patch.setattr(writing, "_merged", faulty)


def a_channel_decides_no_edge_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Reshaper, "_depending", lambda *_: [])


def standing_decides_at_the_door(patch: pytest.MonkeyPatch) -> None:
    """What is in force once stays so while anybody says it."""
    sound = Reshaper._is_permitted

    def faulty(self: Reshaper, sentex: int, edge: tuple[str, str]) -> bool:
        was = bool(self._nodes.label(sentex) & BELIEVED)
        return was or sound(self, sentex, edge)

    patch.setattr(Reshaper, "_is_permitted", faulty)


def consent_outlives_the_channel(patch: pytest.MonkeyPatch) -> None:
    """Who may fall is decided when the edge comes, and kept."""
    sound = Reshaper.sights

    def faulty(self: Reshaper, moves: Any) -> set[int]:
        return sound(self, moves) if moves.lattice else set()

    patch.setattr(Reshaper, "sights", faulty)


def what_falls_is_not_taken_back(patch: pytest.MonkeyPatch) -> None:
    def faulty(self: Labels, seeds: Any, bit: int) -> None:
        self._over_delete(seeds, bit)

    patch.setattr(Labels, "lower_from", faulty)


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        only_what_is_believed_joins,
        "facts join that are out, and are believed when they return",
    ),
    Mutant(
        a_rule_runs_on_later_facts_only,
        "a known denial takes a conclusion out, and what rests on it",
    ),
    Mutant(
        a_symmetry_reads_later_facts_only,
        "a symmetric fact joins and clashes both ways round",
    ),
    Mutant(a_kind_reads_later_facts_only, "a kind counts where it is seen, unmasked"),
    Mutant(
        an_edge_places_nothing_anew,
        "a conclusion stands in every most general view of its grounds",
    ),
    Mutant(
        an_edge_shows_no_clash_anew,
        "two defaults disagree in a common view, until one is known",
    ),
    Mutant(
        a_late_channel_changes_no_place,
        "of contexts that see each other, the channel before the least name",
    ),
    Mutant(masks_do_not_lift, "a mask that is withdrawn gives the conclusion back"),
    Mutant(
        masks_reach_later_firings_only,
        "a masked fact draws nothing where the mask is seen",
    ),
    Mutant(
        only_premises_are_paired,
        "a known denial takes a conclusion out, and what rests on it",
    ),
    Mutant(
        what_waits_is_not_woken,
        "a reply waits for its target, and a reply for that reply",
    ),
    Mutant(
        the_first_strength_stays,
        "one author's stronger word and another's weaker one",
    ),
    Mutant(
        a_channel_decides_no_edge_again,
        "what a member says of a channel has effect while it is declared",
    ),
    Mutant(
        standing_decides_at_the_door,
        "a channel that is withdrawn takes what members joined along",
    ),
    Mutant(
        consent_outlives_the_channel,
        "and has, once the channel is declared",
    ),
    Mutant(what_falls_is_not_taken_back, "a place that is no longer most general goes"),
)
