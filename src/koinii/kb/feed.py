"""The change feed: one event for each operation that moved belief (A.14).

An event is a row numbered in the writing transaction. Its lines, those of what was
added first, each in the order of content:

    added <locator> <context> premise|derived <sentence>
    removed <locator> <context> defeated|unsupported|waiting <sentence>

What is removed is stored still: it lost to what is known, or has lost its support,
or waits for a target that left. What left the store is not told. Beyond 10,000
entries, or 4 MiB of sentences, an event says only that it was too large: its readers
have lagged. `kb/following.py` reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.rows import read_row
from koinii.store.events import Events
from koinii.store.sentexes import BELIEVED, DEFEATED, WAITING
from koinii.terms.locator import locator_of
from koinii.terms.order import content_key
from koinii.terms.printer import write

if TYPE_CHECKING:
    from koinii.kb.network.parts import Parts
    from koinii.kb.network.settling import Settlement
    from koinii.store.database import Connection
    from koinii.store.sentexes import Node
    from koinii.terms.term import Term

MAX_ENTRIES = 10_000
MAX_BYTES = 4 << 20  # of the encodings of an event's sentences
LAGGED = "lagged"
ADDED, REMOVED = "added", "removed"
PREMISE, DERIVED = "premise", "derived"


class _Entry(NamedTuple):
    what: str
    sentence: Term
    context: str
    digest: bytes
    note: str


def record(connection: Connection, parts: Parts, operation: Settlement) -> None:
    """Store the event of an operation, if it moved belief."""
    moved = _moved(parts, operation)
    if moved is None:
        Events(connection).append(LAGGED)
    elif moved:
        entries = [_entry(parts, before, after) for before, after in moved]
        entries.sort(key=_by_content)
        Events(connection).append("\n".join(map(_line, entries)))


def _moved(parts: Parts, operation: Settlement) -> list[tuple[int, Node]] | None:
    """Return what came to be believed or ceased to be, as (label before, row)."""
    fresh = operation.nodes.believed_since(operation.first, MAX_ENTRIES + 1)
    earlier = [one for one in operation.nodes.before if one < operation.first]
    if len(fresh) + len(earlier) > MAX_ENTRIES:
        return None
    moved = [(0, row) for row in fresh]
    for sentex in earlier:
        row = operation.nodes.row(sentex)
        before = operation.nodes.before[sentex].label
        if row is not None and (row.label ^ before) & BELIEVED:
            moved.append((before, row))
    return moved if sum([len(row.body) for _, row in moved]) <= MAX_BYTES else None


def _entry(parts: Parts, before: int, row: Node) -> _Entry:
    context = parts.names.context(row.context)
    sentence = read_row(context, row.digest, row.body)
    if before & BELIEVED:
        return _Entry(REMOVED, sentence, context, row.digest, _reason(row))
    premise = parts.assertions.standing(row.id)[0]
    kind = PREMISE if premise else DERIVED
    return _Entry(ADDED, sentence, context, row.digest, kind)


def _reason(row: Node) -> str:
    if row.label & DEFEATED:
        return "defeated"
    return "waiting" if row.label & WAITING else "unsupported"


def _by_content(entry: _Entry) -> tuple[object, ...]:
    return entry.what, content_key(entry.sentence), entry.context


def _line(entry: _Entry) -> str:
    what, sentence, context, digest, note = entry
    return f"{what} {locator_of(digest)} {context} {note} {write(sentence)}"
