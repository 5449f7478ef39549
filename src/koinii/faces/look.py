"""How text looks: colour only where it is wanted, and never as the only sign."""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

from koinii.faces.streams import is_terminal, visible

_COLORS = {"red": "31;1", "green": "32", "yellow": "33", "cyan": "36"}
_PAINT = re.compile(rf"(\x1b\[(?:{'|'.join([*_COLORS.values(), '0'])})m)")


class Look(NamedTuple):
    """What a renderer may use."""

    color: bool = False
    verbose: bool = False
    shows_none: bool = False  # `--limit 0`: that nothing is shown says nothing
    found_by: str = ""  # how the seat was found

    def shown(self, text: str) -> str:
        """Return a text that was painted here, all else of it made visible."""
        if not self.color:
            return visible(text)
        parts = _PAINT.split(text)
        return "".join(
            part if at % 2 else visible(part) for at, part in enumerate(parts)
        )

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
