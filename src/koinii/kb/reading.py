"""Believed sentexes as a context reads them.

A read from a context takes in what it sees and has not masked; facts of a
predicate below the one asked for, by `genl` statements it sees; mirrors, where
the predicate is symmetric; and what an agent holds, for a modal predicate (A.4,
A.13, A.18). An exact read takes in that context alone, without predicates below;
a read of any context ignores masks too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.kb import query
from koinii.kb.contexts import belief_context
from koinii.kb.rows import key_of, key_or_open, read_row
from koinii.kb.structure import MODAL
from koinii.terms.encoding import decode_known, encode
from koinii.terms.match import ANY, unify
from koinii.terms.term import Symbol, is_variable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.kb.structure import Structure
    from koinii.store.names import Names
    from koinii.store.sentexes import Found, Sentexes
    from koinii.terms.term import Term

CONE, EXACT, ANYWHERE = "cone", "exact", "any"
_BINARY = 3  # the functor and two arguments


class Place(NamedTuple):
    """From where a read is made: a context, None for every one."""

    context: str | None
    scope: str


class _Way(NamedTuple):
    """One way in which facts are read as a literal."""

    functor: Term  # that facts have
    is_mirror: bool


class Reader:
    """Reads what is believed in one store."""

    def __init__(self, names: Names, sentexes: Sentexes, structure: Structure) -> None:
        self._names = names
        self._sentexes = sentexes
        self._structure = structure

    # Answers ------------------------------------------------------------

    def matches(self, literal: Term, place: Place) -> Iterator[query.Bindings]:
        """Yield the bindings under which a literal holds."""
        for _, fact in self._read(literal, place):
            bindings = unify(literal, fact)
            if bindings is not None:
                yield bindings

    def facts(self, literal: Term, place: Place) -> Iterator[Term]:
        """Yield the facts that may match a literal, as it reads them."""
        for _, fact in self._read(literal, place):
            yield fact

    def sentexes(
        self, literal: Term, place: Place
    ) -> Iterator[tuple[int, str, bytes, Term, bytes]]:
        """Yield the sentexes that match: id, context, digest, sentence, body.

        What is only projected from what an agent holds is none of them.
        """
        told: set[int] = set()
        for row, fact in self._read(literal, place):
            if row is None or row[0] in told or unify(literal, fact) is None:
                continue
            told.add(row[0])
            number, context, digest, body = row
            yield number, self._names.context(context), digest, decode_known(body), body

    # Rows ------------------------------------------------------------

    def contexts(self, place: Place) -> frozenset[int] | None:
        """Return the ids of the contexts that a read takes in; None is all of them."""
        if place.context is None or place.scope == ANYWHERE:
            return None
        if place.scope == CONE:
            return self._structure.cone(place.context)
        known = self._names.context_id(place.context)
        return frozenset(() if known is None else (known,))

    def is_seen(self, digest: bytes, place: Place) -> bool:
        """Tell whether a sentex is not masked where it is read from."""
        if place.context is None or place.scope == ANYWHERE:
            return True
        return not self._structure.masked(digest, place.context)

    def _read(self, literal: Term, place: Place) -> Iterator[tuple[Found | None, Term]]:
        negative, plain = query.split(literal)
        keys = list(map(key_or_open, plain))
        contexts = self.contexts(place)
        hides = self._structure.any_masks and place.context is not None
        for way in self._ways(plain, place, negative=negative):
            for row in self._sentexes.candidates(
                _keys(way, keys), negative=negative, contexts=contexts
            ):
                number, context, digest, body = row
                sentence = read_row(self._names.context(context), digest, body)
                if hides and not self.is_seen(digest, place):
                    continue
                if way.functor is not plain[0] or way.is_mirror:
                    sentence = _reread(sentence, plain[0], way, negative=negative)
                yield (number, context, digest, body), sentence
        if not negative and self._is_modal(plain, place):
            yield from self._held(plain)

    def _ways(
        self, plain: tuple[Term, ...], place: Place, *, negative: bool
    ) -> list[_Way]:
        functor = plain[0]
        ways = [_Way(functor, is_mirror=False)]
        if type(functor) is not Symbol or is_variable(functor) or functor == ANY:
            return ways
        encoded = encode(functor)
        symmetric = self._structure.symmetric if len(plain) == _BINARY else frozenset()
        if encoded in symmetric:
            ways.append(_Way(functor, is_mirror=True))
        context = place.context if place.scope == CONE else None
        if negative or context is None:
            return ways
        for below in self._structure.subs(encoded) - {encoded}:
            if self._structure.climbs(below, encoded, context):
                ways.append(_Way(decode_known(below), is_mirror=False))
                if below in symmetric or encoded in symmetric:
                    ways.append(_Way(decode_known(below), is_mirror=True))
        return ways

    # What agents hold ------------------------------------------------------------

    def _is_modal(self, plain: tuple[Term, ...], place: Place) -> bool:
        """Tell whether a goal asks what an agent holds, where the context may."""
        if len(plain) != _BINARY or place.scope != CONE or place.context is None:
            return False
        if type(plain[2]) is not tuple or not isinstance(plain[1], Symbol):
            return False
        if is_variable(plain[1]) or plain[1] == ANY:
            return False
        functor = encode(plain[0])
        return any(
            one.said_of[0] == functor and self._structure.shows(one, place.context)
            for one in self._structure.statements(MODAL)
        )

    def _held(self, plain: tuple[Term, ...]) -> Iterator[tuple[None, Term]]:
        """Yield what an agent holds, as facts about the agent."""
        functor, agent, pattern = plain
        assert isinstance(agent, Symbol)  # noqa: S101 - _is_modal looked
        held = Place(belief_context(agent.name), CONE)
        (goal,) = query.goals_of(pattern)
        for fact in self.facts(goal, held):
            yield None, (functor, agent, fact)


def _keys(way: _Way, keys: list[int | None]) -> list[int | None]:
    arguments = keys[:0:-1] if way.is_mirror else keys[1:]
    functor = key_of(encode(way.functor)) if keys[0] is not None else None
    return [functor, *arguments]


def _reread(sentence: Term, functor: Term, way: _Way, *, negative: bool) -> Term:
    """Return a fact under the functor of a goal, and swapped for a mirror."""
    assert isinstance(sentence, tuple)  # noqa: S101 - it is stored
    literal = sentence[1] if negative else sentence
    assert isinstance(literal, tuple)  # noqa: S101 - it is stored
    arguments = literal[:0:-1] if way.is_mirror else literal[1:]
    reread = (functor, *arguments)
    return (sentence[0], reread) if negative else reread
