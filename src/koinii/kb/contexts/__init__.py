"""What is in force: who sees whom, what is declared, what is masked.

Read `lattice`, then `structure`; `sightlines` names the edges of one sight.
"""

from koinii.kb.contexts.lattice import (
    MAJORITY,
    UNIVERSE,
    Lattice,
    belief_context,
    own_context,
)

__all__ = ["MAJORITY", "UNIVERSE", "Lattice", "belief_context", "own_context"]
