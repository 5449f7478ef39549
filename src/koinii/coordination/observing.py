"""Which clashes a context sees: both sides, unmasked, and what makes them clash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.kb.network.clashes import read_key
from koinii.store.sentexes import BELIEVED

if TYPE_CHECKING:
    from koinii.kb.network.parts import Parts


class Observer:
    """One context at one moment; each kind of clash is looked at once."""

    def __init__(self, parts: Parts, context: str) -> None:
        self._parts = parts
        self._context = context
        self._known: dict[int, bool] = {}

    def sees(self, sight: int) -> bool:
        """Tell whether clashes of this sight are seen from here."""
        if sight not in self._known:
            key, _ = self._parts.clashes.sight_row(sight)
            self._known[sight] = self._context in self._parts.rivals.viewers(
                read_key(key)
            )
        return self._known[sight]

    def disputes(self, sentex: int) -> bool:
        """Tell whether a believed sentex is a side of a dispute seen from here."""
        for lo, hi, _, sight in self._parts.clashes.of(sentex):
            other = hi if lo == sentex else lo
            if self._parts.sentexes.label(other) & BELIEVED and self.sees(sight):
                return True
        return False
