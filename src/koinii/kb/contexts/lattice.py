"""The lattice of contexts: who sees whom, by the `genlCx` edges in force."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

UNIVERSE = "CxUniverse"
MAJORITY = "CxMajority"  # where counts rule; any member may let a channel see it
T = TypeVar("T")


def own_context(agent: str) -> str:
    """Return the context an agent speaks in: `AgentAtlas` speaks in `CxAtlas`."""
    return "Cx" + agent.removeprefix("Agent")


def belief_context(agent: str) -> str:
    """Return the context of what an agent holds: `CxAgentAgentAtlas` (A.18)."""
    return "CxAgent" + agent


class Lattice:
    """Visibility as a preorder: `(genlCx Sub Super)` makes Sub see Super.

    Cycles are allowed; a context always sees itself. Nothing is seen without
    an edge. Closures are worked out when first asked for, each in the time of
    what it reaches, and kept until an edge comes or goes that bears on them.
    """

    def __init__(self, edges: Iterable[tuple[str, str]]) -> None:
        self._supers: dict[str, set[str]] = {}
        self._subs: dict[str, set[str]] = {}
        for sub, super_ in edges:
            self._supers.setdefault(sub, set()).add(super_)
            self._subs.setdefault(super_, set()).add(sub)
        self._seen: dict[str, frozenset[str]] = {}
        self._seers: dict[str, frozenset[str]] = {}

    def seen_from(self, context: str) -> frozenset[str]:
        """Return every context that `context` sees, itself included."""
        known = self._seen.get(context)
        if known is None:
            known = closure(context, lambda one: self._supers.get(one, ()))
            self._seen[context] = known
        return known

    def seers_of(self, context: str) -> frozenset[str]:
        """Return every context that sees `context`, itself included."""
        known = self._seers.get(context)
        if known is None:
            known = closure(context, lambda one: self._subs.get(one, ()))
            self._seers[context] = known
        return known

    def sees(self, context: str, other: str) -> bool:
        """Tell whether `context` sees `other`."""
        return other in self.seen_from(context)

    def seers_of_all(self, contexts: Iterable[str]) -> frozenset[str]:
        """Return the contexts that see each of these, of which there is one."""
        return frozenset.intersection(*map(self.seers_of, contexts))

    def add(self, sub: str, super_: str) -> None:
        """Take in an edge."""
        self._forget_around(sub, super_)
        self._supers.setdefault(sub, set()).add(super_)
        self._subs.setdefault(super_, set()).add(sub)

    def remove(self, sub: str, super_: str) -> None:
        """Take an edge out."""
        self._forget_around(sub, super_)
        self._supers.get(sub, set()).discard(super_)
        self._subs.get(super_, set()).discard(sub)

    def _forget_around(self, sub: str, super_: str) -> None:
        """Drop the closures that an edge between the two bears on."""
        for context in self.seers_of(sub):
            self._seen.pop(context, None)
        for context in self.seen_from(super_):
            self._seers.pop(context, None)


def closure(start: T, step: Callable[[T], Iterable[T]]) -> frozenset[T]:
    """Return what is reached from a start by any number of steps, and the start."""
    reached, waiting = {start}, [start]
    while waiting:
        for following in step(waiting.pop()):
            if following not in reached:
                reached.add(following)
                waiting.append(following)
    return frozenset(reached)
