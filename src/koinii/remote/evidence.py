"""Evidence of forks, put together from every head and leaf that is met here.

What is known of a seat's fork stands in one row. It gets better, never worse: a
smaller common prefix, or leaves that were missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import combinations

from koinii.errors import VerificationError
from koinii.history.evidence import (
    MAX_LEAVES,
    Branch,
    Fork,
    add_leaves,
    common_prefix,
    gather_evidence,
    merge_forks,
    verify_evidence,
)
from koinii.history.evidence_text import read_evidence, write_evidence
from koinii.note import PublicKey
from koinii.remote.fetched import FetchedSeat
from koinii.remote.verified_history import History, signed_head, verify_history
from koinii.seat.seat import Seat
from koinii.store.heads import FROZEN, ForkRow


def known_fork(seat: Seat, other: str) -> Fork | None:
    """Return the fork of a seat as far as it is known."""
    row = seat.heads.fork(other)
    return None if row is None else verify_evidence(read_evidence(row.evidence))


def branch_of(note: str, leaves: Sequence[bytes]) -> Branch:
    """Return a head with its leaves, where evidence can carry so many."""
    fits = len(leaves) <= MAX_LEAVES
    return Branch(note.encode(), tuple(leaves) if fits else None)


def meet(seat: Seat, other: str, key: PublicKey, branches: Iterable[Branch]) -> bool:
    """Compare heads of a seat with each other and with what is known of it.

    Returns whether that shows a fork, or shows more of one, than was known.
    """
    held = seat.histories.head(other)
    pool = list(branches)
    if held is not None and held.size:
        pool.append(branch_of(held.checkpoint, seat.histories.leaves(other)))
    stored = known_fork(seat, other)
    if stored is not None:
        pool += stored.evidence.branches
    found = [fork for pair in combinations(pool, 2) for fork in _shown(key, *pair)]
    return keep(seat, other, found, [one.leaves or () for one in pool])


def _shown(key: PublicKey, one: Branch, other: Branch) -> list[Fork]:
    try:
        return [gather_evidence(key, one, other)]
    except VerificationError:
        return []


def keep(
    seat: Seat,
    other: str,
    found: Sequence[Fork],
    leaves: Sequence[Sequence[bytes]] = (),
) -> bool:
    """Put forks of one seat together with what is known; tell whether it is more.

    A common prefix that is known already is no news, whoever shows it how.
    """
    before = known_fork(seat, other)
    every = [*([] if before is None else [before]), *found]
    if not every:
        return False
    held = seat.histories.leaves(other)
    after = reduce(add_leaves, [*leaves, held], reduce(merge_forks, every))
    if before is not None and not _is_more(before, after):
        return False
    row = seat.heads.fork(other)
    decided = FROZEN if row is None or _is_another(before, after) else row.decided
    text = write_evidence(after.evidence)
    with seat.database.write():
        seat.heads.put_fork(ForkRow(other, after.prefix, text, decided))
    return True


def _is_more(before: Fork, after: Fork) -> bool:
    if before.prefix is None:
        return after.evidence != before.evidence
    return after.at_most < before.prefix


def _is_another(before: Fork | None, after: Fork) -> bool:
    """Tell whether a decision about the one says nothing about the other."""
    return before is None or (
        before.heads != after.heads and after.at_most < before.at_most
    )


# What a ref shows -------------------------------------------------------------


def look(seat: Seat, fetched: FetchedSeat, key: PublicKey) -> bool:
    """Look for a second history in a ref that was refused, or is not followed.

    All of its leaves are evidence where its history is whole, else its head is.
    """
    whole = whole_history(fetched, key)
    if whole is not None:
        held = seat.histories.leaves(fetched.seat)
        same = common_prefix(held, whole.leaves) == min(len(held), whole.size)
        if same and seat.heads.fork(fetched.seat) is None:
            return False
        shown = branch_of(whole.checkpoint, whole.leaves)
        return meet(seat, fetched.seat, key, [shown])
    try:
        signed_head(fetched)
        shown = Branch(fetched.text("checkpoint").encode())
    except VerificationError:
        return False
    return meet(seat, fetched.seat, key, [shown])


def whole_history(fetched: FetchedSeat, key: PublicKey) -> History | None:
    """Return the history that a ref shows, taken by itself; O(history)."""
    try:
        return verify_history(fetched, key.raw, [])
    except VerificationError:
        return None
