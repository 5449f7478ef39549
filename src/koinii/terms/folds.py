"""Folds of one literal: negation, comparison, conjunction.

Only a literal's own connectives are folded. Its arguments are values and stay
as they were written, also where they look like sentences.
"""

from __future__ import annotations

from koinii.terms.encoder import encode
from koinii.terms.order import content_key
from koinii.terms.term import Symbol, Term, is_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    BlindKey: TypeAlias = tuple[Any, ...]

AND = Symbol("and")
GREATER_THAN = Symbol("greaterThan")
IMPLIES = Symbol("implies")
LESS_THAN = Symbol("lessThan")
NOT = Symbol("not")
UNKNOWN = Symbol("unknown")

# Literals that test what others have bound, and bind nothing themselves.
FILTERS = frozenset({LESS_THAN, Symbol("different"), Symbol("equals"), UNKNOWN})


def head(sentence: Term) -> Term:
    """Return the first element of a list; None for what has none."""
    return sentence[0] if type(sentence) is tuple and sentence else None


def word(sentence: Term) -> str:
    """Return the name of a list's head where it is a plain symbol, else ''."""
    first = head(sentence)
    return first.name if type(first) is Symbol and first.namespace is None else ""


def is_form(sentence: Term, connective: Symbol, arguments: int) -> bool:
    """Whether a sentence is that connective with that many arguments."""
    return (
        type(sentence) is tuple
        and len(sentence) == arguments + 1
        and type(sentence[0]) is Symbol
        and sentence[0].text == connective.text
    )


def unnegated(sentence: Term) -> tuple[bool, Term]:
    """Return whether a sentence is negative, and what stands within its nots."""
    negative = False
    while is_form(sentence, NOT, 1):
        negative, sentence = not negative, sentence[1]  # type: ignore[index]
    return negative, sentence


def fold(sentence: Term) -> Term:
    """Return a literal with at most one `not`, and no `greaterThan`."""
    negative, positive = unnegated(sentence)
    if head(positive) == GREATER_THAN:
        positive = (LESS_THAN, *reversed(positive[1:]))  # type: ignore[index]
    elif is_form(positive, UNKNOWN, 1):
        positive = (UNKNOWN, _sorted_conjunction(positive[1]))  # type: ignore[index]
    return (NOT, positive) if negative else positive


def conjuncts(sentence: Term) -> list[Term]:
    """Return the folded literals that a nest of `and` joins, in their order."""
    folded = fold(sentence)
    if head(folded) != AND:
        return [folded]
    return [each for part in folded[1:] for each in conjuncts(part)]  # type: ignore[index]


def conjunction(literals: Iterable[Term]) -> Term:
    """Return one literal as itself, and others joined by a single `and`."""
    joined = tuple(literals)
    return joined[0] if len(joined) == 1 else (AND, *joined)


def distinct(literals: Iterable[Term]) -> list[Term]:
    """Return the literals without repetitions, in order of first occurrence."""
    return list({encode(literal): literal for literal in literals}.values())


def functor(literal: Term) -> Term:
    """Return the predicate of a literal, below its `not`; None if it has none."""
    return head(unnegated(literal)[1])


def is_filter(literal: Term) -> bool:
    """Whether a literal only tests; a negated filter is a filter."""
    return functor(literal) in FILTERS


def blind_key(literal: Term) -> BlindKey:
    """Return the key of a literal that does not see which variable is which.

    Shorter lists first, then element by element: constants in the order of
    values, then lists, then variables, all of them equal (formats section 2).
    """
    if type(literal) is not tuple:
        return (0, _blind_element(literal))
    return (len(literal), *map(_blind_element, literal))


def _blind_element(term: Term) -> BlindKey:
    if type(term) is tuple:
        return (1, blind_key(term))
    if is_variable(term):
        return (2,)
    return (0, content_key(term))


def _sorted_conjunction(sentence: Term) -> Term:
    return conjunction(sorted(distinct(conjuncts(sentence)), key=blind_key))
