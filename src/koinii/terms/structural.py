"""Structural statements: what they are, and what each is said of.

They shape how a base reads everything else (design section 6): always
monotonic, never negated, never concluded by a rule.
"""

from __future__ import annotations

from koinii.terms.folds import head
from koinii.terms.roles import is_context, is_variable, refusal
from koinii.terms.term import Symbol, Term

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_HANDLE = Symbol("sentexHandle")


def _is_name(term: Term) -> bool:
    return type(term) is Symbol and not is_variable(term)


def _is_position(term: Term) -> bool:
    return type(term) is int and term >= 1


def _is_handle(term: Term) -> bool:
    return type(term) is tuple and len(term) == 2 and term[0] == _HANDLE  # noqa: PLR2004


_ARGUMENTS: dict[str, tuple[Callable[[Term], bool], ...]] = {
    "arg": (_is_name, _is_position, _is_name),
    "channel": (is_context,),
    "convened": (is_context,),
    "disjoint": (_is_name, _is_name),
    "except": (_is_handle,),
    "functional": (_is_name,),
    "genl": (_is_name, _is_name),
    "genlCx": (is_context, is_context),
    "modalPredicate": (_is_name,),
    "symmetric": (_is_name,),
    "targetFollowingPredicate": (_is_name,),
}
_SAID_OF: dict[Callable[[Term], bool], str] = {
    _is_name: "a name",
    _is_position: "a position from 1",
    _is_handle: '(sentexHandle "<locator>")',
    is_context: "a context",
}

STRUCTURAL = frozenset(_ARGUMENTS)


def structural_word(literal: Term) -> str:
    """Return the name of the structural predicate a literal has, or ``""``."""
    functor = head(literal)
    if type(functor) is not Symbol or functor.text not in STRUCTURAL:
        return ""
    return functor.text


def check_structural(literal: Term, sentence: Term, *, negative: bool) -> None:
    """Refuse (`shape`) a structural statement negated, or said of other things."""
    word = structural_word(literal)
    if not word or type(literal) is not tuple:
        return
    if negative:
        hint = "retract it instead"
        raise refusal("shape", f"{word} is never negated", sentence, hint)
    wanted = _ARGUMENTS[word]
    given = literal[1:]
    if len(given) != len(wanted) or not all(
        fits(term) for fits, term in zip(wanted, given, strict=True)
    ):
        said_of = ", ".join(_SAID_OF[fits] for fits in wanted)
        raise refusal("shape", f"{word} is said of {said_of}", sentence)


def check_concluded(literal: Term, sentence: Term) -> None:
    """Refuse (`shape`) a rule that would conclude a structural statement."""
    word = structural_word(literal)
    if word:
        raise refusal("shape", f"no rule concludes {word}", sentence)
