"""The seats of `test_adversary` at work: who is told what, and how they compare."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import NamedTuple

from hostile.adversary import (
    DEN,
    EVE,
    EXPOSED,
    HONEST,
    LAIR,
    OFFICE,
    PLAIN,
    Line,
    drop,
    key_of,
    misfiled,
    put,
    replayed,
    said_at,
    seated,
    sign_in,
    strike,
)
from hostile.adversary_moves import EVES, Answer, Decide, Move
from kb.permuting import End, end_of
from koinii import RemoteSeat
from koinii.note.statements import (
    Grant,
    Introduction,
    Known,
    Retirement,
    Revocation,
    Rotation,
    statement_hash,
)
from koinii.remote.applying import Applied
from koinii.store.sentexes import BELIEVED, WAITING
from koinii.terms import Term
from koinii.terms.term import Symbol
from koinii.trust.names import ADMIN
from remote.desks import hand_over, take

NO_ONE = bytes(32)


class Table:
    """The seats, what they are told, and how the two that listen compare."""

    def __init__(self, *, is_granted: bool) -> None:
        self._stack = ExitStack()
        self.seats = self._stack.enter_context(seated(is_granted=is_granted))
        self.plain, self.exposed = self.seats[PLAIN], self.seats[EXPOSED]
        self.lair = self.seats[LAIR]

    def close(self) -> None:
        self._stack.close()

    def hear(self, name: str, moves: list[Move]) -> None:
        """Let honest agents of a seat say this, and both listen."""
        seat = self.seats[name]
        for move in moves:
            self._make(seat, move)
        if seat.commit() is not None:
            for listening in (self.plain, self.exposed):
                hand_over(seat, listening)

    def strike(self, moves: list[Move]) -> Applied | None:
        """Let the adversary do this, and the exposed seat hear of it."""
        for move in moves:
            if isinstance(move, Decide):
                file, statement = decision(self, self.lair, move.kind, move.agent)
                sign_in(self.lair, file, statement)
            else:
                self._make(self.lair, move)
        return strike(self.lair, self.exposed)

    def forge(self, kind: str, agent: str) -> Applied:
        """Show the exposed seat a tree of the den that was made by hand."""
        den = self.seats[DEN]
        if kind == "replay":
            files = replayed(den, self.seats[HONEST[agent]], agent)
        else:
            files = misfiled(den, *decision(self, den, kind, agent))
        return take(self.exposed, files, den.id)

    def _make(self, seat: RemoteSeat, move: Move) -> None:
        assert not isinstance(move, Decide)
        if isinstance(move, Line):
            put(seat, [move])
        elif isinstance(move, Answer):
            target = self._row(move.pick)
            handle = (Symbol("sentexHandle"), target)
            words: Term = (Symbol("endorses"), Symbol(move.agent), handle)
            if move.is_mask:
                words = (Symbol("except"), handle)
            strength = "monotonic" if move.is_mask else "default"
            put(seat, [Line(move.agent, move.context, words, strength)])
        elif said := said_at(seat):
            drop(seat, *said[move.pick % len(said)])

    def _row(self, pick: int) -> str:
        """One of the rows that the plain seat has, which honest agents know of."""
        rows = self.plain.database.connection.execute(
            "SELECT digest FROM sentex WHERE label & 8 = 0 ORDER BY digest"
        ).fetchall()
        return f"sha256:{rows[pick % len(rows)][0].hex()}"


def decision(
    table: Table, lair: RemoteSeat, kind: str, agent: str
) -> tuple[str, Known]:
    """Return what is signed at an adversary's seat, and in whose file it stands."""
    home = table.seats[HONEST.get(agent, OFFICE)]
    mine = key_of(lair, agent).public
    theirs = key_of(home, agent).public if agent in HONEST else mine
    everything = ("arbiter *", "member", "moderator *")
    grants = table.seats[OFFICE].weighing().counting.grants
    before = statement_hash(grants[agent]) if agent in grants else NO_ONE
    revoked = Revocation(agent, theirs.key_hash, "*", 0, "it was mine")
    granted = Grant(agent, mine, everything, None, 1 << 50)
    found: dict[str, tuple[str, Known]] = {
        "grant": (ADMIN, granted),
        "grant after": (ADMIN, replace(granted, previous=before)),
        "revoke": (agent, revoked),
        "revoke as admin": (ADMIN, revoked),
        "retire": (agent, Retirement(agent, theirs.key_hash, home.id, 0)),
        "rotate": (agent, Rotation(agent, mine.key_hash, theirs, lair.id, 1000)),
        "grant at home": (agent, granted),
        "revoke at home": (EVE, revoked),
        "rotate from": (
            agent,
            Rotation(agent, theirs.key_hash, mine, lair.id, 1000),
        ),
        "introduce": (agent, Introduction(agent, theirs, lair.id, (), 1)),
    }
    return found[kind]


