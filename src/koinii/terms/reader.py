"""Text as terms. Strict in what a value is, lenient in how it is laid out.

    read            one term as people type it: extra space, newlines, comments,
                    `[a b]` for a list, decomposed accents, `1.50`
    read_all        every term of a file, with the place where it begins
    read_canonical  one term in its one spelling (formats section 1)

Every refusal is a `ReadError` with line, column and the line's text. A line
ends at LF and nowhere else. Time is linear in the text.
"""

from __future__ import annotations

import re
from functools import lru_cache

from koinii.errors import ReadError, RefusedError, UsageError
from koinii.terms.numerals import read_number
from koinii.terms.patterns import compiled
from koinii.terms.printer import write
from koinii.terms.spelling import ATOM, check_string, nfc
from koinii.terms.term import MAX_DEPTH, MAX_TEXT, Char, Keyword, Symbol, Term

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SPACE = r"(?:[ \t\r\n]++|;[^\n]*+)*+"
_OPEN, _CLOSE, _NUMBER, _NAME, _STRING, _CHAR = range(1, 7)
_TOKEN = (
    _SPACE + r"(?:([(\[])"
    r"|([)\]])"
    rf"|([+-]?\.?[0-9]{ATOM}*+)"
    rf"|((?!\\){ATOM}++)"
    r'|("[^"\\]*+(?:\\.[^"\\]*+)*")'
    rf"|(\\(?s:.){ATOM}*+))"
)
_ENDS = r"[ \t\r\n()\[\];]|\Z"

# Most lines are one flat list of plain names, and this is their only spelling.
_FLAT = re.compile(r"\([A-Za-z?_][A-Za-z0-9_]*+(?: [A-Za-z?_][A-Za-z0-9_]*+)*\)")
_FLAT_LENGTH = 256

_ESCAPE = r"(?s)\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))"
_SHORT = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}
_BARE_CONTROL = "[\x00-\x08\x0b-\x1f\x7f-\x9f]"
_CODED_CHAR = r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))"
_WORDS: dict[str, Term] = {"nil": None, "true": True, "false": False}
_CLOSED_BY = {"(": ")", "[": "]"}
_KEPT_LENGTH = 256  # longer names are read anew each time, so the cache stays small

_UNEXPECTED = {
    "'": "a quote has no meaning here",
    "{": "maps and sets are no values",
    "}": "maps and sets are no values",
    '"': "the string is not closed",
    "": "the text ends too early",
    "\\": "a character is missing after the backslash",
}


