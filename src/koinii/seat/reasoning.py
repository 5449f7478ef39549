"""Why something is believed, with who called the counts that it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.kb import explaining
from koinii.kb.contexts import MAJORITY
from koinii.terms.locator import parse_locator, raw_digest
from koinii.trust.reasons import COUNTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.kb.explaining import Node
    from koinii.seat.parts import Parts


def why(seat: Parts, digest: bytes, max_depth: int) -> Node:
    """Return the tree of `kb.explaining`; rulings of counts have `called_by` in it."""
    tree = explaining.why(seat.kb, digest, max_depth)
    place = seat.kb.names.context_id(MAJORITY)
    if place is not None:
        callers = _callers(seat, place)
        for node in _nodes(tree):
            named = raw_digest(parse_locator(node["locator"]))
            if node.get("context") == MAJORITY and named in callers:
                node["called_by"] = sorted(callers[named])
    return tree


def _callers(seat: Parts, place: int) -> dict[bytes, set[str]]:
    """Return who called the counts whose rulings are in force, by ruling."""
    found: dict[bytes, set[str]] = {}
    for author, _, digest, _, _, reason in seat.kb.assertions.held_at(place):
        if reason == COUNTED:
            found.setdefault(digest, set()).add(seat.kb.names.author(author)[0])
    return found


def _nodes(tree: Node) -> Iterator[Node]:
    """Yield every node of a tree; it may be deep."""
    left = [tree]
    while left:
        node = left.pop()
        yield node
        for support in node.get("support", ()):
            left += support["because"]
