"""Operations that explain and follow: why and why not, who disagrees, what moves.

As in `actions.py`, each is one step on the seat; terms come back as text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import KoiniiError, RefusedError, SurroundingsError, UsageError
from koinii.faces.actions import STRENGTH, is_known
from koinii.terms.printer import write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.faces.actions import Named
    from koinii.kb.following import Added, Event, Removed
    from koinii.kb.standing import Clash, Side
    from koinii.seat.seat import Seat

DEEPEST = 64  # levels of a tree of reasons; a face turns it into text


# Whether it would be taken -----------------------------------------------------


def check(
    seat: Seat,
    sentences: list[str],
    remove: list[str],
    context: str | None,
    agent: str | None,
    *,
    monotonic: bool,
) -> Named:
    """Say what would be refused; several, or with a removal, as one edit."""
    if not sentences and not remove:
        raise UsageError(
            "check has nothing to do: give a sentence or --remove",
            hint="koinii check SENTENCE",
        )
    from koinii.seat.trying import EditProblem  # noqa: PLC0415 - for this verb only

    if len(sentences) == 1 and not remove:
        found = seat.check(
            sentences[0], context=context, strength=STRENGTH[monotonic], agent=agent
        )
        problems = [
            EditProblem("add", 0, one.code, one.message, one.hint) for one in found
        ]
    elif monotonic:
        raise UsageError(
            "--monotonic is for one sentence; an edit has none",
            hint="koinii check SENTENCE --monotonic",
            parameter="--monotonic",
        )
    else:
        problems = seat.check_edit(
            add=sentences, remove=remove, context=context, agent=agent
        )
    return {"problems": [one._asdict() for one in problems]}


def inadmissible(found: Named) -> KoiniiError | None:
    """Return what it means that something would be refused."""
    problems = found["problems"]
    if not problems:
        return None
    places = {(one["where"], one["index"]) for one in problems}
    what = f"{len(places)} of these" if len(places) > 1 else "this"
    return RefusedError(
        f"{what} would be refused; nothing was written",
        code="koinii/would-be-refused",
        hint=problems[0]["hint"],
        problems=problems,
    )


# Why, and who disagrees --------------------------------------------------------


def why(seat: Seat, locator: str) -> Named:
    """Return what a claim stands on, as a tree."""
    return seat.why(locator, max_depth=DEEPEST)


def why_not(seat: Seat, sentence: str, context: str) -> Named:
    """Return why a context does not give a sentence."""
    found = seat.why_not(sentence, context)
    if found["reason"] == "not-stored" and not is_known(seat, context):
        return {**found, "unknown_context": context}
    return found


def contradictions(seat: Seat, context: str | None, limit: int | None) -> Named:
    """Return clashes that nothing has decided."""
    return _clashes(seat, seat.contradictions(context), context, limit)


def conflicts(seat: Seat, context: str | None, limit: int | None) -> Named:
    """Return clashes of what is known."""
    return _clashes(seat, seat.conflicts(context), context, limit)


def _clashes(
    seat: Seat, found: list[Clash], context: str | None, limit: int | None
) -> Named:
    told = [
        {"kind": one.kind, "sides": list(map(_side, one.sides))}
        for one in found[:limit]
    ]
    answers: Named = {"clashes": told, "more": len(told) < len(found)}
    if not found and context is not None and not is_known(seat, context):
        answers["unknown_context"] = context
    return answers


def _side(side: Side) -> Named:
    return {**side._asdict(), "sentence": write(side.sentence)}


def diagnostics(seat: Seat, limit: int | None) -> Named:
    """Return what looks wrong."""
    found = seat.diagnostics()
    told = [one._asdict() for one in found[:limit]]
    return {"diagnostics": told, "more": len(told) < len(found)}


# What moves --------------------------------------------------------------------


def watch(
    seat: Seat, goal: str | None, context: str | None, since: int | None, *, once: bool
) -> Iterator[Named | None]:
    """Yield what moves, event by event; None where nothing has for a second."""
    if not (once or seat.database.writable):
        raise SurroundingsError(
            "what moves cannot be followed where the seat is read-only",
            code="koinii/read-only",
            hint="koinii watch --once shows what is there",
        )
    cursor = 0 if once and since is None else since
    while True:
        batch = seat.events(
            cursor, goal=goal, context=context, wait_ms=0 if once else 1000, limit=64
        )
        yield from map(_event, batch.events)
        if once and batch.cursor == cursor:
            return
        if not batch.events:
            yield None
        cursor = batch.cursor


def _event(event: Event) -> Named:
    return {
        "number": event.number,
        "added": list(map(_moved, event.added)),
        "removed": list(map(_moved, event.removed)),
        "lagged": event.lagged,
    }


def _moved(entry: Added | Removed) -> Named:
    named: Named = {**entry._asdict(), "sentence": write(entry.sentence)}
    if entry.bindings is None:
        del named["bindings"]
    else:
        terms = entry.bindings.items()
        named["bindings"] = {name: write(term) for name, term in terms}
    return named
