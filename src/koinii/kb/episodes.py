"""Episodes: since when each clash stands, and what ends with it (decision 10).

A clash stands while both sides are believed and somebody sees them together. Its
episode begins, by the clock of this seat, in the operation that lets it stand, and
ends in the one after which it does not; the marks on it in seat-local contexts end
with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.kb.contexts.structure import word_of
from koinii.kb.network.replies import targets_of
from koinii.kb.rows import key_of
from koinii.store.episodes import Episode, Episodes, Key
from koinii.store.sentexes import BELIEVED, LOCAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from koinii.kb.network.nodes import Nodes
    from koinii.kb.network.parts import Parts
    from koinii.store.clashes import Ids
    from koinii.store.database import Connection

PAIR = 2
MARKS = frozenset(key_of(word_of(word)) for word in ("disputeNotified", "disputeStale"))


class Keeper:
    """Keeps the episodes of one store up to date."""

    def __init__(self, connection: Connection, parts: Parts) -> None:
        self._parts = parts
        self.rows = Episodes(connection)

    def update(self, nodes: Nodes, now: Callable[[], int]) -> list[Key] | None:
        """Take in what one operation has moved; return what has ended.

        None where too much has moved to say.
        """
        clashes = self._parts.clashes
        pairs = clashes.take_moved()
        if pairs is None:
            self.rows.reconcile(now())
            return None
        if pairs or clashes.any():
            for sentex, before in nodes.before.items():
                if (nodes.label(sentex) ^ before.label) & BELIEVED:
                    pairs.update(pair[:3] for pair in clashes.of(sentex))
        ended: list[Key] = []
        began: list[Episode] = []
        for pair in sorted(pairs):
            began += self._look(pair, ended)
        time = now() if began else 0
        for one in began:
            self.rows.put(one._replace(since=time))
        return ended

    def _look(self, pair: Ids, ended: list[Key]) -> list[Episode]:
        """Compare what is noted of a pair with how it stands; return what began."""
        noted, found = self.rows.at_rows(pair), self.rows.standing(pair)
        now = None if found is None else _episode(pair, *found)
        if noted is not None and (now is None or now.key != noted.key):
            self.rows.drop(noted.key)
            ended.append(noted.key)
            noted = None
        if now is None or noted is None:
            return [] if now is None else [now]
        if noted.sight != now.sight:
            self.rows.put(now._replace(since=noted.since))
        return []

    def orphans(self, ended: Iterable[Key] | None) -> Iterator[tuple[int, bytes]]:
        """Yield (author, locator) of the marks on these; None: on all that ended."""
        rows = self._every_mark() if ended is None else self._marks_of(ended)
        for sentex in sorted(set(rows)):
            (row,) = self._parts.sentexes.nodes([sentex])
            named = sorted(targets_of(row.body))
            if len(named) == PAIR and not self.rows.of(*named):
                for assertion in self._parts.assertions.of_sentex(sentex):
                    yield assertion[1], row.digest

    def _marks_of(self, ended: Iterable[Key]) -> Iterator[int]:
        for first, _, _ in ended:
            for sentex, functor, label in self._parts.structure.rows.naming(first):
                if functor in MARKS and label & LOCAL:
                    yield sentex

    def _every_mark(self) -> Iterator[int]:
        structure = self._parts.structure
        local = [self._parts.names.context_id(one) for one in structure.locals]
        places = [one for one in local if one is not None]
        for word in MARKS:
            yield from structure.rows.in_contexts(word, places)


def _episode(pair: Ids, sight: int, one: bytes, other: bytes) -> Episode:
    """Return the episode of two rows with these locators, its time unknown."""
    first, second = sorted((one, other))
    lo, hi, kind = pair
    return Episode(first, second, kind, lo, hi, sight, 0)