# What a seat shows -----------------------------------------------------------------


class Shown(NamedTuple):
    """All that a seat makes of what honest agents have said."""

    end: End
    said: frozenset[tuple[str, str, str]]  # agent, seat, locator
    masks: frozenset[tuple[str, str]]  # locator, where it is masked
    owners: frozenset[str]


class Beside(NamedTuple):
    """What else a seat has, by which it is told what the adversary's word supports."""

    by_eve: set[str]
    names: set[tuple[str, str]]  # locator, one that it names
    contexts: dict[str, str]


def shown_of(seat: RemoteSeat, lair: str, contexts: list[str]) -> Shown:
    end = end_of(seat)
    rows = seat.database.connection.execute(
        "SELECT w.agent, w.seat, s.digest FROM assertion a JOIN author w"
        " ON w.id = a.author JOIN sentex s ON s.id = a.sentex"
    )
    masked = seat.kb.structure.masked
    return Shown(
        end,
        frozenset(
            (agent, place, f"sha256:{digest.hex()}")
            for agent, place, digest in rows
            if place != lair
        ),
        frozenset(
            (locator, context)
            for locator in end.labels
            for context in contexts
            if masked(bytes.fromhex(locator[7:]), context)
        ),
        frozenset(seat.kb.structure.owners),
    )


def beside_of(seat: RemoteSeat, lair: str) -> Beside:
    query = seat.database.connection.execute
    said = query(
        "SELECT s.digest FROM assertion a JOIN author w ON w.id = a.author"
        " JOIN sentex s ON s.id = a.sentex WHERE w.seat = ?",
        (lair,),
    )
    named = query(
        "SELECT s.digest, t.digest FROM target t JOIN sentex s ON s.id = t.sentex"
    )
    rows = query(
        "SELECT s.digest, c.name FROM sentex s JOIN context c ON c.id = s.context"
    )
    return Beside(
        {f"sha256:{one.hex()}" for (one,) in said},
        {(f"sha256:{one.hex()}", f"sha256:{of.hex()}") for one, of in named},
        {f"sha256:{one.hex()}": context for one, context in rows},
    )


def compare_as_member(plain: Shown, exposed: Shown, beside: Beside) -> None:
    """Nothing of the honest has moved, but for what Eve's word supports beside."""
    before, after = plain.end, exposed.end
    touched = supported(exposed.end, beside)
    assert plain.said == exposed.said
    assert before.labels.keys() <= after.labels.keys()
    for locator, label in before.labels.items():
        now = after.labels[locator]
        if locator in touched:
            assert now & ~(BELIEVED | WAITING) == label & ~(BELIEVED | WAITING)
            assert now & BELIEVED >= label & BELIEVED
            assert now & WAITING <= label & WAITING
        else:
            assert now == label
    assert before.grounds <= after.grounds
    for conclusion, rule_, facts in after.grounds - before.grounds:
        ours = {rule_, *facts} & touched or {rule_, *facts} - before.labels.keys()
        assert ours or beside.contexts[conclusion] in EVES
    assert falls(before) == falls(after, before.labels)
    assert plain.masks == {
        (locator, context)
        for locator, context in exposed.masks
        if locator in before.labels and context not in EVES
    }
    assert exposed.owners - plain.owners <= set(EVES)
    assert plain.owners <= exposed.owners


def supported(end: End, beside: Beside) -> set[str]:
    """What Eve has said, what follows from it, and what answers that."""
    found = set(beside.by_eve)
    while True:
        drawn = {
            conclusion
            for conclusion, rule_, facts in end.grounds
            if {rule_, *facts} & found
        }
        answers = {one for one, target in beside.names if target in found}
        if drawn | answers <= found:
            return found
        found |= drawn | answers


def falls(end: End, among: dict[str, int] | None = None) -> set[tuple[str, object]]:
    """The seen clashes in which a side may fall, of these sentexes."""
    return {
        (kind, sides)
        for kind, sides in end.clashes
        if any(may for _, may in sides)
        and (among is None or {one for one, _ in sides} <= among.keys())
    }
