"""Patterns against ground terms.

`?x` binds to one content wherever it stands; `_` matches anything and binds
nothing. Bindings go from the variable's text (`"?x"`) to a term, and are never
changed in place, so a caller may keep each of them.
"""

from __future__ import annotations

from koinii.terms.term import Symbol, Term, is_variable, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    Bindings: TypeAlias = dict[str, Term]
else:
    Bindings = dict

ANY = Symbol("_")


def unify(
    pattern: Term, term: Term, bindings: Mapping[str, Term] | None = None
) -> Bindings | None:
    """Return `bindings` and what makes `pattern` equal to `term`, or None.

    `term` is ground. `bindings` is left as it is; the result is a new dictionary.
    """
    found = dict(bindings) if bindings else {}
    return found if _unify(pattern, term, found) else None


def _unify(pattern: Term, term: Term, found: Bindings) -> bool:
    if type(pattern) is Symbol:
        text = pattern.text
        if text[0] == "?":
            if text in found:
                return same(found[text], term)
            found[text] = term
            return True
        return pattern is term or text == "_" or pattern == term
    if type(pattern) is not tuple:
        return same(pattern, term)
    if type(term) is not tuple or len(pattern) != len(term):
        return False
    for part, piece in zip(pattern, term, strict=True):
        if part is not piece and not _unify(part, piece, found):
            return False
    return True


def substitute(term: Term, bindings: Mapping[str, Term]) -> Term:
    """Return the term with its bound variables replaced; others stay."""
    if type(term) is Symbol:
        return bindings.get(term.text, term) if term.text[0] == "?" else term
    if type(term) is not tuple:
        return term
    return tuple([substitute(part, bindings) for part in term])


def symbols(term: Term) -> list[Symbol]:
    """Return every symbol of a term as often as it occurs, left to right."""
    if type(term) is tuple:
        return [found for part in term for found in symbols(part)]
    return [term] if type(term) is Symbol else []


def variables(term: Term) -> tuple[str, ...]:
    """Return the texts of the variables in a term, by first occurrence."""
    return tuple(dict.fromkeys(s.text for s in symbols(term) if is_variable(s)))


def is_ground(term: Term) -> bool:
    """Whether a term holds neither variable nor wildcard."""
    for part in term if type(term) is tuple else (term,):
        if type(part) is Symbol:
            if part.text[0] == "?" or part.text == "_":
                return False
        elif type(part) is tuple and not is_ground(part):
            return False
    return True
