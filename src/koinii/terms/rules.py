"""The canonical form of a rule: one order of antecedents, one numbering.

Antecedents go by (filter or not, recursive or not, blind key). Literals that
tie are put in the order whose numbering, `?var0` onwards by first occurrence,
gives the least sequence of keys; the consequent decides last (formats
section 2). The search keeps every best prefix, so that the answer does not
depend on how the rule was written, and refuses a rule that has too many.
"""

from __future__ import annotations

from itertools import groupby

from koinii.errors import RefusedError
from koinii.terms.folds import (
    blind_key,
    conjunction,
    conjuncts,
    distinct,
    functor,
    is_filter,
)
from koinii.terms.match import symbols
from koinii.terms.printer import write
from koinii.terms.term import Symbol, Term, is_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from koinii.terms.folds import BlindKey

    # The antecedents chosen so far, and the numbers their variables have.
    Prefix: TypeAlias = tuple[tuple[int, ...], dict[Symbol, int]]

MAX_ANTECEDENTS = 64
MAX_PREFIXES = 10_000  # over all lengths; part of the format


class Literal:
    """An antecedent with what the search reads of it, worked out once."""

    __slots__ = ("index", "term", "variables")

    def __init__(self, index: int, term: Term) -> None:
        self.index = index
        self.term = term
        self.variables = occurrences(term)


def canonical_rule(rule: tuple[Term, ...]) -> Term:
    """Return the canonical form of `(implies antecedent consequent)`.

    Raises `RefusedError`: code `shape` above 64 antecedents, `too-symmetric`
    when the best prefixes kept exceed 10,000.
    """
    implies, antecedent, consequent = rule
    goal = conjunction(conjuncts(consequent))
    literals = distinct(conjuncts(antecedent))
    if len(literals) > MAX_ANTECEDENTS:
        raise _refused(f"more than {MAX_ANTECEDENTS} antecedents", "shape", rule)
    groups = _tie_groups(literals, functor(goal))
    order, numbers = _least_prefix(groups, occurrences(goal), rule)
    names = {variable: Symbol(f"?var{at}") for variable, at in numbers.items()}
    chosen = {literal.index: literal.term for group in groups for literal in group}
    antecedents = [_renamed(chosen[index], names) for index in order]
    return (implies, conjunction(antecedents), _renamed(goal, names))


def occurrences(term: Term) -> tuple[Symbol, ...]:
    """Return every variable of a term as often as it occurs, left to right."""
    return tuple(filter(is_variable, symbols(term)))


def _tie_groups(literals: Sequence[Term], recursive: Term) -> list[list[Literal]]:
    """Return the antecedents in order, those that tie together in one group."""

    def rank(literal: Literal) -> tuple[bool, bool, BlindKey]:
        of_goal = recursive is not None and functor(literal.term) == recursive
        return is_filter(literal.term), of_goal, blind_key(literal.term)

    ranked = [(rank(lit), lit) for lit in map(Literal, range(len(literals)), literals)]
    ranked.sort(key=lambda pair: pair[0])
    grouped = groupby(ranked, key=lambda pair: pair[0])
    return [[literal for _, literal in pairs] for _, pairs in grouped]


def _least_prefix(
    groups: list[list[Literal]], goal: tuple[Symbol, ...], rule: Term
) -> Prefix:
    """Return the order of least keys, and the numbers of all variables."""
    prefixes: list[Prefix] = [((), {})]
    kept = 0
    for group in groups:
        for _ in group:
            prefixes = _extended(prefixes, group)
            kept += len(prefixes)
            if kept > MAX_PREFIXES:
                reason = "its antecedents are interchangeable in too many ways"
                raise _refused(reason, "too-symmetric", rule)
    order, numbers = min(prefixes, key=lambda prefix: _key(goal, prefix[1]))
    return order, _numbered(goal, numbers)


def _extended(prefixes: list[Prefix], group: list[Literal]) -> list[Prefix]:
    """Return the prefixes with one more literal of the group, of least key."""
    least: tuple[int, ...] | None = None
    best: list[tuple[Prefix, Literal]] = []
    for prefix in prefixes:
        chosen, numbers = prefix
        for literal in group:
            if literal.index in chosen:
                continue
            key = _key(literal.variables, numbers)
            if least is None or key < least:
                least, best = key, []
            if key == least:
                best.append((prefix, literal))
    return [
        ((*chosen, literal.index), _numbered(literal.variables, numbers))
        for (chosen, numbers), literal in best
    ]


def _key(variables: tuple[Symbol, ...], numbers: dict[Symbol, int]) -> tuple[int, ...]:
    """Return the numbers of a literal's variables, new ones counting on.

    Literals that tie differ in nothing else, so this orders them as their keys.
    """
    fresh: dict[Symbol, int] = {}
    used = len(numbers)
    return tuple(
        [
            numbers[variable]
            if variable in numbers
            else fresh.setdefault(variable, used + len(fresh))
            for variable in variables
        ]
    )


def _numbered(
    variables: tuple[Symbol, ...], numbers: dict[Symbol, int]
) -> dict[Symbol, int]:
    numbered = dict(numbers)
    for variable in variables:
        numbered.setdefault(variable, len(numbered))
    return numbered


def _renamed(term: Term, names: dict[Symbol, Symbol]) -> Term:
    if type(term) is tuple:
        return tuple([_renamed(part, names) for part in term])
    return names.get(term, term) if type(term) is Symbol else term


def _refused(reason: str, code: str, rule: Term) -> RefusedError:
    return RefusedError(
        f"the rule is refused: {reason}", code=code, sentence=write(rule)
    )
