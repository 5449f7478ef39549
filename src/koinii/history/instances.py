"""One step of a proof: a given instance of a rule, checked by substitution.

Nothing is searched: every variable's value is given, and so is each reading by
which a fact serves a literal (decision 6):

    climbs    (genl p x) … (genl y q): a fact of p serves a positive literal of q
    mirror    (symmetric p) or (symmetric q): (p a b) is read as (p b a)

The size of what is looked at is spent beforehand, as values may be long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from koinii.history.document import refused
from koinii.terms.encoding import encode
from koinii.terms.filters import passes
from koinii.terms.folds import FILTERS, NOT, is_form, word
from koinii.terms.match import substitute, symbols, variables
from koinii.terms.rules import MAX_ANTECEDENTS
from koinii.terms.structural import structural_word
from koinii.terms.term import Symbol, Term, is_variable, same

_RULE = 3  # implies, antecedent, consequent
_BINARY = 3  # functor and two arguments
_NO_LITERALS = frozenset({"and", "implies", "not", "unknown"})


class Reading(NamedTuple):
    """A fact, and the declarations by which it is read as a rule's literal."""

    fact: Term
    climbs: tuple[Term, ...] = ()
    mirror: Term = None


class Instance(NamedTuple):
    """A rule with a value for each variable, a fact for each binding literal."""

    rule: Term
    values: Mapping[str, Term]
    facts: list[Reading]
    conclusion: Term


def check_instance(step: Instance, spend: Callable[[int], None]) -> None:
    """Refuse a step whose facts or conclusion are not what its rule says."""
    literals, consequent = parts_of(step.rule)
    if step.values.keys() != set(variables(step.rule)):
        raise refused("the values are not those of the rule's variables")
    filters = [one for one in literals if _plain(one)[0] in FILTERS]
    binding = [one for one in literals if _plain(one)[0] not in FILTERS]
    if not binding or len(binding) != len(step.facts):
        raise refused("a step has one fact for each binding literal of its rule")
    for literal, reading in zip(binding, step.facts, strict=True):
        if not _is_instance(literal, _read_as(literal, reading), step.values):
            raise refused("a fact is not the instance of its literal")
    for literal in filters:
        spend(_instance_size(literal, step.values))
        if not passes(substitute(literal, step.values)):
            raise refused("a test of the rule does not hold")
    if structural_word(_plain(consequent)) or not _is_instance(
        consequent, step.conclusion, step.values
    ):
        raise refused("the conclusion is not the instance of the rule's")


def negated(literal: Term) -> tuple[bool, tuple[Term, ...]]:
    """Return whether a literal is negative, and what stands under its `not`."""
    negative = is_form(literal, NOT, 1)
    plain = literal[1] if negative and type(literal) is tuple else literal
    if type(plain) is not tuple or not plain or word(plain) in _NO_LITERALS:
        raise refused("a literal is none")
    return negative, plain


def parts_of(rule: Term) -> tuple[list[Term], Term]:
    """Return the antecedents and the consequent of a rule in canonical form."""
    if word(rule) != "implies" or type(rule) is not tuple or len(rule) != _RULE:
        raise refused("a step's rule is no rule")
    antecedent = rule[1]
    literals = [antecedent]
    if word(antecedent) == "and" and type(antecedent) is tuple:
        literals = list(antecedent[1:])
    if len(literals) > MAX_ANTECEDENTS:
        raise refused(f"a rule has at most {MAX_ANTECEDENTS} antecedents")
    return literals, rule[2]


def _plain(literal: Term) -> tuple[Term, ...]:
    return negated(literal)[1]


def _read_as(literal: Term, reading: Reading) -> Term:
    """Return the fact as the declarations given make it read."""
    wanted, pattern = negated(literal)
    negative, fact = negated(reading.fact)
    if negative != wanted:
        return reading.fact  # no instance of the literal
    if reading.mirror is not None:
        fact = _mirrored(fact, pattern[0], reading.mirror)
    if reading.climbs:
        if negative:
            raise refused("a negative fact climbs nowhere")
        fact = (_climbed(fact[0], reading.climbs), *fact[1:])
    return (NOT, fact) if negative else fact


def _mirrored(fact: tuple[Term, ...], functor: Term, mirror: Term) -> tuple[Term, ...]:
    if len(fact) != _BINARY or same(fact[1], fact[2]):
        raise refused("a fact that is mirrored has two unlike arguments")
    if not any(is_declared_symmetric(mirror, one) for one in (fact[0], functor)):
        raise refused("a mirror is of a functor that is not declared symmetric")
    return (fact[0], fact[2], fact[1])


def is_declared_symmetric(declaration: Term, functor: Term) -> bool:
    """Tell whether a sentence is `(symmetric functor)`."""
    return (
        word(declaration) == "symmetric"
        and type(declaration) is tuple
        and same(declaration[1:], (functor,))
    )


def _climbed(functor: Term, climbs: tuple[Term, ...]) -> Term:
    at = functor
    for edge in climbs:
        if word(edge) != "genl" or type(edge) is not tuple or len(edge) != _BINARY:
            raise refused("a climb goes by genl and nothing else")
        if not same(edge[1], at):
            raise refused("a climb does not begin where the last one ended")
        at = edge[2]
    if same(at, functor):
        raise refused("a climb ends where it began")
    return at


def _is_instance(pattern: Term, term: Term, values: Mapping[str, Term]) -> bool:
    """Tell whether the values make the pattern the term; in the time of the term."""
    if type(pattern) is Symbol and is_variable(pattern):
        return same(values[pattern.text], term)
    if type(pattern) is not tuple:
        return same(pattern, term)
    if type(term) is not tuple or len(pattern) != len(term):
        return False
    return all(
        _is_instance(part, piece, values)
        for part, piece in zip(pattern, term, strict=True)
    )


def _instance_size(literal: Term, values: Mapping[str, Term]) -> int:
    """Return a bound of the encoding's size, without making the instance."""
    used = [one.text for one in symbols(literal) if is_variable(one)]
    sizes = {name: len(encode(values[name])) for name in set(used)}
    return len(encode(literal)) + sum(map(sizes.__getitem__, used))
