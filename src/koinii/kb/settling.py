"""One operation over the base: from what was said to what is believed.

The writer notes what it touched; `settle` brings everything that follows from
assertions up to date, in the straight line of decision 6: what is in force,
then what is present (rules drawn, then what nothing holds taken out), then K,
DEF and IN. The cost follows what was touched and what rests on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.kb import clashes, placing
from koinii.kb.drawing import Drawer
from koinii.kb.joining import literal_of
from koinii.kb.labelling import Labels
from koinii.kb.nodes import Nodes
from koinii.kb.replies import targets_of
from koinii.kb.reshaping import IMPLIES, WORDS, Reshaper
from koinii.kb.rows import key_of
from koinii.kb.structure import EXCEPT
from koinii.kb.withdrawing import Withdrawer
from koinii.store.sentexes import (
    BELIEVED,
    KNOWN,
    LOCAL,
    SHIPPED,
    WAITING,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from koinii.kb.joining import Draft
    from koinii.kb.parts import Parts
    from koinii.kb.reshaping import Moves
    from koinii.kb.withdrawing import Departed
    from koinii.store.network import Fact, Firing
    from koinii.store.sentexes import Node, Row

BLOCK = 2_000
_FUNCTOR_AT = (5, 19)  # where it begins in the encoding, by whether there is a not
_NO_CLASH = SHIPPED | WAITING


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
        self._drawer = Drawer(parts, self.nodes, self._labels)
        self._reshaper = Reshaper(parts, self.nodes)
        self._withdrawer = Withdrawer(parts, self.nodes)
        self._fixed: dict[int, bool] = {}
        self._quiet: dict[tuple[int, int], bytes] = {}  # nothing follows from these
        self._traits: dict[tuple[bool, bytes], tuple[bool, bool]] = {}
        self.first = parts.sentexes.next_id() if first is None else first
        self._done = self.first - 1  # facts up to here are joined
        if first is not None:
            self.nodes.fresh = None  # they are in the store already
        self._touched: set[int] = set()
        self._shaping: set[int] = set()
        self._owned: set[str] = set()
        self._affected: set[int] = set()  # whose defeat is to be decided
        self._falling: set[int] = set()  # may have lost K or IN
        self._woken: list[int] = []
        self._lost: dict[int, set[int]] = {}  # firing: conclusions it loses
        self._dead: set[int] = set()  # firings that go
        self._left: set[int] = set()  # footings that firings have left
        self.withdrawn: set[tuple[int, bytes]] = set()  # (author, locator)
        self.cascade: Callable[[list[Departed]], bool] | None = None

    @property
    def is_pending(self) -> bool:
        """Whether anything was noted that is not settled."""
        return bool(
            self._touched
            or self._shaping
            or self._owned
            or self._parts.sentexes.next_id() > self._done + 1
        )

    def undone(self) -> None:
        """Read rows again; a part of the operation was undone."""
        self.nodes.clear()
        self._done = min(self._done, self._parts.sentexes.next_id() - 1)
        self._forget_traits()
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
        self._draw()
        self._raise()
        self._withdraw()
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
        self._shaping |= self._masks_on_touched()
        if not self._shaping and not owned:
            return
        moves = self._reshaper.reshape(self._shaping)
        if owned:
            self._reshaper.own(moves, owned)
        self._parts.placer.forget()
        self._drawer.forget_places()
        self._parts.rivals.forget()
        self._forget_traits()
        self._follow(moves)

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

    def _follow(self, moves: Moves) -> None:
        """Place anew, look anew and read anew what depends on what moved."""
        for firing, _, footing in list(self._reshaper.refooted(moves)):
            number, places = self._parts.placer.stored(footing)
            self._parts.network.set_footing(firing.id, number)
            self._left.add(firing.footing)
            self._move(firing._replace(footing=number), places)
        for number in sorted(self._reshaper.footings(moves)):
            self._replace(number)
        for pair, sight in list(self._reshaper.resighted(moves)):
            self._parts.clashes.drop([pair])
            self._parts.clashes.put([(*pair[:3], self._parts.rivals.stored(sight))])
            self._withdrawer.drop_unused_sight(pair[3])
            self._affected.update(pair[:2])
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
            self._dead.update(one.id for one in network.firings_of_footing(number))
            return
        places = self._parts.placer.places(footing)
        if places == before:
            return
        network.place(number, places)
        for firing in network.firings_of_footing(number):
            self._move(firing, places)

    def _move(self, firing: Firing, places: list[int]) -> None:
        """Conclude a firing at new places; note the conclusions that it loses."""
        self.nodes.read(firing.conclusions)
        placed: dict[int, int] = {}
        for conclusion in firing.conclusions:
            row = self.nodes.row(conclusion)
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
            self._lost[firing.id] = gone

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
                self._affected.update(pair[:2])

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
                self._parts.joiner.newly_read(fact, need, self._done, take)

    def _facts(self, functor: bytes) -> list[Fact]:
        """Return the facts of a functor, of either sign, that are joined already."""
        network = self._parts.network
        return [
            fact
            for negative in (False, True)
            for fact in network.facts(
                [key_of(functor)], negative=negative, until=self._done
            )
            if literal_of(fact[4])[1] == functor
        ]

    def _reconcile(self, fact: Fact) -> None:
        """Record the pairs of a fact as they are now."""
        if self.nodes.label(fact[0]) & _NO_CLASH:
            return
        found = set(self._parts.rivals.pairs(fact))
        stored = set(self._parts.clashes.of(fact[0]))
        self._parts.clashes.drop(list(stored - found))
        self._parts.clashes.put(list(found - stored))
        for pair in found ^ stored:
            self._affected.update(pair[:2])
            self._withdrawer.drop_unused_sight(pair[3])

    def _refollow(self, functor: bytes) -> None:
        """Let sentences wait, or wait no more, whose predicate's mark moved."""
        sentexes = self._parts.sentexes
        for sentex in sentexes.of_functor(key_of(functor), sentexes.next_id()):
            row = self.nodes.row(sentex)
            if row is None or literal_of(row.body)[:2] != (False, functor):
                continue
            if sentex > self._done:
                self._await(row, functor)
            elif row.label & WAITING:
                self._woken.append(sentex)
            else:
                self._falling.add(sentex)
                self._withdrawer.weakened.add(sentex)
        self.nodes.flush()

    def _await(self, row: Node, functor: bytes) -> None:
        """Let a new sentence wait that came before its predicate's mark."""
        if functor not in self._parts.structure.following or row.label & SHIPPED:
            return
        if targets_of(row.body):
            self.nodes.set_label(row.id, row.label & LOCAL | WAITING)

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
                self._woken.append(sentex)

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
            self._forget_traits()
        if before[1] and not forward:
            self._dead.update(one.id for one in self._withdrawer.firings_of(sentex))
        elif forward and not before[1]:
            self._parts.joiner.from_rule(sentex, self._done, self._drawer.take)
        if before[0] != strict:
            self._drawer.forget_places()
            concluded = list(network.concluded_by(sentex))
            (self._drawer.rising.extend if strict else self._falling.update)(concluded)

    # Drawing ------------------------------------------------------------

    def _draw(self) -> None:
        """Run the rules over what is new until nothing new comes of it."""
        sentexes = self._parts.sentexes
        while True:
            end = sentexes.next_id()
            rows = self.nodes.after(self._done, BLOCK) if self._done + 1 < end else []
            for row in rows:
                if self._bears(row) and (not row[2] & WAITING or self._wakes(row[0])):
                    self._take_in(self._as_now(row[:5]), row[0])
                self._done = row[0]
            if not rows:
                self._done = end - 1
            self._wake()
            self._drawer.flush()
            if not self._woken and self._done + 1 == sentexes.next_id():
                return

    def _bears(self, row: Row) -> bool:
        """Tell whether anything may follow from the presence of a new row."""
        if row[2] & WAITING or self._parts.structure.any_targets:
            return True
        functor = self._quiet.get((row[5], row[6]))
        return functor is None or not row[4].startswith(functor, _FUNCTOR_AT[row[6]])

    def _as_now(self, fact: Fact) -> Fact:
        label = self.nodes.label_now(fact[0], fact[2])
        return (fact[0], fact[1], label, fact[3], fact[4])

    def _wake(self) -> None:
        """Take in what was waiting and has no more to wait for."""
        while self._woken:
            sentex = self._woken.pop()
            row = self.nodes.row(sentex)
            if row is None or not self.nodes.label(sentex) & WAITING:
                continue
            if self._wakes(sentex):
                self._take_in(self._as_now(row), self._done)

    def _wakes(self, sentex: int) -> bool:
        """Let a waiting sentex be present if all that it names is."""
        if not self._withdrawer.may_stand(sentex):
            return False
        self.nodes.set_label(sentex, self.nodes.label(sentex) & ~WAITING)
        self.nodes.flush()  # joins and look-ups leave out what waits
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
            if label & WAITING and sentex <= self._done:
                self._woken.append(sentex)

    def _take_in_rule(self, fact: Fact) -> None:
        network = self._parts.network
        if fact[2] & SHIPPED:
            strict, forward, bits = True, True, BELIEVED | KNOWN | SHIPPED
        else:
            strict, forward, monotonic = self._parts.assertions.rule_standing(fact[0])
            bits = BELIEVED | KNOWN if monotonic else BELIEVED
        self.nodes.set_label(fact[0], (fact[2] & LOCAL) | bits)
        network.put_rule(fact[0], strict=strict, forward=forward)
        network.put_triggers(self._parts.joiner.rule(fact[0]).triggers())
        self._parts.joiner.forget()
        self._forget_traits()
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

    def _forget_traits(self) -> None:
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
            self._affected.update(pair[:2])

    # Raising and taking out ------------------------------------------------------------

    def _raise(self) -> None:
        rising, self._drawer.rising = self._drawer.rising, []
        self._labels.raise_from([*rising, *self._touched])

    def _withdraw(self) -> None:
        """Take out what nothing holds, and own replies to what has left."""
        withdrawer, network = self._withdrawer, self._parts.network
        withdrawer.unplace(self._lost)
        withdrawer.drop_firings(map(network.firing, sorted(self._dead)))
        withdrawer.drop_unused(self._left)
        self._lost, self._dead, self._left = {}, set(), set()
        withdrawer.settle(self._touched)
        while self.cascade is not None and withdrawer.departed:
            departed, withdrawer.departed = withdrawer.departed, []
            before = set(self._touched)
            if not self.cascade(departed):
                break
            withdrawer.settle(self._touched - before)
        withdrawer.departed = []

    def _label(self) -> None:
        """Bring K, then DEF, then IN up to date."""
        withdrawer = self._withdrawer
        falling = self._falling | withdrawer.weakened | self._touched
        self._affected |= withdrawer.rivals
        self._falling, withdrawer.weakened, withdrawer.rivals = set(), set(), set()
        self._labels.lower_from(falling, KNOWN)
        self._labels.lower_from(falling, BELIEVED)
        moved, self._labels.known_moved = self._labels.known_moved, set()
        if moved and self._parts.clashes.any():
            for sentex in moved:
                for other, _ in self._parts.clashes.rivals(sentex):
                    self._affected.update((sentex, other))
        affected, self._affected = self._affected, set()
        self._labels.decide(affected)

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
