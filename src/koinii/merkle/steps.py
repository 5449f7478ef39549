"""Paths as lists of steps, `{"hash": 64 hex, "side": "left" | "right"}`.

The form carries its sides itself, so it is checked without index and size and
binds neither. Read strictly: lower-case hex, the two sides as text; other keys
of a step are passed over. Nothing here raises on what a stranger sent.
"""

from __future__ import annotations

from collections.abc import Iterable

from koinii.merkle.proof import MAX_PATH, prove_inclusion, sides
from koinii.merkle.tree import HASH_SIZE, Levels, leaf_hash, node_hash

_PREFIX = "sha256:"
_HEX = frozenset("0123456789abcdef")


def prove_steps(tree: Levels | Iterable[bytes], index: int) -> list[dict[str, str]]:
    """Return the path of leaf `index` as steps; IndexError when there is none."""
    levels = tree if isinstance(tree, Levels) else Levels(tree)
    path = prove_inclusion(levels, index)
    return [
        {"hash": hash_.hex(), "side": "left" if left else "right"}
        for hash_, left in zip(path, sides(index, levels.size), strict=True)
    ]


def verify_steps(leaf: object, steps: object, root: object) -> bool:
    """Tell whether `steps` lead from leaf hash `leaf` to `root`, both 32 bytes."""
    if type(leaf) is not bytes or len(leaf) != HASH_SIZE:
        return False
    if not isinstance(steps, list | tuple) or len(steps) > MAX_PATH:
        return False
    node = leaf
    for step in steps:
        hash_ = _hash_of(step)
        side = step.get("side") if isinstance(step, dict) else None
        if hash_ is None or type(side) is not str or side not in {"left", "right"}:
            return False
        node = node_hash(hash_, node) if side == "left" else node_hash(node, hash_)
    return node == root


def verify_locator_steps(locator: object, steps: object, root: object) -> bool:
    """Tell whether `steps` lead from a locator to `root`, written `sha256:<hex>`."""
    if type(locator) is not str or type(root) is not str:
        return False
    if not root.startswith(_PREFIX):
        return False
    expected = _unhex(root[len(_PREFIX) :])
    try:
        leaf = leaf_hash(locator.encode())
    except UnicodeEncodeError:
        return False
    return expected is not None and verify_steps(leaf, steps, expected)


def _hash_of(step: object) -> bytes | None:
    return _unhex(step.get("hash")) if isinstance(step, dict) else None


def _unhex(text: object) -> bytes | None:
    if type(text) is not str or len(text) != 2 * HASH_SIZE or not _HEX.issuperset(text):
        return None
    return bytes.fromhex(text)
