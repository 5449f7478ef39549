"""What follows where the statements in force have moved.

Firings are placed anew, pairs are looked at anew, facts are read in ways that
are new, and replies begin to wait or wait no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.kb.network import clashes
from koinii.kb.network.replies import targets_of
from koinii.kb.rows import key_of
from koinii.kb.rules import placing
from koinii.kb.rules.joining import literal_of
from koinii.store.sentexes import LOCAL, SHIPPED, WAITING

if TYPE_CHECKING:
    from koinii.kb.network.agenda import Agenda
    from koinii.kb.network.drawing import Drawer
    from koinii.kb.network.labelling import Labels
    from koinii.kb.network.parts import Parts
    from koinii.kb.network.reshaping import Moves, Reshaper
    from koinii.kb.network.withdrawing import Withdrawer
    from koinii.kb.rules.joining import Draft
    from koinii.store.network import Fact, Firing
    from koinii.store.sentexes import Node

_NO_CLASH = SHIPPED | WAITING


class Carrier:
    """Carries moves of what is in force to what depends on them."""

    def __init__(
        self,
        parts: Parts,
        agenda: Agenda,
        drawer: Drawer,
        reshaper: Reshaper,
        withdrawer: Withdrawer,
        *,
        labels: Labels,
    ) -> None:
        self._parts = parts
        self._agenda = agenda
        self._drawer = drawer
        self._reshaper = reshaper
        self._withdrawer = withdrawer
        self._nodes = drawer.nodes
        self._labels = labels

    def carry(self, moves: Moves) -> None:
        """Place anew, look anew and read anew what depends on what moved."""
        for firing, footing in list(self._reshaper.refooted(moves)):
            number, places = self._parts.placer.stored(footing)
            self._parts.network.set_footing(firing.id, number)
            self._agenda.left.add(firing.footing)
            self._move(firing._replace(footing=number), places)
        for number in sorted(self._reshaper.footings(moves)):
            self._replace(number)
        for pair, sight in list(self._reshaper.resighted(moves)):
            self._parts.clashes.drop([pair])
            self._parts.clashes.put([(*pair[:3], self._parts.rivals.stored(sight))])
            self._withdrawer.drop_unused_sight(pair[3])
            self._agenda.affected.update(pair[:2])
        for number in sorted(self._reshaper.sights(moves)):
            self._look(number)
        self._read_anew(moves)
        for functor in moves.functors:
            for fact in self._facts(functor):
                self._reconcile(fact)
        for functor in moves.followed:
            self._refollow(functor)

    def _replace(self, number: int) -> None:
        """Place a footing anew, and its firings with it."""
        network = self._parts.network
        _, key, before = network.footing_row(number)
        footing = placing.read_key(key)
        if not self._parts.placer.holds(footing):
            self._agenda.dead.update(
                one.id for one in network.firings_of_footing(number)
            )
            return
        places = self._parts.placer.places(footing)
        if places == before:
            return
        network.place(number, places)
        for firing in network.firings_of_footing(number):
            self._move(firing, places)

    def _move(self, firing: Firing, places: list[int]) -> None:
        """Conclude a firing at new places; note the conclusions that it loses."""
        self._nodes.read(firing.conclusions)
        placed: dict[int, int] = {}
        for conclusion in firing.conclusions:
            row = self._nodes.row(conclusion)
            assert row is not None  # noqa: S101 - a firing names what is stored
            placed[row.context] = conclusion
        gone = {one for place, one in placed.items() if place not in places}
        rule = self._parts.network.footing_row(firing.footing)[0]
        flags = self._parts.network.rule(rule)
        confers = self._labels.confers(
            firing.facts, strict=flags is not None and flags[0]
        )
        self._drawer.place_more(
            firing, [place for place in places if place not in placed], confers
        )
        if gone:
            self._agenda.lost[firing.id] = gone

    def _look(self, number: int) -> None:
        """Ask anew who sees the pairs of a sight, and which may fall."""
        rows = self._parts.clashes
        if not rows.has_sight(number):
            return
        key, before = rows.sight_row(number)
        sight = clashes.read_key(key)
        state = self._parts.rivals.state(sight)
        if state != before:
            rows.set_state(number, state)
            for pair in rows.pairs_at(number):
                self._agenda.affected.update(pair[:2])

    def _read_anew(self, moves: Moves) -> None:
        """Draw what facts make possible that may now be read in further ways."""
        seen: set[tuple[object, ...]] = set()

        def take(draft: Draft) -> None:
            facts = tuple(one[0] for one in draft.facts)
            mark = draft.rule.id, facts, draft.needs, draft.body
            if mark not in seen:
                seen.add(mark)
                self._drawer.take(draft)

        for need in sorted(moves.read_anew):
            for fact in self._facts(need[1]):
                self._parts.joiner.newly_read(fact, need, self._agenda.done, take)

    def _facts(self, functor: bytes) -> list[Fact]:
        """Return the facts of a functor, of either sign, that are joined already."""
        network = self._parts.network
        return [
            fact
            for negative in (False, True)
            for fact in network.facts(
                [key_of(functor)], negative=negative, until=self._agenda.done
            )
            if literal_of(fact[4])[1] == functor
        ]

    def _reconcile(self, fact: Fact) -> None:
        """Record the pairs of a fact as they are now."""
        if self._nodes.label(fact[0]) & _NO_CLASH:
            return
        found = set(self._parts.rivals.pairs(fact))
        stored = set(self._parts.clashes.of(fact[0]))
        self._parts.clashes.drop(list(stored - found))
        self._parts.clashes.put(list(found - stored))
        for pair in found ^ stored:
            self._agenda.affected.update(pair[:2])
            self._withdrawer.drop_unused_sight(pair[3])

    def _refollow(self, functor: bytes) -> None:
        """Let sentences wait, or wait no more, whose predicate's mark moved."""
        sentexes = self._parts.sentexes
        for sentex in sentexes.of_functor(key_of(functor), sentexes.next_id()):
            row = self._nodes.row(sentex)
            if row is None or literal_of(row.body)[:2] != (False, functor):
                continue
            if sentex > self._agenda.done:
                self._await(row, functor)
            elif row.label & WAITING:
                self._agenda.woken.append(sentex)
            else:
                self._agenda.falling.add(sentex)
                self._agenda.weakened.add(sentex)
        self._nodes.flush()

    def _await(self, row: Node, functor: bytes) -> None:
        """Let a new sentence wait that came before its predicate's mark."""
        if functor not in self._parts.structure.following or row.label & SHIPPED:
            return
        if targets_of(row.body):
            self._nodes.set_label(row.id, row.label & LOCAL | WAITING)
