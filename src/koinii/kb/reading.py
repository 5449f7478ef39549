"""Believed sentexes as a context reads them.

A read from a context takes in what it sees and has not masked; facts of a
predicate below the one asked for, by `genl` statements it sees; mirrors, where
the predicate is symmetric; and what an agent holds, for a modal predicate (A.4,
A.13, A.18). An exact read takes in that context alone, without predicates below;
a read of any context ignores masks too.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from koinii.kb import query
from koinii.kb.contexts import belief_context
from koinii.kb.contexts.structure import MODAL
from koinii.kb.rows import key_of, key_or_open, read_row
from koinii.terms.encoding import decode_known, encode
from koinii.terms.match import ANY, unify
from koinii.terms.term import Symbol, is_variable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.kb.contexts.structure import Structure
    from koinii.store.names import Names
    from koinii.store.sentexes import Found, Sentexes
    from koinii.terms.term import Term

CONE, EXACT, ANYWHERE = "cone", "exact", "any"
_KEPT = 1024  # views
_BINARY = 3  # the functor and two arguments


class Place(NamedTuple):
    """From where a read is made: a context, None for every one."""

    context: str | None
    scope: str


class _Way(NamedTuple):
    """One way in which facts are read as a literal."""

    functor: Term  # that facts have
    is_mirror: bool
    key: int | None  # of the functor, None for any


class _View(NamedTuple):
    """How a place reads literals of one functor."""

    ways: list[_Way]
    is_modal: bool
    hides: bool  # by masks

    @property
    def is_plain(self) -> bool:
        """Whether facts are read as they stand, and nothing else is."""
        return len(self.ways) == 1 and not self.is_modal and not self.hides


class Reader:
    """Reads what is believed in one store."""

    def __init__(self, names: Names, sentexes: Sentexes, structure: Structure) -> None:
        self._names = names
        self._sentexes = sentexes
        self._structure = structure
        self._views: dict[object, tuple[_View, bool]] = {}
        self._generation = -1

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
        view, is_plain = self._view(plain, place, negative=negative)
        keys = list(map(key_or_open, plain))
        contexts = self.contexts(place)
        if is_plain:
            rows = self._sentexes.candidates(keys, negative=negative, contexts=contexts)
            return self._as_they_stand(rows)
        found = self._as_read((view, plain), keys, place, contexts, negative=negative)
        return chain(found, self._held(plain)) if view.is_modal else found

    def _as_they_stand(self, rows: Iterator[Found]) -> Iterator[tuple[Found, Term]]:
        name_of = self._names.context
        for row in rows:
            yield row, read_row(name_of(row[1]), row[2], row[3])

    def _as_read(
        self,
        view: tuple[_View, tuple[Term, ...]],
        keys: list[int | None],
        place: Place,
        contexts: frozenset[int] | None,
        *,
        negative: bool,
    ) -> Iterator[tuple[Found, Term]]:
        (ways, _, hides), plain = view
        for way in ways:
            arguments = keys[:0:-1] if way.is_mirror else keys[1:]
            rows = self._sentexes.candidates(
                [way.key, *arguments], negative=negative, contexts=contexts
            )
            for row, sentence in self._as_they_stand(rows):
                if hides and not self.is_seen(row[2], place):
                    continue
                if way.functor is not plain[0] or way.is_mirror:
                    sentence = _reread(sentence, plain[0], way, negative=negative)  # noqa: PLW2901 - the same, reread
                yield row, sentence

    def _view(
        self, plain: tuple[Term, ...], place: Place, *, negative: bool
    ) -> tuple[_View, bool]:
        """Return how literals like this one are read, and whether plainly so."""
        if self._generation != self._structure.generation:
            self._generation = self._structure.generation
            self._views.clear()
        functor = plain[0]
        if type(functor) is not Symbol:
            return self._seen(plain, place, negative=negative)
        modal = len(plain) == _BINARY and type(plain[2]) is tuple
        like = functor.text, len(plain), modal, place, negative
        known = self._views.get(like)
        if known is None:
            known = self._seen(plain, place, negative=negative)
            if len(self._views) < _KEPT:
                self._views[like] = known
        return known

    def _seen(
        self, plain: tuple[Term, ...], place: Place, *, negative: bool
    ) -> tuple[_View, bool]:
        view = _View(
            self._ways(plain, place, negative=negative),
            not negative and self._is_modal(plain, place),
            self._structure.any_masks
            and place.context is not None
            and place.scope != ANYWHERE,
        )
        return view, view.is_plain

    def _ways(
        self, plain: tuple[Term, ...], place: Place, *, negative: bool
    ) -> list[_Way]:
        functor = plain[0]
        ways = [_Way(functor, is_mirror=False, key=key_or_open(functor))]
        if type(functor) is not Symbol or is_variable(functor) or functor == ANY:
            return ways
        encoded = encode(functor)
        symmetric = self._structure.symmetric if len(plain) == _BINARY else frozenset()
        if encoded in symmetric:
            ways.append(_Way(functor, is_mirror=True, key=key_of(encoded)))
        context = place.context if place.scope == CONE else None
        if negative or context is None:
            return ways
        for below in self._structure.climbers(encoded, context) - {encoded}:
            term, key = decode_known(below), key_of(below)
            ways.append(_Way(term, is_mirror=False, key=key))
            if below in symmetric or encoded in symmetric:
                ways.append(_Way(term, is_mirror=True, key=key))
        return ways

    # What agents hold ------------------------------------------------------------

    def _is_modal(self, plain: tuple[Term, ...], place: Place) -> bool:
        """Tell whether a goal asks what an agent holds, where the context may."""
        if len(plain) != _BINARY or place.scope != CONE or place.context is None:
            return False
        if type(plain[2]) is not tuple:
            return False
        functor = encode(plain[0])
        return any(
            one.said_of[0] == functor and self._structure.shows(one, place.context)
            for one in self._structure.statements(MODAL)
        )

    def _held(self, plain: tuple[Term, ...]) -> Iterator[tuple[None, Term]]:
        """Yield what an agent holds, as facts about the agent."""
        functor, agent, pattern = plain
        if not isinstance(agent, Symbol) or is_variable(agent) or agent == ANY:
            return
        held = Place(belief_context(agent.name), CONE)
        goals = query.goals_of(pattern)
        if len(goals) == 1 and query.is_literal(goals[0]):
            for fact in self.facts(goals[0], held):
                yield None, (functor, agent, fact)


def _reread(sentence: Term, functor: Term, way: _Way, *, negative: bool) -> Term:
    """Return a fact under the functor of a goal, and swapped for a mirror."""
    assert isinstance(sentence, tuple)  # noqa: S101 - it is stored
    literal = sentence[1] if negative else sentence
    assert isinstance(literal, tuple)  # noqa: S101 - it is stored
    arguments = literal[:0:-1] if way.is_mirror else literal[1:]
    reread = (functor, *arguments)
    return (sentence[0], reread) if negative else reread
