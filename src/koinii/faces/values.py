"""Typed words as arguments: what each kind of parameter takes, and from where.

`-` is standard input. Text is UTF-8 and nothing else, taken byte for byte.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from koinii.errors import NotFoundError, SurroundingsError, UsageError
from koinii.faces.operations import (
    ADDRESS,
    BYTES,
    CHOICE,
    CONTEXT,
    DOCUMENT,
    LINES,
    NUMBER,
    SENTENCE,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import BinaryIO

    from koinii.faces.operations import Operation, Parameter

MAX_TEXT = 1 << 20  # bytes of one sentence or line as typed, layout included
MAX_NUMBER = (1 << 63) - 1  # what the store holds
MAX_DOCUMENT = 16 << 20  # bytes of a file that is read whole
_NO_FILE, _NO_INPUT = "koinii/no-file", "koinii/no-input"


def arguments(operation: Operation, given: Mapping[str, object]) -> dict[str, object]:
    """Return every parameter of an operation as `run` takes it."""
    for one in operation.parameters:
        if one.kind not in _MAY_BE_EMPTY:
            _check_filled(one, given.get(one.name))
    return {
        one.name: _argument(one, given.get(one.name)) for one in operation.parameters
    }


def _argument(parameter: Parameter, given: object) -> object:
    if given is None:
        return parameter.absent
    convert = _CONVERT.get(parameter.kind)
    if convert is None:
        return given
    if isinstance(given, list):
        return [convert(parameter, text) for text in given]
    assert isinstance(given, str)  # noqa: S101 - flags have no conversion
    return convert(parameter, given)


def _check_filled(parameter: Parameter, given: object) -> None:
    """Refuse an empty text, as a variable of a script gives that was never set."""
    if given == "" or (isinstance(given, list) and "" in given):
        raise UsageError(
            f"{parameter.spelling} is given and empty",
            hint=f"{parameter.spelling} is {parameter.help}",
            parameter=parameter.spelling,
        )


def _sentence(parameter: Parameter, text: str) -> str:
    if text != "-":
        return text
    return _read(_standard_input(), "standard input", parameter, MAX_TEXT)


def _context(parameter: Parameter, text: str) -> str:
    from koinii.terms.roles import check_context  # noqa: PLC0415 - loaded with the seat
    from koinii.terms.term import Symbol  # noqa: PLC0415 - loaded with the seat

    del parameter
    check_context(Symbol(text))
    return text


def _number(parameter: Parameter, text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise UsageError(
            f"{parameter.spelling} takes a number of 0 or more, not {text[:80]!r}",
            parameter=parameter.spelling,
        )
    digits = text.lstrip("0") or "0"
    if len(digits) > len(str(MAX_NUMBER)) or int(digits) > MAX_NUMBER:
        raise UsageError(
            f"{parameter.spelling} takes a number of at most {MAX_NUMBER}, "
            f"not {text[:80]}",
            parameter=parameter.spelling,
        )
    return int(digits)


def _choice(parameter: Parameter, text: str) -> str:
    if text not in parameter.choices:
        raise UsageError(
            f"{parameter.spelling} takes {', '.join(parameter.choices)}, "
            f"not {text[:80]!r}",
            parameter=parameter.spelling,
        )
    return text


def _document(parameter: Parameter, name: str) -> str:
    with _open(name) as file:
        return _read(file, _called(name), parameter, MAX_DOCUMENT)


def _bytes(parameter: Parameter, name: str) -> bytes:
    with _open(name) as file:
        data = file.read(MAX_DOCUMENT + 1)
    if len(data) > MAX_DOCUMENT:
        raise _too_long(_called(name), parameter, MAX_DOCUMENT)
    return data


def _lines(parameter: Parameter, name: str) -> Iterator[str]:
    """Yield the lines of a file, opened now and read as they are used."""
    return _each_line(_open(name), _called(name), parameter)


def _each_line(file: BinaryIO, name: str, parameter: Parameter) -> Iterator[str]:
    offset = 0
    with file:
        while line := file.readline(MAX_TEXT + 1):
            if len(line) > MAX_TEXT:
                raise _too_long(name, parameter, MAX_TEXT)
            yield _decoded(line, name, offset)
            offset += len(line)


def _read(file: BinaryIO, name: str, parameter: Parameter, limit: int) -> str:
    data = file.read(limit + 1)
    if len(data) > limit:
        raise _too_long(name, parameter, limit)
    return _decoded(data, name, 0)


def _decoded(data: bytes, name: str, offset: int) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name} is not UTF-8: byte {offset + error.start}",
            code="koinii/not-utf-8",
            hint="convert it first: iconv -f ENCODING -t UTF-8",
            name=name,
            offset=offset + error.start,
        ) from None


def _open(name: str) -> BinaryIO:
    if name == "-":
        return _standard_input()
    try:
        if os.path.isdir(name):  # noqa: PTH112 - start-up path
            raise SurroundingsError(
                f"{name} is a directory, not a file", code=_NO_FILE, path=name
            )
        return open(name, "rb")  # noqa: PTH123 - closed by who reads it
    except FileNotFoundError:
        raise NotFoundError(
            f"there is no file {name}",
            code=_NO_FILE,
            hint="check the name; - reads standard input",
            path=name,
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SurroundingsError(
            f"{name} cannot be read: {reason}", code=_NO_FILE, path=name
        ) from error


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise UsageError("standard input is closed", code=_NO_INPUT)
    return sys.stdin.buffer


def _called(name: str) -> str:
    return "standard input" if name == "-" else name


def _too_long(name: str, parameter: Parameter, limit: int) -> UsageError:
    what = "a line of " if parameter.kind == LINES else ""
    return UsageError(
        f"{what}{name} is longer than {limit} bytes",
        code="koinii/too-long",
        limit=limit,
    )


def _address(parameter: Parameter, text: str) -> str:
    """Return an address that means the same from everywhere."""
    from koinii.remote.address import whole_address  # noqa: PLC0415 - for two verbs

    del parameter
    return whole_address(text)


_MAY_BE_EMPTY = (SENTENCE,)  # what is wrong with it is told by its reader
_CONVERT: dict[str, Callable[[Parameter, str], object]] = {
    SENTENCE: _sentence,
    ADDRESS: _address,
    CONTEXT: _context,
    NUMBER: _number,
    CHOICE: _choice,
    BYTES: _bytes,
    DOCUMENT: _document,
    LINES: _lines,
}