class _Misread(Exception):  # noqa: N818 - never leaves this module
    """A reason and the offset it is at; `_error` makes a `ReadError` of it."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset


def read(text: str, limit: int = MAX_TEXT) -> Term:
    """Return the one term that `text` holds; `limit` is in bytes of UTF-8.

    Raises `ReadError` for anything else, `nothing` and `more than one` included,
    and `UsageError` for what is no text.
    """
    if not isinstance(text, str):
        raise UsageError(f"text is read, and {type(text).__name__} is none")
    if len(text) <= _FLAT_LENGTH and _FLAT.fullmatch(text):
        return tuple(map(_name, text[1:-1].split(" ")))
    try:
        return _read_one(text, limit)
    except _Misread as misread:
        raise _error(text, misread) from None


def read_canonical(text: str, limit: int = MAX_TEXT) -> Term:
    """Return the term whose canonical spelling is exactly `text`."""
    if len(text) <= _FLAT_LENGTH and _FLAT.fullmatch(text):
        return tuple(map(_name, text[1:-1].split(" ")))
    term = read(text, limit)
    spelling = write(term)
    if spelling != text:
        raise _error(text, _first_difference(text, spelling))
    return term


def read_all(text: str, limit: int = MAX_TEXT) -> Iterator[tuple[Term, int, int]]:
    """Yield each term of `text` with the line and column it begins at, from 1.

    Terms before a fault are yielded, then `ReadError` is raised.
    """
    line, line_start, counted, offset = 1, 0, 0, 0
    while (start := _skip(text, offset)) < len(text):
        newlines = text.count("\n", counted, start)
        if newlines:
            line += newlines
            line_start = text.rindex("\n", counted, start) + 1
        counted = start
        try:
            term, offset = _scan(text, start)
            _check_size(text[start:offset], limit, start)
        except _Misread as misread:
            raise _error(text, misread) from None
        yield term, line, start - line_start + 1


def _read_one(text: str, limit: int) -> Term:
    _check_size(text, limit)
    term, end = _scan(text, 0)
    rest = _skip(text, end)
    if rest < len(text):
        if compiled(_TOKEN, re.DOTALL).match(text, rest) is None:
            raise _unexpected(text, rest, 0)
        raise _Misread("one term was expected, and more follows", rest)
    return term


def _scan(text: str, offset: int) -> tuple[Term, int]:
    """Return the term at `offset` and the offset after it."""
    outer: list[tuple[str, list[Term]]] = []
    closing, items = "", []  # type: str, list[Term]
    match_token = compiled(_TOKEN, re.DOTALL).match
    while True:
        match = match_token(text, offset)
        if match is None:
            raise _unexpected(text, offset, len(outer))
        kind, offset = match.lastindex, match.end()
        if kind == _OPEN:
            if len(outer) >= MAX_DEPTH:
                raise _Misread(f"lists nest deeper than {MAX_DEPTH}", offset - 1)
            outer.append((closing, items))
            closing, items = _CLOSED_BY[match[kind]], []
            continue
        if kind == _CLOSE:
            if match[kind] != closing:
                raise _unbalanced(match[kind], closing, offset - 1)
            term: Term = tuple(items)
            closing, items = outer.pop()
        else:
            term = _atom(kind, match)
        if not outer:
            return term, offset
        items.append(term)


def _atom(kind: int | None, match: re.Match[str]) -> Term:
    start = match.start(kind or 0)
    token = match[kind or 0]
    try:
        if kind == _NAME:
            return _name(token) if len(token) <= _KEPT_LENGTH else read_name(token)
        if kind == _NUMBER:
            return read_number(token)
        if kind == _STRING:
            _check_end(match)
            return _string(token, start)
        return _char(token, start)
    except RefusedError as refused:
        raise _Misread(str(refused.details["reason"]), start) from None


def read_name(token: str) -> Term:
    """Return the symbol, keyword or constant that a word is."""
    if token in _WORDS:
        return _WORDS[token]
    text = nfc(token)
    cut = text.find("/")
    if text[0] == ":":
        if cut < 0:
            return Keyword(text[1:])
        return Keyword(text[cut + 1 :], text[1:cut])
    if cut < 0:
        return Symbol(text)
    return Symbol(text[cut + 1 :], text[:cut])


_name = lru_cache(maxsize=16_384)(read_name)


def _string(token: str, start: int) -> str:
    value = token[1:-1]
    control = compiled(_BARE_CONTROL).search(value)
    if control:
        reason = f"a string holds the control character U+{ord(control[0]):04X} bare"
        raise _Misread(reason, start + 1 + control.start())
    if "\\" in value:
        value = compiled(_ESCAPE).sub(lambda match: _unescape(match, start + 1), value)
    value = nfc(value)
    check_string(value)
    return value


def _unescape(match: re.Match[str], start: int) -> str:
    code = match[1] or match[2]
    if code is None:
        char = _SHORT.get(match[3])
        if char is None:
            raise _Misread(f"no such escape: {match[0]!a}", start + match.start())
        return char
    return _scalar(code, start + match.start())


def _scalar(code: str, offset: int) -> str:
    number = int(code, 16)
    if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:  # noqa: PLR2004 - Unicode
        raise _Misread(f"U+{number:04X} is no character", offset)
    return chr(number)


def _char(token: str, start: int) -> Char:
    coded = compiled(_CODED_CHAR).fullmatch(token)
    if coded:
        return Char(_scalar(coded[1] or coded[2], start))
    if len(token) != 2:  # noqa: PLR2004 - the backslash and one character
        raise _Misread("a character is one code point after the backslash", start)
    if token[1] <= " ":
        raise _Misread("write this character by its code, as \\u0020", start)
    return Char(token[1])


def _check_end(match: re.Match[str]) -> None:
    if not compiled(_ENDS).match(match.string, match.end()):
        raise _Misread("a space is missing here", match.end())


def _check_size(text: str, limit: int, offset: int = 0) -> None:
    size = len(text)
    if size <= limit and not text.isascii():
        size = len(text.encode("utf-8", "surrogatepass"))
    if size > limit:
        raise _Misread(f"the text is longer than {limit} bytes", offset)


def _skip(text: str, offset: int) -> int:
    match = compiled(_SPACE).match(text, offset)
    return match.end() if match else offset


def _unexpected(text: str, offset: int, depth: int) -> _Misread:
    offset = _skip(text, offset)
    char = text[offset : offset + 1]
    if not char and depth:
        return _Misread(f"the text ends with {depth} list(s) not closed", offset)
    if not char:
        return _Misread("there is nothing to read", offset)
    reason = _UNEXPECTED.get(char) or f"U+{ord(char):04X} cannot stand here"
    return _Misread(reason, offset)


def _unbalanced(found: str, wanted: str, offset: int) -> _Misread:
    if not wanted:
        return _Misread(f"{found} closes no list", offset)
    return _Misread(f"{found} where {wanted} should close the list", offset)


def _first_difference(text: str, spelling: str) -> _Misread:
    pairs = enumerate(zip(text, spelling, strict=False))
    shorter = min(len(text), len(spelling))
    offset = next((at for at, (ours, one) in pairs if ours != one), shorter)
    wanted = spelling[offset : offset + 20]
    return _Misread(f"not the canonical spelling, which goes on {wanted!a}", offset)


def _error(text: str, misread: _Misread) -> ReadError:
    """Return the refusal with its place; a line ends at LF only."""
    offset = misread.offset
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    return ReadError(
        misread.reason,
        line=text.count("\n", 0, offset) + 1,
        column=offset - start + 1,
        text=text[start : end if end >= 0 else len(text)],
    )
