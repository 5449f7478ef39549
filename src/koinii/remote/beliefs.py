"""What two stores believe, side by side: counts of all of it, and the first of each.

Both commit trees are read once, in the order of their leaves; memory is that of what
is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import nsmallest
from typing import NamedTuple, TypeAlias, TypeVar

from koinii.kb.base import KnowledgeBase
from koinii.kb.sentex import Sentex
from koinii.kb.standing import KINDS, Clash
from koinii.store.sentexes import BELIEVED
from koinii.terms.order import content_key
from koinii.terms.printer import write

SHOWN = 20  # of each kind, where nobody asks for another number

T = TypeVar("T")
Key: TypeAlias = tuple[object, ...]


class Author(NamedTuple):
    """Who says a sentence."""

    agent: str
    seat: str


class Belief(NamedTuple):
    """A sentence that is believed; said by nobody, it is derived."""

    locator: str
    context: str
    sentence: str
    by: list[Author]


class Beliefs(NamedTuple):
    """How many there are, and the first by context and content."""

    total: int
    shown: list[Belief]


class Against(NamedTuple):
    """Two sentences that cannot hold together: rebuttal, functional or disjoint."""

    kind: str
    theirs: Belief
    ours: Belief


class Clashes(NamedTuple):
    """How many there are, and the first by content."""

    total: int
    shown: list[Against]


def only_in(one: KnowledgeBase, other: KnowledgeBase) -> Iterator[Sentex]:
    """Yield what is believed in one store and not in another, by leaf hash."""
    theirs = other.sentexes.leaf_hashes()
    at = next(theirs, None)
    for leaf in one.sentexes.leaf_hashes():
        while at is not None and at < leaf:
            at = next(theirs, None)
        if leaf != at:
            yield one.get(one.sentexes.of_leaf(leaf))


def beliefs(kb: KnowledgeBase, found: Iterable[Sentex], limit: int) -> Beliefs:
    """Count sentences that a store believes, and keep the first."""
    count, kept = _first(found, _by_content, limit)
    return Beliefs(count, [belief(kb, one) for one in kept])


def clashes(here: KnowledgeBase, there: KnowledgeBase, limit: int) -> Clashes:
    """Find what is believed here that cannot hold beside what only others believe.

    By the declarations in force here, whatever contexts see of it.
    """
    count, kept = _first(_against(here, there), _by_pair, limit)
    found = [
        Against(kind, belief(there, theirs), belief(here, ours))
        for kind, theirs, ours in kept
    ]
    return Clashes(count, found)


def belief(kb: KnowledgeBase, one: Sentex) -> Belief:
    """Return a sentence with those who say it."""
    rows = kb.asserted_by(one.id)
    by = sorted(Author(*kb.names.author(row[1])) for row in rows)
    return Belief(one.locator, one.context, write(one.sentence), by)


_Pair: TypeAlias = tuple[str, Sentex, Sentex]


def _against(here: KnowledgeBase, there: KnowledgeBase) -> Iterator[_Pair]:
    rivals = here.parts.rivals
    for theirs in only_in(there, here):
        for (number, kind), fact in rivals.opposed(theirs.body).items():
            if fact[2] & BELIEVED:
                yield KINDS[kind], theirs, here.get(number)


def _by_content(one: Sentex) -> Key:
    return one.context, content_key(one.sentence)


def _by_pair(pair: _Pair) -> Key:
    kind, theirs, ours = pair
    return *_by_content(theirs), *_by_content(ours), kind


def _first(
    found: Iterable[T], key: Callable[[T], Key], limit: int
) -> tuple[int, list[T]]:
    """Return how many there are and the first of them."""
    counter = _Counter(found)
    kept = nsmallest(limit, counter, key=key)
    for _ in counter:
        pass
    return counter.count, kept


class _Counter(Iterator[T]):
    """Counts what goes by."""

    def __init__(self, found: Iterable[T]) -> None:
        self._rest = iter(found)
        self.count = 0

    def __next__(self) -> T:
        one = next(self._rest)
        self.count += 1
        return one


# One store, before and after -------------------------------------------------------


def new_clashes(now: KnowledgeBase, before: KnowledgeBase, limit: int) -> Clashes:
    """Return the clashes that stand in a store and did not before.

    `theirs` is the side that was not believed, where one was not.
    """
    known = {_name(one) for one in _standing(before)}
    fresh = [one for one in _standing(now) if _name(one) not in known]
    return Clashes(len(fresh), [_told(now, before, one) for one in fresh[:limit]])


def _standing(kb: KnowledgeBase) -> list[Clash]:
    return kb.clashes(known=False, context=None) + kb.clashes(known=True, context=None)


def _name(one: Clash) -> tuple[str, str, str]:
    first, second = one.sides
    return one.kind, first.locator, second.locator


def _told(now: KnowledgeBase, before: KnowledgeBase, one: Clash) -> Against:
    digests = [
        bytes.fromhex(side.locator.removeprefix("sha256:")) for side in one.sides
    ]
    sides = [found for digest in digests if (found := now.find(digest)) is not None]
    sides.sort(key=lambda side: _was_believed(before, side.digest))
    theirs, ours = (belief(now, side) for side in sides)
    return Against(one.kind, theirs, ours)


def _was_believed(before: KnowledgeBase, digest: bytes) -> bool:
    found = before.find(digest)
    return found is not None and before.is_believed(found)
