"""Terms: what a sentence is made of, its text, its bytes and its address.

Reading order: `term.py` (the values), `reader.py` and `printer.py` (text),
`order.py`, `encoding.py` (bytes), `canonical.py` with `folds.py` and `rules.py`
(one form), `locator.py` (the address), `shape.py` (what may be asserted),
`match.py` (patterns). Nothing here does I/O.
"""

from koinii.terms.canonical import canonical
from koinii.terms.encoding import decode, encode
from koinii.terms.locator import locate
from koinii.terms.printer import write
from koinii.terms.reader import read
from koinii.terms.term import Char, Decimal, Keyword, Ratio, Symbol, Term

__all__ = [
    "Char",
    "Decimal",
    "Keyword",
    "Ratio",
    "Symbol",
    "Term",
    "canonical",
    "decode",
    "encode",
    "locate",
    "read",
    "write",
]
