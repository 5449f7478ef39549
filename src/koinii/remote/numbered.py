"""Which git commit of a seat's ref is its commit of a number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from koinii.errors import VerificationError
from koinii.remote.reading import Objects

MOST = 1 << 20  # commits of one ref, looked through
_NUMBER = re.compile(r"^Koinii-Commit: ([1-9][0-9]{0,15})$", re.MULTILINE)


class Numbered(NamedTuple):
    """A git commit, and the number it says it has."""

    oid: str
    number: int


def is_here(objects: Objects, oid: str) -> bool:
    """Tell whether a git commit of a seat is here and readable."""
    try:
        objects.read_commit(oid)
    except VerificationError:
        return False
    return True


def newest_up_to(objects: Objects, tip: str, number: int) -> Numbered | None:
    """Return the newest git commit below a tip with at most that number.

    None where there is none. A ref that was made again in one commit, after its
    past was lost, lacks numbers. O(commits after it).
    """
    return next((one for one in commits(objects, tip) if one.number <= number), None)


def commits(objects: Objects, tip: str) -> Iterator[Numbered]:
    """Yield the git commits below a tip, the newest first, as far as they are here."""
    oid = tip
    for _ in range(MOST):
        if not oid:
            return
        try:
            commit = objects.read_commit(oid)
        except VerificationError:
            return
        found = _NUMBER.search(commit.message)
        if found is not None:
            yield Numbered(oid, int(found[1]))
        oid = commit.parent or ""
