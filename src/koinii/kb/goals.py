"""What a watcher of the change feed waits for: one literal, read from a context.

A goal is matched against what moved, never asked anew, and reads an entry as a
question from that context would: what the context sees unmasked, of a predicate
below the goal's by `genl` statements it sees, mirrored where symmetric (A.14).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import RefusedError
from koinii.kb import query
from koinii.terms.canonical import canonical
from koinii.terms.encoding import encode
from koinii.terms.folds import word
from koinii.terms.match import ANY, unify
from koinii.terms.printer import write
from koinii.terms.roles import check_context
from koinii.terms.term import Symbol, is_variable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.kb.contexts.structure import Structure
    from koinii.kb.query import Bindings
    from koinii.terms.term import Term

_BINARY = 3  # the functor and two arguments
_NO_LITERALS = query.FILTERS | {
    "and", "exists", "greaterThan", "implies", "ist", "not", "thereExists", "unknown",
}  # fmt: skip


class Moved(NamedTuple):
    """A sentex whose belief has moved."""

    context: str
    digest: bytes
    sentence: Term


class Goal(NamedTuple):
    """What is watched for, as `goal_of` admits it."""

    literal: Term | None  # None fits every sentence
    context: str | None  # None reads every context

    def match(self, moved: Moved, structure: Structure) -> Bindings | None:
        """Return what makes the goal fit, None where it does not."""
        found: Bindings | None = {}
        if self.context is not None:
            found = self._seen(moved, self.context, structure)
        if found is None or self.literal is None:
            return found
        for reading in self._readings(moved.sentence, self.literal, structure):
            bindings = unify(self.literal, reading, found)
            if bindings is not None:
                return bindings
        return None

    def _seen(
        self, moved: Moved, context: str, structure: Structure
    ) -> Bindings | None:
        if context.startswith("?"):
            return {context: Symbol(moved.context)}
        if not structure.lattice.sees(context, moved.context):
            return None
        return None if structure.masked(moved.digest, context) else {}

    def _readings(
        self, sentence: Term, goal: Term, structure: Structure
    ) -> Iterator[Term]:
        """Yield a sentence as the goal reads it: itself, then below and mirrored."""
        yield sentence
        negative, wanted = query.split(goal)
        is_negative, fact = query.split(sentence)
        functor, own = wanted[0], fact[0]
        if negative != is_negative or functor == ANY or is_variable(functor):
            return
        if own != functor:
            if negative or not self._climbs(own, functor, structure):
                return
            yield (functor, *fact[1:])
        if len(fact) == _BINARY and structure.symmetric & {
            encode(own),
            encode(functor),
        }:
            mirror = (functor, fact[2], fact[1])
            yield (Symbol("not"), mirror) if negative else mirror

    def _climbs(self, low: Term, high: Term, structure: Structure) -> bool:
        context = self.context
        if context is None or context.startswith("?"):
            return False
        return structure.climbs(encode(low), encode(high), context)


def goal_of(pattern: Term | None, context: str | None) -> Goal:
    """Return a goal; neither part has to be given.

    A context may be a variable: every context fits, and binds it.

    Raises:
        RefusedError: `not-watchable`: what is no literal; `naming`: no context.
    """
    if context is not None and not context.startswith("?"):
        check_context(Symbol(context))
    return Goal(None if pattern is None else _literal(pattern), context)


def _literal(pattern: Term) -> Term:
    if not isinstance(pattern, tuple) or not pattern:
        raise _refusal(pattern, "it is no sentence")
    if word(pattern) in _NO_LITERALS - {"not"}:
        raise _refusal(pattern, f"it begins with {word(pattern)}")
    form = canonical(pattern)
    try:
        plain = query.split(form)[1]
    except RefusedError as error:
        raise _refusal(pattern, "its not has no sentence") from error
    if word(plain) in _NO_LITERALS or not isinstance(plain[0], Symbol):
        raise _refusal(pattern, f"{write(plain)} is no literal")
    return form


def _refusal(pattern: Term, reason: str) -> RefusedError:
    return RefusedError(
        f"only one literal can be watched for; {reason}: {write(pattern)}",
        code="not-watchable",
        hint='such as "(usesDatabase ?system ?database)"; koinii ask joins and filters',
    )
