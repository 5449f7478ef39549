"""Labels as least fixpoints, kept up to date region by region (decision 6).

K: what is known. IN: what is believed. Both are the least sets closed under
their firings, so a loss takes out everything that rested on it and then takes
back what still has a ground that does not rest on itself: right on circles of
support, where counting supports is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.store.sentexes import BELIEVED, DEFEATED, KNOWN, SHIPPED, WAITING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from koinii.kb.network.nodes import Nodes
    from koinii.store.assertions import Assertions
    from koinii.store.clashes import Clashes
    from koinii.store.network import Network

_FIXED = SHIPPED | WAITING


class Labels:
    """Moves the labels of one operation."""

    def __init__(
        self,
        nodes: Nodes,
        network: Network,
        assertions: Assertions,
        clashes: Clashes,
        is_fixed: Callable[[int], bool],
    ) -> None:
        self._nodes = nodes
        self._network = network
        self._assertions = assertions
        self._clashes = clashes
        self._is_fixed = is_fixed  # structural statements and rules
        self.known_moved: set[int] = set()

    # Going up ------------------------------------------------------------------------

    def raise_from(self, seeds: Iterable[int]) -> None:
        """Raise what has gained a ground, and what rests on it."""
        waiting = list(dict.fromkeys(seeds))
        while waiting:
            sentex = waiting.pop()
            label = self._nodes.label(sentex)
            if not self._moves(sentex, label):
                continue
            raised = label | self._grounded(sentex, label)
            if raised != label:
                self._set(sentex, raised)
                waiting.extend(self._network.concluded_from(sentex))

    def _moves(self, sentex: int, label: int) -> bool:
        if label & _FIXED or self._is_fixed(sentex):
            return False
        return self._nodes.row(sentex) is not None

    def _grounded(self, sentex: int, label: int) -> int:
        """Return the bits that a sentex has grounds for by the labels as they are."""
        asserted, monotonic = self._assertions.standing(sentex)
        bits = (BELIEVED if asserted else 0) | (KNOWN if monotonic else 0)
        if label & DEFEATED:
            bits &= ~BELIEVED
        wanted = KNOWN if label & DEFEATED else KNOWN | BELIEVED
        if bits & wanted != wanted:
            for reason in self._network.grounds(sentex):
                bits |= self.confers(reason.facts, strict=reason.strict) & wanted
                if bits & wanted == wanted:
                    break
        return bits

    def confers(self, facts: list[int], *, strict: bool) -> int:
        """Return the bits that facts confer on what they conclude."""
        bits = KNOWN | BELIEVED if strict else BELIEVED
        for fact in facts:
            bits &= self._nodes.label(fact)
        return bits

    def _set(self, sentex: int, label: int) -> None:
        if (self._nodes.label(sentex) ^ label) & KNOWN:
            self.known_moved.add(sentex)
        self._nodes.set_label(sentex, label)

    # Going down ----------------------------------------------------------------------

    def lower_from(self, seeds: Iterable[int], bit: int) -> None:
        """Take a bit from what lost a ground and all that rests on it alone."""
        taken = self._over_delete(seeds, bit)
        self.raise_from(taken)

    def _over_delete(self, seeds: Iterable[int], bit: int) -> list[int]:
        """Take the bit from the seeds and all that may rest on them.

        What is asserted with that force keeps it, and stops the walk.
        """
        taken: list[int] = []
        waiting = list(dict.fromkeys(seeds))
        while waiting:
            sentex = waiting.pop()
            label = self._nodes.label(sentex)
            if not label & bit or not self._moves(sentex, label):
                continue
            if self._stands_alone(sentex, label, bit):
                continue
            self._set(sentex, label & ~bit)
            taken.append(sentex)
            waiting.extend(self._network.concluded_from(sentex))
        return taken

    def _stands_alone(self, sentex: int, label: int, bit: int) -> bool:
        if bit == BELIEVED and label & DEFEATED:
            return False
        asserted, monotonic = self._assertions.standing(sentex)
        return monotonic if bit == KNOWN else asserted

    # Defeat --------------------------------------------------------------------------

    def decide(self, affected: Iterable[int]) -> None:
        """Decide anew which of these are defeated, after K is final."""
        fallen: list[int] = []
        risen: list[int] = []
        for sentex in affected:
            label = self._nodes.label(sentex)
            if label & _FIXED or self._nodes.row(sentex) is None:
                continue
            loses = not label & KNOWN and self._loses(sentex)
            if loses and not label & DEFEATED:
                self._set(sentex, label | DEFEATED)
                fallen.append(sentex)
            elif label & DEFEATED and not loses:
                self._set(sentex, label & ~DEFEATED)
                risen.append(sentex)
        self.lower_from(fallen, BELIEVED)
        self.raise_from(risen)

    def _loses(self, sentex: int) -> bool:
        return any(
            falls and self._nodes.label(other) & KNOWN
            for other, falls in self._clashes.rivals(sentex)
        )
