"""The claim line: one author's assertion of one sentence, as it is signed.

`<strength> <created ms> <sentence> [extras]`, one spelling each (formats
section 3). Agent, seat and context come from where the line stands.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import RefusedError
from koinii.terms.canonical import canonical, peel, wrap
from koinii.terms.encoding import decode
from koinii.terms.folds import word
from koinii.terms.locator import locate
from koinii.terms.printer import write
from koinii.terms.reader import read_all, read_canonical
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from koinii.terms.locator import Locator
    from koinii.terms.term import Term

DEFAULT = 0
MONOTONIC = 1
STRENGTHS = ("default", "monotonic")
MAX_EXTRAS_BYTES = 4096
MAX_LINE_BYTES = 64 * 1024 + MAX_EXTRAS_BYTES + 64

# Those that a claim line writes; a bare rule is strict and runs forward.
_WRAPPERS = {"inertRule": 2, "defaultRule": 1}

_HEAD = re.compile(r"(default|monotonic) (0|[1-9][0-9]{0,15}) (?=\()")


class Claim(NamedTuple):
    """One parsed claim line; `text` is the canonical text, wrappers and all."""

    strength: int
    created: int  # ms
    sentence: Term
    text: str
    extras: str | None
    wrappers: int  # bits


def format_claim(strength: int, created: int, text: str, extras: str | None) -> str:
    """Return the line of a claim whose sentence has this canonical text."""
    line = f"{STRENGTHS[strength]} {created} {text}"
    return line if extras is None else f"{line} {extras}"


def stored_line(
    body: bytes, strength: int, created: int, extras: str | None, wrappers: int
) -> str:
    """Return the line of a claim whose sentence is stored as these bytes."""
    text = write(wrap(decode(body), wrapper_names(wrappers)))
    return format_claim(strength, created, text, extras)


def wrapper_bits(names: Iterable[str]) -> int:
    """Return a rule's wrappers as the bits that the store keeps."""
    return sum({_WRAPPERS.get(name, 0) for name in names})


def wrapper_names(bits: int) -> tuple[str, ...]:
    """Return the wrappers that these bits stand for."""
    return tuple(name for name, bit in _WRAPPERS.items() if bits & bit)


def wrapper_words(bits: int) -> list[str]:
    """Return how a rule is said to be: `inert`, `default`, both or, bare, neither."""
    return [name.removesuffix("Rule") for name in wrapper_names(bits)]


def line_leaf(line: str) -> bytes:
    """Return the RFC 6962 leaf hash of a claim line in its author's tree."""
    return hashlib.sha256(b"\x00" + line.encode()).digest()


def parse_claim(line: str) -> Claim:
    """Read a claim line, accepting only its one spelling.

    Raises:
        ReadError, RefusedError: it is not what `format_claim` would write of a
            sentence in canonical form.
    """
    head = _HEAD.match(line)
    if head is None:
        raise _bad(line, "begins with no strength and time")
    written, text, extras = _sentence_and_extras(line, line[head.end() :])
    sentence = canonical(written)
    names: tuple[str, ...] = ()
    if sentence is not written:  # else it has the text that it was read from
        names = peel(written)[1]
        if write(wrap(sentence, names)) != text:
            raise _bad(line, "its sentence is not in canonical form")
    if names and word(sentence) != "implies":
        raise _bad(line, "only rules are wrapped")
    return Claim(
        STRENGTHS.index(head[1]),
        int(head[2]),
        sentence,
        text,
        extras,
        wrapper_bits(names) if names else 0,
    )


def claim_locator(context: str, line: str) -> Locator:
    """Return the locator of a claim line's sentence in a context."""
    return locate(Symbol(context), parse_claim(line).sentence)


def _sentence_and_extras(line: str, rest: str) -> tuple[Term, str, str | None]:
    if not rest.endswith("))"):
        return read_canonical(rest), rest, None
    terms = [term for term, _, _ in read_all(rest)]
    texts = [write(term) for term in terms]
    if len(terms) > 2 or " ".join(texts) != rest:  # noqa: PLR2004 - sentence, extras
        raise _bad(line, "is not in its canonical spelling")
    if len(terms) == 1:
        return terms[0], rest, None
    check_extras(terms[1])
    return terms[0], texts[0], texts[1]


def check_extras(extras: Term) -> None:
    """Refuse extras that are no sorted list of (key value) pairs, or too long."""
    text = write(extras)
    pairs = extras if isinstance(extras, tuple) else ()
    keys = [write(pair[0]) for pair in pairs if type(pair) is tuple and len(pair) == 2]  # noqa: PLR2004 - a pair
    if not keys or len(keys) != len(pairs) or keys != sorted(set(keys)):
        raise _bad(text, "extras are a sorted list of (key value) pairs")
    if len(text.encode()) > MAX_EXTRAS_BYTES:
        raise _bad(text, f"extras are longer than {MAX_EXTRAS_BYTES} bytes")


def _bad(line: str, reason: str) -> RefusedError:
    return RefusedError(
        f"not a claim line: {reason}: {line[:120]}", code="koinii/bad-line", line=line
    )
