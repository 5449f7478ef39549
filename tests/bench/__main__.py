"""Measures the figures named, or all: `python -m bench 1 4`, with tests on the path.

`--tiny` uses the sizes of the self-check and leaves the drawings alone.
"""

import argparse
import os
import tempfile
from pathlib import Path

from bench.figures import figures, run_figure

HERE = Path(__file__).parent
DRAWINGS = HERE.parent.parent / "docs/performance"


def main() -> None:
    known = figures()
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("figure", nargs="*", type=int, metavar="FIGURE")
    parser.add_argument("--tiny", action="store_true")
    chosen = parser.parse_args()
    unknown = sorted(set(chosen.figure) - set(known))
    if unknown:
        parser.error(f"no bench for figure {unknown[0]}; there are {sorted(known)}")
    drawings = HERE / "out" if chosen.tiny else DRAWINGS
    with tempfile.TemporaryDirectory() as home:
        os.environ["KOINII_HOME"] = home
        for number in chosen.figure or sorted(known):
            run_figure(known[number], HERE / "out", drawings, tiny=chosen.tiny)


main()
