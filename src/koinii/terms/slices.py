"""Encodings taken apart and put together without making terms of them.

Rules join thousands of facts; what they match and conclude are the very bytes
that stand in the facts. Equal contents are equal bytes (design section 4), so
nothing is decoded: a literal is split into the encodings of its parts, a
variable is bound to one of them. Only encodings that `encode` made come here.
"""

from __future__ import annotations

from koinii.terms.encoder import encode
from koinii.terms.term import Symbol, Term, is_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Part: TypeAlias = "str | bytes | tuple[Part, ...]"
    Bound: TypeAlias = dict[str, bytes]
    Template: TypeAlias = tuple[str | bytes, ...]

_SYMBOL, _LIST = 0x0A, 0x0B
_FIXED = {0x00: 1, 0x01: 1, 0x02: 1, 0x03: 9, 0x05: 9, 0x0C: 5}
_COUNTED = (0x04, 0x08)
_RATIO, _DECIMAL = 0x06, 0x07


def split(encoded: bytes) -> list[bytes] | None:
    """Return the encodings of a list's elements; None for what is no list."""
    if encoded[0] != _LIST:
        return None
    parts: list[bytes] = []
    at = 5
    for _ in range(int.from_bytes(encoded[1:5], "big")):
        if encoded[at] == _SYMBOL and not encoded[at + 1]:
            end = at + 6 + int.from_bytes(encoded[at + 2 : at + 6], "big")
        else:
            end = _end(encoded, at)
        parts.append(encoded[at:end])
        at = end
    return parts


def join(parts: list[bytes]) -> bytes:
    """Return the encoding of the list of these elements."""
    return b"\x0b%b%b" % (len(parts).to_bytes(4, "big"), b"".join(parts))


def part_of(term: Term) -> Part:
    """Return what a term of a rule is to be matched with or made from.

    A variable's text, the encoding of what has no variable, or a tuple of
    parts for a list that has some.
    """
    if type(term) is Symbol and is_variable(term):
        return term.text
    if type(term) is not tuple:
        return encode(term)
    parts = tuple([part_of(one) for one in term])
    if all(type(part) is bytes for part in parts):
        return encode(term)
    return parts


def match(part: Part, encoded: bytes, bound: Bound) -> bool:
    """Tell whether a part matches an encoding; what it binds goes into `bound`.

    After a failure `bound` may hold some of it.
    """
    if isinstance(part, bytes):
        return part == encoded
    if isinstance(part, str):
        known = bound.setdefault(part, encoded)
        return known is encoded or known == encoded
    pieces = split(encoded)
    if pieces is None or len(pieces) != len(part):
        return False
    for one, piece in zip(part, pieces, strict=True):
        if not match(one, piece, bound):
            return False
    return True


def build(part: Part, bound: Bound) -> bytes:
    """Return the encoding that a part stands for; every variable is bound."""
    return fill(template_of(part), bound)


def template_of(part: Part) -> Template:
    """Return a part as a row of encodings and variables: a list has no end mark."""
    if not isinstance(part, tuple):
        return (part,)
    pieces: list[str | bytes] = [b"\x0b" + len(part).to_bytes(4, "big")]
    for one in part:
        for piece in template_of(one):
            if isinstance(piece, bytes) and isinstance(pieces[-1], bytes):
                pieces[-1] += piece
            else:
                pieces.append(piece)
    return tuple(pieces)


def fill(template: Template, bound: Bound) -> bytes:
    """Return the encoding that a template stands for; every variable is bound."""
    return b"".join([bound[one] if isinstance(one, str) else one for one in template])


def depth(encoded: bytes) -> int:
    """Return how deep the lists of an encoding nest; 0 for what is no list."""
    deepest, waiting = 0, [(encoded, 1)]
    while waiting:
        one, level = waiting.pop()
        parts = split(one)
        if parts is not None:
            deepest = max(deepest, level)
            waiting.extend((part, level + 1) for part in parts)
    return deepest


def _end(encoded: bytes, at: int) -> int:
    """Return the offset after the value that begins at `at`."""
    tag = encoded[at]
    fixed = _FIXED.get(tag)
    if fixed is not None:
        return at + fixed
    if tag in _COUNTED:
        return _counted(encoded, at + 1)
    if tag == _RATIO:
        return _counted(encoded, _counted(encoded, at + 1))
    if tag == _DECIMAL:
        return _counted(encoded, at + 1) + 4
    if tag == _LIST:
        end = at + 5
        for _ in range(int.from_bytes(encoded[at + 1 : at + 5], "big")):
            end = _end(encoded, end)
        return end
    if encoded[at + 1]:  # a symbol or keyword with a namespace
        return _counted(encoded, _counted(encoded, at + 2))
    return _counted(encoded, at + 2)


def _counted(encoded: bytes, at: int) -> int:
    return at + 4 + int.from_bytes(encoded[at : at + 4], "big")
