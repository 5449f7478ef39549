"""One thing looked at: how it stands, the evidence, and what to type next."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import KoiniiError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

OK = "ok"
ATTENTION = "attention"
UNKNOWN = "unknown"  # it could not be looked at
FIX = "koinii doctor --fix"


class Check(NamedTuple):
    """One line of `koinii doctor`."""

    name: str
    state: str
    found: str
    next: str = ""  # a command, or what a person has to do; '' for nothing


def ok(name: str, found: str) -> Check:
    """Return that all is well."""
    return Check(name, OK, found)


def attention(name: str, found: str, then: str) -> Check:
    """Return that something wants attention, and what to do about it."""
    return Check(name, ATTENTION, found, then)


def looked(name: str, look: Callable[[], Iterable[Check]]) -> list[Check]:
    """Look; what keeps one from looking on is itself what wants attention."""
    found: list[Check] = []
    try:
        found.extend(look())
    except KoiniiError as error:
        found.append(attention(name, error.message, error.hint))
    except OSError as error:
        found.append(attention(name, f"{error.filename}: {error.strerror}", ""))
    return found
