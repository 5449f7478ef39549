"""Which characters values may hold, and which texts are symbols.

The law is formats section 1: strings and symbols are in Unicode NFC, nothing
holds a lone surrogate, a symbol holds no white space, no control characters
and no character of the syntax, and does not read as another value.
"""

from __future__ import annotations

import re
from itertools import chain, groupby
from unicodedata import combining, is_normalized, normalize

from koinii.errors import RefusedError
from koinii.terms.patterns import compiled

# What may stand in a symbol, a keyword or a number; everything else ends it.
ATOM = r"[^\s()\[\]{}\"';\x00-\x1f\x7f-\x9f\ufeff\ud800-\udfff]"

_NOT_A_SYMBOL = (
    (r"[+-]?\.?[0-9]", "it begins as a number does"),
    (r":", "it begins as a keyword does"),
    (r"\\", "it begins as a character does"),
    (r"##", "NaN and infinities are no values"),
    (r"(?:nil|true|false)\Z", "it reads as another value"),
)
_ATOMS = ATOM + "+"
_PLAIN = re.compile(r"(?!(?:nil|true|false)\Z)[A-Za-z?][A-Za-z0-9]*")
_LONG = 1000
_SURROGATE = "[\ud800-\udfff]"


def nfc(text: str) -> str:
    """Return the text in Unicode NFC, in linear time.

    Python sorts a run of combining marks by exchange, in time quadratic in its
    length, so long text is taken apart and its marks are sorted here first.
    """
    if text.isascii() or is_normalized("NFC", text):
        return text
    if len(text) > _LONG:
        parts = "".join([normalize("NFD", char) for char in text])
        runs = [sorted(run, key=combining) for _, run in groupby(parts, _is_mark)]
        text = "".join(chain.from_iterable(runs))
    return normalize("NFC", text)


def _is_mark(char: str) -> bool:
    return combining(char) != 0


def uncanonical(reason: str, value: object) -> RefusedError:
    """Return the refusal of a value that has no canonical spelling."""
    return RefusedError(
        f"not a value: {reason}",
        code="koinii/uncanonical-value",
        hint="see `koinii help formats` for the values a sentence may hold",
        kind=type(value).__name__,
        reason=reason,
    )


def check_string(value: str) -> None:
    """Refuse text that is not NFC or holds NUL or a lone surrogate."""
    if "\0" in value:
        raise uncanonical("a string holds NUL", value)
    if value.isascii():
        return
    if compiled(_SURROGATE).search(value):
        raise uncanonical("a string holds a lone surrogate", value)
    if not is_normalized("NFC", value):
        raise uncanonical("a string is not in Unicode NFC", value)


def check_name(name: str, namespace: str | None, value: object) -> str:
    """Return `namespace/name`, or `name`; refuse what cannot be read back."""
    if type(name) is not str or type(namespace) not in {str, type(None)}:
        raise uncanonical("a name is not text", value)
    text = name if namespace is None else f"{namespace}/{name}"
    if not name or namespace == "":
        raise uncanonical("a name is empty", value)
    if "/" in (name if namespace is None else namespace):
        raise uncanonical(f"{text!a} does not name one namespace", value)
    if not compiled(_ATOMS).fullmatch(text):
        raise uncanonical(f"{text!a} holds a character no name may hold", value)
    if not text.isascii() and not is_normalized("NFC", text):
        raise uncanonical(f"{text!a} is not in Unicode NFC", value)
    return text


def check_symbol(name: str, namespace: str | None, value: object) -> str:
    """Return the text of a symbol; refuse one that reads as another value."""
    if namespace is None and type(name) is str and _PLAIN.fullmatch(name):
        return name
    text = check_name(name, namespace, value)
    for pattern, reason in _NOT_A_SYMBOL:
        if compiled(pattern).match(text):
            raise uncanonical(f"{text!a} is no symbol: {reason}", value)
    if namespace is not None and text.startswith("?"):
        raise uncanonical(f"{text!a}: a variable has no namespace", value)
    return text
