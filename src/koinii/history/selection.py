"""What a partial seat takes of other seats: by agent and by context.

A record says it (`partial`), since belief follows from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

# Without these nothing can be placed, granted or settled.
ALWAYS = frozenset({"CxUniverse", "CxRegistry", "CxMajority"})


class Selection(NamedTuple):
    """Whose lines are taken, and in which contexts; empty: whatever there is."""

    agents: frozenset[str] = frozenset()
    contexts: frozenset[str] = frozenset()

    @property
    def is_whole(self) -> bool:
        """Whether everything is taken."""
        return not (self.agents or self.contexts)

    def takes(self, agent: str, context: str) -> bool:
        """Tell whether lines of an agent of another seat in a context are taken."""
        return context in ALWAYS or (
            (not self.agents or agent in self.agents)
            and (not self.contexts or context in self.contexts)
        )

    def recorded(self) -> Mapping[str, tuple[str, ...]] | None:
        """Return it as a record's field `partial`."""
        kinds = {"agents": self.agents, "contexts": self.contexts}
        return {
            kind: tuple(sorted(names)) for kind, names in kinds.items() if names
        } or None


EVERYTHING = Selection()


def selection_of(partial: Mapping[str, tuple[str, ...]] | None) -> Selection | None:
    """Return what a record's `partial` says; None where it is of a newer kind."""
    kinds = partial or {}
    if not kinds.keys() <= {"agents", "contexts"}:
        return None
    return Selection(
        frozenset(kinds.get("agents", ())), frozenset(kinds.get("contexts", ()))
    )
