"""Literals, the readings of a fact, and one substitution that fits them all.

Written from decision 6, "Firings"; shares no code with `koinii`.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise

from koinii.terms.term import Decimal, Ratio, Symbol, Term
from reference.encoding_twin import encoded

Binding = dict[str, Term]
Need = tuple[str, str, str]  # ("genl" or "symmetric", p, q)
Below = Callable[[str, str], bool]  # is p below q?

FILTERS = {"lessThan", "different", "equals"}


def is_form(term: Term, word: str) -> bool:
    return isinstance(term, tuple) and term[:1] == (Symbol(word),)


def parts(term: Term) -> tuple[Term, ...]:
    assert isinstance(term, tuple)
    return term


def is_negative(sentence: Term) -> bool:
    return is_form(sentence, "not")


def atom(sentence: Term) -> tuple[Term, ...]:
    """The literal below its `not`."""
    return parts(parts(sentence)[1] if is_negative(sentence) else sentence)


def functor(sentence: Term) -> str:
    return name(atom(sentence)[0])


def name(term: Term) -> str:
    return term.text if isinstance(term, Symbol) else ""


def negation(sentence: Term) -> Term:
    return atom(sentence) if is_negative(sentence) else (Symbol("not"), sentence)


def same(left: Term, right: Term) -> bool:
    return encoded(left) == encoded(right)


# Rules -----------------------------------------------------------------------


def antecedents(rule: Term) -> list[Term]:
    body = parts(rule)[1]
    return list(parts(body)[1:]) if is_form(body, "and") else [body]


def binding_literals(rule: Term) -> list[Term]:
    return [one for one in antecedents(rule) if functor(one) not in FILTERS]


def filters(rule: Term) -> list[Term]:
    return [one for one in antecedents(rule) if functor(one) in FILTERS]


# Readings --------------------------------------------------------------------


def readings(
    literal: Term, fact: Term, below: Below, symmetric: set[str]
) -> Iterator[tuple[tuple[Term, ...], frozenset[Need]]]:
    """Every way to read a fact as an atom for the literal, with its needs."""
    if is_negative(literal) != is_negative(fact):
        return
    q, p, given = functor(literal), functor(fact), atom(fact)
    climbed: frozenset[Need] = frozenset()
    if p != q and not is_open(q):
        if is_negative(literal) or not below(p, q):
            return
        climbed = frozenset({("genl", p, q)})
        given = (atom(literal)[0], *given[1:])
    yield given, climbed
    if len(given) == 3 and symmetric & {p, q} and not same(given[1], given[2]):
        yield (given[0], given[2], given[1]), climbed | {("symmetric", p, q)}


def is_open(text: str) -> bool:
    return text[:1] == "?" or text == "_"


def fitted(pattern: Term, term: Term, binding: Binding) -> Binding | None:
    """The binding, extended so that the pattern is the term, or None."""
    if name(pattern) == "_":
        return binding
    if name(pattern)[:1] == "?":
        known = binding.get(name(pattern), term)
        return {**binding, name(pattern): term} if same(known, term) else None
    if not isinstance(pattern, tuple) or not isinstance(term, tuple):
        return binding if same(pattern, term) else None
    if len(pattern) != len(term):
        return None
    found: Binding | None = binding
    for part, piece in zip(pattern, term, strict=True):
        found = None if found is None else fitted(part, piece, found)
    return found


def filled(term: Term, binding: Binding) -> Term:
    if isinstance(term, tuple):
        return tuple(filled(part, binding) for part in term)
    return binding.get(name(term), term)


# Filters ---------------------------------------------------------------------


def holds(test: Term, binding: Binding) -> bool:
    if is_negative(test):
        return not holds(parts(test)[1], binding)
    values = [filled(term, binding) for term in parts(test)[1:]]
    if functor(test) == "equals":
        return len(set(map(encoded, values))) == 1
    if functor(test) == "different":
        return len(set(map(encoded, values))) == len(values)
    return all(less(low, high) for low, high in pairwise(values))


def less(low: Term, high: Term) -> bool:
    left, right = amount(low), amount(high)
    return left is not None and right is not None and left < right


def amount(term: Term) -> Fraction | None:
    if isinstance(term, int | float) and not isinstance(term, bool):
        return Fraction(term)
    if isinstance(term, Ratio | Decimal):
        return Fraction(*term.as_integer_ratio())
    return None


# Terms -----------------------------------------------------------------------


def depth(term: Term) -> int:
    if not isinstance(term, tuple):
        return 0
    return 1 + max(map(depth, term), default=0)


def within(term: Term) -> Iterator[Term]:
    """The term and everything inside it."""
    yield term
    if isinstance(term, tuple):
        for part in term:
            yield from within(part)
