"""The canonical form of a sentence: what is signed, stored and digested.

A function of the sentence alone (design section 4). Facts keep the order of
their arguments: symmetry is a reading, never identity. What may be asserted is
the business of `shape.py`; here only `too-symmetric` rules are refused.
"""

from __future__ import annotations

from koinii.errors import UsageError
from koinii.terms.folds import IMPLIES, NOT, conjuncts, fold, head, is_form
from koinii.terms.rules import canonical_rule
from koinii.terms.term import Symbol, Term

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    # Names of the wrappers, without their namespace, outermost first.
    Wrappers: TypeAlias = tuple[str, ...]

WRAPPER_NAMESPACE = "set"
WRAPPERS = ("forwardRule", "backwardRule", "inertRule", "defaultRule")
_CONNECTIVES = frozenset({"greaterThan", "implies", "not", "unknown"})
_MAY_BE_RULES = (IMPLIES, NOT)  # heads of what may turn out to be one
_WRITTEN = ("inertRule", "defaultRule")  # a bare rule is forward and strict


def canonical(sentence: Term) -> Term:
    """Return the canonical form; a rule's wrappers are peeled, being no identity.

    Raises `RefusedError`, code `too-symmetric`, for a rule with too many
    interchangeable antecedents.
    """
    if not _may_fold(sentence):
        return sentence
    folded = fold(peel(sentence)[0])
    if type(folded) is tuple and is_form(folded, IMPLIES, 2):
        return canonical_rule(folded)
    return folded


def _may_fold(sentence: Term) -> bool:
    """Tell whether the head of a list is a connective or a wrapper; most are none."""
    if type(sentence) is not tuple or not sentence or type(sentence[0]) is not Symbol:
        return True
    return sentence[0].namespace is not None or sentence[0].name in _CONNECTIVES


def peel(sentence: Term) -> tuple[Term, Wrappers]:
    """Return what stands within the wrappers, and their names as written."""
    wrappers: list[str] = []
    while type(sentence) is tuple and len(sentence) == 2:  # noqa: PLR2004 - a pair
        outer, inner = sentence
        if type(outer) is not Symbol or outer.namespace != WRAPPER_NAMESPACE:
            break
        if outer.name not in WRAPPERS:
            break
        wrappers.append(outer.name)
        sentence = inner
    return sentence, tuple(wrappers)


def wrap(sentence: Term, wrappers: Wrappers) -> Term:
    """Return the sentence with its wrappers in their one spelling.

    Inert is outermost, and `set/forwardRule` is never written, so a line is
    canonical only if `wrap(*peel(line)) == line`.
    """
    for name in reversed(_WRITTEN):
        if name in wrappers:
            sentence = (Symbol(name, WRAPPER_NAMESPACE), sentence)
    return sentence


def rewrap(sentence: Term, wrappers: Wrappers) -> Term:
    """Return the sentence within wrappers as they were written, outermost first."""
    for name in reversed(wrappers):
        sentence = (Symbol(name, WRAPPER_NAMESPACE), sentence)
    return sentence


def one_of(sentence: Term) -> Term:
    """Return a sentence that is one; refuse a rule that is one for each conclusion.

    Raises `UsageError`, code `koinii/several`.
    """
    if len(split_rule(sentence)) > 1:
        raise UsageError(
            "a rule with several conclusions is one rule for each",
            code="koinii/several",
            hint="give one conclusion at a time; or several at once: koinii edit",
        )
    return sentence


def split_rule(rule: Term) -> list[Term]:
    """Return one rule for each conjunct of the consequent, wrapped as `rule` is.

    A sentence that is no rule comes back alone and unchanged.
    """
    first = head(rule)
    if type(first) is Symbol and first.namespace is None and first not in _MAY_BE_RULES:
        return [rule]
    bare, wrappers = peel(rule)
    folded = fold(bare)
    if type(folded) is not tuple or not is_form(folded, IMPLIES, 2):
        return [rule]
    implies, antecedent, consequent = folded
    parts = conjuncts(consequent)
    if not parts:
        return [rule]  # the shape check says what is missing
    return [rewrap((implies, antecedent, part), wrappers) for part in parts]
