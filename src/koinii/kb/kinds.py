"""What an argument is known to be, and what it has to be (A.12, A.13).

A type is what a `genl` statement seen from a context is said of. Literals have
types of their own; whatever there is is a `thing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.contexts.structure import Statement, word_of
from koinii.terms.encoding import decode_known
from koinii.terms.term import Char, Decimal, Keyword, Ratio

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.kb.contexts.structure import Structure
    from koinii.kb.momentary import Momentary, Piece

THING = word_of("thing")
_NUMBER = word_of("number")
_LITERALS: dict[type, bytes] = {
    str: word_of("character_string"),
    int: _NUMBER,
    float: _NUMBER,
    Ratio: _NUMBER,
    Decimal: _NUMBER,
    bool: word_of("boolean"),
    Char: word_of("character"),
    Keyword: word_of("keyword"),
}


class Misfit(NamedTuple):
    """An argument that is known to be something, and not what is declared."""

    position: int  # from 1
    argument: bytes
    wanted: bytes
    known: list[bytes]  # types it is known to have, sorted
    declared: Statement


def misfits(piece: Piece, structure: Structure, moment: Momentary) -> Iterator[Misfit]:
    """Yield the arguments of a fact that are known to be of other types only.

    Nothing is held against an argument of which no type is known.
    """
    for declared in _declarations(piece, structure):
        position = decode_known(declared.said_of[1])
        wanted = declared.said_of[2]
        assert isinstance(position, int)  # noqa: S101 - its shape was checked
        if wanted == THING or position > len(piece.arguments):
            continue
        argument = piece.arguments[position - 1]
        known = _types(argument, wanted, piece.context, structure, moment)
        if known and not any(
            structure.climbs(one, wanted, piece.context) for one in known
        ):
            yield Misfit(position, argument, wanted, sorted(known), declared)


def _declarations(piece: Piece, structure: Structure) -> Iterator[Statement]:
    """Yield what the fact's context sees declared of its functor's arguments."""
    for functor in sorted(structure.supers(piece.functor)):
        for one in structure.argument_types(functor):
            if structure.shows(one, piece.context) and structure.climbs(
                piece.functor, functor, piece.context
            ):
                yield one


def _types(
    thing: bytes, wanted: bytes, viewer: str, structure: Structure, moment: Momentary
) -> set[bytes]:
    """Return the types that a thing is known to have where it is looked at."""
    own = _LITERALS.get(type(decode_known(thing)))
    known = set() if own is None else {own}
    for one in moment.kinds(thing, [wanted], viewer):
        if one.functor == wanted or _is_type(one.functor, viewer, structure):
            known.add(one.functor)
    return known


def _is_type(functor: bytes, viewer: str, structure: Structure) -> bool:
    """Tell whether a `genl` statement seen from there is said of a functor."""
    if any(structure.shows(one, viewer) for one in structure.above(functor)):
        return True
    below = structure.subs(functor) - {functor}
    return any(structure.climbs(one, functor, viewer) for one in below)
