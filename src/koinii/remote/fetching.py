"""Other seats' refs into the private repository, none held up by another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from koinii.errors import KoiniiError, VerificationError
from koinii.history.selection import EVERYTHING, Selection
from koinii.remote.publish import SEATS
from koinii.remote.reading import Objects
from koinii.remote.repository import Git
from koinii.remote.trouble import one_line
from koinii.remote.wanted import wanted_by

AT_ONCE = 1_000  # files asked for by name in one request; each stays that has come

# What is the ref's own fault; other failures are, where another ref came well.
_OWN_FAULT = frozenset({"koinii/no-ref", "koinii/shallow"})
OF_ALL = frozenset({"koinii/timed-out", "koinii/disk-full", "koinii/credentials"})


class Fetched(NamedTuple):
    """The tips that came and the seats that did not, with the reason.

    `surplus` says that the remote has sent files that were to be left out.
    """

    tips: dict[str, str]
    failed: dict[str, str]
    surplus: bool = False


class Source(NamedTuple):
    """Where refs come from, the prefix below which they are kept, and what of them."""

    git: Git
    url: str
    here: str
    selection: Selection = EVERYTHING

    def objects(self) -> Objects:
        """Return a reader of what has come by now, that may ask for what has not."""
        wanted = wanted_by(self.selection)
        ask = self.ask if self.git.has_parts() else None
        return Objects(self.git.directory, wanted=wanted, ask=ask)

    def ask(self, oids: Sequence[str]) -> None:
        """Fetch files by name."""
        for start in range(0, len(oids), AT_ONCE):
            self.git.fetch_objects(self.url, oids[start : start + AT_ONCE])


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
        surplus = bring(source, seats)
    except KoiniiError as error:
        if error.code in OF_ALL:
            raise
        failed, surplus = _fetch_each(source, seats)
    found = _tips(source)
    came = {one: found[one] for one in seats if one not in failed}
    return Fetched(came, failed, surplus)


def bring(source: Source, seats: Sequence[str]) -> bool:
    """Fetch refs of seats, and by name the files that did not come with them.

    Where files are missing here, a remote takes them for had, and would leave them
    out, or send others as their differences. Tells whether it has sent files that
    were to be left out.
    """
    git = source.git
    parts = not source.selection.is_whole or git.has_parts()
    refspecs = [f"+{SEATS}{one}:{source.here}{one}" for one in seats]
    is_left_out = git.fetch(source.url, refspecs, parts=parts)
    if git.has_parts():
        tips = _tips(source)
        source.objects().complete([tips[one] for one in seats])
    return parts and not is_left_out


def _tips(source: Source) -> dict[str, str]:
    refs = source.git.list_refs(source.here.rstrip("/"))
    return {ref.removeprefix(source.here): oid for ref, oid in refs.items()}


def _fetch_each(source: Source, seats: Sequence[str]) -> tuple[dict[str, str], bool]:
    """Return the seats whose refs did not come, and as `bring`.

    Raises where none came, for no fault of their own.
    """
    faults: dict[str, KoiniiError] = {}
    surplus = False
    for one in seats:
        try:
            surplus |= bring(source, [one])
        except KoiniiError as error:
            if error.code in OF_ALL:
                raise
            faults[one] = error
    if len(faults) == len(seats):
        for fault in faults.values():
            if not (isinstance(fault, VerificationError) or fault.code in _OWN_FAULT):
                raise fault
    return {one: _told(error) for one, error in faults.items()}, surplus


def _told(error: KoiniiError) -> str:
    words = str(error.details.get("words", "")).strip()
    return one_line(f"{error.message}: {words}" if words else error.message)
