"""Hash trees and proofs about them: bytes in, bytes out, no I/O.

Read `tree.py` first (hashes, roots, `Levels`), then `proof.py` (inclusion,
consistency, absence), then `steps.py` (paths that carry their sides).
"""

from koinii.merkle.proof import (
    MAX_PATH,
    MAX_SIZE,
    Absence,
    Neighbour,
    prove_absence,
    prove_consistency,
    prove_inclusion,
    verify_absence,
    verify_consistency,
    verify_inclusion,
)
from koinii.merkle.steps import prove_steps, verify_locator_steps, verify_steps
from koinii.merkle.tree import (
    EMPTY_ROOT,
    Levels,
    append_to_frontier,
    leaf_hash,
    node_hash,
    nodes_for_root,
    root,
    root_of_frontier,
)

__all__ = [
    "EMPTY_ROOT",
    "MAX_PATH",
    "MAX_SIZE",
    "Absence",
    "Levels",
    "Neighbour",
    "append_to_frontier",
    "leaf_hash",
    "node_hash",
    "nodes_for_root",
    "prove_absence",
    "prove_consistency",
    "prove_inclusion",
    "prove_steps",
    "root",
    "root_of_frontier",
    "verify_absence",
    "verify_consistency",
    "verify_inclusion",
    "verify_locator_steps",
    "verify_steps",
]
