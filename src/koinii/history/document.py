"""Proof documents as JSON: bounded, each name once, every field of its kind.

`read` takes what a stranger sent and gives a `Fields`, which hands out values of
the kind asked for and refuses all others. Every refusal is a VerificationError.
"""

from __future__ import annotations

import json
import re
from typing import TypeAlias

from koinii.errors import VerificationError
from koinii.merkle import MAX_PATH, MAX_SIZE

Json: TypeAlias = "bool | int | str | list[Json] | dict[str, Json] | None"

LOCATOR = "sha256:"
MAX_BYTES = 1_048_576
MAX_DEPTH = 6
MAX_ITEMS = 1024  # of one list

_HASH = re.compile(r"[0-9a-f]{64}")
_INTEGER = re.compile(r"0|[1-9][0-9]{0,19}")


class Fields:
    """One object of a document, asked for its fields by kind."""

    def __init__(self, value: Json, where: str = "the document") -> None:
        """Take an object; any other value is refused."""
        if not isinstance(value, dict):
            raise refused(f"{where} is no object")
        self._value = value
        self._where = where

    def check_names(self, needed: set[str], optional: frozenset[str]) -> None:
        """Refuse an object that lacks a needed name or has one of no meaning."""
        missing = needed - self._value.keys()
        if missing:
            raise refused(f"{self._where} has no {min(missing)}")
        extra = self._value.keys() - needed - optional
        if extra:
            raise refused(f"{self._where} has {min(extra)!a}, which has no meaning")

    def has(self, name: str) -> bool:
        """Tell whether the field is there."""
        return name in self._value

    def is_null(self, name: str) -> bool:
        """Tell whether the field is there and null."""
        return name in self._value and self._value[name] is None

    def text(self, name: str) -> str:
        """Return a field that is text."""
        value = self._value.get(name)
        if not isinstance(value, str):
            raise refused(f"{name} is no text")
        return value

    def count(self, name: str) -> int:
        """Return a field that is a whole number below 2**64."""
        value = self._value.get(name)
        if type(value) is not int or not 0 <= value <= MAX_SIZE:
            raise refused(f"{name} is no number from 0 up")
        return value

    def hash(self, name: str, prefix: str = "") -> bytes:
        """Return a field that is a hash in lower-case hex after `prefix`."""
        text = self.text(name)
        if not text.startswith(prefix):
            raise refused(f"{name} does not begin with {prefix}")
        return _unhex(name, text[len(prefix) :])

    def path(self, name: str) -> list[bytes]:
        """Return a field that is a list of at most 63 hashes in hex."""
        value = self._value.get(name)
        if not isinstance(value, list) or len(value) > MAX_PATH:
            raise refused(f"{name} is no list of at most {MAX_PATH} hashes")
        return [_unhex(name, one) for one in value]

    def steps(self, name: str) -> list[dict[str, str]]:
        """Return a field that is a list of objects with `hash` and `side`."""
        value = self._value.get(name)
        if not isinstance(value, list) or len(value) > MAX_PATH:
            raise refused(f"{name} is no list of at most {MAX_PATH} steps")
        found = []
        for one in value:
            step = Fields(one, f"a step of {name}")
            step.check_names({"hash", "side"}, frozenset())
            found.append({"hash": step.hash("hash").hex(), "side": step.text("side")})
        return found

    def words(self, name: str) -> list[str]:
        """Return a field that is a list of at most 1,024 texts."""
        value = self._value.get(name)
        if not isinstance(value, list) or len(value) > MAX_ITEMS:
            raise refused(f"{name} is no list of at most {MAX_ITEMS} texts")
        words = [one for one in value if isinstance(one, str)]
        if len(words) != len(value):
            raise refused(f"{name} is no list of texts")
        return words

    def hashes(self, name: str) -> list[bytes]:
        """Return a field that is a list of at most 1,024 locators."""
        for word in self.words(name):
            if not word.startswith(LOCATOR):
                raise refused(f"{name} does not hold locators alone")
        return [_unhex(name, word[len(LOCATOR) :]) for word in self.words(name)]

    def names(self) -> set[str]:
        """Return the names of the fields."""
        return set(self._value)

    def table(self, name: str) -> Fields:
        """Return a field that is an object with names of its own."""
        return Fields(self._value.get(name), name)

    def objects(
        self, name: str, needed: set[str], optional: frozenset[str] = frozenset()
    ) -> list[Fields]:
        """Return a field that is a list of at most 1,024 objects with these names."""
        value = self._value.get(name)
        if not isinstance(value, list) or len(value) > MAX_ITEMS:
            raise refused(f"{name} is no list of at most {MAX_ITEMS} objects")
        found = [Fields(one, f"an item of {name}") for one in value]
        for one in found:
            one.check_names(needed, optional)
        return found

    def object_has(self, name: str, inner: str) -> bool:
        """Tell whether a field is an object that has the name `inner`."""
        value = self._value.get(name)
        return isinstance(value, dict) and inner in value

    def object(self, name: str, needed: set[str]) -> Fields:
        """Return a field that is an object with exactly these names."""
        inner = Fields(self._value.get(name), name)
        inner.check_names(needed, frozenset())
        return inner


def read(document: object) -> Fields:
    """Return the fields of a document given as JSON text, bytes or an object.

    An object goes through its text, so that all three are held to the same rules.
    """
    if isinstance(document, dict):
        document = write(document)
    if isinstance(document, str):
        document = _encoded(document)
    if not isinstance(document, bytes):
        raise refused("no JSON text")
    if len(document) > MAX_BYTES:
        raise refused(f"more than {MAX_BYTES} bytes")
    try:
        value: Json = json.loads(
            document.decode(),
            object_pairs_hook=_each_name_once,
            parse_constant=_no_number,
            parse_float=_no_number,
            parse_int=_whole_number,
        )
    except (ValueError, RecursionError):
        raise refused("no JSON") from None
    _check(value, MAX_DEPTH)
    return Fields(value)


def write(value: object) -> str:
    """Return a document as compact JSON, text kept as it is."""
    try:
        return json.dumps(
            value, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
    except (TypeError, ValueError, RecursionError):
        raise refused("no JSON") from None


def refused(reason: str) -> VerificationError:
    """Return the refusal of a document, for one reason."""
    return VerificationError(reason, code="koinii/bad-proof")


def _each_name_once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise refused("a name stands twice in one object")
    return value


def _no_number(text: str) -> Json:
    raise refused(f"{text[:30]} is no whole number")


def _whole_number(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise refused(f"{text[:30]} is no whole number from 0 up")
    return int(text)


def _check(value: Json, depth: int) -> None:
    """Refuse what is nested too deep, and text that is no UTF-8."""
    if isinstance(value, str):
        _encoded(value)
    elif isinstance(value, dict | list):
        if not depth:
            raise refused(f"nested deeper than {MAX_DEPTH}")
        if isinstance(value, dict):
            value = [*value, *value.values()]
        for item in value:
            _check(item, depth - 1)


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise refused("text that is no UTF-8") from None


def _unhex(name: str, text: Json) -> bytes:
    if not isinstance(text, str) or not _HASH.fullmatch(text):
        raise refused(f"{name} holds no 64 lower-case hex digits")
    return bytes.fromhex(text)
