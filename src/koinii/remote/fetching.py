"""Other seats' refs into the private repository, none held up by another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from koinii.errors import KoiniiError, VerificationError
from koinii.history.selection import EVERYTHING, Selection
from koinii.remote.publish import SEATS
from koinii.remote.reading import Objects
from koinii.remote.repository import Git
from koinii.remote.wanted import wanted_by

AT_ONCE = 1_000  # files asked for by name in one request; each stays that has come

# What is the ref's own fault; other failures are, where another ref came well.
_OWN_FAULT = frozenset({"koinii/no-ref", "koinii/shallow"})
OF_ALL = frozenset({"koinii/timed-out", "koinii/disk-full", "koinii/credentials"})


class Fetched(NamedTuple):
    """The tips that came and the seats that did not, with the reason."""

    tips: dict[str, str]
    failed: dict[str, str]


class Source(NamedTuple):
    """Where refs come from, the prefix below which they are kept, and what of them."""

    git: Git
    url: str
    here: str
    selection: Selection = EVERYTHING

    def objects(self) -> Objects:
        """Return a reader of what has come by now."""
        return Objects(self.git.directory, wanted=wanted_by(self.selection))


def fetch_seats(source: Source, seats: Sequence[str]) -> Fetched:
    """Fetch the refs of seats, with the files that are selected.

    One request for all; one for each where that fails, so that objects that are
    damaged or not allowed concern the seat that shows them alone.

    Raises:
        SurroundingsError: no network, no credentials, no space.
    """
    if not seats:
        return Fetched({}, {})
    failed: dict[str, str] = {}
    try:
        _bring(source, seats)
    except KoiniiError as error:
        if error.code in OF_ALL:
            raise
        failed = _fetch_each(source, seats)
    found = _tips(source)
    return Fetched({one: found[one] for one in seats if one not in failed}, failed)


def _bring(source: Source, seats: Sequence[str]) -> None:
    """Fetch refs, and by name the files that did not come with them."""
    refspecs = [f"+{SEATS}{one}:{source.here}{one}" for one in seats]
    source.git.fetch(source.url, refspecs, parts=not source.selection.is_whole)
    if source.git.has_parts():
        objects, tips = source.objects(), _tips(source)
        missing = sorted({oid for one in seats for oid in objects.missing(tips[one])})
        for start in range(0, len(missing), AT_ONCE):
            source.git.fetch_objects(source.url, missing[start : start + AT_ONCE])


def _tips(source: Source) -> dict[str, str]:
    refs = source.git.list_refs(source.here.rstrip("/"))
    return {ref.removeprefix(source.here): oid for ref, oid in refs.items()}


def _fetch_each(source: Source, seats: Sequence[str]) -> dict[str, str]:
    """Return the seats whose refs did not come; raises where none did for no fault."""
    faults: dict[str, KoiniiError] = {}
    for one in seats:
        try:
            _bring(source, [one])
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
