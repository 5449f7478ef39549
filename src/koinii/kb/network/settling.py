"""One operation over the base: from what was said to what is believed.

The writer notes what it touched; `settle` brings everything that follows from
assertions up to date, in the straight line of decision 6: what is in force,
then what is present (rules drawn, then what nothing holds taken out), then K,
DEF and IN. The cost follows what was touched and what rests on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.kb.contexts.structure import EXCEPT
from koinii.kb.network.agenda import Agenda
from koinii.kb.network.arriving import Arrivals
from koinii.kb.network.carrying import Carrier
from koinii.kb.network.drawing import Drawer
from koinii.kb.network.labelling import Labels
from koinii.kb.network.nodes import Nodes
from koinii.kb.network.reshaping import IMPLIES, WORDS, Reshaper
from koinii.kb.network.withdrawing import Withdrawer
from koinii.kb.rows import key_of
from koinii.kb.rules.joining import literal_of
from koinii.store.sentexes import (
    BELIEVED,
    KNOWN,
    LOCAL,
    WAITING,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from koinii.kb.network.parts import Parts
    from koinii.kb.network.withdrawing import Departed


class Settlement:
    """What one operation has touched so far, and the steps that settle it.

    Rows from `first` on are new: those above all that are stored, if not given.
    """

    def __init__(self, parts: Parts, first: int | None = None) -> None:
        self._parts = parts
        self.nodes = Nodes(parts.sentexes)
        self._labels = Labels(
            self.nodes, parts.network, parts.assertions, parts.clashes, self._is_fixed
        )
        self._drawer = Drawer(parts, self.nodes)
        self._reshaper = Reshaper(parts, self.nodes)
        self._fixed: dict[int, bool] = {}
        self.first = parts.sentexes.next_id() if first is None else first
        if first is not None:
            self.nodes.fresh = None  # they are in the store already
        self._agenda = Agenda(self.first - 1)
        self._withdrawer = Withdrawer(parts, self.nodes, self._agenda)
        self._arrivals = Arrivals(parts, self._agenda, self._drawer, self._withdrawer)
        self._carrier = Carrier(
            parts,
            self._agenda,
            self._drawer,
            self._reshaper,
            self._withdrawer,
            labels=self._labels,
        )
        self._touched: set[int] = set()
        self._shaping: set[int] = set()
        self._owned: set[str] = set()
        self.withdrawn: set[tuple[int, bytes]] = set()  # (author, locator)
        self.cascade: Callable[[list[Departed]], bool] | None = None

    @property
    def is_pending(self) -> bool:
        """Whether anything was noted that is not settled."""
        return bool(
            self._touched
            or self._shaping
            or self._owned
            or self._parts.sentexes.next_id() > self._agenda.done + 1
        )

    def undone(self) -> None:
        """Read rows again; a part of the operation was undone."""
        self.nodes.clear()
        self._agenda.done = min(self._agenda.done, self._parts.sentexes.next_id() - 1)
        self._arrivals.forget()
        self._drawer.forget_places()

    # What the writer notes ------------------------------------------------------------

    def touch(self, sentexes: Iterable[int]) -> None:
        """Note stored sentexes whose assertions came, changed or went."""
        self._touched.update(sentexes)

    def shape(self, sentexes: Iterable[int]) -> None:
        """Note new or touched statements that may shape how others are read."""
        self._shaping.update(sentexes)

    def own(self, contexts: Iterable[str]) -> None:
        """Note contexts that have found an owner."""
        self._owned.update(contexts)

    # The steps ------------------------------------------------------------

    def settle(self) -> None:
        """Bring belief up to date with what was noted."""
        self._reshape()
        self._restand()
        self._arrivals.take_in_all()
        self._raise()
        if self._touched or self._agenda.takes_away:
            self._withdraw()
        if self._touched or self._agenda.moves_labels or self._labels.known_moved:
            self._label()
        self.nodes.flush()
        self._touched.clear()
        self._shaping.clear()

    # In force ------------------------------------------------------------

    def _reshape(self) -> None:
        structure = self._parts.structure
        if self._shaping:
            structure.forget_statements()
        owned, self._owned = self._owned, set()
        if owned:
            structure.forget_owners()
            self._shaping.update(self._masks_in(owned))
            for context in owned:
                self._shaping.update(structure.members_edges(context))
        self._shaping |= self._masks_on_touched()
        if not self._shaping and not owned:
            return
        moves = self._reshaper.reshape(self._shaping)
        if owned:
            self._reshaper.own(moves, owned)
        self._parts.placer.forget()
        self._drawer.forget_places()
        self._parts.rivals.forget()
        self._arrivals.forget()
        self._carrier.carry(moves)

    def _masks_in(self, contexts: set[str]) -> list[int]:
        ids = map(self._parts.names.context_id, contexts)
        return self._parts.structure.rows.in_contexts(
            key_of(EXCEPT), [one for one in ids if one is not None]
        )

    def _masks_on_touched(self) -> set[int]:
        """Return the masks whose standing follows from who asserts their target."""
        if not self._parts.structure.any_masks:
            return set()
        digests = list(self._parts.sentexes.digests(list(self._touched)).values())
        digests += self._parts.sentexes.digests_from(self.first)
        digests += [digest for _, digest in self.withdrawn]
        naming = self._parts.structure.rows.naming
        return {
            mask
            for digest in digests
            for mask, functor, _ in naming(digest)
            if functor == key_of(EXCEPT)
        }

    # Standing ------------------------------------------------------------

    def _restand(self) -> None:
        """Take in what the assertions of touched sentexes say now."""
        for sentex in sorted(self._touched):
            row = self.nodes.row(sentex)
            if row is None:
                continue
            asserted, _ = self._parts.assertions.standing(sentex)
            if asserted and literal_of(row.body)[1] == IMPLIES:
                self._rerule(sentex)
            elif asserted and row.label & WAITING:
                self._agenda.woken.append(sentex)

    def _rerule(self, sentex: int) -> None:
        """Take in how a rule runs now."""
        network = self._parts.network
        strict, forward, monotonic = self._parts.assertions.rule_standing(sentex)
        label = self.nodes.label(sentex) & LOCAL
        bits = BELIEVED | KNOWN if monotonic else BELIEVED
        self.nodes.set_label(sentex, label | bits)
        before = network.rule(sentex)
        network.put_rule(sentex, strict=strict, forward=forward)
        if before is None:
            return  # new here; it is run when its turn comes
        if before[1] != forward:
            self._parts.joiner.forget()
            self._arrivals.forget()
        if before[1] and not forward:
            self._agenda.dead.update(
                one.id for one in self._withdrawer.firings_of(sentex)
            )
        elif forward and not before[1]:
            self._parts.joiner.from_rule(sentex, self._agenda.done, self._drawer.take)
        if before[0] != strict:
            self._drawer.forget_places()
            concluded = list(network.concluded_by(sentex))
            if strict:
                self._drawer.rising.extend(concluded)
            else:
                self._agenda.falling.update(concluded)

    # Raising and taking out ---------------------------------------------------

    def _raise(self) -> None:
        rising, self._drawer.rising = self._drawer.rising, []
        self._labels.raise_from([*rising, *self._touched])

    def _withdraw(self) -> None:
        """Take out what nothing holds, and own replies to what has left."""
        withdrawer, network = self._withdrawer, self._parts.network
        agenda = self._agenda
        withdrawer.unplace(agenda.lost)
        withdrawer.drop_firings(map(network.firing, sorted(agenda.dead)))
        withdrawer.drop_unused(agenda.left)
        agenda.lost, agenda.dead, agenda.left = {}, set(), set()
        withdrawer.settle(self._touched)
        while self.cascade is not None and withdrawer.departed:
            departed, withdrawer.departed = withdrawer.departed, []
            before, self._touched = self._touched, set()
            fell = self.cascade(departed)
            if fell:  # some of them may have been touched before, and waited since
                withdrawer.settle(self._touched)
            self._touched |= before
            if not fell:
                break
        withdrawer.departed = []

    def _label(self) -> None:
        """Bring K, then DEF, then IN up to date."""
        agenda, labels, rows = self._agenda, self._labels, self._parts.clashes
        falling = agenda.take_falling() | self._touched
        labels.lower_from(falling, KNOWN)
        labels.lower_from(falling, BELIEVED)
        moved, labels.known_moved = labels.known_moved, set()
        if moved and rows.any():
            for sentex in moved:
                agenda.affected.add(sentex)
                agenda.affected.update(other for other, _ in rows.rivals(sentex))
        labels.decide(agenda.take_affected())

    def _is_fixed(self, sentex: int) -> bool:
        """Tell whether a sentex takes no part in labelling."""
        known = self._fixed.get(sentex)
        if known is None:
            row = self.nodes.row(sentex)
            if row is None:
                return False
            functor = literal_of(row.body)[1]
            known = self._fixed[sentex] = functor == IMPLIES or functor in WORDS
        return known
