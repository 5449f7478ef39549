"""Pairs that cannot hold together: finding them, and who sees them.

A pair is recorded whoever sees it; what contexts make of it is its sight, which
pairs of the same contexts share and which is worked out anew only when
something it depends on moves (decision 6).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.contexts import MAJORITY, UNIVERSE
from koinii.kb.contexts.structure import DISJOINT as DISJOINT_WORD
from koinii.kb.contexts.structure import GENL_CX, word_of
from koinii.kb.rows import NEGATION, identity_prefix, key_of
from koinii.kb.rules.joining import literal_of
from koinii.store.clashes import (
    DISJOINT,
    FUNCTIONAL,
    HI_FALLS,
    LO_FALLS,
    REBUTTAL,
    VISIBLE,
)
from koinii.store.network import ON_CONTEXT, ON_FUNCTOR, ON_LATTICE, ON_SENTEX
from koinii.store.sentexes import BELIEVED
from koinii.terms.slices import join
from koinii.terms.structural import STRUCTURAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.kb.contexts.structure import Structure
    from koinii.store.clashes import Clashes, Pair
    from koinii.store.names import Names
    from koinii.store.network import Fact
    from koinii.store.sentexes import Sentexes

BINARY = 2
_STRUCTURAL = frozenset(map(word_of, STRUCTURAL))


class Sight(NamedTuple):
    """What the visibility of a pair depends on besides lattice and masks."""

    kind: int
    lo: int  # contexts of the members
    hi: int
    masked: tuple[int, int]  # the members that have a mask, else 0
    words: tuple[bytes, bytes]  # functors of the members, for declared kinds

    def key(self) -> bytes:
        """Return a text that only an equal sight has."""
        first, second = self.words
        return (
            f"{self.kind} {self.lo} {self.hi} {self.masked[0]} {self.masked[1]}"
            f"|{first.hex()}|{second.hex()}"
        ).encode()

    def depends_on(self) -> set[tuple[int, int]]:
        """Return the things (kind, thing) whose move changes it."""
        on = {(ON_CONTEXT, self.lo), (ON_CONTEXT, self.hi)}
        on |= {(ON_SENTEX, one) for one in self.masked if one}
        if self.kind != REBUTTAL:
            on |= {(ON_FUNCTOR, key_of(one)) for one in self.words}
        if self.kind != REBUTTAL or any(self.masked):
            on.add((ON_LATTICE, 0))
        return on


def read_key(text: bytes) -> Sight:
    """Return the sight that has a key."""
    numbers, first, second = text.decode().split("|")
    kind, lo, hi, one, other = map(int, numbers.split())
    return Sight(
        kind, lo, hi, (one, other), (bytes.fromhex(first), bytes.fromhex(second))
    )


class Rivals:
    """Finds the pairs of a sentex and says from where they are seen."""

    def __init__(
        self,
        rows: Clashes,
        names: Names,
        structure: Structure,
        sentexes: Sentexes,
    ) -> None:
        self._rows = rows
        self._names = names
        self._structure = structure
        self._sentexes = sentexes
        self._sights: dict[bytes, int] = {}

    def forget(self) -> None:
        """Read sights again; some were dropped."""
        self._sights.clear()

    # Finding -------------------------------------------------------------------------

    def pairs(self, fact: Fact) -> list[Pair]:
        """Return the pairs that a present fact is in, as rows to be recorded."""
        return [
            self._pair(kind, fact, other)
            for (number, kind), other in self.opposed(fact[4]).items()
            if number != fact[0]
        ]

    def opposed(self, sentence: bytes) -> dict[tuple[int, int], Fact]:
        """Return the present facts that cannot hold beside a sentence, by (id, kind).

        By the declarations in force here, whoever sees them; nothing is recorded.
        """
        found: dict[tuple[int, int], Fact] = {}
        negative, functor, arguments = literal_of(sentence)
        for body in self._opposites(sentence, functor, arguments, negative=negative):
            for other in self._with_body(body, functor, negative=negative):
                found[other[0], REBUTTAL] = other
        if not negative:
            if functor in self._structure.functional and len(arguments) == BINARY:
                for other in self._functional_rivals(functor, arguments):
                    found[other[0], FUNCTIONAL] = other
            if len(arguments) == 1:
                for other in self._disjoint_rivals(functor, arguments):
                    found[other[0], DISJOINT] = other
        return found

    def _opposites(
        self, body: bytes, functor: bytes, arguments: list[bytes], *, negative: bool
    ) -> list[bytes]:
        """Return the bodies that deny this one, its mirror's too if symmetric."""
        bodies = [body[len(NEGATION) :] if negative else NEGATION + body]
        if (
            len(arguments) == BINARY
            and arguments[0] != arguments[1]
            and functor in self._structure.symmetric
        ):
            mirror = join([functor, *arguments[::-1]])
            bodies.append(mirror if negative else NEGATION + mirror)
        return bodies

    def _with_body(
        self, body: bytes, functor: bytes, *, negative: bool
    ) -> Iterator[Fact]:
        """Yield the present sentexes of this very sentence, in any context."""
        _, _, arguments = literal_of(body)
        keys = [key_of(functor), *map(key_of, arguments[:2])]
        if not negative:
            rows = iter(self._rows.denials(keys))
        elif len(arguments) <= BINARY:
            rows = iter(self._rows.positives(list(keys)))
        else:
            rows = self._rows.by_digests(self._digests(body))
        yield from (row for row in rows if row[4] == body)

    def _digests(self, body: bytes) -> list[bytes]:
        """Return the locators of a positive sentence in every context."""
        return [
            hashlib.sha256(identity_prefix(context, 0) + body).digest()
            for context in self._names.contexts()
        ]

    def _functional_rivals(
        self, functor: bytes, arguments: list[bytes]
    ) -> Iterator[Fact]:
        """Yield the facts that give one of these arguments another value."""
        symmetric = functor in self._structure.symmetric
        mine = readings(arguments, symmetric=symmetric)
        queries: list[list[int | None]]
        queries = [[key_of(functor), key_of(one[0])] for one in mine]
        if symmetric:
            queries += [[key_of(functor), None, key_of(one[0])] for one in mine]
        for row in [row for keys in queries for row in self._rows.positives(keys)]:
            _, found, theirs = literal_of(row[4])
            if found == functor and two_values(arguments, theirs, symmetric=symmetric):
                yield row

    def _disjoint_rivals(
        self, functor: bytes, arguments: list[bytes]
    ) -> Iterator[Fact]:
        for other in self.disjoint_from(functor):
            for row in self._rows.positives([key_of(other), key_of(arguments[0])]):
                _, found, theirs = literal_of(row[4])
                if found == other and theirs == arguments:
                    yield row

    def disjoint_from(self, functor: bytes) -> set[bytes]:
        """Return the functors that any declaration makes disjoint from this one."""
        declared = self._structure.statements(DISJOINT_WORD)
        if not declared:
            return set()
        supers = self._structure.supers(functor)
        apart: set[bytes] = set()
        for one in declared:
            low, high = one.said_of
            if low == high:
                continue
            if low in supers:
                apart |= self._structure.subs(high)
            if high in supers:
                apart |= self._structure.subs(low)
        return apart - _STRUCTURAL - {functor}

    # Recording -----------------------------------------------------------------------

    def _pair(self, kind: int, one: Fact, other: Fact) -> Pair:
        lo, hi = sorted((one, other), key=lambda fact: fact[0])
        words = b"", b""
        if kind != REBUTTAL:
            words = literal_of(lo[4])[1], literal_of(hi[4])[1]
        sight = Sight(kind, lo[1], hi[1], (self._mask(lo), self._mask(hi)), words)
        return lo[0], hi[0], kind, self.stored(sight)

    def _mask(self, fact: Fact) -> int:
        return fact[0] if self._structure.masks_of(fact[3]) else 0

    def stored(self, sight: Sight) -> int:
        """Return the id of a sight, stored and looked at if it is new."""
        text = sight.key()
        known = self._sights.get(text)
        if known is None:
            row = self._rows.sight(text)
            if row is None:
                on = sight.depends_on()
                known = self._rows.make_sight(text, self.state(sight), on)
            else:
                known = row[0]
            self._sights[text] = known
        return known

    def again(self, pair: Pair, sight: Sight) -> Sight:
        """Return the sight of a pair after masks came or went."""
        digests = self._sentexes.digests(pair[:2])
        masked = tuple(
            one if self._structure.masks_of(digests[one]) else 0 for one in pair[:2]
        )
        return sight._replace(masked=(masked[0], masked[1]))

    # Seeing --------------------------------------------------------------------------

    def state(self, sight: Sight) -> int:
        """Return whether anybody sees such a pair, and which member may fall."""
        state = 0
        names = self._names.context(sight.lo), self._names.context(sight.hi)
        for context in self.viewers(sight):
            state |= VISIBLE
            if self._consents(context, names):
                if self._may_lose_at(context, names[0]):
                    state |= LO_FALLS
                if self._may_lose_at(context, names[1]):
                    state |= HI_FALLS
            if state == VISIBLE | LO_FALLS | HI_FALLS:
                break
        return state

    def viewers(self, sight: Sight) -> Iterator[str]:
        """Yield the contexts from which such a pair is seen, unmasked."""
        names = {self._names.context(sight.lo), self._names.context(sight.hi)}
        masked = self._sentexes.digests([one for one in sight.masked if one])
        for context in self._structure.lattice.seers_of_all(names):
            if any(self._structure.masked(one, context) for one in masked.values()):
                continue
            if self._declared(sight, context):
                yield context

    def _declared(self, sight: Sight, context: str) -> bool:
        if sight.kind == REBUTTAL:
            return True
        first, second = sight.words
        if sight.kind == FUNCTIONAL:
            return self._structure.makes_functional(first, context)
        return self._structure.sets_apart(first, second, context) is not None

    def _may_lose_at(self, vantage: str, loser: str) -> bool:
        """Tell whether a vantage may make something of a context fall at all."""
        if vantage in self._structure.owners and vantage != loser:
            return False
        local = self._structure.locals
        return vantage not in local or loser in local

    def _consents(self, vantage: str, members: tuple[str, str]) -> bool:
        return all(
            member == vantage or self._agreed(vantage, member)
            for member in set(members)
        )

    def _agreed(self, vantage: str, member: str) -> bool:
        """Tell whether somebody who may has made the vantage see the member."""
        structure = self._structure
        edge = vantage, member
        sentex = self._edge(edge)
        if sentex is None:
            return False
        owner = structure.owners.get(member)
        if member == MAJORITY and vantage in structure.channels:
            return True  # whoever says so has called a count there
        meets = vantage in structure.channels or vantage in structure.convened
        return any(
            structure.permits(agent, edge, moderator=moderator)
            if owner is not None and agent == owner.agent
            else moderator and (meets or owner is None)
            for agent, moderator in structure.rows.asserters(sentex)
        )

    def _edge(self, edge: tuple[str, str]) -> int | None:
        """Return the row of an edge that is in force."""
        body = join([GENL_CX, *map(word_of, edge)])
        digest = hashlib.sha256(identity_prefix(UNIVERSE, 0) + body).digest()
        for sentex in self._sentexes.ids([digest]).values():
            if self._sentexes.label(sentex) & BELIEVED:
                return sentex
        return None


def readings(arguments: list[bytes], *, symmetric: bool) -> list[list[bytes]]:
    """Return the orders in which two arguments may be read."""
    return [arguments, arguments[::-1]] if symmetric else [arguments]


def two_values(
    mine: list[bytes], theirs: list[bytes], *, symmetric: bool
) -> tuple[bytes, bytes] | None:
    """Return (their value, mine) of an argument to which both facts give one.

    None where they give none two: a fact and its mirror say the same.
    """
    if len(theirs) != BINARY:
        return None
    for one in readings(mine, symmetric=symmetric):
        for two in readings(theirs, symmetric=symmetric):
            if one[0] == two[0] and one[1] != two[1]:
                return two[1], one[1]
    return None
