"""What a command line comes to: an operation, its arguments and the flags."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from koinii.faces.operations import Operation
    from koinii.faces.surroundings import Flags


class Invocation(NamedTuple):
    """One operation to perform; `given` holds what was typed, by parameter."""

    operation: Operation
    given: Mapping[str, object]
    flags: Flags


class Page(NamedTuple):
    """Text to show instead of performing anything: help, a version, a script."""

    text: str
    flags: Flags


def wants_json(arguments: list[str]) -> bool:
    """Tell whether an answer, an error too, is to be JSON.

    Looks at the words only, so that it holds for a line that cannot be read.
    """
    words = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--json" in words or "--format=json" in words:
        return True
    after = words[words.index("--format") + 1 :] if "--format" in words else []
    return after[:1] == ["json"]
