"""Which files of a ref are read where a seat takes a part of others' knowledge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import VerificationError
from koinii.history.paths import unquote
from koinii.remote.reading import everything

if TYPE_CHECKING:
    from koinii.history.selection import Selection
    from koinii.remote.reading import Wanted

_CLAIMS = 4  # parts of a path that name agent and context
_FOR_PEOPLE = "README.md"


def wanted_by(selection: Selection) -> Wanted:
    """Return which files are wanted: all that is selected, and what verifies it."""
    if selection.is_whole:
        return everything

    def wanted(path: str) -> bool:
        parts = path.split("/")
        if parts[0] != "agents" or len(parts) <= _CLAIMS or parts[2] != "claims":
            return path != _FOR_PEOPLE
        try:
            return selection.takes(unquote(parts[1]), unquote(parts[3]))
        except VerificationError:
            return True  # refused where it is read

    return wanted
