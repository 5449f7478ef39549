"""What may be asserted, as far as the sentence alone decides it.

A refusal here depends on nothing but the sentence (design section 5), so every
seat refuses the same. Give the canonical form. Codes:

    shape                 not a list, misplaced connectives, structural statements
                          negated or concluded, size, depth, growing rules
    not-well-formed       a connective with the wrong number of parts
    naming                a functor that names no predicate
    not-ground            a fact with a variable
    not-range-restricted  a rule whose variables nothing binds
    not-indexable         a variable as the predicate of a rule's literal
"""

from __future__ import annotations

from functools import lru_cache

from koinii.errors import RefusedError
from koinii.terms.canonical import WRAPPER_NAMESPACE, peel, rewrap
from koinii.terms.folds import (
    AND,
    IMPLIES,
    NOT,
    UNKNOWN,
    conjuncts,
    head,
    is_filter,
    unnegated,
)
from koinii.terms.match import ANY, is_ground, symbols
from koinii.terms.printer import write
from koinii.terms.roles import (
    check_context,
    check_functor,
    is_context,
    is_individual,
    is_variable,
    refusal,
)
from koinii.terms.rules import MAX_ANTECEDENTS
from koinii.terms.structural import (
    STRUCTURAL,
    check_concluded,
    check_structural,
    structural_word,
)
from koinii.terms.term import MAX_DEPTH, MAX_TEXT, Symbol, Term

TYPE_CHECKING = False
if TYPE_CHECKING:
    from koinii.terms.canonical import Wrappers

__all__ = [
    "STRUCTURAL",
    "check_context",
    "check_fact",
    "check_rule",
    "check_sentence",
    "check_wrapped",
    "is_context",
    "is_individual",
    "is_variable",
]

_MISPLACED = {
    AND: "and joins literals within a rule only",
    IMPLIES: "a rule stands alone: it is not negated and not a part",
    NOT: "not takes exactly one sentence",
    UNKNOWN: "unknown is for queries in this version",
    Symbol("ist"): "ist is not taken: assert the sentence in its context",
    Symbol("exceptWhen"): "exceptWhen is not in this version",
    Symbol("exists"): "existential heads are not in this version",
}
_KEPT_LENGTH = 256  # of longer names nothing is remembered
_SHAPE = "shape"
_MALFORMED = "not-well-formed"
_UNBOUND = "not-range-restricted"


def check_sentence(sentence: Term) -> None:
    """Refuse what is neither a fact nor a rule; see `check_fact`, `check_rule`."""
    bare, wrappers = peel(sentence)
    if wrappers or head(bare) == IMPLIES:
        check_rule(sentence)
    else:
        check_fact(sentence)


def check_wrapped(sentence: Term, wrappers: Wrappers) -> None:
    """Refuse wrappers that a canonical sentence may not have, as written."""
    if wrappers:
        check_rule(rewrap(sentence, wrappers))


def check_fact(sentence: Term) -> None:
    """Refuse what is no ground literal, positive or negative."""
    if type(sentence) is not tuple:
        raise refusal(_SHAPE, "a sentence is a list", sentence)
    check_size(sentence)
    negative, literal = unnegated(sentence)
    if _is_plain(literal) and is_ground(literal):
        return
    if is_variable(head(literal)):
        raise refusal("not-ground", "a fact's predicate is a variable", sentence)
    _check_literal(literal, sentence)
    _check_no_test(literal, sentence)
    if not is_ground(literal):
        hint = "facts have no variables; ask with them: koinii ask ..."
        raise refusal("not-ground", "a fact has no variables", sentence, hint)
    check_structural(literal, sentence, negative=negative)


def check_rule(sentence: Term) -> None:
    """Refuse what is no rule of this version; a wrapped rule comes wrapped."""
    if type(sentence) is not tuple:
        raise refusal("shape", "a rule is a list", sentence)
    check_size(sentence)
    bare, wrappers = peel(sentence)
    _check_wrappers(wrappers, sentence)
    if head(bare) != IMPLIES:
        raise refusal("shape", "this is no rule", sentence)
    if type(bare) is not tuple or len(bare) != 3:  # noqa: PLR2004 - both its parts
        reason = "implies takes an antecedent and a consequent"
        raise refusal("not-well-formed", reason, sentence)
    antecedents, consequents = conjuncts(bare[1]), conjuncts(bare[2])
    _check_parts(antecedents, consequents, sentence)
    _check_bindings(antecedents, consequents, sentence)


def check_size(sentence: Term) -> None:
    """Refuse (`shape`) more than 64 KiB of text, or lists deeper than 64."""
    if type(sentence) is tuple and _text_bound(sentence, 0) <= MAX_TEXT:
        return
    if len(write(sentence).encode()) > MAX_TEXT:
        reason = f"the sentence is longer than {MAX_TEXT} bytes"
        raise refusal(_SHAPE, reason, sentence)


def _text_bound(term: tuple[Term, ...], depth: int) -> int:
    """Return a number of bytes that the text of a list does not exceed."""
    if depth >= MAX_DEPTH:
        reason = f"the sentence nests lists deeper than {MAX_DEPTH}"
        raise RefusedError(reason, code=_SHAPE, reason=reason)
    bound = 2 + len(term)
    for part in term:
        if type(part) is Symbol:
            bound += 4 * len(part.text)
        elif type(part) is tuple:
            bound += _text_bound(part, depth + 1)
        else:
            bound += len(write(part).encode())
    return bound


