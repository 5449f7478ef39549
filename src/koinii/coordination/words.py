"""The words of acts as terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from koinii.terms.term import Term

HANDLE = Symbol("sentexHandle")
NOT = Symbol("not")


def handle(locator: str) -> Term:
    """Return the term that names a sentex."""
    return HANDLE, locator


def act(word: str, agent: str, *parts: Term) -> Term:
    """Return what an agent does as a sentence."""
    return Symbol(word), Symbol(agent), *parts


def denial(sentence: Term) -> Term:
    """Return the opposite; the opposite of a denial is what it denies."""
    if isinstance(sentence, tuple) and sentence[:1] == (NOT,):
        return sentence[1]
    return NOT, sentence


def named_in(part: Term) -> str | None:
    """Return the locator that a `(sentexHandle L)` names, None for anything else."""
    if isinstance(part, tuple) and len(part) == 2 and part[0] == HANDLE:  # noqa: PLR2004 - a pair
        return part[1] if isinstance(part[1], str) else None
    return None
