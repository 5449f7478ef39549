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

MAX_ANTECEDENTS = 64
MAX_PREFIXES = 10_000  # over all lengths; part of the format
# Variables looked at, for rules of few but very long literals. Six
# interchangeable antecedents stay below it whatever fits in a sentence.
MAX_LOOKED_AT = 24_000_000


class Literal:
    """An antecedent with what the search reads of it, worked out once."""

    __slots__ = ("term", "variables")

    def __init__(self, term: Term) -> None:
        self.term = term
        self.variables = occurrences(term)


if TYPE_CHECKING:
    Prefix: TypeAlias = tuple[Literal, ...]  # the antecedents chosen so far
    Key: TypeAlias = tuple[int, ...]  # the numbers of a literal's variables


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
    search = _Search(rule, goal)
    lone = _lone_variables((*literals, goal))
    for group in _tie_groups(literals, functor(goal)):
        search.place(_narrowed(group, lone))
    antecedents = [literal.term for literal in search.best()]
    found = occurrences((*antecedents, goal))
    names = {
        variable: Symbol(f"?var{number}")
        for number, variable in enumerate(dict.fromkeys(found))
    }
    return (
        implies,
        conjunction([_renamed(term, names) for term in antecedents]),
        _renamed(goal, names),
    )


def occurrences(term: Term) -> tuple[Symbol, ...]:
    """Return every variable of a term as often as it occurs, left to right."""
    return tuple(filter(is_variable, symbols(term)))


def _tie_groups(literals: Sequence[Term], recursive: Term) -> list[list[Literal]]:
    """Return the antecedents in order, those that tie together in one group."""

    def rank(literal: Term) -> tuple[bool, bool, BlindKey]:
        of_goal = recursive is not None and functor(literal) == recursive
        return is_filter(literal), of_goal, blind_key(literal)

    ranked = [(rank(literal), literal) for literal in literals]
    ranked.sort(key=lambda pair: pair[0])
    grouped = groupby(ranked, key=lambda pair: pair[0])
    return [[Literal(term) for _, term in pairs] for _, pairs in grouped]


def _lone_variables(literals: tuple[Term, ...]) -> set[Symbol]:
    """Return the variables that occur once in the whole rule."""
    seen: set[Symbol] = set()
    again: set[Symbol] = set()
    for variable in occurrences(literals):
        (again if variable in seen else seen).add(variable)
    return seen - again


def _narrowed(group: list[Literal], lone: set[Symbol]) -> list[Literal]:
    """Leave out the places that cannot hold the first difference.

    Literals that tie have the same shape, so their variables are compared place
    by place. A place that repeats an earlier one in every literal differs only
    after it; one that holds a lone variable in each has a new number in each.
    """
    columns = zip(*(literal.variables for literal in group), strict=True)
    places = [
        column for column in dict.fromkeys(columns) if not lone.issuperset(column)
    ]
    for index, literal in enumerate(group):
        literal.variables = tuple([place[index] for place in places])
    return group


class _Search:
    """Every best prefix at once, with the keys that all of them share.

    Because their keys are equal, a variable's number depends only on where it
    stands: the literals chosen, and their places, are all that is kept.
    """

    def __init__(self, rule: Term, goal: Term) -> None:
        self._rule = rule
        self._goal = occurrences(goal)
        self._prefixes: list[Prefix] = [()]
        self._keys: list[Key] = []
        self._numbers = 0  # given so far, the same in all prefixes
        self._kept = 0
        self._looked_at = 0

    def place(self, group: list[Literal]) -> None:
        """Extend the best prefixes by all literals of a group."""
        looked_at = sum(len(literal.variables) for literal in group)
        for _ in group:
            self._looked_at += len(self._prefixes) * looked_at
            self._check_work()
            self._extend(group)
            self._kept += len(self._prefixes)
            self._check_work()

    def best(self) -> Prefix:
        """Return the order in which the consequent's key is least."""
        return min(self._prefixes, key=self._goal_key)

    def _extend(self, group: list[Literal]) -> None:
        least: Key | None = None
        best: list[Prefix] = []
        for prefix in self._prefixes:
            numbers = self._numbers_of(prefix)
            for literal in group:
                if literal in prefix:
                    continue
                key = _key(literal.variables, numbers, self._numbers)
                if least is None or key < least:
                    least, best = key, []
                if key == least:
                    best.append((*prefix, literal))
        self._prefixes = best
        self._keys.append(least or ())
        self._numbers = max(self._numbers, *(n + 1 for n in self._keys[-1]), 0)

    def _numbers_of(self, prefix: Prefix) -> dict[Symbol, int]:
        numbers: dict[Symbol, int] = {}
        for literal, key in zip(prefix, self._keys, strict=True):
            numbers.update(zip(literal.variables, key, strict=True))
        return numbers

    def _goal_key(self, prefix: Prefix) -> Key:
        return _key(self._goal, self._numbers_of(prefix), self._numbers)

    def _check_work(self) -> None:
        if self._kept > MAX_PREFIXES or self._looked_at > MAX_LOOKED_AT:
            reason = "its antecedents are interchangeable in too many ways"
            raise _refused(reason, "too-symmetric", self._rule)


def _key(variables: tuple[Symbol, ...], numbers: dict[Symbol, int], used: int) -> Key:
    """Return the numbers of a literal's variables, new ones counting on.

    Literals that tie differ in nothing else, so this orders them as their keys.
    """
    known = tuple(map(numbers.get, variables))
    if None not in known:
        return known  # type: ignore[return-value]
    fresh: dict[Symbol, int] = {}
    return tuple(
        [
            fresh.setdefault(variable, used + len(fresh)) if number is None else number
            for variable, number in zip(variables, known, strict=True)
        ]
    )


def _renamed(term: Term, names: dict[Symbol, Symbol]) -> Term:
    if type(term) is tuple:
        return tuple([_renamed(part, names) for part in term])
    return names.get(term, term) if type(term) is Symbol else term


def _refused(reason: str, code: str, rule: Term) -> RefusedError:
    return RefusedError(
        f"the rule is refused: {reason}", code=code, sentence=write(rule)
    )
