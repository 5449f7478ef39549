"""Sentexes whose labels one operation looks at or moves.

Labels move here first; `flush` writes what differs, and the leaves with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.store.sentexes import BELIEVED, LOCAL, SHIPPED, Node
from koinii.terms.locator import leaf

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from koinii.store.sentexes import Row, Sentexes, SentexRow

LEAFLESS = SHIPPED | LOCAL
FEW = 256


class Nodes:
    """The rows that an operation has read, and their labels as it leaves them."""

    def __init__(self, sentexes: Sentexes) -> None:
        self._sentexes = sentexes
        self._rows: dict[int, Node] = {}
        self._labels: dict[int, int] = {}  # moved and not yet written
        self.before: dict[int, Node] = {}  # rows whose label moved, as they were
        self.moved = False  # leaves
        self.fresh: list[Row] | None = []  # new rows; None where they are many

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

    def came(self, rows: Sequence[SentexRow]) -> None:
        """Give new rows their leaves, and remember them while they are few."""
        leaves = [(leaf(row[7]), row[0]) for row in rows if has_leaf(row[6])]
        self._sentexes.insert_leaves(sorted(leaves))
        self.moved |= bool(leaves)
        if self.fresh is not None and len(self.fresh) + len(rows) <= FEW:
            self.fresh.extend(
                (row[0], row[1], row[6], row[7], row[8], row[2], row[5]) for row in rows
            )
        else:
            self.fresh = None

    def after(self, sentex: int, limit: int) -> list[Row]:
        """Return the next new rows by id, their labels as last written."""
        if self.fresh is None:
            return self._sentexes.after(sentex, limit)
        return [
            (*row[:2], self._label_of_new(row), *row[3:])
            for row in self.fresh
            if row[0] > sentex
        ]

    def believed_since(self, first: int, limit: int) -> list[Node]:
        """Return at most so many believed rows from an id on, all of them new."""
        if self.fresh is None:
            return self._sentexes.believed_from(first, limit)
        rows = [
            Node(row[0], row[1], self._label_of_new(row), row[3], row[4])
            for row in self.fresh
        ]
        return [row for row in rows if row.label & (BELIEVED | SHIPPED) == BELIEVED]

    def _label_of_new(self, row: Row) -> int:
        known = self._rows.get(row[0])
        return self._labels.get(row[0], row[2] if known is None else known.label)

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
        self.fresh = None

    def left(self, sentexes: Sequence[int]) -> None:
        """Drop rows that left the store, and their leaves with them."""
        for one in sentexes:
            self._labels.pop(one, None)
            self.before.pop(one, None)
            row = self._rows.pop(one, None)
            self.moved |= row is None or has_leaf(row.label)
        if self.fresh:
            gone = set(sentexes)
            self.fresh = [row for row in self.fresh if row[0] not in gone]

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
