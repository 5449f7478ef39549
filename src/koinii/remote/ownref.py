"""This seat's own ref on a remote: is it what was pushed from here?

Whoever can push can write anything there. Only a head that this seat's key signed
speaks for the seat: one that is not here is that of a copy, or of a later state
than a backup had. All else is somebody else's, and a push replaces it.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from koinii.errors import KoiniiError, VerificationError
from koinii.merkle import root as tree_root
from koinii.remote.fetched import bad
from koinii.remote.fetching import OF_ALL, Source, bring
from koinii.remote.reading import Objects
from koinii.remote.repository import Git
from koinii.remote.tip import check_tip, read_tip
from koinii.remote.verified_history import signed_head
from koinii.remote.verify import Known, verify_seat
from koinii.seat.seat import Seat

RETURNED = "refs/koinii/returned/"
_NUMBER = re.compile(r"^Koinii-Commit: ([1-9][0-9]{0,14})$", re.MULTILINE)
_STRANGE = (
    "the remote shows commits of this seat that are not here: it was copied, "
    "or restored from a backup, and goes on from there by koinii recover"
)


class Whose(Enum):
    """Who has written at this seat's ref."""

    OURS = "ours"  # nothing that is not here
    COPY = "copy"  # a head that this seat's key signed, and that is not here
    FOREIGN = "foreign"  # not what this seat's key signed
    UNKNOWN = "unknown"  # it cannot be fetched


class Shown(NamedTuple):
    """Whose it is that a remote shows at our ref, and what to say of it."""

    whose: Whose
    reason: str = ""
    fault: KoiniiError | None = None


_OURS = Shown(Whose.OURS)


def shown_of(seat: Seat, git: Git, url: str, tip: str) -> Shown:
    """Tell whose a tip is that is shown for this seat, '' for none.

    Usually git can tell. Otherwise it is fetched, and its signed head compared
    with the store's history: somebody else wrote there, or the private repository
    was made again without its past.

    Raises:
        SurroundingsError: no credentials, no space, no answer in time.
    """
    mine = seat.histories.tip(seat.id)
    if tip in ("", mine) or is_before(git, tip, mine):
        return _OURS
    try:
        bring(Source(git, url, RETURNED), [seat.id])
    except VerificationError as error:
        return _foreign(error)
    except KoiniiError as error:
        if error.code in OF_ALL:
            raise
        return Shown(Whose.UNKNOWN, error.message, error)
    return weigh(seat, git, tip)


def number_of(seat: Seat, git: Git, tip: str) -> int:
    """Return up to which commit a tip of ours shows our history, 0 for no tip."""
    head = seat.histories.head(seat.id)
    if not tip or head is None:
        return 0
    if tip == seat.histories.tip(seat.id):
        return head.size - len(seat.files.unsent())
    found = _NUMBER.search(Objects(git.directory).read_commit(tip).message)
    return min(int(found[1]), head.size) if found else 0


def weigh(seat: Seat, git: Git, tip: str) -> Shown:
    """Tell whose a fetched tip is: by the head it shows, then by all around it.

    A head that our key signed and that is not here is a copy's, whoever made the
    git commit; a commit that shows nothing new is ours if our key signed it.
    """
    mine = seat.histories.leaves(seat.id)
    objects = Objects(git.directory)
    try:
        fetched = read_tip(objects, seat.id, tip)
        head = signed_head(fetched)
        if head.size > len(mine) or tree_root(mine[: head.size]) != head.root:
            return Shown(Whose.COPY, _STRANGE)
        check_tip(objects, fetched, tip)
        found = verify_seat(fetched, Known(None, mine[: head.size], {}, {}))
        for one in found.refused:
            raise bad(one.path, one.reason)
    except VerificationError as error:
        return _foreign(error)
    return _OURS


def is_before(git: Git, tip: str, mine: str) -> bool:
    """Tell whether a tip is a commit that ours contains; git takes a tag for one."""
    if not mine or not git.is_ancestor(tip, mine):
        return False
    try:
        Objects(git.directory).read_commit(tip)
    except VerificationError:
        return False
    return True


def _foreign(error: VerificationError) -> Shown:
    return Shown(
        Whose.FOREIGN,
        "somebody else wrote at this seat's ref on the remote, which does not show "
        f"what this seat signed ({error.message}): koinii push replaces it",
    )
