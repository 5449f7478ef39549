"""Hash trees over a list of byte strings, as RFC 6962 section 2.1 defines them.

Bytes in, bytes out; nothing here reads anything. Every hash is 32 bytes long,
which callers of `root` and `Levels` see to: a hash of another length would make
the border between two children ambiguous.

A level holds the hashes of its complete subtrees and, at its right edge, the
hash of the incomplete one, so node `index` of `level` covers the leaves from
`index << level` up to `(index + 1) << level` or the end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import islice

HASH_SIZE = 32
EMPTY_ROOT = sha256().digest()
_CHUNK = 4096  # leaves folded at a time; a power of two, small enough for a cache


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf; the prefix keeps leaves apart from nodes."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node; the prefix keeps nodes apart from leaves."""
    return sha256(b"\x01" + left + right).digest()


def root(leaf_hashes: Iterable[bytes]) -> bytes:
    """Return the root over leaf hashes: one node hash each, memory for a few.

    Complete subtrees of `_CHUNK` leaves are folded as they come, so 1,000,000
    leaves may come from a cursor.
    """
    leaves = iter(leaf_hashes)
    tops: list[bytes] = []
    while chunk := list(islice(leaves, _CHUNK)):
        tops.append(_fold(chunk))
    return _fold(tops) if tops else EMPTY_ROOT


def nodes_for_root(size: int) -> list[tuple[int, int]]:
    """Return the nodes (level, index) that the root of `size` leaves needs.

    They are its largest complete subtrees from left to right, one for each
    1 bit of `size`, so at most 1 + log2(size) of them. Their hashes are the
    tree's frontier: all that appending needs.
    """
    nodes: list[tuple[int, int]] = []
    start = 0
    for level in reversed(range(size.bit_length())):
        if size >> level & 1:
            nodes.append((level, start >> level))
            start += 1 << level
    return nodes


def root_of_frontier(frontier: Sequence[bytes]) -> bytes:
    """Fold the hashes of `nodes_for_root`, in that order, into the root."""
    if not frontier:
        return EMPTY_ROOT
    *lefts, top = frontier
    for left in reversed(lefts):
        top = node_hash(left, top)
    return top


def append_to_frontier(
    size: int, frontier: Sequence[bytes], leaf: bytes
) -> list[bytes]:
    """Return the frontier of `size` + 1 leaves, given that of the first `size`."""
    grown = list(frontier)
    node = leaf
    while size & 1:
        node = node_hash(grown.pop(), node)
        size >>= 1
    grown.append(node)
    return grown


class Levels:
    """A whole tree in memory, every level as joined hashes: 64 bytes a leaf.

    Building costs one node hash a leaf; a path afterwards costs one slice a
    level. `index_of` and `neighbours` need leaves sorted by hash, without
    duplicates.
    """

    def __init__(self, leaf_hashes: Iterable[bytes]) -> None:
        """Hash all levels above `leaf_hashes`, which are kept in their order."""
        level = list(leaf_hashes)
        self.size = len(level)
        self._levels = [b"".join(level)]
        if len(self._levels[0]) != HASH_SIZE * self.size:
            raise ValueError("a leaf hash is not 32 bytes long")
        while len(level) > 1:
            level = _pair(level)
            self._levels.append(b"".join(level))

    @property
    def root(self) -> bytes:
        """Return the root."""
        return self._levels[-1] or EMPTY_ROOT

    def leaf(self, index: int) -> bytes:
        """Return the hash of leaf `index`."""
        if not 0 <= index < self.size:
            raise IndexError(f"leaf {index} of {self.size}")
        return self._levels[0][32 * index : 32 * index + 32]

    def position(self, leaf: bytes) -> int:
        """Return how many leaves are less than `leaf`; leaves must be sorted."""
        leaves = self._levels[0]
        return bisect_left(
            range(self.size), leaf, key=lambda at: leaves[32 * at : 32 * at + 32]
        )

    def index_of(self, leaf: bytes) -> int | None:
        """Return the index of a leaf hash or None; leaves must be sorted."""
        at = self.position(leaf)
        return at if at < self.size and self.leaf(at) == leaf else None

    def node(self, level: int, index: int) -> bytes:
        """Return the hash of node `index` of `level`."""
        return self._levels[level][32 * index : 32 * index + 32]

    def path(self, index: int, level: int = 0) -> list[bytes]:
        """Return the siblings from node `index` of `level` up to the root.

        The incomplete node at the right edge of a level has no sibling there
        when its index is even; the path then has no hash for that level.
        """
        found: list[bytes] = []
        for hashes in self._levels[level:-1]:
            start = 32 * (index ^ 1)
            if sibling := hashes[start : start + 32]:
                found.append(sibling)
            index >>= 1
        return found


def _fold(level: list[bytes]) -> bytes:
    while len(level) > 1:
        level = _pair(level)
    return level[0]


def _pair(level: list[bytes]) -> list[bytes]:
    """Return the level above; the last of an odd number moves up as it is."""
    each = iter(level)
    above = [
        sha256(b"\x01" + left + right).digest()
        for left, right in zip(each, each, strict=False)
    ]
    if len(level) & 1:
        above.append(level[-1])
    return above
