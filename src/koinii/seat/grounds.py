"""What a proof stands on, gathered from the base as its steps need it.

Edges and declarations are believed while they are in force, so they are found
like facts. What is shipped is named by the file of the vocabulary that has it.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from koinii.errors import RefusedError
from koinii.history.explaining import Grounds
from koinii.history.proving import Sentence
from koinii.history.shipped import shipped_files
from koinii.kb.contexts import UNIVERSE
from koinii.seat.signed import SignedLines
from koinii.store.sentexes import SHIPPED
from koinii.terms.encoding import encode
from koinii.terms.folds import word
from koinii.terms.printer import write
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from koinii.kb.base import Sentex
    from koinii.seat.parts import Parts
    from koinii.terms.term import Term

_A, _B = Symbol("?a"), Symbol("?b")
_EDGE, _CLIMB = Symbol("genlCx"), Symbol("genl")


class Gathering:
    """The statements of one proof, each taken once."""

    def __init__(self, seat: Parts, vocabulary: Mapping[str, bytes]) -> None:
        """Gather from a seat whose record binds these vocabulary files."""
        self._seat = seat
        self._bound = vocabulary
        self._taken: dict[str, Sentex] = {}
        self._edges: list[tuple[bytes, bytes, Sentex]] | None = None
        self._climbs: dict[str, list[tuple[bytes, bytes, Sentex]]] = {}

    def take(self, sentex: Sentex) -> str:
        """Stand on a sentex; return its locator."""
        self._taken[sentex.locator] = sentex
        return sentex.locator

    def context_of(self, locator: str) -> str:
        """Return the context of something taken."""
        return self._taken[locator].context

    def is_shipped(self, sentex: Sentex) -> bool:
        """Tell whether a sentex is the vocabulary's."""
        return bool(self._seat.kb.sentexes.label(sentex.id) & SHIPPED)

    def path(self, viewer: str, context: str) -> list[str]:
        """Return the locators of edges by which one context sees the other."""
        reached = self._reach(encode(Symbol(viewer)), self._all_edges())
        return self._way(reached, encode(Symbol(context)))

    def tree_of(self, viewer: str) -> None:
        """Stand on one edge for each context that a context sees."""
        for edge in self._reach(encode(Symbol(viewer)), self._all_edges()).values():
            if edge is not None:
                self.take(edge[1])

    def climb(self, low: Term, high: Term, viewer: str) -> list[str]:
        """Return the locators of `genl` statements that lead from one to the other."""
        if viewer not in self._climbs:
            pattern = (_CLIMB, _A, _B)
            found = self._seat.kb.matching(pattern, viewer, "cone")
            self._climbs[viewer] = _pairs("genl", found)
        return self._way(self._reach(encode(low), self._climbs[viewer]), encode(high))

    def symmetric(self, functor: Term) -> Sentex | None:
        """Return the declaration in force that a functor is symmetric, or None."""
        found = self._seat.kb.matching((Symbol("symmetric"), functor), None, "any")
        good = [one for one in found if one.context == UNIVERSE or self.is_shipped(one)]
        return min(good, key=lambda one: one.digest, default=None)

    def grounds(self, claim: Sentex | None = None) -> Grounds:
        """Return what was taken, with the lines that are signed.

        A claim given is no ground of its own; its line is signed like others.
        """
        own = {claim.locator} if claim else set()
        others = [one for locator, one in self._taken.items() if locator not in own]
        shipped = [one for one in others if self.is_shipped(one)]
        leaves = [one for one in others if not self.is_shipped(one)]
        signed = SignedLines(self._seat)
        lines = {
            one.locator: signed.first(one)
            for one in (*([claim] if claim else []), *leaves)
        }
        return Grounds(
            [as_sentence(one) for one in leaves],
            self._named([write(one.sentence) for one in shipped]),
            {locator: line for locator, line in lines.items() if line is not None},
        )

    def _named(self, texts: list[str]) -> list[Sentence]:
        """Return vocabulary sentences under the context whose file has them."""
        if not texts:
            return []
        files = {sha256(file).digest(): file for file in shipped_files()}
        lines = {
            line: context
            for context, digest in self._bound.items()
            for line in files.get(digest, b"").decode().split("\n")
        }
        missing = [text for text in texts if text not in lines]
        if missing:
            raise RefusedError(
                f"the newest commit binds no vocabulary with {missing[0][:80]}",
                code="koinii/other-vocabulary",
                hint="koinii commit",
            )
        return [Sentence(lines[text], text) for text in texts]

    def _all_edges(self) -> list[tuple[bytes, bytes, Sentex]]:
        if self._edges is None:
            pattern = (_EDGE, _A, _B)
            found = self._seat.kb.matching(pattern, UNIVERSE, "exact")
            self._edges = _pairs("genlCx", found)
        return self._edges

    @staticmethod
    def _reach(
        start: bytes, pairs: Iterable[tuple[bytes, bytes, Sentex]]
    ) -> dict[bytes, tuple[bytes, Sentex] | None]:
        """Return for all that is reached, nearest first, from where and by what."""
        above: dict[bytes, list[tuple[bytes, Sentex]]] = {}
        for low, high, sentex in pairs:
            above.setdefault(low, []).append((high, sentex))
        reached: dict[bytes, tuple[bytes, Sentex] | None] = {start: None}
        waiting = [start]
        for at in waiting:
            for high, sentex in above.get(at, ()):
                if high not in reached:
                    reached[high] = (at, sentex)
                    waiting.append(high)
        return reached

    def _way(
        self, reached: Mapping[bytes, tuple[bytes, Sentex] | None], end: bytes
    ) -> list[str]:
        """Return the way that led to `end`, standing on each statement of it."""
        found: list[str] = []
        at = end
        while (step := reached[at]) is not None:
            at, sentex = step
            found.append(self.take(sentex))
        return found[::-1]


def as_sentence(sentex: Sentex) -> Sentence:
    """Return a sentex as a document shows it."""
    return Sentence(sentex.context, write(sentex.sentence))


def _pairs(name: str, found: Iterable[Sentex]) -> list[tuple[bytes, bytes, Sentex]]:
    """Return what the statements of a name lead from and to, in one order everywhere.

    A read gives what is below a predicate too, which leads nowhere.
    """
    pairs = []
    for sentex in sorted(found, key=lambda one: one.digest):
        sentence = sentex.sentence
        if word(sentence) == name and isinstance(sentence, tuple):
            pairs.append((encode(sentence[1]), encode(sentence[2]), sentex))
    return pairs