def _is_plain(literal: Term) -> bool:
    """Tell whether all that a literal's predicate asks of it is to be ground."""
    if type(literal) is not tuple or not literal:
        return False
    functor = literal[0]
    return (
        type(functor) is Symbol
        and functor.namespace is None
        and len(functor.text) <= _KEPT_LENGTH
        and _asks_nothing(functor.text, len(literal) - 1)
    )


@lru_cache(maxsize=1024)
def _asks_nothing(name: str, arguments: int) -> bool:
    """Tell whether any arguments, so many, are right for a predicate."""
    literal = (Symbol(name), *[None] * arguments)
    try:
        _check_literal(literal, literal)
        _check_no_test(literal, literal)
    except RefusedError:
        return False
    return not (structural_word(literal) or is_variable(literal[0]))


def _check_literal(literal: Term, sentence: Term) -> None:
    """Refuse what is no predicate with arguments, below its `not`."""
    if type(literal) is not tuple or not literal:
        raise refusal(_MALFORMED, f"{write(literal)} is no literal", sentence)
    functor = literal[0]
    if type(functor) is Symbol and functor in _MISPLACED:
        code = _MALFORMED if functor == NOT else _SHAPE
        raise refusal(code, _MISPLACED[functor], sentence)
    if type(functor) is Symbol and functor.namespace == WRAPPER_NAMESPACE:
        reason = f"{functor.text} wraps nothing that may stand here"
        raise refusal(_SHAPE, reason, sentence)
    check_functor(functor, len(literal) - 1, sentence)


def _check_no_test(literal: Term, sentence: Term) -> None:
    """Refuse (`shape`) a comparison as a claim: it holds or not, whoever says it."""
    if is_filter(literal):
        name = write(head(unnegated(literal)[1]))
        hint = "koinii ask tells whether it holds"
        raise refusal(_SHAPE, f"{name} only tests, and is no claim", sentence, hint)


def _check_wrappers(wrappers: Wrappers, sentence: Term) -> None:
    if "backwardRule" in wrappers:
        reason = "backward-only rules are not in this version"
        raise refusal(_SHAPE, reason, sentence)
    if len(set(wrappers)) < len(wrappers) or {"forwardRule", "inertRule"} <= set(
        wrappers
    ):
        reason = "the rule's wrappers contradict or repeat one another"
        raise refusal(_MALFORMED, reason, sentence)


def _check_parts(
    antecedents: list[Term], consequents: list[Term], sentence: Term
) -> None:
    """Refuse literals that may not stand in a rule, or too many or none."""
    if not antecedents or not consequents:
        raise refusal(_MALFORMED, "a rule has literals on both sides", sentence)
    if len(antecedents) > MAX_ANTECEDENTS:
        reason = f"a rule has at most {MAX_ANTECEDENTS} antecedents"
        raise refusal(_SHAPE, reason, sentence)
    for literal in (*antecedents, *consequents):
        _, positive = unnegated(literal)
        if is_variable(head(positive)):
            reason = "a rule's literal has a variable as its predicate"
            raise refusal("not-indexable", reason, sentence)
        _check_literal(positive, sentence)
        if ANY in symbols(positive):
            reason = "a rule names its variables: _ stands in queries only"
            raise refusal(_MALFORMED, reason, sentence)
    for literal in consequents:
        check_concluded(unnegated(literal)[1], sentence)
        _check_no_test(literal, sentence)


def _check_bindings(
    antecedents: list[Term], consequents: list[Term], sentence: Term
) -> None:
    """Refuse variables that nothing binds, and conclusions that would grow."""
    filters = [literal for literal in antecedents if is_filter(literal)]
    bound: dict[Symbol, int] = {}
    for literal in antecedents:
        if not is_filter(literal):
            _deepest(unnegated(literal)[1], 0, bound)
    if len(filters) == len(antecedents):
        raise refusal(_UNBOUND, "no antecedent binds, all only test", sentence)
    for literal in (*filters, *consequents):
        used: dict[Symbol, int] = {}
        _deepest(unnegated(literal)[1], 0, used)
        _check_used(used, bound, sentence, grows=literal not in filters)


def _check_used(
    used: dict[Symbol, int], bound: dict[Symbol, int], sentence: Term, *, grows: bool
) -> None:
    for variable, depth in used.items():
        if variable not in bound:
            raise refusal(_UNBOUND, f"nothing binds {variable.text}", sentence)
        if grows and depth > bound[variable]:
            reason = f"the consequent nests {variable.text} deeper than it was bound"
            raise refusal(_SHAPE, reason, sentence)


def _deepest(term: Term, depth: int, found: dict[Symbol, int]) -> None:
    """Note at how many lists' depth each variable of a literal stands at most."""
    if type(term) is tuple:
        for part in term:
            _deepest(part, depth + 1, found)
    elif type(term) is Symbol and is_variable(term):
        found[term] = max(depth, found.get(term, 0))
