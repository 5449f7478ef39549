"""The change feed: one event for each operation that moved belief (A.14).

An event is a row numbered in the writing transaction, whose lines are terms:

    (added "<locator>" Cx (sentence) premise)          premise: true or false
    (removed "<locator>" Cx (sentence) reason)         reason: defeated, unsupported

in content order. What left the store is not told. Beyond 10,000 entries an event
says only that it was too large: its readers have lagged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.kb.rows import read_row
from koinii.store.events import Events
from koinii.store.sentexes import BELIEVED, DEFEATED, SHIPPED
from koinii.terms.locator import locator_of
from koinii.terms.order import content_key
from koinii.terms.printer import write
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from koinii.kb.parts import Parts
    from koinii.kb.settling import Settlement
    from koinii.store.database import Connection
    from koinii.store.sentexes import Node
    from koinii.terms.term import Term

MAX_ENTRIES = 10_000
LAGGED = "lagged"
_ADDED, _REMOVED = Symbol("added"), Symbol("removed")
_DEFEATED, _UNSUPPORTED = Symbol("defeated"), Symbol("unsupported")


def record(connection: Connection, parts: Parts, operation: Settlement) -> None:
    """Store the event of an operation, if it moved belief."""
    moved = _moved(parts, operation)
    if moved is None:
        Events(connection).append(LAGGED)
    elif moved:
        entries = [_entry(parts, before, after) for before, after in moved]
        entries.sort(key=lambda entry: (entry[0] == _REMOVED, content_key(entry[3])))
        Events(connection).append("\n".join(map(write, entries)))


def _moved(parts: Parts, operation: Settlement) -> list[tuple[int, Node]] | None:
    """Return what came to be believed or ceased to be, as (label before, row)."""
    fresh = parts.sentexes.believed_from(operation.first, MAX_ENTRIES + 1)
    earlier = [one for one in operation.nodes.before if one < operation.first]
    if len(fresh) + len(earlier) > MAX_ENTRIES:
        return None
    moved = [(0, row) for row in fresh if not row.label & SHIPPED]
    for sentex in earlier:
        row = operation.nodes.row(sentex)
        before = operation.nodes.before[sentex].label
        if row is not None and (row.label ^ before) & BELIEVED:
            moved.append((before, row))
    return moved


def _entry(parts: Parts, before: int, row: Node) -> tuple[Term, ...]:
    context = parts.names.context(row.context)
    sentence = read_row(context, row.digest, row.body)
    what: tuple[Term, ...] = (locator_of(row.digest), Symbol(context), sentence)
    if not before & BELIEVED:
        return (_ADDED, *what, parts.assertions.standing(row.id)[0])
    reason = _DEFEATED if row.label & DEFEATED else _UNSUPPORTED
    return (_REMOVED, *what, reason)
