"""Where the parts meet: the command `koinii`, also as `python -m koinii`.

Verbs in their common forms are read without loading the full command line; every
other line goes to `faces/cli`.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from koinii.faces.invocation import Invocation, Page

_ALLOCATIONS = 50_000  # between collections; a start alone makes fewer
_INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command line of this process and end it with the exit code.

    Everything is written and closed by then, so the interpreter is not taken
    apart first: that costs half as much as starting one.
    """
    try:
        gc.set_threshold(_ALLOCATIONS)
        code = _run()
    except KeyboardInterrupt:  # before or after `run`, which tells more
        code = _INTERRUPTED
    os._exit(code)


def _run() -> int:
    from koinii.faces.performing import run  # noqa: PLC0415 - Ctrl-C is caught above
    from koinii.faces.streams import open_standard_streams  # noqa: PLC0415 - as above

    open_standard_streams()
    return run(sys.argv[1:], understand)


def understand(words: list[str]) -> Invocation | Page:
    """Return what a line of words asks for."""
    from koinii.faces.hot import parse  # noqa: PLC0415 - as above

    asked = parse(words)
    if asked is not None:
        return asked
    from koinii.faces.cli import read_line  # noqa: PLC0415 - loads typer

    return read_line(words)


if __name__ == "__main__":
    main()
