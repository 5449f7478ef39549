"""How text looks: colour only where it is wanted, and never as the only sign."""

from __future__ import annotations

import sys
from typing import NamedTuple

from koinii.faces.streams import is_terminal

_COLORS = {"red": "31;1", "green": "32", "yellow": "33", "cyan": "36"}


class Look(NamedTuple):
    """What a renderer may use."""

    color: bool = False
    verbose: bool = False
    shows_none: bool = False  # `--limit 0`: that nothing is shown says nothing
    found_by: str = ""  # how the seat was found

    def paint(self, text: str, color: str) -> str:
        """Return the text in a colour, or as it is."""
        if not self.color:
            return text
        return f"\x1b[{_COLORS[color]}m{text}\x1b[0m"


def is_colored(wanted: str) -> bool:
    """Tell whether `auto`, `always` or `never` means colour here."""
    if wanted == "auto":
        return is_terminal(sys.stdout) and is_terminal(sys.stderr)
    return wanted == "always"
