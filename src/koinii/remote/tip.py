"""The newest git commit of a seat's ref, which the seat's own key has to have signed.

git itself compares a signature with a list of keys and nothing else. Here the key
is the one in `seat.pub`, whose hash is the seat id, and author and committer have
to name that seat. Commits below the tip need no signature: the seat's history is
among the files (formats section 8).
"""

from __future__ import annotations

from koinii.note import PublicKey, read_public_key, seat_id, verify_ssh
from koinii.remote.fetched import FetchedSeat, bad, naming
from koinii.remote.reading import Objects

NAMESPACE = "git"
COMMIT = "commit"  # stands for a path in a refusal


def open_tip(objects: Objects, seat: str, tip: str) -> FetchedSeat:
    """Return the files that a seat has shown in the commit it signed.

    Raises:
        VerificationError: it is no commit of a seat, or not one that this seat
            signed; then nothing of it may be used.
    """
    fetched = read_tip(objects, seat, tip)
    check_tip(objects, fetched, tip)
    return fetched


def read_tip(objects: Objects, seat: str, tip: str) -> FetchedSeat:
    """Return the files of a commit, whoever made it."""
    files = objects.list_files(tip)
    return FetchedSeat(
        seat,
        files,
        lambda path, most: objects.read(files[path].oid, most, path),
        objects.wants,
    )


def check_tip(objects: Objects, fetched: FetchedSeat, tip: str) -> None:
    """Refuse a commit that the seat it is shown for has not signed."""
    key = seat_key(fetched)
    commit = objects.read_commit(tip)
    if commit.seat_id != fetched.seat:
        raise bad(COMMIT, f"it is one of seat {commit.seat_id}")
    with naming(COMMIT):
        verify_ssh(commit.signed, commit.armour, key, NAMESPACE)


def seat_key(fetched: FetchedSeat) -> PublicKey:
    """Return the key that the seat is named after, as its ref shows it."""
    with naming("seat.pub"):
        key = read_public_key(fetched.text("seat.pub"))
    if seat_id(key) != fetched.seat:
        raise bad("seat.pub", f"it is not the key of seat {fetched.seat}")
    return key
