"""By which edges a context sees another: one shortest path, the same every time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.kb.contexts.structure import GENL_CX, name_in, word_of
from koinii.kb.rows import key_of
from koinii.terms.slices import split

if TYPE_CHECKING:
    from koinii.kb.contexts.structure import Structure

    Edge = tuple[str, str]


class Sightlines:
    """Paths through the lattice as it is now; reads only the edges it walks."""

    def __init__(self, structure: Structure) -> None:
        self._structure = structure
        self._above: dict[str, list[str]] = {}

    def path(self, viewer: str, target: str) -> list[Edge]:
        """Return the edges from a context to one that it sees; none to itself.

        Of the shortest paths the one whose names come first.
        """
        reached: dict[str, str] = {viewer: viewer}
        for context in (waiting := [viewer]):
            if target in reached:
                break
            for above in self._toward(context, target):
                if above not in reached:
                    reached[above] = context
                    waiting.append(above)
        return _walked_back(reached, target) if target in reached else []

    def _toward(self, context: str, target: str) -> list[str]:
        """Return what a context sees by one edge and that sees the target."""
        sees = self._structure.lattice.sees
        return [one for one in self._seen_by(context) if sees(one, target)]

    def _seen_by(self, context: str) -> list[str]:
        known = self._above.get(context)
        if known is None:
            rows = self._structure.rows.by_first(
                key_of(GENL_CX), key_of(word_of(context))
            )
            edges = {_edge(row[3]) for row in rows}
            known = sorted(above for sub, above in edges if sub == context)
            self._above[context] = known
        return known


def _edge(body: bytes) -> Edge:
    parts = split(body)
    assert parts is not None  # noqa: S101 - a statement is a list
    return name_in(parts[1]), name_in(parts[2])


def _walked_back(reached: dict[str, str], target: str) -> list[Edge]:
    edges: list[Edge] = []
    at = target
    while reached[at] != at:
        edges.append((reached[at], at))
        at = reached[at]
    return edges[::-1]
