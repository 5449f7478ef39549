"""The words of a sentence, by which a text search finds it.

A word is a run of letters, digits and marks, case folded, without the accents
of Latin, Greek and Cyrillic (U+0300 to U+036F); canonically equal texts have
equal words. Strings and symbols have words, variables and other values none.
A symbol has its parts as words too: `ProdCluster` is found by prodcluster, prod
and cluster. Text that is written without spaces is one word.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from koinii.terms.term import Symbol, is_variable

if TYPE_CHECKING:
    from koinii.terms.term import Term

READING = f"1 {unicodedata.unidata_version}"  # another makes other words
_ACCENTS = dict.fromkeys(range(0x300, 0x370))
_PLAIN = re.compile("[a-z0-9]+")
_PLAIN_PARTS = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_OF_WORDS = frozenset("LNM")  # the general categories of a word's characters
_KEPT = 65536


def words_of(term: Term) -> frozenset[str]:
    """Return the words of everything in a term."""
    if type(term) is str:
        return frozenset(words(term))
    if type(term) is Symbol:
        return _symbol_words(term)
    if type(term) is tuple:
        return frozenset().union(*map(words_of, term))
    return frozenset()


def words(text: str) -> list[str]:
    """Return the words of plain text, in its order."""
    folded = fold(text)
    if folded.isascii():
        return _PLAIN.findall(folded)
    return "".join([one if _is_of_words(one) else " " for one in folded]).split()


def fold(text: str) -> str:
    """Return text without case and accents, in NFC."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFD", text).casefold()
    bare = unicodedata.normalize("NFD", apart).translate(_ACCENTS)
    return unicodedata.normalize("NFC", bare)


@lru_cache(maxsize=_KEPT)
def _symbol_words(symbol: Symbol) -> frozenset[str]:
    if is_variable(symbol):
        return frozenset()
    parts = " ".join(_parts(symbol.text))
    return frozenset([*words(symbol.text), *words(parts)])


def _parts(name: str) -> list[str]:
    """Split a name where its case or kind of character changes.

    `usesHTTPServer2` has the parts uses, HTTP, Server and 2.
    """
    if name.isascii():
        return _PLAIN_PARTS.findall(name)
    letters = _letters(name)
    kinds = "".join([_kind(one[0]) for one in letters])
    cuts = [at for at in range(1, len(letters)) if _is_cut(kinds, at)]
    ends = zip([0, *cuts], [*cuts, len(letters)], strict=True)
    return ["".join(letters[start:end]) for start, end in ends]


def _letters(name: str) -> list[str]:
    """Return each character with the marks that follow it."""
    letters = [name[0]]
    for character in name[1:]:
        if _is_mark(character):
            letters[-1] += character
        else:
            letters.append(character)
    return letters


def _is_cut(kinds: str, at: int) -> bool:
    before, here, after = kinds[at - 1], kinds[at], kinds[at + 1 : at + 2]
    if here == "U":
        return before != "U" or after == "l"
    return before != here and (before, here) != ("U", "l")


def _kind(character: str) -> str:
    """Return U for a capital, l for another letter, n for a number, else -."""
    if character.isupper():
        return "U"
    return "l" if character.isalpha() else "n" if character.isnumeric() else "-"


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


@lru_cache(maxsize=_KEPT)
def _is_of_words(character: str) -> bool:
    return unicodedata.category(character)[0] in _OF_WORDS
