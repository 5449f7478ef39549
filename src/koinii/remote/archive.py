"""Commits of seats below the tips that were fetched, found by their numbers.

A tip is signed by its seat; below it a commit is what it says it is if the head in
its tree is signed and covers so many records. Numbers may be missing: a seat whose
repository was lost shows its past in the history file alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from koinii.errors import KoiniiError, VerificationError
from koinii.remote.fetched import FetchedSeat
from koinii.remote.reading import Objects
from koinii.remote.tip import open_tip, read_tip
from koinii.remote.verified_history import History, verify_history

MOST_COMMITS = 1 << 20  # of a ref

_NUMBER = re.compile(r"^Koinii-Commit: ([1-9][0-9]{0,18})$", re.MULTILINE)


class Commit(NamedTuple):
    """A commit of a seat with its files, of which nothing was checked."""

    oid: str
    fetched: FetchedSeat


class Archive:
    """The commits that the objects of one repository have of any number of seats.

    `tips` are those of each seat, several where several remotes show it; `faults`
    say why there is none, `hint` what brings it.
    """

    def __init__(
        self,
        objects: Objects,
        tips: Mapping[str, Sequence[str]],
        faults: Mapping[str, str],
        *,
        hint: str = "",
    ) -> None:
        self.hint = hint
        self.objects = objects
        self.tips = tips
        self._faults = faults
        self._numbered: dict[str, dict[int, str]] = {}
        self._ends: dict[str, str] = {}  # why a ref cannot be followed further

    def newest(self, seat: str) -> History:
        """Return the longest history that a signed tip of a seat shows.

        Raises:
            VerificationError: no tip is signed by it, or the history is not whole.
        """
        found: list[History] = []
        fault: KoiniiError = VerificationError(
            f"nothing is there of seat {seat}: {self._faults.get(seat, 'no ref')}",
            code="koinii/not-verified",
            hint=self.hint,
            seat=seat,
        )
        for tip in self.tips.get(seat, ()):
            try:
                fetched = open_tip(self.objects, seat, tip)
                found.append(verify_history(fetched, None, []))
            except VerificationError as error:
                fault = error
        if not found:
            raise fault
        return max(found, key=lambda one: one.size)

    def commit(self, seat: str, number: int) -> Commit:
        """Return a seat's commit of a number.

        Raises:
            VerificationError: it is not among the objects, or its trees are not.
        """
        if seat not in self.tips:
            raise VerificationError(self._faults.get(seat, "its ref is not shown"))
        if seat not in self._numbered:
            self._numbered[seat] = self._number(seat)
        oid = self._numbered[seat].get(number)
        if oid is None:
            end = self._ends.get(seat, "no git commit of its ref has that number")
            raise VerificationError(end)
        return Commit(oid, read_tip(self.objects, seat, oid))

    def _number(self, seat: str) -> dict[int, str]:
        numbered: dict[int, str] = {}
        for tip in self.tips[seat]:
            oid: str | None = tip
            seen: set[str] = set()
            while oid is not None and oid not in seen and len(seen) < MOST_COMMITS:
                seen.add(oid)
                try:
                    commit = self.objects.read_commit(oid)
                except VerificationError as error:
                    self._ends[seat] = error.message
                    break
                found = _NUMBER.search(commit.message)
                if found is not None:
                    numbered.setdefault(int(found[1]), oid)
                oid = commit.parent
        return numbered
