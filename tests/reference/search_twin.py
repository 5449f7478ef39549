"""Text search by reading every sentence; shares no code with `koinii.kb`."""

import re
from itertools import groupby
from unicodedata import category, normalize

from koinii.terms import Symbol, Term
from koinii.terms.encoding import encode

Claim = tuple[str, Term]  # the locator of what is believed, and the sentence


def words(text: str) -> set[str]:
    """Runs of letters, numbers and marks, without case and accents."""
    folded = normalize("NFD", normalize("NFD", text).casefold())
    bare = "".join(one for one in folded if not 0x300 <= ord(one) < 0x370)
    runs = groupby(normalize("NFC", bare), lambda one: category(one)[0] in "LNM")
    return {"".join(run) for is_word, run in runs if is_word}


def words_in(term: Term) -> set[str]:
    """The words of every string and symbol in a term, parts of symbols included."""
    if isinstance(term, str):
        return words(term)
    if isinstance(term, Symbol):
        return set() if term.text[0] == "?" else words(term.text) | parts(term.text)
    if isinstance(term, tuple):
        return set().union(*map(words_in, term))
    return set()


def parts(name: str) -> set[str]:
    """The words of the pieces of a name: `HTTPServer2` is HTTP, Server, 2."""
    letters = re.findall(r".\0*", "".join("\0" if is_mark(c) else c for c in name))
    kinds = "".join(kind(letter[0]) for letter in letters)
    found: set[str] = set()
    for piece in re.finditer("U+(?!l)|U?l+|n+|-+", kinds):
        start = sum(map(len, letters[: piece.start()]))
        end = sum(map(len, letters[: piece.end()]))
        found |= words(name[start:end])
    return found


def is_mark(character: str) -> bool:
    return category(character)[0] == "M"


def kind(character: str) -> str:
    if character.isupper():
        return "U"
    return "l" if character.isalpha() else "n" if character.isnumeric() else "-"


def search(text: str, claims: list[Claim]) -> list[str]:
    """The locators of the claims with every word of a text, shortest first."""
    wanted = words(text)
    found = [
        (len(encode(sentence)), locator)
        for locator, sentence in claims
        if wanted <= words_in(sentence)
    ]
    return [locator for _, locator in sorted(found)]
