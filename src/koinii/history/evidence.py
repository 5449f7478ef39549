"""Two heads of one seat that contradict each other, as evidence for anybody.

A seat's key signs the heads of one log, and each head is a prefix of every later
one. Two signed heads that are not show, whoever carries them, that the seat has
told two histories. With the leaf hashes of both it shows too how far the two are
the same: every holder computes the same largest common prefix.

`Evidence` is what somebody says, `Fork` what `verify_evidence` has checked.
`merge_forks` takes what two holders have; the outcome does not depend on who asks
whom in which order. Nothing here reads anything.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import VerificationError
from koinii.merkle import root
from koinii.note.checkpoint import (
    HASH_SIZE,
    Checkpoint,
    open_checkpoint,
    seat_id,
    seat_verifier,
)
from koinii.note.signed import parse_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from koinii.note.keys import PublicKey

MAX_LEAVES = 16_000  # of each history
MAX_HEAD = 4_096  # bytes of a signed head


@dataclass(frozen=True, slots=True)
class Branch:
    """A signed head and, where its holder has them, the hashes of all its leaves."""

    note: bytes
    leaves: tuple[bytes, ...] | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What somebody says: two heads of the seat that signs with `key`.

    The smaller head comes first, of equal sizes the one whose text is less.
    """

    key: PublicKey
    branches: tuple[Branch, Branch]


@dataclass(frozen=True, slots=True)
class Fork:
    """Evidence that was checked: the seat has told two histories.

    `prefix` counts the first leaves that both have; None where the leaves of the
    smaller head are not known.
    """

    seat: str
    heads: tuple[Checkpoint, Checkpoint]
    prefix: int | None
    evidence: Evidence

    @property
    def at_most(self) -> int:
        """Return a number that the common prefix does not exceed."""
        return self.heads[0].size - 1 if self.prefix is None else self.prefix


class _Side(NamedTuple):
    head: Checkpoint
    leaves: Sequence[bytes] | None


def gather_evidence(key: PublicKey, one: Branch, other: Branch) -> Fork:
    """Return the fork that two branches show, in any order, cosigned or not.

    Raises as `verify_evidence` does.
    """
    pair = [_stripped(key, branch) for branch in (one, other)]
    first, second = sorted(pair, key=lambda item: _order(item[0]))
    return verify_evidence(Evidence(key, (first[1], second[1])))


def verify_evidence(evidence: Evidence) -> Fork:
    """Return the fork that the evidence shows to anybody, 10 ms for 16,000 leaves.

    VerificationError `koinii/bad-evidence` with its reason where a head is not
    the seat's, leaves are not the head's, or nothing shows a contradiction.
    """
    key = evidence.key
    first, second = (_opened(key, branch) for branch in evidence.branches)
    if _order(first.head) >= _order(second.head):
        raise _refused("the two heads are out of order, or one")
    differ = _differ(first, second)
    if differ is None:
        raise _refused("the leaves of the larger head are missing")
    if not differ:
        raise _refused("the two heads do not contradict each other")
    heads = (first.head, second.head)
    return Fork(seat_id(key), heads, _prefix(first, second), evidence)


def are_inconsistent(
    head_a: Checkpoint,
    head_b: Checkpoint,
    leaves_a: Sequence[bytes] | None = None,
    leaves_b: Sequence[bytes] | None = None,
) -> bool | None:
    """Tell whether two heads of one log contradict each other; None: not known.

    Of two sizes the larger head's leaves are needed. A head of size 0 contradicts
    nothing. Heads of two logs, and leaves of another head, are refused.
    """
    if head_a.origin != head_b.origin:
        raise VerificationError(
            f"heads of two logs: {head_a.origin} and {head_b.origin}",
            code="koinii/other-origin",
            expected=head_a.origin,
            found=head_b.origin,
        )
    sides = _Side(head_a, leaves_a), _Side(head_b, leaves_b)
    for side in sides:
        _check_leaves(side)
    return _differ(*sides)


def common_prefix(leaves_a: Sequence[bytes], leaves_b: Sequence[bytes]) -> int:
    """Return how many leaf hashes are the same from the start on."""
    pairs = zip(leaves_a, leaves_b, strict=False)
    for count, (one, other) in enumerate(pairs):
        if one != other:
            return count
    return min(len(leaves_a), len(leaves_b))


def add_leaves(fork: Fork, leaves: Sequence[bytes]) -> Fork:
    """Return the fork with the leaves of a history known here, where they fit."""
    first, second = (
        _filled(head, branch, leaves)
        for head, branch in zip(fork.heads, fork.evidence.branches, strict=True)
    )
    if (first, second) == fork.evidence.branches:
        return fork
    return verify_evidence(replace(fork.evidence, branches=(first, second)))


