"""The lattice of contexts: who sees whom, by the `genlCx` edges in force."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

UNIVERSE = "CxUniverse"


class Lattice:
    """Visibility as a preorder: `(genlCx Sub Super)` makes Sub see Super.

    Cycles are allowed; a context always sees itself. Nothing is seen without
    an edge. Closures are worked out when first asked for, each in the time of
    what it reaches.
    """

    def __init__(self, edges: Iterable[tuple[str, str]]) -> None:
        self._supers: dict[str, set[str]] = {}
        for sub, super_ in edges:
            self._supers.setdefault(sub, set()).add(super_)
        self._seen: dict[str, frozenset[str]] = {}

    def seen_from(self, context: str) -> frozenset[str]:
        """Return every context that `context` sees, itself included."""
        known = self._seen.get(context)
        if known is None:
            known = self._seen[context] = frozenset(self._reach(context))
        return known

    def sees(self, context: str, other: str) -> bool:
        """Tell whether `context` sees `other`."""
        return other in self.seen_from(context)

    def _reach(self, context: str) -> set[str]:
        reached, waiting = {context}, [context]
        while waiting:
            for super_ in self._supers.get(waiting.pop(), ()):
                if super_ not in reached:
                    reached.add(super_)
                    waiting.append(super_)
        return reached
