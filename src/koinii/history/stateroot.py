"""The state root: belief with its provenance, as the seed folds it (B.8.2).

Beside the commit id, which is knowledge alone, it also covers who is shown as the
creator of each sentence and since when. It is worked out on demand and never
signed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

from koinii.merkle import root
from koinii.terms.encoding import encode
from koinii.terms.locator import leaf
from koinii.terms.term import Keyword, Symbol, Term


def state_leaf(
    creators: Sequence[str], created: int | None, context: str, sentence: Term
) -> bytes:
    """Return the leaf hash of one believed sentence.

    The creator is the only agent that asserts it, or the list of them by name, each
    once, at however many seats; none, and no time, for what is only derived.
    """
    names: Term = tuple(Symbol(name) for name in creators)
    if len(creators) <= 1:
        names = Symbol(creators[0]) if creators else None
    negative = isinstance(sentence, tuple) and sentence[0] == Symbol("not")
    truth = Keyword("false" if negative else "true")
    state = (names, created, (Symbol(context), truth, sentence))
    return leaf(sha256(encode(state)).digest())


def state_root(leaves: Iterable[bytes]) -> str:
    """Return the root over state leaves, which may come in any order."""
    return f"sha256:{root(sorted(leaves)).hex()}"
