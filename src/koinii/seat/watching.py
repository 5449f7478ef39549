"""Who is told how far long work is: nobody, unless a face wants to know."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Watch: TypeAlias = Callable[[str, int], None]  # what is done, lines more


def unwatched(doing: str, more: int) -> None:
    """Take in what is done, for nobody."""
