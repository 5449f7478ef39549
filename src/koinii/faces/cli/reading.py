"""Reading a line of words with the full command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typer import TyperException

from koinii.errors import UsageError
from koinii.faces.cli import advice
from koinii.faces.cli.commands import (
    PROGRAM,
    SHELLS,
    HelpAsked,
    application,
    complete,
    completion_script,
    is_completing,
)
from koinii.faces.cli.topics import TOPICS
from koinii.faces.invocation import Invocation, Page, wants_json
from koinii.faces.operations import FLAG, Operation, find
from koinii.faces.surroundings import COLORS, Flags

if TYPE_CHECKING:
    from collections.abc import Mapping

_FORMATS = ("text", "json")
_PREFIX = "flag_"


def read_line(words: list[str]) -> Invocation | Page:
    """Return what a line asks for.

    Raises:
        UsageError: it asks for nothing we know, with what was perhaps meant.
    """
    if is_completing():
        complete()
    line = _Line()
    try:
        application(line.see).main(list(words), PROGRAM, standalone_mode=False)
        return line.asked()
    except HelpAsked as asked:
        return Page(asked.text, Flags(json=wants_json(words)))
    except TyperException as error:
        raise advice.usage_error(error, words) from None


class _Line:
    """What the parts of a line said: its flags, its verb and that verb's words."""

    def __init__(self) -> None:
        self._flags: dict[str, Any] = {}
        self._verb = ""
        self._given: dict[str, Any] = {}

    def see(self, verb: str, given: dict[str, Any]) -> None:
        """Take in one part of a line; the last is the verb itself."""
        own = {
            name: value
            for name, value in given.items()
            if not name.startswith(_PREFIX) and value not in (None, False, (), [])
        }
        if self._given:
            raise advice.misplaced(self._verb, next(iter(self._given)))
        self._verb, self._given = verb, own
        for name, value in given.items():
            if name.startswith(_PREFIX) and value:
                self._see_flag(name.removeprefix(_PREFIX), value)

    def _see_flag(self, name: str, value: Any) -> None:
        if isinstance(value, tuple | list):
            if name in self._flags or len(value) > 1:
                raise _twice("-C" if name == "directory" else f"--{name}")
            (value,) = value
        self._flags[name] = value

    def asked(self) -> Invocation | Page:
        """Return what the whole line asks for."""
        version = self._flags.pop("version", False)
        flags = self._read_flags()
        if version:
            return _operation("version", {}, flags)
        if self._verb in ("", "help"):
            return _help_page(self._given.get("words", ()), flags)
        if self._verb == "completion":
            return Page(completion_script(_shell(self._given["shell"])), flags)
        verb = self._verb if find(self._verb) else f"{self._verb} list"
        return _operation(verb, self._given, flags)

    def _read_flags(self) -> Flags:
        flags = dict(self._flags)
        form = flags.pop("format", None)
        if form is not None:
            _one_of("--format", form, _FORMATS)
            if form == "text" and flags.get("json"):
                raise UsageError("--json and --format text contradict each other")
            flags["json"] = form == "json"
        if "color" in flags:
            _one_of("--color", flags["color"], COLORS)
        return Flags(**flags)


def _operation(verb: str, given: Mapping[str, Any], flags: Flags) -> Invocation:
    operation = find(verb)
    assert operation is not None  # noqa: S101 - the command was made from it
    if flags.dry_run and not operation.rehearsed:
        raise advice.no_rehearsal(operation)
    values = {name: _value(operation, name, one) for name, one in given.items()}
    for one in operation.parameters:
        if one.required and one.name not in values:
            raise UsageError(
                f"{verb} needs {one.spelling}: {one.help}",
                hint=operation.examples[0],
                parameter=one.spelling,
            )
    return Invocation(operation, values, flags)


def _value(operation: Operation, name: str, value: Any) -> object:
    """Return what stands for one parameter; only a repeatable one holds several."""
    (parameter,) = [one for one in operation.parameters if one.name == name]
    if parameter.repeatable:
        return list(value)
    if parameter.kind == FLAG or isinstance(value, str):
        return value
    if len(value) > 1:
        raise _twice(parameter.spelling)
    return value[0]


def _help_page(words: tuple[str, ...], flags: Flags) -> Page:
    """Return the page of a verb or a topic, or that of the whole command."""
    if len(words) == 1 and words[0] in TOPICS:
        return Page(TOPICS[words[0]], flags)
    try:
        application(lambda verb, given: None).main(
            [*words, "--help"], PROGRAM, standalone_mode=False
        )
    except HelpAsked as asked:
        return Page(asked.text, flags)
    except TyperException as error:
        raise advice.usage_error(error, list(words)) from None
    raise AssertionError("help shows a page")


def _shell(name: str) -> str:
    _one_of("completion", name, SHELLS)
    return name


def _one_of(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UsageError(
            f"{what} takes {', '.join(known)}, not {value[:80]!r}", parameter=what
        )


def _twice(spelling: str) -> UsageError:
    return UsageError(
        f"{spelling} is given twice", hint=f"{PROGRAM} help", parameter=spelling
    )
