"""Other seats' refs into the private repository, none held up by another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from koinii.errors import KoiniiError, VerificationError
from koinii.remote.publish import SEATS
from koinii.remote.repository import Git

# What is the ref's own fault; other failures are, where another ref came well.
_OWN_FAULT = frozenset({"koinii/no-ref", "koinii/shallow"})
OF_ALL = frozenset({"koinii/timed-out", "koinii/disk-full", "koinii/credentials"})


class Fetched(NamedTuple):
    """The tips that came and the seats that did not, with the reason."""

    tips: dict[str, str]
    failed: dict[str, str]


def fetch_seats(git: Git, url: str, here: str, seats: Sequence[str]) -> Fetched:
    """Fetch the refs of seats below `here`.

    One request for all; one for each where that fails, so that objects that are
    damaged or not allowed concern the seat that shows them alone.

    Raises:
        SurroundingsError: no network, no credentials, no space.
    """
    if not seats:
        return Fetched({}, {})
    failed: dict[str, str] = {}
    try:
        git.fetch(url, [_refspec(here, one) for one in seats])
    except KoiniiError as error:
        if error.code in OF_ALL:
            raise
        failed = _fetch_each(git, url, here, seats)
    found = git.list_refs(here.rstrip("/"))
    return Fetched(
        {one: found[here + one] for one in seats if one not in failed}, failed
    )


def _fetch_each(git: Git, url: str, here: str, seats: Sequence[str]) -> dict[str, str]:
    """Return the seats whose refs did not come; raises where none did for no fault."""
    faults: dict[str, KoiniiError] = {}
    for one in seats:
        try:
            git.fetch(url, [_refspec(here, one)])
        except KoiniiError as error:
            if error.code in OF_ALL:
                raise
            faults[one] = error
    if len(faults) == len(seats):
        for fault in faults.values():
            if not (isinstance(fault, VerificationError) or fault.code in _OWN_FAULT):
                raise fault
    return {one: _told(error) for one, error in faults.items()}


def _told(error: KoiniiError) -> str:
    words = str(error.details.get("words", "")).strip()
    return f"{error.message}: {words}" if words else error.message


def _refspec(here: str, seat: str) -> str:
    return f"+{SEATS}{seat}:{here}{seat}"
