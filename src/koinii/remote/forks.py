"""Seats that told two histories: back to what all of them share, and no further.

Who has the leaves of both goes back to the largest common prefix, the same number
at every honest seat. Who has those of one stays where it is until the others come.
There a seat stays, whatever its ref shows, until the operator decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from koinii.errors import KoiniiError, SurroundingsError, VerificationError
from koinii.history.evidence import Fork, common_prefix
from koinii.note import PublicKey
from koinii.remote.applying import Received
from koinii.remote.evidence import known_fork, look
from koinii.remote.fetched import FetchedSeat
from koinii.remote.reading import Objects
from koinii.remote.returning import apply_anew, apply_nothing
from koinii.remote.tip import open_tip, read_tip
from koinii.remote.trouble import Trouble, mark
from koinii.remote.verify import Known, VerifiedSeat, verify_seat
from koinii.seat.seat import Seat

FORKED = "koinii/seat-forked"
MOST_COMMITS = 20_000  # of a ref, looked through for the one of a number


def frozen(seat: Seat) -> set[str]:
    """Return the seats that wait for the operator's decision."""
    return {row.seat for row in seat.heads.forks() if row.is_frozen}


def learn(seat: Seat, objects: Objects, other: str, tip: str) -> None:
    """Take from the ref of a seat that stays what it shows of its histories."""
    fork = known_fork(seat, other)
    try:
        fetched = open_tip(objects, other, tip)
    except VerificationError:
        return
    if fork is not None:
        look(seat, fetched, fork.evidence.key)


def verify_decided(seat: Seat, fetched: FetchedSeat) -> VerifiedSeat | None:
    """Verify what a ref shows on top of the common prefix alone.

    None where nothing is known of a prefix that what is held here goes beyond.
    """
    fork = known_fork(seat, fetched.seat)
    if fork is None or fork.prefix is None:
        return None
    held = seat.histories.leaves(fetched.seat)
    shared = held[: common_prefix(held, _prefix(fork))]
    key = fork.evidence.key
    verified = verify_seat(fetched, Known(key.raw, shared, {}, {}))
    same = common_prefix(verified.history.leaves, _prefix(fork))
    return verified if same == min(fork.prefix, verified.history.size) else None


def settle(
    seat: Seat, objects: Objects, tips: dict[str, str]
) -> Iterator[tuple[Received, Trouble]]:
    """Let every forked seat go back as far as is known, and say where it stays."""
    without = seat.histories.unfollowed()
    for other in sorted(frozen(seat) - without):
        fork = known_fork(seat, other)
        assert fork is not None  # noqa: S101 - it is frozen
        counts = _go_back(seat, objects, fork, tips.get(other, ""))
        reason = _told(seat, fork)
        mark(seat, other, reason)
        yield counts, Trouble(other, "", "checkpoint", reason, FORKED)


def _go_back(seat: Seat, objects: Objects, fork: Fork, tip: str) -> Received:
    """Set a seat to the common prefix; where its files are not to be had, to nothing.

    What is held within the prefix stays until the files of the prefix come.
    """
    if fork.prefix is None:
        return Received()
    leaves, held = _prefix(fork), seat.histories.leaves(fork.seat)
    if held == list(leaves) and seat.histories.head(fork.seat) is not None:
        return Received()
    starts = [seat.histories.tip(fork.seat), tip]
    for fetched, verified, oid in _states(seat, objects, fork, starts):
        return apply_anew(seat, fetched, verified, oid).counts
    if common_prefix(held, leaves) == len(held):
        return Received()
    return apply_nothing(seat, fork.seat, fork.evidence.key)


def _prefix(fork: Fork) -> Sequence[bytes]:
    leaves = fork.evidence.branches[0].leaves
    return () if leaves is None else leaves[: fork.prefix]


def _states(
    seat: Seat, objects: Objects, fork: Fork, starts: Sequence[str]
) -> Iterator[tuple[FetchedSeat, VerifiedSeat, str]]:
    """Yield the states of the seat at the common prefix, below any of its tips.

    Only tips are signed by git; here the head is, and its leaves are compared.
    """
    leaves, held = list(_prefix(fork)), seat.histories.leaves(fork.seat)
    known = Known(
        fork.evidence.key.raw, held[: common_prefix(held, leaves)], {}, {}
    )  # fmt: skip
    for oid in _commits(objects, starts, len(leaves)):
        try:
            objects.complete([oid])
            fetched = read_tip(objects, fork.seat, oid)
            verified = verify_seat(fetched, known)
        except SurroundingsError:
            raise
        except KoiniiError:
            continue
        if verified.history.leaves == leaves:
            yield fetched, verified, oid


def _commits(objects: Objects, starts: Sequence[str], number: int) -> Iterator[str]:
    """Yield the git commits that say they are the seat's commit of a number."""
    seen = {""}
    for start in starts:
        oid = start
        while number and oid not in seen and len(seen) <= MOST_COMMITS:
            seen.add(oid)
            try:
                commit = objects.read_commit(oid)
            except VerificationError:
                break
            if f"Koinii-Commit: {number}" in commit.message.split("\n"):
                yield oid
            oid = commit.parent or ""


def _told(seat: Seat, fork: Fork) -> str:
    one, other = (f"{head.size} ({head.root.hex()[:8]})" for head in fork.heads)
    head = seat.histories.head(fork.seat)
    here = 0 if head is None else head.size
    shared = f"the same up to commit {fork.prefix}"
    if fork.prefix is None:
        shared = f"the same up to commit {fork.at_most} at most"
    return (
        f"seat {fork.seat} has signed two histories, with the heads {one} and {other}, "
        f"{shared}; it stays here at commit {here}: koinii follow {fork.seat} goes on "
        f"with what the remote shows, koinii unfollow {fork.seat} leaves it"
    )


def key_of(seat: Seat, other: str) -> PublicKey | None:
    """Return the key of a seat that was met before."""
    head = seat.histories.head(other)
    return PublicKey(head.public_key) if head is not None and head.public_key else None
