"""All that a seat believes and why, as one set to compare."""

from __future__ import annotations

from typing import TypeAlias

from koinii import RemoteSeat
from koinii.terms import write

Dump: TypeAlias = frozenset[tuple[object, ...]]


def dump(seat: RemoteSeat) -> Dump:
    """Return every sentex that is not shipped, and every firing.

    Of a sentex: locator, context, sentence, label (believed, known, defeated,
    waiting), who says it and how strongly. Of a firing: rule, ingredients, the
    contexts it is placed in, what it concludes there; so masks show too.
    """
    return frozenset([*_sentexes(seat), *_firings(seat)])


def without(whole: Dump, seat: str) -> Dump:
    """Return what is left where nothing that only a seat says is here."""
    gone = {
        row[1] for row in whole
        if row[0] == "sentex" and row[5:] and all(seat in str(by) for by in row[5:])
    }  # fmt: skip
    kept = (row for row in whole if row[1] not in gone)
    return frozenset(
        row for row in kept if row[0] == "sentex" or gone.isdisjoint(str_of(row[2]))
    )


def str_of(names: object) -> tuple[str, ...]:
    """Return the ingredients of a firing."""
    assert isinstance(names, tuple)
    return names


def _sentexes(seat: RemoteSeat) -> list[tuple[object, ...]]:
    rows = seat.database.connection.execute(
        "SELECT id, hex(digest), label FROM sentex WHERE NOT label & 8"
    )
    found = []
    for number, digest, label in rows.fetchall():
        one = seat.kb.get(number)
        said = seat.database.connection.execute(
            "SELECT agent, seat, strength, extras, wrappers FROM assertion"
            " JOIN author ON author.id = author WHERE sentex = ?",
            (number,),
        )
        by = sorted(map(repr, said.fetchall()))
        found.append(("sentex", digest, one.context, write(one.sentence), label, *by))
    return found


def _firings(seat: RemoteSeat) -> list[tuple[object, ...]]:
    connection = seat.database.connection
    names = dict(connection.execute("SELECT id, hex(digest) FROM sentex"))
    places = dict(connection.execute("SELECT id, name FROM context"))
    of: dict[str, dict[int, list[str]]] = {}
    for table, column in (("ingredient", "sentex"), ("justification", "conclusion")):
        of[table] = {}
        for sentex, firing in connection.execute(
            f"SELECT {column}, firing FROM {table}"
        ):
            of[table].setdefault(firing, []).append(names[sentex])
    rows = connection.execute(
        "SELECT firing.id, rule, places FROM firing"
        " JOIN footing ON footing.id = firing.footing"
    )
    return [
        (
            "firing",
            names[rule],
            tuple(sorted(of["ingredient"].get(firing, []))),
            tuple(sorted(places[int(one)] for one in where.split())),
            tuple(sorted(of["justification"].get(firing, []))),
        )
        for firing, rule, where in rows
    ]
