"""What a name is by its spelling (koinii A.1), and what refuses a wrong one.

predicate    parentOf        any number of arguments
type         big_dog         an underscore makes it unary only
individual   ProdCluster     and no context
context      CxDeploy        never in a namespace
variable     ?x
"""

from __future__ import annotations

from koinii.errors import RefusedError
from koinii.terms.patterns import compiled
from koinii.terms.printer import write
from koinii.terms.term import Symbol, Term, is_variable

__all__ = [
    "check_context",
    "check_functor",
    "is_context",
    "is_individual",
    "is_variable",
    "refusal",
]

_PREDICATE = r"[a-z][a-zA-Z0-9]*+"
_TYPE = r"[a-z][a-z0-9_]*+"
_INDIVIDUAL = r"[A-Z][A-Za-z0-9]*+"
_CONTEXT = r"Cx[A-Z][A-Za-z0-9]*+"
_SHOWN = 200  # characters of a sentence in a message


def is_context(term: Term) -> bool:
    """Whether a term is spelled as a context is: `CxDeploy`."""
    return type(term) is Symbol and compiled(_CONTEXT).fullmatch(term.text) is not None


def is_individual(term: Term) -> bool:
    """Whether a term is spelled as an individual is: `ProdCluster`."""
    if type(term) is not Symbol or is_context(term):
        return False
    return compiled(_INDIVIDUAL).fullmatch(term.text) is not None


def check_context(term: Term) -> None:
    """Refuse what is no context: `shape` if no symbol, `naming` if misspelled."""
    if type(term) is not Symbol:
        raise refusal("shape", "a context is a symbol", term)
    if not is_context(term):
        hint = "a context is Cx and a name with a capital letter, as CxDeploy"
        raise refusal("naming", "this is no name of a context", term, hint)


def check_functor(functor: Term, arguments: int, sentence: Term) -> None:
    """Refuse (`naming`) a functor that is no predicate's or type's name."""
    name = functor.name if type(functor) is Symbol else ""
    if compiled(_PREDICATE).fullmatch(name) or (
        arguments == 1 and compiled(_TYPE).fullmatch(name)
    ):
        return
    hint = "a predicate is camelCase; with an underscore it takes one argument"
    reason = f"{write(functor)[:_SHOWN]} is no name of a predicate"
    raise refusal("naming", reason, sentence, hint)


def refusal(code: str, reason: str, sentence: Term, hint: str = "") -> RefusedError:
    """Return the refusal of a sentence; the details hold its whole text."""
    text = write(sentence)
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return RefusedError(
        f"{reason}: {shown}", code=code, hint=hint, reason=reason, sentence=text
    )
