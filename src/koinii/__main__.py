"""Where the parts meet: the command `koinii`, also as `python -m koinii`.

A few verbs in their common forms are answered without loading the full command
line; every other line goes to `faces/cli`.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from koinii.faces.invocation import Invocation, Page


def main() -> int:
    """Run the command line of this process and return its exit code."""
    from koinii.faces.streams import open_standard_streams  # noqa: PLC0415 - Ctrl-C
    from koinii.faces.performing import run  # noqa: PLC0415 - Ctrl-C

    open_standard_streams()
    return run(sys.argv[1:], understand)


def understand(words: list[str]) -> Invocation | Page:
    """Return what a line of words asks for."""
    from koinii.faces.hot import parse  # noqa: PLC0415 - Ctrl-C

    asked = parse(words)
    if asked is not None:
        return asked
    from koinii.faces.cli import read_line  # noqa: PLC0415 - loads typer

    return read_line(words)


if __name__ == "__main__":
    sys.exit(main())
