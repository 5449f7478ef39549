"""The common forms of verbs of one word, read strictly from the table.

It takes a fifth of the time that the full command line takes to load. Whatever
is not plainly one of these forms is left to that, errors included, so that there
is one voice for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.faces.invocation import Invocation
from koinii.faces.operations import FLAG, find
from koinii.faces.surroundings import Flags

if TYPE_CHECKING:
    from koinii.faces.operations import Operation, Parameter

_SWITCHES = {
    "--json": "json",
    "-q": "quiet",
    "--quiet": "quiet",
    "-v": "verbose",
    "--verbose": "verbose",
    "-n": "dry_run",
    "--dry-run": "dry_run",
    "--no-input": "no_input",
}


class _NotPlain(Exception):  # noqa: N818 - never leaves this module
    """The line needs the full command line."""


def parse(arguments: list[str]) -> Invocation | None:
    """Return what the line asks for, None where only the full parser can tell."""
    try:
        return _Reader(arguments).read()
    except _NotPlain:
        return None


class _Reader:
    """One line of words, read from left to right."""

    def __init__(self, arguments: list[str]) -> None:
        self._words = arguments
        self._at = 0
        self._flags: dict[str, object] = {}
        self._values: dict[str, object] = {}
        self._placed: list[str] = []

    def read(self) -> Invocation:
        operation = self._verb()
        options = {one.spelling: one for one in operation.parameters}
        places = [one for one in operation.parameters if one.positional]
        while self._at < len(self._words):
            self._word(operation, options)
        self._place(places)
        if any(
            one.required and one.name not in self._values for one in options.values()
        ):
            raise _NotPlain
        return Invocation(operation, self._values, Flags(**self._flags))  # type: ignore[arg-type]

    def _verb(self) -> Operation:
        while self._at < len(self._words):
            word = self._next()
            if not self._flag(word):
                operation = find(word)
                if operation is None:
                    break
                return operation
        raise _NotPlain

    def _word(self, operation: Operation, options: dict[str, Parameter]) -> None:
        word = self._next()
        if word == "--":
            self._placed += self._words[self._at :]
            self._at = len(self._words)
        elif word == "-" or not word.startswith("-"):
            self._placed.append(word)
        elif not self._flag(word, operation):
            self._option(word, options)

    def _flag(self, word: str, operation: Operation | None = None) -> bool:
        if word == "-C" and "directory" not in self._flags:
            self._flags["directory"] = self._value()
        elif word in _SWITCHES:
            self._flags[_SWITCHES[word]] = True
        else:
            return False
        if "dry_run" in self._flags and not (operation and operation.rehearsed):
            raise _NotPlain
        return True

    def _option(self, word: str, options: dict[str, Parameter]) -> None:
        name, equals, value = word.partition("=")
        parameter = options.get(name)
        if parameter is None or parameter.repeatable:
            raise _NotPlain
        if parameter.name in self._values:
            raise _NotPlain
        if parameter.kind == FLAG:
            if equals:
                raise _NotPlain
            self._values[parameter.name] = True
            return
        self._values[parameter.name] = value if equals else self._value()

    def _place(self, places: list[Parameter]) -> None:
        if places and places[-1].repeatable:
            last = places.pop()
            rest = self._placed[len(places) :]
            if rest:
                self._values[last.name] = rest
        elif len(self._placed) > len(places):
            raise _NotPlain
        for parameter, text in zip(places, self._placed, strict=False):
            self._values[parameter.name] = text

    def _next(self) -> str:
        self._at += 1
        return self._words[self._at - 1]

    def _value(self) -> str:
        if self._at == len(self._words) or self._words[self._at].startswith("-"):
            raise _NotPlain
        return self._next()
