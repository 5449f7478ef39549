"""Finds the figures: modules `figure_NN` beside this file.

Each has SIZES and TINY, the sizes for measuring and for the self-check, and
`run(harness, sizes)`, which measures one row or more for each size.
"""

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

from bench.harness import Harness


class Figure(Protocol):
    """What a module `figure_NN` has."""

    FIGURE: int
    SIZES: Sequence[int]
    TINY: Sequence[int]

    def run(self, harness: Harness, sizes: Sequence[int]) -> None:
        """Measure at each size."""


def figures() -> dict[int, Figure]:
    """Return the figures there are, by number."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("figure_*.py"))
    found = [cast(Figure, importlib.import_module(f"bench.{name}")) for name in names]
    return {figure.FIGURE: figure for figure in found}


def run_figure(figure: Figure, out: Path, drawings: Path, *, tiny: bool) -> Harness:
    """Measure one figure and write what came of it."""
    harness = Harness(figure.FIGURE, out, drawings)
    figure.run(harness, figure.TINY if tiny else figure.SIZES)
    harness.write()
    return harness
