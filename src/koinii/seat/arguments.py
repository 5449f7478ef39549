"""What callers give, checked where it comes in: the type first, then the text.

A wrong type is a `UsageError` that names the argument, so that whoever calls from
Python meets one tree of errors. What a text says is judged further in.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

from koinii.errors import UsageError
from koinii.terms.encoder import encode
from koinii.terms.reader import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from koinii.terms.term import Term

MAX_COUNT = (1 << 63) - 1  # what the store holds

_T = TypeVar("_T")


def parse(sentence: str | Term) -> Term:
    """Return a term from its text; a term stands for itself.

    Raises:
        ReadError: text that is no term.
        RefusedError: `koinii/uncanonical-value`: a Python value that is no term.
    """
    if isinstance(sentence, str):
        return read(sentence)
    encode(sentence)
    return sentence


def text(value: object, name: str) -> str:
    """Return a text; `UsageError` for anything else, lone surrogates included."""
    if not isinstance(value, str):
        raise _wrong(value, name, "a text")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"{name} is no Unicode text: {value[:80]!a}") from error
    return value


def maybe_text(value: object, name: str) -> str | None:
    """Return a text, or None where nothing was given."""
    return None if value is None else text(value, name)


def count(value: object, name: str) -> int:
    """Return a natural number that the store can hold; `True` is none."""
    if type(value) is not int or value < 0:
        raise _wrong(value, name, "0 or more")
    if value > MAX_COUNT:
        raise UsageError(f"{name} is at most {MAX_COUNT}", argument=name)
    return value


def maybe_count(value: object, name: str) -> int | None:
    """Return a natural number, or None where nothing was given."""
    return None if value is None else count(value, name)


def flag(value: object, name: str) -> bool:
    """Return true or false; nothing else stands for one."""
    if not isinstance(value, bool):
        raise _wrong(value, name, "True or False")
    return value


def several(given: Iterable[_T], name: str) -> Iterable[_T]:
    """Refuse one text where several are wanted: its characters are none."""
    if isinstance(given, str | bytes):
        raise UsageError(
            f"{name} is one text, where several are wanted", hint=f"{name}=[...]"
        )
    try:
        iter(given)
    except TypeError as error:
        raise _wrong(given, name, "a list or the like") from error
    return given


def lines_of(given: Iterable[str]) -> Iterator[str]:
    """Yield lines as they are asked for; what they say is judged one by one."""
    for line in several(given, "lines"):
        if not isinstance(line, str):
            raise _wrong(line, "a line", "a text")
        yield line


def path_text(value: str | os.PathLike[str], name: str = "path") -> str:
    """Return a path as text, which need not be Unicode."""
    path: object = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(path, str):
        raise _wrong(path, name, "a path")
    if not path:
        raise UsageError(f"{name} is empty", hint="the current directory is '.'")
    try:
        is_path = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        is_path = False
    if not is_path:
        raise UsageError(f"{name} is no path: {path[:80]!a}")
    return path


def _wrong(value: object, name: str, wanted: str) -> UsageError:
    kind = type(value).__name__
    shown = f"{kind} {value}" if isinstance(value, int) else kind
    return UsageError(
        f"{name} is {wanted}, not {shown[:80]}", argument=name, given=kind
    )