def merge_forks(one: Fork, other: Fork) -> Fork:
    """Return what two holders know of one seat's fork as one.

    Leaves of either are kept. Of three branches and more the pair with the
    smallest common prefix stays. A prefix that is not known counts as the
    largest it can be, and after a known one; then the smaller heads stay, then
    those whose text is less.
    """
    if one.evidence.key != other.evidence.key:
        raise _refused("it is of two seats")
    pool: dict[Checkpoint, Branch] = {}
    for fork in (one, other):
        for head, branch in zip(fork.heads, fork.evidence.branches, strict=True):
            pool[head] = _united(pool.get(head, branch), branch)
    sides = [_Side(head, pool[head].leaves) for head in sorted(pool, key=_order)]
    pairs = [pair for pair in combinations(sides, 2) if _differ(*pair)]
    first, second = min(pairs, key=_rank)
    branches = pool[first.head], pool[second.head]
    evidence = replace(one.evidence, branches=branches)
    heads = first.head, second.head
    return Fork(one.seat, heads, _prefix(first, second), evidence)


def _stripped(key: PublicKey, branch: Branch) -> tuple[Checkpoint, Branch]:
    """Return the branch with no signature but the seat's, of several the least."""
    head = _open_head(key, branch.note)
    verifier = seat_verifier(key)
    lines = [
        str(line)
        for line in parse_note(branch.note).lines
        if (line.name, line.key_id) == (verifier.name, verifier.key_id)
    ]
    note = f"{head.text()}\n{min(lines)}".encode()
    return head, replace(branch, note=note)


def _opened(key: PublicKey, branch: Branch) -> _Side:
    head, stripped = _stripped(key, branch)
    if stripped != branch:
        raise _refused("a head has other lines than one of its seat")
    if head.size == 0:
        raise _refused("a head of size 0 contradicts nothing")
    side = _Side(head, branch.leaves)
    _check_leaves(side)
    return side


def _open_head(key: PublicKey, note: bytes) -> Checkpoint:
    if len(note) > MAX_HEAD:
        raise _refused(f"a head of more than {MAX_HEAD} bytes")
    verifier = seat_verifier(key)
    try:
        return open_checkpoint(note, [verifier], origin=verifier.name)
    except VerificationError as fault:
        raise _refused(f"a head is not the seat's: {fault.message}") from fault


def _check_leaves(side: _Side) -> None:
    """Refuse leaves that are not those of the head, each and every one."""
    head, leaves = side
    if leaves is None:
        return
    if len(leaves) != head.size or len(leaves) > MAX_LEAVES:
        raise _refused(f"{len(leaves)} leaves for a head of size {head.size}")
    if any(len(leaf) != HASH_SIZE for leaf in leaves) or root(leaves) != head.root:
        raise _refused(f"the leaves are not those of the head of size {head.size}")


def _differ(one: _Side, other: _Side) -> bool | None:
    """Tell whether the smaller head is no prefix of the larger; None: not known."""
    small, large = sorted((one, other), key=lambda side: side.head.size)
    if small.head.size == 0:
        return False
    if small.head.size == large.head.size:
        return small.head.root != large.head.root
    if large.leaves is None:
        return None
    return root(large.leaves[: small.head.size]) != small.head.root


def _prefix(one: _Side, other: _Side) -> int | None:
    if one.leaves is None or other.leaves is None:
        return None
    return common_prefix(one.leaves, other.leaves)


def _filled(head: Checkpoint, branch: Branch, leaves: Sequence[bytes]) -> Branch:
    fit = branch.leaves is None and head.size <= min(len(leaves), MAX_LEAVES)
    if not fit or root(leaves[: head.size]) != head.root:
        return branch
    return replace(branch, leaves=tuple(leaves[: head.size]))


def _united(one: Branch, other: Branch) -> Branch:
    leaves = other.leaves if one.leaves is None else one.leaves
    return Branch(min(one.note, other.note), leaves)


def _order(head: Checkpoint) -> tuple[int, str]:
    return head.size, head.text()


def _rank(pair: tuple[_Side, _Side]) -> tuple[int, int]:
    """Order pairs so that the least of a union is the least of its parts' least.

    Two histories that part later than the least pair are one as seen from any
    other that parts no later, so what is left out is never missed. Of equal
    pairs the first counts, and pairs come in the order of their heads.
    """
    prefix = _prefix(*pair)
    if prefix is None:
        prefix = pair[0].head.size - 1
    unknown = [side for side in pair if side.leaves is None]
    return prefix, len(unknown)


def _refused(reason: str) -> VerificationError:
    return VerificationError(
        f"no evidence of a fork: {reason}", code="koinii/bad-evidence", reason=reason
    )
