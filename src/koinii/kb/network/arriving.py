"""What is new, taken in: rules drawn, pairs recorded, replies woken.

New rows are taken in by their ids, so that what is concluded comes after what it
was concluded from, until nothing new comes of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.kb.network.reshaping import IMPLIES, WORDS
from koinii.kb.rows import key_of
from koinii.kb.rules.joining import literal_of
from koinii.store.sentexes import BELIEVED, KNOWN, LOCAL, SHIPPED, WAITING

if TYPE_CHECKING:
    from koinii.kb.network.agenda import Agenda
    from koinii.kb.network.drawing import Drawer
    from koinii.kb.network.parts import Parts
    from koinii.kb.network.withdrawing import Withdrawer
    from koinii.store.network import Fact
    from koinii.store.sentexes import Row

BLOCK = 2_000
_FUNCTOR_AT = (5, 19)  # where it begins in the encoding, by whether there is a not


class Arrivals:
    """Takes in what an operation has brought, and what that leads to."""

    def __init__(
        self, parts: Parts, agenda: Agenda, drawer: Drawer, withdrawer: Withdrawer
    ) -> None:
        self._parts = parts
        self._agenda = agenda
        self._drawer = drawer
        self._withdrawer = withdrawer
        self._nodes = drawer.nodes
        self._quiet: dict[tuple[int, int], bytes] = {}  # nothing follows from these
        self._traits: dict[tuple[bool, bytes], tuple[bool, bool]] = {}

    def take_in_all(self) -> None:
        """Run the rules over what is new until nothing new comes of it."""
        sentexes = self._parts.sentexes
        while True:
            end = sentexes.next_id()
            rows = (
                self._nodes.after(self._agenda.done, BLOCK)
                if self._agenda.done + 1 < end
                else []
            )
            for row in rows:
                if self._bears(row) and (not row[2] & WAITING or self._wakes(row[0])):
                    self._take_in(self._as_now(row[:5]), row[0])
                self._agenda.done = row[0]
            if not rows:
                self._agenda.done = end - 1
            self._wake()
            self._drawer.flush()
            if not self._agenda.woken and self._agenda.done + 1 == sentexes.next_id():
                return

    def _bears(self, row: Row) -> bool:
        """Tell whether anything may follow from the presence of a new row."""
        if row[2] & WAITING or self._parts.structure.any_targets:
            return True
        functor = self._quiet.get((row[5], row[6]))
        return functor is None or not row[4].startswith(functor, _FUNCTOR_AT[row[6]])

    def _as_now(self, fact: Fact) -> Fact:
        label = self._nodes.label_now(fact[0], fact[2])
        return (fact[0], fact[1], label, fact[3], fact[4])

    def _wake(self) -> None:
        """Take in what was waiting and has no more to wait for."""
        while self._agenda.woken:
            sentex = self._agenda.woken.pop()
            row = self._nodes.row(sentex)
            if row is None or not self._nodes.label(sentex) & WAITING:
                continue
            if self._wakes(sentex):
                self._take_in(self._as_now(row), self._agenda.done)

    def _wakes(self, sentex: int) -> bool:
        """Let a waiting sentex be present if all that it names is."""
        if not self._withdrawer.may_stand(sentex):
            return False
        self._nodes.set_label(sentex, self._nodes.label(sentex) & ~WAITING)
        self._nodes.flush()  # joins and look-ups leave out what waits
        self._drawer.rising.append(sentex)
        return True

    def _take_in(self, fact: Fact, until: int) -> None:
        """Draw, pair and wake what the presence of a sentex makes possible."""
        negative, functor, _ = literal_of(fact[4])
        if functor == IMPLIES:
            self._take_in_rule(fact)
        else:
            triggers, clashes_ = self._traits_of(functor, negative=negative)
            if triggers:
                self._parts.joiner.from_fact(fact, until, self._drawer.take)
            if clashes_ and not fact[2] & SHIPPED:
                self._pair(fact)
            if not triggers and not clashes_:
                self._quiet[key_of(functor), int(negative)] = functor
        if self._parts.structure.any_targets:
            self._rouse(fact[3])

    def _rouse(self, digest: bytes) -> None:
        for sentex, _, label in self._parts.structure.rows.naming(digest):
            if label & WAITING and sentex <= self._agenda.done:
                self._agenda.woken.append(sentex)

    def _take_in_rule(self, fact: Fact) -> None:
        network = self._parts.network
        if fact[2] & SHIPPED:
            strict, forward, bits = True, True, BELIEVED | KNOWN | SHIPPED
        else:
            strict, forward, monotonic = self._parts.assertions.rule_standing(fact[0])
            bits = BELIEVED | KNOWN if monotonic else BELIEVED
        self._nodes.set_label(fact[0], (fact[2] & LOCAL) | bits)
        network.put_rule(fact[0], strict=strict, forward=forward)
        network.put_triggers(self._parts.joiner.rule(fact[0]).triggers())
        self._parts.joiner.forget()
        self.forget()
        self._drawer.flush()  # its literals may match what is drawn and not stored
        if forward:
            self._parts.joiner.from_rule(fact[0], fact[0], self._drawer.take)

    def _traits_of(self, functor: bytes, *, negative: bool) -> tuple[bool, bool]:
        """Return whether sentences of a functor may set off a rule, or clash."""
        known = self._traits.get((negative, functor))
        if known is None:
            triggers = self._parts.joiner.is_trigger(functor, negative=negative)
            may = functor not in WORDS and self._may_clash(functor, negative=negative)
            known = triggers, may
            if len(self._traits) < BLOCK:
                self._traits[negative, functor] = known
        return known

    def forget(self) -> None:
        """Ask again what may follow from which predicate."""
        self._traits.clear()
        self._quiet.clear()

    def _may_clash(self, functor: bytes, *, negative: bool) -> bool:
        structure = self._parts.structure
        return (
            negative
            or functor in structure.functional
            or bool(self._parts.rivals.disjoint_from(functor))
            or self._parts.clashes.has_denials(key_of(functor))
        )

    def _pair(self, fact: Fact) -> None:
        pairs = self._parts.rivals.pairs(fact)
        self._parts.clashes.put(pairs)
        for pair in pairs:
            self._agenda.affected.update(pair[:2])
