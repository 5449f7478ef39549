"""Answering patterns and conjunctions from what is believed.

A goal is a literal, `(and goal ...)`, a comparison or `(unknown literal)`.
Literals bind; comparisons, `different`, `equals` and `unknown` only filter.
Answers come as a stream of distinct bindings.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import RefusedError, UsageError
from koinii.terms.canonical import canonical
from koinii.terms.encoding import encode
from koinii.terms.filters import passes
from koinii.terms.folds import word
from koinii.terms.match import is_ground, substitute, unify, variables
from koinii.terms.printer import write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from koinii.terms.term import Term

Bindings = dict[str, "Term"]
FILTERS = frozenset({"lessThan", "different", "equals"})
_NO_LITERALS = frozenset({"and", "not", "implies", "unknown", "ist"})
LITERAL, FILTER, UNKNOWN = "literal", "filter", "unknown"
_FILTERING = FILTERS | {UNKNOWN}


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
    if word(pattern) == "and":
        return [goal for part in pattern[1:] for goal in goals_of(part)]
    form = canonical(pattern)
    return [_unknown(form) if word(form) == UNKNOWN else _literal(form)]


def one_ground(sentence: Term) -> Term:
    """Return the one literal of a sentence without variables.

    Raises:
        RefusedError: `shape` or `not-ground`.
    """
    goals = goals_of(sentence)
    if len(goals) != 1:
        raise RefusedError(f"not one literal: {write(sentence)}", code="shape")
    if not is_literal(goals[0]) and word(goals[0]) != UNKNOWN:
        raise RefusedError(
            f"a test is asked, not weighed: {write(sentence)}",
            code="shape",
            hint="koinii ask tells whether it holds",
        )
    if not is_ground(goals[0]):
        raise RefusedError(
            f"a sentence to weigh has no variables: {write(sentence)}",
            code="not-ground",
            hint='koinii ask "(predicate ?x Constant)" finds what binds them',
        )
    return goals[0]


def _literal(form: Term) -> Term:
    _, plain = split(form)
    if word(plain) in _NO_LITERALS:
        raise RefusedError(
            f"a query joins literals with and; no literal: {write(plain)}",
            code="not-well-formed",
        )
    return form


def _unknown(goal: Term) -> Term:
    assert isinstance(goal, tuple)  # noqa: S101 - it has a functor
    inner = goals_of(goal[1]) if len(goal) == 2 else []  # noqa: PLR2004 - with its literal
    if len(inner) != 1:
        raise RefusedError(
            f"unknown takes one literal: {write(goal)}", code="not-well-formed"
        )
    return (goal[0], inner[0])


def split(literal: Term) -> tuple[bool, tuple[Term, ...]]:
    """Return whether a literal is negative, and what stands under its `not`."""
    assert isinstance(literal, tuple)  # noqa: S101 - goals_of made it
    if word(literal) == "not":
        inner = literal[1] if len(literal) == 2 else None  # noqa: PLR2004 - not, it
        if not isinstance(inner, tuple) or not inner:
            raise RefusedError(
                f"not takes one literal, a list: {write(literal)}",
                code="not-well-formed",
            )
        return True, inner
    return False, literal


def is_literal(goal: Term) -> bool:
    """Tell whether a goal of `goals_of` binds, and does not only filter."""
    name = word(goal)
    return (word(split(goal)[1]) if name == "not" else name) not in _FILTERING


class Goal(NamedTuple):
    """A literal or filter of a query, with what planning reads of it."""

    literal: Term
    kind: str  # "literal", "filter" or "unknown"
    names: frozenset[str]  # its variables


def plan(literals: list[Term]) -> list[Goal]:
    """Return the goals in the order in which a nested loop takes them.

    A filter comes as soon as all its variables are bound; otherwise the literal
    with the fewest open variables is next.

    Raises:
        UsageError: `koinii/unbound`: no literal binds a filter's variable.
    """
    waiting = list(map(_goal, literals))
    ordered: list[Goal] = []
    bound: frozenset[str] = frozenset()
    while waiting:
        goal = min(waiting, key=lambda one: _cost(one, bound))
        if goal.kind != LITERAL and not goal.names <= bound:
            raise UsageError(
                f"nothing binds the variables of {write(goal.literal)}",
                code="koinii/unbound",
                hint="add a literal that binds them",
            )
        waiting.remove(goal)
        ordered.append(goal)
        bound |= goal.names
    return ordered


def answer(
    goals: list[Goal], facts: Callable[[Term], Iterable[Term]]
) -> Iterator[Bindings]:
    """Yield the distinct bindings under which every planned goal holds.

    `facts(literal)` yields the believed literals that may match one whose
    variables are open. Cost: a nested loop join over what it yields.
    """
    return distinct(_join(goals, 0, {}, facts))


def distinct(rows: Iterator[Bindings]) -> Iterator[Bindings]:
    """Yield each bindings once; a lone answer is compared with nothing."""
    first = next(rows, None)
    if first is None:
        return
    yield first
    names = sorted(first)
    told: set[bytes] = set()
    for bindings in chain((first,), rows):
        key = encode(tuple([bindings[name] for name in names]))
        if key not in told:
            told.add(key)
            if bindings is not first:
                yield bindings


def _goal(literal: Term) -> Goal:
    names = frozenset(variables(literal))
    name = word(literal)
    if name == "not":
        name = word(split(literal)[1])
    elif name == UNKNOWN:
        return Goal(literal, UNKNOWN, names)
    return Goal(literal, FILTER if name in FILTERS else LITERAL, names)


def _cost(goal: Goal, bound: frozenset[str]) -> tuple[int, int]:
    is_open = len(goal.names - bound)
    if goal.kind == LITERAL:
        return (1, is_open)
    return (2, is_open) if is_open else (0, 0)


def _join(
    goals: list[Goal],
    at: int,
    bindings: Bindings,
    facts: Callable[[Term], Iterable[Term]],
) -> Iterator[Bindings]:
    if at == len(goals):
        yield bindings
        return
    goal = goals[at]
    literal = substitute(goal.literal, bindings) if bindings else goal.literal
    if goal.kind != LITERAL:
        if _holds(goal.kind, literal, facts):
            yield from _join(goals, at + 1, bindings, facts)
        return
    for fact in facts(literal):
        extended = unify(literal, fact, bindings)
        if extended is not None:
            yield from _join(goals, at + 1, extended, facts)


def _holds(kind: str, literal: Term, facts: Callable[[Term], Iterable[Term]]) -> bool:
    if kind == UNKNOWN:
        assert isinstance(literal, tuple)  # noqa: S101 - goals_of made it
        return next(_join([_goal(literal[1])], 0, {}, facts), None) is None
    return passes(literal)
