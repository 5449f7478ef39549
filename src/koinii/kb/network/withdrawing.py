"""What leaves the store, or begins to wait: over-delete, then take back.

Presence is a least fixpoint too: a sentex that lost its assertion or a ground
is suspected with all that rests on it; what still stands without the suspected
is kept. What is left goes, with its firings, pairs and rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.network import clashes
from koinii.kb.network.replies import targets_of
from koinii.kb.network.reshaping import IMPLIES
from koinii.kb.rows import argument_rows, stored_form
from koinii.kb.rules import placing
from koinii.kb.rules.joining import literal_of
from koinii.store.network import pack
from koinii.store.sentexes import LOCAL, SHIPPED, WAITING
from koinii.terms.locator import leaf

if TYPE_CHECKING:
    from collections.abc import Iterable

    from koinii.kb.network.agenda import Agenda
    from koinii.kb.network.nodes import Nodes
    from koinii.kb.network.parts import Parts
    from koinii.store.clashes import Pair
    from koinii.store.network import Firing
    from koinii.store.sentexes import Node


class Departed(NamedTuple):
    """A sentex that left the store."""

    digest: bytes
    is_local: bool


class Withdrawer:
    """Takes out of the store what nothing holds there any more."""

    def __init__(self, parts: Parts, nodes: Nodes, agenda: Agenda) -> None:
        self._parts = parts
        self._nodes = nodes
        self._agenda = agenda
        self.departed: list[Departed] = []

    # Firings ------------------------------------------------------------

    def unplace(self, lost: dict[int, set[int]]) -> None:
        """Take conclusions away from firings that keep others."""
        network = self._parts.network
        for number, conclusions in lost.items():
            network.drop_justifications([(one, number) for one in conclusions])
            stored = network.firing(number).conclusions
            kept = [one for one in stored if one not in conclusions]
            network.set_conclusions([(pack(kept), number)])
            self._agenda.weakened |= conclusions

    def drop_firings(self, firings: Iterable[Firing]) -> None:
        """Take firings away whole; their conclusions lose a ground."""
        gone = {firing.id: firing for firing in firings}
        self._parts.network.drop_firings(list(gone.values()))
        for firing in gone.values():
            self._agenda.weakened.update(firing.conclusions)
        self.drop_unused({firing.footing for firing in gone.values()})

    def drop_unused(self, footings: Iterable[int]) -> None:
        """Forget those of these footings that no firing has any more."""
        network = self._parts.network
        for footing in footings:
            if network.is_used(footing) or not network.has_footing(footing):
                continue
            _, key, _ = network.footing_row(footing)
            network.drop_footing(footing, placing.read_key(key).depends_on())
            self._parts.placer.forget()

    def firings_of(self, rule: int) -> list[Firing]:
        """Return all firings of a rule."""
        network = self._parts.network
        return [
            firing
            for footing in network.footings_of(rule)
            for firing in network.firings_of_footing(footing)
        ]

    # Presence ------------------------------------------------------------

    def settle(self, seeds: Iterable[int]) -> None:
        """Take out what is held by nothing, beginning at these; see `departed`."""
        suspects = self._suspect(list(dict.fromkeys([*seeds, *self._agenda.weakened])))
        self._take_back(suspects)
        self._remove(suspects)
        self._agenda.weakened = {
            one for one in self._agenda.weakened if self._nodes.row(one) is not None
        }

    def _suspect(self, waiting: list[int]) -> dict[int, Node]:
        suspects: dict[int, Node] = {}
        while waiting:
            sentex = waiting.pop()
            row = self._nodes.row(sentex)
            if row is None or sentex in suspects:
                continue
            if self._is_held(row) and self._targets_stand(row, suspects):
                continue
            suspects[sentex] = row
            waiting.extend(self._rests_on(row))
        return suspects

    def _is_held(self, row: Node) -> bool:
        if self._nodes.label(row.id) & SHIPPED:
            return True
        return self._parts.assertions.standing(row.id)[0]

    def _targets_stand(self, row: Node, suspects: dict[int, Node]) -> bool:
        """Tell whether all that a reply names is present and not suspected."""
        digests = self._followed(row)
        if not digests:
            return True
        found = self._parts.sentexes.ids(digests)
        if len(found) < len(digests):
            return False
        is_local = bool(row.label & LOCAL)
        for sentex in found.values():
            label = self._nodes.label(sentex)
            if sentex in suspects or label & WAITING:
                return False
            if label & LOCAL and not is_local:
                return False
        return True

    def _followed(self, row: Node) -> list[bytes]:
        following = self._parts.structure.following
        negative, functor, _ = literal_of(row.body)
        if negative or functor not in following:
            return []
        return targets_of(row.body)

    def may_stand(self, sentex: int) -> bool:
        """Tell whether a waiting sentex has no more to wait for."""
        row = self._nodes.row(sentex)
        return row is not None and self._targets_stand(row, {})

    def _rests_on(self, row: Node) -> list[int]:
        network = self._parts.network
        found = network.concluded_from(row.id)
        if literal_of(row.body)[1] == IMPLIES:
            found.extend(network.concluded_by(row.id))
        if self._parts.structure.any_targets:
            found.extend(
                sentex
                for sentex, _, label in self._parts.structure.rows.naming(row.digest)
                if not label & WAITING
            )
        return found

    def _take_back(self, suspects: dict[int, Node]) -> None:
        """Clear the suspects that stand on something not suspected."""
        waiting = list(suspects)
        while waiting:
            sentex = waiting.pop()
            row = suspects.get(sentex)
            if row is not None and self._stands(row, suspects):
                del suspects[sentex]
                waiting.extend(one for one in self._rests_on(row) if one in suspects)

    def _stands(self, row: Node, suspects: dict[int, Node]) -> bool:
        if self._nodes.label(row.id) & WAITING:
            return False
        if not self._targets_stand(row, suspects):
            return False
        return self._is_held(row) or any(
            reason.rule not in suspects and not suspects.keys() & set(reason.facts)
            for reason in self._parts.network.grounds(row.id)
        )

    # Removal ------------------------------------------------------------

    def _remove(self, suspects: dict[int, Node]) -> None:
        if not suspects:
            return
        self._drop_their_firings(suspects)
        gone: list[Node] = []
        for row in suspects.values():
            self._drop_pairs(self._parts.clashes.of(row.id))
            if self._is_held(row) or self._parts.network.grounds(row.id):
                kept = self._nodes.label(row.id) & LOCAL
                self._nodes.set_label(row.id, kept | WAITING)
            else:
                gone.append(row)
        self._nodes.flush()  # what waits is no candidate of a join any more
        self._delete(gone)

    def _drop_their_firings(self, suspects: dict[int, Node]) -> None:
        network = self._parts.network
        for row in suspects.values():
            self.drop_firings(network.firings_with(row.id))
            if literal_of(row.body)[1] == IMPLIES:
                self._drop_rule(row)

    def _drop_rule(self, row: Node) -> None:
        network = self._parts.network
        self.drop_firings(self.firings_of(row.id))
        if network.rule(row.id) is not None:
            rule = self._parts.joiner.rule(row.id)
            network.drop_rule(row.id, rule.triggers())
            self._parts.joiner.forget()

    def _drop_pairs(self, pairs: list[Pair]) -> None:
        rows = self._parts.clashes
        rows.drop(pairs)
        for lo, hi, _, sight in pairs:
            self._agenda.affected |= {lo, hi}
            self.drop_unused_sight(sight)

    def drop_unused_sight(self, sight: int) -> None:
        """Forget a sight that no pair has any more."""
        rows = self._parts.clashes
        if not rows.is_used(sight) and rows.has_sight(sight):
            key, _ = rows.sight_row(sight)
            rows.drop_sight(sight, clashes.read_key(key).depends_on())
            self._parts.rivals.forget()

    def _delete(self, gone: list[Node]) -> None:
        if not gone:
            return
        sentexes = self._parts.sentexes
        arguments: list[tuple[int, int, int]] = []
        targets: list[tuple[bytes, int]] = []
        for row in gone:
            keys = stored_form(self._parts.names.context(row.context), row.body).keys
            arguments.extend(argument_rows(row.id, keys))
            targets.extend((digest, row.id) for digest in targets_of(row.body))
        sentexes.delete_arguments(arguments)
        if targets:
            self._parts.structure.rows.forget_targets(targets)
        leaves = [leaf(row.digest) for row in gone]
        sentexes.delete([row.id for row in gone], leaves)
        self._nodes.left([row.id for row in gone])
        self.departed.extend(
            Departed(row.digest, bool(row.label & LOCAL)) for row in gone
        )
