"""The checks of the moment: what a keyboard refuses because of what is here (A.12).

Only what is said at this seat is checked; loaded and pulled lines are stored, and
clash. A fact is judged as its own context sees the base: by what that believes,
unmasked, under declarations that it sees. What is stored already is always fine.

    functional             another value is there       existing, new, opposing
    disjoint               it is something else         opposing, declared
    arg-type               an argument is known to be   argument, position, wanted,
                           something, and not that      known, declared
    koinii/no-such-handle  a reply to what is not here  missing
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from koinii.errors import RefusedError
from koinii.kb.contexts.structure import DISJOINT, EXCEPT
from koinii.kb.kinds import Misfit, misfits
from koinii.kb.momentary import Momentary, Piece, piece_of
from koinii.kb.network.clashes import BINARY, readings, two_values
from koinii.kb.network.replies import misnamed, targets_of
from koinii.kb.rows import key_of
from koinii.store.sentexes import LOCAL, SHIPPED, WAITING
from koinii.terms.encoding import decode_known, encode
from koinii.terms.folds import head
from koinii.terms.locator import locator_of
from koinii.terms.printer import write

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from koinii.kb.base import KnowledgeBase
    from koinii.kb.contexts.structure import Statement, Structure
    from koinii.kb.writing import Said
    from koinii.terms.term import Term

_SHORT = len("sha256:") + 8  # enough of a locator
NO_TARGET = "koinii/no-such-handle"


class Problem(NamedTuple):
    """Why something would be refused; `details` as its error has them."""

    code: str
    message: str
    hint: str
    details: dict[str, Any]

    def error(self) -> RefusedError:
        """Return the error that refuses it."""
        return RefusedError(
            self.message, code=self.code, hint=self.hint, **self.details
        )


def leaving(
    kb: KnowledgeBase, author: int | None, digests: Iterable[bytes]
) -> frozenset[int]:
    """Return which of these nothing holds once an author has taken them back.

    What a rule concludes too stays, whatever that rests on.
    """
    found = [one for one in map(kb.find, digests) if one is not None]
    return frozenset(
        one.id
        for one in found
        if {row[1] for row in kb.asserted_by(one.id)} == {author}
        and not kb.sentexes.label(one.id) & SHIPPED
        and not kb.parts.network.grounds(one.id)
    )


def is_free(structure: Structure, sentence: Term) -> bool:
    """Tell whether nothing in force bears on a sentence said alone."""
    functor = encode(head(sentence))
    return not (
        functor == EXCEPT
        or functor in structure.functional
        or functor in structure.following
        or any(map(structure.argument_types, structure.supers(functor)))
        or structure.statements(DISJOINT)
    )


class Moment:
    """The base as one edit finds it, and what of the edit cannot be."""

    def __init__(
        self,
        kb: KnowledgeBase,
        added: Iterable[Said] = (),
        gone: Collection[int] = frozenset(),
    ) -> None:
        """Judge by the base, what is said with it, and without what is gone."""
        self._kb = kb
        self._structure = kb.parts.structure
        pieces = (piece_of(one.context, one.sentence) for one in added)
        self._gone = gone
        self._added = {one.digest: one for one in pieces if one is not None}
        self._moment = Momentary(kb, self._added.values(), gone)

    def problems(self, said: Said) -> list[Problem]:
        """Return what is wrong with one of the sentences that are said."""
        if encode(head(said.sentence)) == EXCEPT:
            return list(self._maskless(said))
        piece = piece_of(said.context, said.sentence)
        if piece is None:
            return []
        found = [
            *self._functional(piece),
            *self._disjoint(piece),
            *self.misfits(piece),
            *self._unanswerable(piece),
        ]
        return [] if found and self._kb.sentexes.ids([piece.digest]) else found

    def _maskless(self, said: Said) -> Iterator[Problem]:
        """Yield the problem of a mask that names nothing that is here."""
        named = targets_of(encode(said.sentence))
        if not any(one in self._added or self._kb.sentexes.ids([one]) for one in named):
            missing = [locator_of(one) for one in named]
            yield Problem(
                NO_TARGET,
                f"{write(said.sentence)} names nothing that is here, so it would hide "
                "nothing",
                "give the whole locator of a stored sentence: koinii locate",
                {"missing": missing},
            )

    # Two values ------------------------------------------------------------------

    def _functional(self, piece: Piece) -> Iterator[Problem]:
        functor, structure = piece.functor, self._structure
        if functor not in structure.functional or len(piece.arguments) != BINARY:
            return
        if not structure.makes_functional(functor, piece.context):
            return
        told: set[bytes] = set()
        for other in self._of_the_same(piece):
            values = two_values(
                piece.arguments,
                other.arguments,
                symmetric=functor in structure.symmetric,
            )
            if values is not None and other.digest not in told:
                told.add(other.digest)
                yield _second_value(piece, other, values, self._hint(piece, other))

    def _of_the_same(self, piece: Piece) -> Iterator[Piece]:
        """Yield the facts of a functor that may give one of the arguments a value."""
        functor = key_of(piece.functor)
        symmetric = piece.functor in self._structure.symmetric
        for mine in readings(piece.arguments, symmetric=symmetric):
            first = key_of(mine[0])
            yield from self._moment.facts(
                [functor, first], piece.functor, piece.context
            )
            if symmetric:
                yield from self._moment.facts(
                    [functor, None, first], piece.functor, piece.context
                )

    # Two types -------------------------------------------------------------------

    def _disjoint(self, piece: Piece) -> Iterator[Problem]:
        structure, viewer = self._structure, piece.context
        if len(piece.arguments) != 1 or not structure.statements(DISJOINT):
            return
        apart = self._kb.parts.rivals.disjoint_from(piece.functor)
        if not apart:
            return
        declared = {
            name for one in structure.statements(DISJOINT) for name in one.said_of
        }
        for other in self._moment.kinds(piece.arguments[0], declared, viewer):
            if other.functor in apart and not other.shipped:
                statement = structure.sets_apart(piece.functor, other.functor, viewer)
                if statement is not None:
                    hint = self._hint(piece, other)
                    yield _second_type(piece, other, statement, hint)

    def _hint(self, piece: Piece, other: Piece) -> str:
        if other.digest in self._added:
            return "say one of them"
        locator = locator_of(other.digest)[:_SHORT]
        return (
            f"if that is yours: koinii retract {locator}, and then say this; "
            "otherwise say it in a context that does not see it"
        )

    # Types of arguments ----------------------------------------------------------

    def misfits(self, piece: Piece) -> Iterator[Problem]:
        """Yield the arguments of a fact that are known to be something else."""
        for one in misfits(piece, self._structure, self._moment):
            yield _misfit(piece, one)

    # Replies ---------------------------------------------------------------------

    def _unanswerable(self, piece: Piece) -> Iterator[Problem]:
        """Yield the problem of a reply that would wait, or answers nothing."""
        if piece.functor not in self._structure.following:
            return
        if wrong := misnamed(piece.body):
            yield _misnaming(piece, wrong)
        is_local = piece.context in self._structure.locals
        missing = [
            locator_of(one)
            for one in targets_of(piece.body)
            if not self._is_here(one, is_local=is_local)
        ]
        if missing:
            yield Problem(
                NO_TARGET,
                f"nothing here has the locator {missing[0]}, "
                f"which {_shown(piece)} names",
                "koinii pull, if another seat has it",
                {"missing": missing},
            )

    def _is_here(self, digest: bytes, *, is_local: bool) -> bool:
        if digest in self._added:
            return True
        number = self._kb.sentexes.ids([digest]).get(digest)
        if number is None or number in self._gone:
            return False
        label = self._kb.sentexes.label(number)
        return not label & WAITING and (is_local or not label & LOCAL)


def _misnaming(piece: Piece, wrong: list[Term]) -> Problem:
    return Problem(
        NO_TARGET,
        f"{write(wrong[0])} is no whole locator, so that {_shown(piece)} "
        "would answer nothing",
        "a handle is the whole locator in quotes, as koinii show tells it",
        {"missing": list(map(write, wrong))},
    )


def _second_value(
    piece: Piece, other: Piece, values: tuple[bytes, bytes], hint: str
) -> Problem:
    existing, new = values
    return Problem(
        "functional",
        f"{_name(piece.functor)} gives one value, and "
        f"{piece.context} sees {_shown(other)} in {other.context}",
        hint,
        {
            "existing": _text(existing),
            "new": _text(new),
            "opposing": locator_of(other.digest),
        },
    )


def _second_type(piece: Piece, other: Piece, declared: Statement, hint: str) -> Problem:
    return Problem(
        "disjoint",
        f"nothing is both a {_name(piece.functor)} and a {_name(other.functor)}, and "
        f"{piece.context} sees {_shown(other)} in {other.context}",
        hint,
        {
            "opposing": locator_of(other.digest),
            "declared": locator_of(declared.digest),
        },
    )


def _misfit(piece: Piece, found: Misfit) -> Problem:
    argument, wanted = _text(found.argument), _name(found.wanted)
    known = sorted(map(_name, found.known))
    return Problem(
        "arg-type",
        f"argument {found.position} of {_name(piece.functor)} is a {wanted}, and "
        f"{argument} is known to be a {', a '.join(known)}",
        f"say that it is one too: ({wanted} {argument})",
        {
            "argument": argument,
            "position": found.position,
            "wanted": wanted,
            "known": known,
            "declared": locator_of(found.declared.digest),
        },
    )


def _text(encoded: bytes) -> str:
    return write(decode_known(encoded))


_name = _text


def _shown(piece: Piece) -> str:
    return _text(piece.body)
