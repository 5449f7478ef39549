"""Answering patterns and conjunctions from what is believed.

A goal is a literal, `(and goal ...)`, a comparison or `(unknown literal)`.
Literals bind; comparisons, `different`, `equals` and `unknown` only filter.
Answers come as a stream of distinct bindings.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from koinii.errors import RefusedError, UsageError
from koinii.terms.canonical import canonical
from koinii.terms.encoding import encode
from koinii.terms.match import substitute, unify, variables
from koinii.terms.order import less_than
from koinii.terms.printer import write
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from koinii.terms.term import Term

Bindings = dict[str, "Term"]
FILTERS = frozenset({"lessThan", "different", "equals"})


def goals_of(pattern: Term) -> list[Term]:
    """Return the literals of a query in canonical form, nested `and` flattened.

    Raises:
        RefusedError: `shape`, for what is no query.
    """
    if not isinstance(pattern, tuple) or not pattern:
        raise RefusedError(
            f"a query is a list, not {write(pattern)}",
            code="shape",
            hint='koinii ask "(predicate ?x Constant)"',
        )
    if functor(pattern) == "and":
        return [goal for part in pattern[1:] for goal in goals_of(part)]
    if functor(pattern) == "unknown":
        return [_unknown(pattern)]
    return [canonical(pattern)]


def _unknown(goal: tuple[Term, ...]) -> Term:
    if len(goal) != 2:  # noqa: PLR2004 - the word and its literal
        raise RefusedError(
            f"unknown takes one literal: {write(goal)}", code="not-well-formed"
        )
    (inner,) = goals_of(goal[1])
    return (goal[0], inner)


def functor(literal: Term) -> str:
    """Return a list's head where it is a plain symbol, else ''."""
    head = literal[0] if isinstance(literal, tuple) and literal else None
    return head.name if isinstance(head, Symbol) and head.namespace is None else ""


def split(literal: Term) -> tuple[bool, tuple[Term, ...]]:
    """Return whether a literal is negative, and what stands under its `not`."""
    assert isinstance(literal, tuple)  # noqa: S101 - goals_of made it
    if functor(literal) == "not":
        inner = literal[1]
        if not isinstance(inner, tuple) or not inner:
            raise RefusedError(
                f"a literal is a list: {write(literal)}", code="not-well-formed"
            )
        return True, inner
    return False, literal


def answer(
    goals: list[Term],
    facts: Callable[[Term], Iterable[Term]],
) -> Iterator[Bindings]:
    """Yield the distinct bindings under which every goal holds.

    `facts(literal)` yields the believed literals that may match one whose
    variables are open. Cost: a nested loop join, the goal with the fewest open
    variables first.
    """
    names = sorted(name for name in set().union(*map(variables, goals)) if name != "_")
    told: set[bytes] = set()
    for bindings in _join(goals, {}, facts):
        row = {name: bindings[name] for name in names if name in bindings}
        key = encode(tuple(row[name] for name in row))
        if key not in told:
            told.add(key)
            yield row


def _join(
    goals: list[Term], bindings: Bindings, facts: Callable[[Term], Iterable[Term]]
) -> Iterator[Bindings]:
    if not goals:
        yield bindings
        return
    index, goal = _next(goals, bindings)
    rest = goals[:index] + goals[index + 1 :]
    if _is_filter(goal):
        if _holds(substitute(goal, bindings), facts):
            yield from _join(rest, bindings, facts)
        return
    literal = substitute(goal, bindings)
    for fact in facts(literal):
        extended = unify(literal, fact, bindings)
        if extended is not None:
            yield from _join(rest, extended, facts)


def _next(goals: list[Term], bindings: Bindings) -> tuple[int, Term]:
    """Choose a filter that is closed, else the literal with the fewest open ones."""
    costs = [_cost(goal, bindings) for goal in goals]
    index = min(range(len(goals)), key=costs.__getitem__)
    if _is_filter(goals[index]) and costs[index][1]:
        raise UsageError(
            f"nothing binds the variables of {write(goals[index])}",
            code="koinii/unbound",
            hint="add a literal that binds them",
        )
    return index, goals[index]


def _cost(goal: Term, bindings: Bindings) -> tuple[int, int]:
    is_open = sum(name not in bindings for name in variables(goal))
    if _is_filter(goal):
        return (2, is_open) if is_open else (0, 0)
    return (1, is_open)


def _is_filter(goal: Term) -> bool:
    _, literal = split(goal)
    return functor(literal) in FILTERS or functor(goal) == "unknown"


def _holds(goal: Term, facts: Callable[[Term], Iterable[Term]]) -> bool:
    if functor(goal) == "unknown":
        assert isinstance(goal, tuple)  # noqa: S101 - goals_of made it
        return not any(True for _ in _join([goal[1]], {}, facts))
    negative, literal = split(goal)
    return _compare(literal) != negative


def _compare(literal: tuple[Term, ...]) -> bool:
    if functor(literal) == "lessThan":
        return all(less_than(low, high) for low, high in pairwise(literal[1:]))
    same = len({encode(term) for term in literal[1:]})
    return same == 1 if functor(literal) == "equals" else same == len(literal) - 1
