"""Making and checking proofs: inclusion, consistency, absence.

The `prove_` functions take a tree (`Levels`, or leaf hashes to build one from)
and raise on a question that has no proof. The `verify_` functions take what a
stranger sent: they answer False to anything that is not a proof, of whatever
type, and never raise. Paths run from the leaf to the root; which side a hash
stands on follows from index and size (RFC 9162 sections 2.1.3.2 and 2.1.4.2).

Sizes are as good as their source: the same path can satisfy the arithmetic for
several sizes, so take size and root from one signed place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeGuard

from koinii.merkle.tree import EMPTY_ROOT, HASH_SIZE, Levels, node_hash

MAX_SIZE = 2**64 - 1
MAX_PATH = 63


class Neighbour(NamedTuple):
    """A leaf beside the place of an absent one, with its inclusion path."""

    at: int
    leaf: bytes
    path: Sequence[bytes]


class Absence(NamedTuple):
    """The leaves beside an absent one; None at an end, two Nones when empty."""

    left: Neighbour | None
    right: Neighbour | None


def prove_inclusion(tree: Levels | Iterable[bytes], index: int) -> list[bytes]:
    """Return the path of leaf `index`; a few microseconds once `Levels` stand.

    An index outside the tree is an IndexError.
    """
    levels = _levels(tree)
    if not 0 <= index < levels.size:
        raise IndexError(f"leaf {index} of {levels.size}")
    return levels.path(index)


def verify_inclusion(
    leaf: object, index: object, size: object, path: object, root: object
) -> bool:
    """Tell whether leaf hash `leaf` is number `index` of the `size` under `root`."""
    if not (_is_hash(leaf) and _is_hash(root) and _is_path(path)):
        return False
    if not (_is_count(index) and _is_count(size) and index < size):
        return False
    return _climb(leaf, index, size, path) == root


def prove_consistency(tree: Levels | Iterable[bytes], size1: int) -> list[bytes]:
    """Return the proof that the first `size1` leaves are a prefix of the tree.

    A `size1` of 0, of which nothing can be proven, or above the tree's size is a
    ValueError.
    """
    levels = _levels(tree)
    if not 0 < size1 <= levels.size:
        raise ValueError(f"no consistency proof from {size1} to {levels.size}")
    if size1 == levels.size:
        return []
    level = (size1 & -size1).bit_length() - 1
    index = (size1 - 1) >> level
    start = [levels.node(level, index)] if index else []
    return start + levels.path(index, level)


def verify_consistency(
    size1: object, size2: object, root1: object, root2: object, path: object
) -> bool:
    """Tell whether the tree under `root1` is a prefix of the one under `root2`.

    A size of 0 proves nothing and is False. Equal sizes need equal roots, which
    are compared as they are.
    """
    if not (_is_count(size1) and _is_count(size2) and 0 < size1 <= size2):
        return False
    if not _is_path(path) or type(root1) is not bytes or type(root2) is not bytes:
        return False
    if size1 == size2:
        return not path and root1 == root2
    if not (_is_hash(root1) and _is_hash(root2)):
        return False
    return _join(size1, size2, root1, path) == (root1, root2)


def prove_absence(tree: Levels | Iterable[bytes], leaf: bytes) -> Absence:
    """Return the leaves beside the place of `leaf` in a tree of sorted leaves.

    A leaf that is there is a ValueError.
    """
    levels = _levels(tree)
    at = levels.position(leaf)
    if at < levels.size and levels.leaf(at) == leaf:
        raise ValueError("the leaf is in the tree")
    return Absence(_neighbour(levels, at - 1), _neighbour(levels, at))


def verify_absence(
    leaf: object, size: object, left: object, right: object, root: object
) -> bool:
    """Tell whether `leaf` is missing, *assuming* that the leaves are sorted."""
    if not (_is_hash(leaf) and _is_count(size) and _is_hash(root)):
        return False
    if size == 0:
        return left is None and right is None and root == EMPTY_ROOT
    if not (_is_beside(left, size, root) and _is_beside(right, size, root)):
        return False
    before = -1 if left is None else left[0]
    after = size if right is None else right[0]
    above_left = left is None or left[1] < leaf
    below_right = right is None or leaf < right[1]
    return before + 1 == after and above_left and below_right


def sides(index: int, size: int) -> list[bool]:
    """Return for each hash of a path, from the leaf up, whether it stands left.

    The length is that of the path. The incomplete node at the right edge meets
    no sibling on the levels where its index is even.
    """
    last = size - 1
    found: list[bool] = []
    while last:
        if index == last:
            lonely = (index & -index).bit_length() - 1
            index >>= lonely
            last >>= lonely
        found.append(index & 1 == 1)
        index >>= 1
        last >>= 1
    return found


def _levels(tree: Levels | Iterable[bytes]) -> Levels:
    return tree if isinstance(tree, Levels) else Levels(tree)


def _neighbour(levels: Levels, index: int) -> Neighbour | None:
    if not 0 <= index < levels.size:
        return None
    return Neighbour(index, levels.leaf(index), levels.path(index))


def _climb(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """Return the root that a path of the right length leads to, else None."""
    lefts = sides(index, size)
    if len(lefts) != len(path):
        return None
    node = leaf
    for hash_, left in zip(path, lefts, strict=True):
        node = node_hash(hash_, node) if left else node_hash(node, hash_)
    return node


def _join(
    size1: int, size2: int, root1: bytes, path: Sequence[bytes]
) -> tuple[bytes, bytes] | None:
    """Return the old and the new root that a consistency path leads to, else None.

    The climb starts at the last complete subtree of the old tree. What stands
    left of it belongs to both trees, what stands right only to the new one.
    """
    level = (size1 & -size1).bit_length() - 1
    index, last = (size1 - 1) >> level, (size2 - 1) >> level
    first, *steps = (*path,) if index and path else (root1, *path)
    lefts = sides(index, last + 1)
    if len(lefts) != len(steps):
        return None
    old = new = first
    for hash_, left in zip(steps, lefts, strict=True):
        if left:
            old = node_hash(hash_, old)
        new = node_hash(hash_, new) if left else node_hash(new, hash_)
    return old, new


def _is_hash(value: object) -> TypeGuard[bytes]:
    return type(value) is bytes and len(value) == HASH_SIZE


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= MAX_SIZE


def _is_path(value: object) -> TypeGuard[Sequence[bytes]]:
    if not isinstance(value, list | tuple) or len(value) > MAX_PATH:
        return False
    return all(_is_hash(one) for one in value)


def _is_beside(value: object, size: int, root: bytes) -> TypeGuard[Neighbour | None]:
    """Tell whether `value` is no neighbour, or one that is proven under `root`."""
    if value is None:
        return True
    if not isinstance(value, tuple) or len(value) != len(Neighbour._fields):
        return False
    index, leaf, path = value
    return verify_inclusion(leaf, index, size, path, root)
