"""The write boundary over what is stored, after trust has changed.

Standing is read at every settle, never decided once at the door: an introduction
can give a context its owner after others have written there, a name can turn out
to be contested, a key can be revoked, a seat unfollowed. Lines move to held and
back; none is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.kb.claim import line_leaf, parse_claim, stored_line
from koinii.kb.writing import Said
from koinii.note.decisions import Retirement, Revocation
from koinii.seat.authors import newest_number, set_standing
from koinii.seat.contests import Who
from koinii.seat.counting import is_call
from koinii.seat.modes import LIMITS, MODE, STANDING
from koinii.seat.weighing import owning
from koinii.store import meta
from koinii.terms.term import Symbol
from koinii.trust.boundary import admit
from koinii.trust.names import belief_context, own_context
from koinii.trust.reasons import DISAGREES, OF_COUNTS
from koinii.trust.standing import EVERYBODY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from koinii.seat.parts import Parts
    from koinii.trust.standing import Standing


def change_mode(seat: Parts, mode: str) -> None:
    """Weigh everything anew by another mode."""
    with seat.kb.write() as connection:
        meta.put(connection, MODE, mode)
        review(seat)


def review(seat: Parts) -> None:
    """Weigh every author, and run the boundary again over what that bears on.

    O(agents + held lines + lines of those whose word counts otherwise than before).
    """
    with seat.kb.write():
        seat.forget_weighing()
        counting, known = seat.weighing()
        verdicts = {
            who: counting.weigh(one, newest_number(seat, *who))
            for who, one in known.items()
        }
        owners_moved = _store(seat, verdicts)
        _note_limits(seat)
        seat.forget_world()
        moved = _move_standing(seat, {name for name, _ in known})
        seat.kb.own(owners_moved)
        for who, refusal in verdicts.items():
            if refusal:
                _hold_author(seat, who, refusal)
            elif who[0] in moved:
                _hold_refused(seat, who)
        for context in owners_moved:
            _hold_foreign(seat, context)
            _hold_statements(seat, ("genlCx", context, "?super"))
        if owners_moved:
            for meeting in ("channel", "convened"):
                _hold_statements(seat, (meeting, "?context"))
        _readmit(seat, verdicts)


def review_author(seat: Parts, who: Who, number: int) -> str:
    """Weigh one author by the commit of the set that comes; return its refusal."""
    counting, known = seat.weighing()
    refusal = counting.weigh(known[who], number)
    if refusal != seat.histories.refusal(*who):
        _, owns = seat.histories.weighed().get(who, ("", True))
        seat.histories.weigh(*who, refusal, owns=owns)
        if refusal:
            _hold_author(seat, who, refusal)
        _readmit(seat, {who: refusal})
    return refusal


def _note_limits(seat: Parts) -> None:
    """Remember whether any set may count until a commit and not from it on."""
    kinds = (Retirement, Revocation)
    is_limited = any(
        isinstance(signed.statement, kinds)
        for one in seat.weighing().known.values()
        for signed in one.statements
    )
    meta.put(seat.database.connection, LIMITS, int(is_limited))


# What has changed ---------------------------------------------------------------


def _store(seat: Parts, verdicts: Mapping[Who, str]) -> set[str]:
    """Store what was found; return the contexts that found or lost an owner."""
    before = set(seat.kb.structure.rows.agents())
    owners = owning(verdicts)
    stored = seat.histories.weighed()
    for who, refusal in verdicts.items():
        owns = who[0] in owners
        if stored.get(who, ("", True)) != (refusal, owns):
            seat.histories.weigh(*who, refusal, owns=owns)
    return {
        context
        for name in before ^ owners
        for context in (own_context(name), belief_context(name))
    }


def _move_standing(seat: Parts, names: Iterable[str]) -> set[str]:
    """Give every author its standing; return the agents whose standing has moved."""
    counting, known = seat.weighing()
    connection = seat.database.connection
    now = {name: counting.standing(name) for name in names}
    text = _standings(now)
    before = dict(_read_standings(str(meta.get(connection, STANDING) or "")))
    after = dict(_read_standings(text))
    moved = {name for name in now if before.get(name, "") != after.get(name, "")}
    if not moved and before == after:
        return set()
    meta.put(connection, STANDING, text)
    for name, place in known:
        author = seat.kb.names.author_id(name, place)
        if name in moved and author is not None:
            set_standing(seat, author, now[name])
    return moved


def _standings(standing: Mapping[str, Standing]) -> str:
    """Spell the standing of those that have not all of it, one agent a line."""
    return "".join(
        f"{name} {_spelled(one)}\n"
        for name, one in sorted(standing.items())
        if one != EVERYBODY
    )


def _spelled(standing: Standing) -> str:
    words = [f"{int(standing.moderator)}{int(standing.arbiter)}"]
    return " ".join([*words, *sorted(standing.channels)])


def _read_standings(text: str) -> list[tuple[str, str]]:
    lines = [line.split(" ", 1) for line in text.splitlines()]
    return [(name, rest) for name, rest in lines]


# Lines that are held ------------------------------------------------------------


def _hold_author(seat: Parts, who: Who, reason: str) -> None:
    """Hold all that an author says."""
    number = seat.kb.names.author_id(*who)
    if number is None:
        return
    for context in seat.kb.assertions.contexts_of(number):
        rows = list(seat.kb.assertions.lines(number, context))
        _hold(seat, number, context, rows, reason)


def _hold_refused(seat: Parts, who: Who) -> None:
    """Hold what an author may not say as its standing is now."""
    number = seat.kb.names.author_id(*who)
    if number is None:
        return
    for context in seat.kb.assertions.contexts_of(number):
        place = seat.kb.names.context(context)
        for row in list(seat.kb.assertions.lines(number, context)):
            line = stored_line(*row[1:])
            claim = parse_claim(line)
            refusal = admit(who[0], place, claim.sentence, claim.strength, seat.world())
            if refusal is not None:
                _hold(seat, number, context, [row], refusal.code)


def _hold_foreign(seat: Parts, context: str) -> None:
    """Hold what others wrote in a context that has an owner now."""
    number = seat.kb.names.context_id(context)
    if number is None:
        return
    for author, sentex in seat.kb.assertions.asserted_in(number):
        _hold_if_refused(seat, author, number, sentex)


def _hold_statements(seat: Parts, words: tuple[str, ...]) -> None:
    """Hold edges from, and channel declarations over, contexts that have an owner."""
    pattern = tuple(map(Symbol, words))
    seat.kb.settle()
    for found in seat.kb.matching(pattern, "CxUniverse", "exact"):
        for row in seat.kb.asserted_by(found.id):
            _hold_if_refused(seat, row[1], row[2], found.id)


def _hold_if_refused(seat: Parts, author: int, context: int, sentex: int) -> None:
    found = seat.kb.get(sentex)
    row = seat.kb.assertions.of_sentexes([sentex], author)[sentex]
    _, _, _, strength, created, extras, _, wrappers = row
    agent, _ = seat.kb.names.author(author)
    refusal = admit(agent, found.context, found.sentence, strength, seat.world())
    if refusal is not None:
        line = (found.digest, found.body, strength, created, extras, wrappers)
        _hold(seat, author, context, [line], refusal.code)


def _hold(
    seat: Parts,
    author: int,
    context: int,
    rows: list[tuple[bytes, bytes, int, int, str | None, int]],
    reason: str,
) -> None:
    seat.kb.set_aside(author, [row[0] for row in rows])
    lines = [(row[0], stored_line(*row[1:])) for row in rows]
    seat.kb.assertions.hold(
        [
            (author, context, digest, line_leaf(line), line, reason)
            for digest, line in lines
        ]
    )


# Lines that count again ---------------------------------------------------------


def _readmit(seat: Parts, verdicts: Mapping[Who, str]) -> None:
    """Apply what is held and now allowed; note the reason of what is not."""
    world = seat.world()
    back: dict[tuple[int, int], list[Said]] = {}
    for author, context, digest, leaf, line, reason in seat.kb.assertions.held():
        who = seat.kb.names.author(author)
        if who not in verdicts or (reason and verdicts[who] == reason):
            continue
        place = seat.kb.names.context(context)
        claim = parse_claim(line)
        refusal = verdicts[who]
        if not refusal and is_call(place, claim):
            refusal = reason if reason in OF_COUNTS else DISAGREES  # until counted
        elif not refusal:
            found = admit(who[0], place, claim.sentence, claim.strength, world)
            refusal = "" if found is None else found.code
        if refusal:
            if refusal != reason:
                row = (author, context, digest, leaf, line, refusal)
                seat.kb.assertions.hold([row])
            continue
        seat.kb.assertions.release([(author, context, digest)])
        said = Said(
            place, claim.sentence, claim.text, claim.strength,
            claim.created, claim.extras, claim.wrappers,
        )  # fmt: skip
        back.setdefault((author, context), []).append(said)
    for (author, _), lines in back.items():
        seat.kb.put(author, lines, replace=True, journal=False)
