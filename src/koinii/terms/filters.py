"""Literals that only test: what they say of values, wherever they stand.

Numbers compare exactly across kinds, anything else is less than nothing; `equals`
and `different` compare contents (design section 6).
"""

from __future__ import annotations

from itertools import pairwise

from koinii.terms.encoder import encode
from koinii.terms.folds import LESS_THAN, unnegated, word
from koinii.terms.order import less_than
from koinii.terms.term import Term


def passes(literal: Term) -> bool:
    """Tell whether a comparison without variables holds; a `not` turns it round.

    Give the canonical form, whose functor is one of `folds.FILTERS` but `unknown`.
    """
    negative, plain = unnegated(literal)
    assert type(plain) is tuple  # noqa: S101 - it has a functor
    values = plain[1:]
    if plain[0] == LESS_THAN:
        passed = all(less_than(low, high) for low, high in pairwise(values))
    else:
        contents = len(set(map(encode, values)))
        passed = contents == (1 if word(plain) == "equals" else len(values))
    return passed != negative
