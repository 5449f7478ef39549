"""The clashes that stand: seen, with both sides believed (A.6.4)."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.network import clashes
from koinii.kb.rows import read_row
from koinii.store.clashes import DISJOINT, FUNCTIONAL, REBUTTAL
from koinii.store.sentexes import BELIEVED, KNOWN
from koinii.terms.locator import locator_of
from koinii.terms.order import content_key

if TYPE_CHECKING:
    from koinii.kb.network.parts import Parts
    from koinii.store.clashes import Pair
    from koinii.terms.locator import Locator
    from koinii.terms.order import Key
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
    only those that it sees. O(clashes); each side is read once.
    """
    viewers: dict[int, set[str]] = {}
    sides: dict[int, tuple[Key, Side]] = {}
    found: list[tuple[Key, Key, Clash]] = []
    for pair, lo, hi in parts.clashes.standing():
        if bool(lo & hi & KNOWN) != known:
            continue
        if context is not None and context not in _viewers(parts, pair[3], viewers):
            continue
        found.append(_keyed(parts, pair, sides))
    found.sort(key=lambda clash: (*clash[:2], clash[2].kind))
    return [clash for _, _, clash in found]


def clash_of(parts: Parts, pair: Pair) -> Clash:
    """Return a stored pair as the clash it is."""
    return _keyed(parts, pair, {})[2]


def _keyed(
    parts: Parts, pair: Pair, sides: dict[int, tuple[Key, Side]]
) -> tuple[Key, Key, Clash]:
    """Return a pair as a clash, after the keys of its sides."""
    (first, one), (second, other) = sorted(
        (_side(parts, sentex, sides) for sentex in pair[:2]), key=itemgetter(0)
    )
    return first, second, Clash(KINDS[pair[2]], (one, other))


def _viewers(parts: Parts, sight: int, known: dict[int, set[str]]) -> set[str]:
    if sight not in known:
        key, _ = parts.clashes.sight_row(sight)
        known[sight] = set(parts.rivals.viewers(clashes.read_key(key)))
    return known[sight]


def _side(
    parts: Parts, sentex: int, known: dict[int, tuple[Key, Side]]
) -> tuple[Key, Side]:
    if sentex not in known:
        (row,) = parts.sentexes.nodes([sentex])
        context = parts.names.context(row.context)
        side = Side(
            locator_of(row.digest),
            read_row(context, row.digest, row.body),
            context,
            STRENGTHS[bool(row.label & KNOWN)],
            bool(row.label & BELIEVED),
        )
        known[sentex] = _by_content(side), side
    return known[sentex]


def _by_content(side: Side) -> Key:
    return content_key(side.sentence), side.context
