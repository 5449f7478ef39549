"""What is taken of other seats: a naive twin of what a seat makes of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

GROUND = {"CxUniverse", "CxRegistry", "CxMajority"}


class Part(NamedTuple):
    """Agents and contexts that are named; none takes all."""

    agents: frozenset[str] = frozenset()
    contexts: frozenset[str] = frozenset()

    @classmethod
    def of(cls, agents: Iterable[str] = (), contexts: Iterable[str] = ()) -> Part:
        return cls(frozenset(agents), frozenset(contexts))

    def takes(self, agent: str, context: str) -> bool:
        if context in GROUND:
            return True
        if self.agents and agent not in self.agents:
            return False
        return not self.contexts or context in self.contexts

    @property
    def recorded(self) -> dict[str, tuple[str, ...]] | None:
        named: dict[str, tuple[str, ...]] = {}
        if self.agents:
            named["agents"] = tuple(sorted(self.agents))
        if self.contexts:
            named["contexts"] = tuple(sorted(self.contexts))
        return named or None
