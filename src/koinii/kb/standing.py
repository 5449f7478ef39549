"""The clashes that stand: seen, with both sides believed (A.6.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.network import clashes
from koinii.kb.rows import read_row
from koinii.store.clashes import DISJOINT, FUNCTIONAL, REBUTTAL
from koinii.store.sentexes import BELIEVED, KNOWN
from koinii.terms.locator import locator_of
from koinii.terms.order import content_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.kb.network.parts import Parts
    from koinii.store.clashes import Pair
    from koinii.terms.locator import Locator
    from koinii.terms.term import Term

KINDS = {REBUTTAL: "rebuttal", FUNCTIONAL: "functional", DISJOINT: "disjoint"}
STRENGTHS = ("default", "monotonic")


class Side(NamedTuple):
    """One side of a clash, with its strength by truth maintenance."""

    locator: Locator
    sentence: Term
    context: str
    strength: str  # "monotonic" if it is known, else "default"
    believed: bool


class Clash(NamedTuple):
    """Two sentexes that cannot hold together; sides in the order of content."""

    kind: str  # "rebuttal", "functional" or "disjoint"
    sides: tuple[Side, Side]


def standing(parts: Parts, *, known: bool, context: str | None) -> list[Clash]:
    """Return the clashes of which both sides are believed, in the order of content.

    `known` takes those with both sides known, else the others. With a context
    only those that it sees. O(clashes).
    """
    found = [
        clash_of(parts, pair)
        for pair, lo, hi in parts.clashes.standing()
        if bool(lo & hi & KNOWN) == known
        and (context is None or _sees(parts, pair, context))
    ]
    return sorted(found, key=lambda clash: [*map(_by_content, clash.sides), clash.kind])


def clash_of(parts: Parts, pair: Pair) -> Clash:
    """Return a stored pair as the clash it is."""
    sides = sorted(_sides(parts, pair), key=_by_content)
    return Clash(KINDS[pair[2]], (sides[0], sides[1]))


def _sees(parts: Parts, pair: Pair, context: str) -> bool:
    sight = clashes.read_key(parts.clashes.sight_row(pair[3])[0])
    return context in set(parts.rivals.viewers(sight))


def _sides(parts: Parts, pair: Pair) -> Iterator[Side]:
    for row in parts.sentexes.nodes(pair[:2]):
        context = parts.names.context(row.context)
        yield Side(
            locator_of(row.digest),
            read_row(context, row.digest, row.body),
            context,
            STRENGTHS[bool(row.label & KNOWN)],
            bool(row.label & BELIEVED),
        )


def _by_content(side: Side) -> tuple[object, ...]:
    return content_key(side.sentence), side.context
