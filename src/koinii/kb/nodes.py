"""Sentexes whose labels one operation looks at or moves.

Labels move here first; `flush` writes what differs, and the leaves with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.store.sentexes import BELIEVED, LOCAL, SHIPPED
from koinii.terms.locator import leaf

if TYPE_CHECKING:
    from collections.abc import Iterable

    from koinii.store.sentexes import Node, Sentexes

LEAFLESS = SHIPPED | LOCAL


class Nodes:
    """The rows that an operation has read, and their labels as it leaves them."""

    def __init__(self, sentexes: Sentexes) -> None:
        self._sentexes = sentexes
        self._rows: dict[int, Node] = {}
        self._labels: dict[int, int] = {}  # moved and not yet written
        self.before: dict[int, Node] = {}  # rows whose label moved, as they were
        self.moved = False  # leaves

    def row(self, sentex: int) -> Node | None:
        """Return a row, None where there is none."""
        known = self._rows.get(sentex)
        if known is None:
            self.read([sentex])
            known = self._rows.get(sentex)
        return known

    def read(self, sentexes: Iterable[int]) -> None:
        """Read rows that are not here yet."""
        missing = [one for one in sentexes if one not in self._rows]
        for row in self._sentexes.nodes(missing):
            self._rows[row.id] = row

    def label(self, sentex: int) -> int:
        """Return a row's label as it is now; 0 for a row that is not there."""
        moved = self._labels.get(sentex)
        if moved is not None:
            return moved
        row = self.row(sentex)
        return 0 if row is None else row.label

    def label_now(self, sentex: int, read: int) -> int:
        """Return a row's label, given what the store was just read to say."""
        return self._labels.get(sentex, read)

    def came(self, rows: Iterable[tuple[int, bytes, int]]) -> None:
        """Give new rows (sentex, digest, label) their leaves."""
        leaves = [(leaf(digest), one) for one, digest, label in rows if has_leaf(label)]
        self._sentexes.insert_leaves(sorted(leaves))
        self.moved |= bool(leaves)

    def set_label(self, sentex: int, label: int) -> None:
        """Move a row's label."""
        row = self.row(sentex)
        assert row is not None  # noqa: S101 - only what is stored has a label
        if label != self.label(sentex):
            self.before.setdefault(sentex, row)
            self._labels[sentex] = label

    def clear(self) -> None:
        """Read every row again; what was moved and not written is undone."""
        self._rows.clear()
        self._labels.clear()

    def left(self, sentexes: Iterable[int]) -> None:
        """Drop rows that left the store, and their leaves with them."""
        for one in sentexes:
            self._labels.pop(one, None)
            self.before.pop(one, None)
            row = self._rows.pop(one, None)
            self.moved |= row is None or has_leaf(row.label)

    def flush(self) -> None:
        """Write the labels that moved, and the leaves that come and go with them."""
        came: list[tuple[bytes, int]] = []
        went: list[bytes] = []
        for sentex, label in self._labels.items():
            row = self._rows[sentex]
            was, now = has_leaf(row.label), has_leaf(label)
            if now and not was:
                came.append((leaf(row.digest), sentex))
            elif was and not now:
                went.append(leaf(row.digest))
            self._rows[sentex] = row._replace(label=label)
        self._sentexes.set_labels([(label, one) for one, label in self._labels.items()])
        self._sentexes.change_leaves(came, went)
        self.moved |= bool(came or went)
        self._labels.clear()


def has_leaf(label: int) -> bool:
    """Tell whether a sentex with this label is a leaf of the commit tree."""
    return bool(label & BELIEVED) and not label & LEAFLESS
