"""How a rule's facts were read when it fired: as they stand, mirrored, climbed.

A firing names its facts and what it concluded. From these follow the values of
the variables, and which facts are read with their arguments swapped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.history.instances import negated, parts_of
from koinii.terms.filters import passes
from koinii.terms.folds import is_filter
from koinii.terms.match import substitute, unify
from koinii.terms.term import same

if TYPE_CHECKING:
    from collections.abc import Callable

    from koinii.terms.match import Bindings
    from koinii.terms.term import Term

_BINARY = 3  # functor and two arguments


class Read(NamedTuple):
    """The values of a firing, and for each fact its literal's functor and turn."""

    values: Bindings
    functors: list[Term]
    turned: list[bool]


def read_firing(
    rule: Term,
    facts: list[Term],
    conclusion: Term,
    may_turn: Callable[[Term, Term], bool],
) -> Read | None:
    """Return a reading that makes the facts an instance of the rule, or None.

    `may_turn` tells of a fact's functor and a literal's whether one is symmetric.
    """
    literals, consequent = parts_of(rule)
    tests = [one for one in literals if is_filter(one)]
    binding = [one for one in literals if not is_filter(one)]
    bound = unify(consequent, conclusion)
    if bound is None or len(binding) != len(facts):
        return None
    pairs = list(zip(binding, facts, strict=True))
    found = _read(pairs, bound, [], tests, may_turn)
    if found is None:
        return None
    functors = [negated(one)[1][0] for one in binding]
    return Read(found[0], functors, found[1])


def _read(
    pairs: list[tuple[Term, Term]],
    bound: Bindings,
    turned: list[bool],
    tests: list[Term],
    may_turn: Callable[[Term, Term], bool],
) -> tuple[Bindings, list[bool]] | None:
    """Try the facts one after the other, each as it stands before it is turned."""
    if len(turned) == len(pairs):
        good = all(passes(substitute(test, bound)) for test in tests)
        return (bound, turned) if good else None
    literal, fact = pairs[len(turned)]
    negative, pattern = negated(literal)
    denied, plain = negated(fact)
    if negative != denied:
        return None
    for turn in (False, True):
        if turn and not _turns(pattern, plain, may_turn):
            continue
        arguments = plain[:0:-1] if turn else plain[1:]
        more = unify(pattern[1:], arguments, bound)
        if more is not None:
            found = _read(pairs, more, [*turned, turn], tests, may_turn)
            if found is not None:
                return found
    return None


def _turns(
    pattern: tuple[Term, ...],
    plain: tuple[Term, ...],
    may_turn: Callable[[Term, Term], bool],
) -> bool:
    return (
        len(pattern) == len(plain) == _BINARY
        and not same(plain[1], plain[2])
        and may_turn(plain[0], pattern[0])
    )
