"""This seat's own ref on a remote: is it what was pushed from here?"""

from __future__ import annotations

from koinii.errors import KoiniiError
from koinii.history.log import decode_bundle
from koinii.merkle import leaf_hash
from koinii.remote.fetching import OF_ALL
from koinii.remote.publish import own_ref
from koinii.remote.reading import Objects
from koinii.remote.repository import Git
from koinii.remote.verified_history import ENTRIES, MAX_BUNDLE
from koinii.seat.seat import Seat

RETURNED = "refs/koinii/returned/"
STRANGE = (
    "the remote shows commits of this seat that are not here: it was copied, "
    "or restored from a backup"
)


def is_ours(seat: Seat, git: Git, url: str, tip: str) -> bool:
    """Tell whether a tip shown for this seat, '' for none, holds nothing new to it.

    Usually git can tell. After the private repository was made again without its
    past, the records at the tip are fetched and compared with the store's.
    """
    mine = seat.histories.tip(seat.id)
    if not tip or (mine and git.is_ancestor(tip, mine)):
        return True
    try:
        git.fetch(url, [f"+{own_ref(seat)}:{RETURNED}{seat.id}"])
        return is_past(seat, git, tip)
    except KoiniiError as error:
        if error.code in OF_ALL:
            raise
        return False


def is_past(seat: Seat, git: Git, tip: str) -> bool:
    """Tell whether the records a fetched tip shows begin this seat's history.

    Raises:
        VerificationError: the tip is not there or not what a seat publishes.
    """
    objects = Objects(git.directory)
    files = objects.list_files(tip)
    shown = [
        leaf_hash(entry)
        for path in sorted(path for path in files if path.startswith(ENTRIES))
        for entry in decode_bundle(objects.read(files[path].oid, MAX_BUNDLE, path))
    ]
    return bool(shown) and seat.histories.leaves(seat.id)[: len(shown)] == shown
