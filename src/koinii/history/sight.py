"""Who sees whom by the `genlCx` edges that a document gives."""

from __future__ import annotations

from collections.abc import Iterable

from koinii.history.document import refused
from koinii.history.stated import UNIVERSE, Statement
from koinii.terms.term import Symbol

_EDGE = 3  # genlCx, sub, super


def ends(edge: Statement) -> tuple[str, str]:
    """Return who sees whom by an edge; what is none is refused."""
    sentence = edge.sentence
    if edge.context != UNIVERSE or type(sentence) is not tuple:
        raise refused(f"an edge stands in {UNIVERSE}")
    names = [
        one.name for one in sentence if type(one) is Symbol and one.namespace is None
    ]
    if len(sentence) != _EDGE or len(names) != _EDGE or names[0] != "genlCx":
        raise refused("an edge is (genlCx Sub Super) and nothing else")
    return names[1], names[2]


def check_path(start: str, end: str, edges: Iterable[Statement]) -> None:
    """Refuse edges that do not lead from one context to the other."""
    at = start
    for sub, above in map(ends, edges):
        if sub != at:
            raise refused(f"the edges given do not lead on from {at[:40]}")
        at = above
    if at != end:
        raise refused(f"the edges given do not lead to {end[:40]}")


def seen_by(start: str, edges: Iterable[Statement]) -> set[str]:
    """Return what a context sees; an edge that adds nothing to it is refused."""
    above: dict[str, list[str]] = {}
    for sub, over in map(ends, edges):
        above.setdefault(sub, []).append(over)
    seen, waiting = {start}, [start]
    while waiting:
        for over in above.get(waiting.pop(), ()):
            if over not in seen:
                seen.add(over)
                waiting.append(over)
    if not above.keys() <= seen:
        raise refused("an edge given is of a context that is not seen")
    return seen
