"""What a count may be of: two sentexes that clash, whatever counts have ruled.

Both are stored here and recorded as a pair, seen by anybody or not, believed or not,
and each would be stored if no count had ruled anything. What is stored does not follow
belief, so this is a function of what agents assert, at every seat alike, and no ruling
can bring about the dispute that it rests on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.kb.contexts import MAJORITY
from koinii.kb.network.replies import targets_of
from koinii.kb.rules.joining import literal_of
from koinii.store.sentexes import SHIPPED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from koinii.kb.base import KnowledgeBase
    from koinii.store.sentexes import Node


def is_disputed(kb: KnowledgeBase, dispute: tuple[bytes, bytes]) -> bool:
    """Tell whether a count may be of this pair; O(what the two rest on)."""
    first, second = (kb.find(side) for side in dispute)
    if first is None or second is None:
        return False
    return is_pair(kb, first.id, second.id) and _stand_alone(kb, {first.id, second.id})


def is_pair(kb: KnowledgeBase, one: int, other: int) -> bool:
    """Tell whether two stored sentexes are recorded as a pair that clashes."""
    return one != other and any(other in pair[:2] for pair in kb.parts.clashes.of(one))


def _stand_alone(kb: KnowledgeBase, sides: set[int]) -> bool:
    """Tell whether all of these would be stored if no count had ruled anything."""
    place = kb.names.context_id(MAJORITY)
    reasons = dict(_reasons(kb, sides, place))
    standing: set[int] = set()
    while new := {
        one
        for one, ways in reasons.items()
        if one not in standing and any(way <= standing for way in ways)
    }:
        standing |= new
    return sides <= standing


def _reasons(
    kb: KnowledgeBase, sides: Iterable[int], majority: int | None
) -> Iterator[tuple[int, list[set[int]]]]:
    """Yield each that these rest on, with the ways in which it may be stored."""
    left, seen = [*sides], {*sides}
    while left:
        sentex = left.pop()
        ways = _ways(kb, sentex, majority)
        yield sentex, ways
        more = set[int]().union(*ways) - seen
        seen |= more
        left += more


def _ways(kb: KnowledgeBase, sentex: int, majority: int | None) -> list[set[int]]:
    """Return what each reason to store a sentex rests on; nothing: it is said alone."""
    (row,) = kb.sentexes.nodes([sentex])
    named = _followed(kb, row)
    is_said = row.context != majority and kb.assertions.standing(sentex)[0]
    if is_said or row.label & SHIPPED:
        return [named]
    grounds = kb.parts.network.grounds(sentex)
    return [{one.rule, *one.facts} | named for one in grounds]


def _followed(kb: KnowledgeBase, row: Node) -> set[int]:
    """Return what a reply would wait for if it were not here."""
    negative, functor, _ = literal_of(row.body)
    if negative or functor not in kb.structure.following:
        return set()
    return {*kb.sentexes.ids(targets_of(row.body)).values()}
