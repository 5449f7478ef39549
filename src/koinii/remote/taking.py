"""What was fetched, verified and applied seat by seat, none held up by another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from koinii.errors import KoiniiError, SurroundingsError, VerificationError
from koinii.kb.operation import Fallen
from koinii.remote import forks, heads
from koinii.remote.applying import Applied as AppliedSeat
from koinii.remote.applying import (
    Received,
    apply_seat,
    as_waiting,
    introduce,
    waiting_of,
)
from koinii.remote.chains import Applied, applied
from koinii.remote.evidence import look
from koinii.remote.fetched import FetchedSeat
from koinii.remote.heads import Need, Shown
from koinii.remote.intake import Reply
from koinii.remote.reading import Objects
from koinii.remote.returning import apply_anew
from koinii.remote.tip import open_tip
from koinii.remote.trouble import Trouble, mark, trouble_of
from koinii.remote.verify import Known, verify_seat
from koinii.seat.held import keys_without_effect, without_effect
from koinii.seat.seat import Seat
from koinii.store.assertions import HeldKey
from koinii.store.heads import GOES_ON, TAKEN
from koinii.trust.reasons import COUNTED, OF_COUNTS

NOTHING = Need()  # is needed of other seats


class Taken(NamedTuple):
    """A part of what a pull came to."""

    counts: Received
    troubles: list[Trouble]
    fell: list[Fallen]


def is_unchanged(seat: Seat, other: str, tip: str) -> bool:
    """Tell whether a seat's ref was applied as it stands."""
    head = seat.histories.head(other)
    return head is not None and head.tip == tip and not head.trouble


def take_all(
    seat: Seat,
    objects: Objects,
    tips: dict[str, str],
    unmoved: Sequence[str] = (),
    need: Need = NOTHING,
) -> Iterator[Taken]:
    """Verify every seat, then introduce the agents, then apply seat by seat.

    `unmoved` are the seats that the remote shows as they are here.
    """
    shown, refused = _verify(seat, objects, tips)
    troubles = list(refused)
    troubles += heads.read_files(seat, objects, shown)
    good, refused = _sift(seat, shown, unmoved, need)
    troubles += refused
    known, before = seat.kb.assertions.held_keys(), _held(seat)
    yield from _begin_anew(seat, [one for one in good if one.back])
    good = [one for one in good if not one.back]
    introduce(seat, [one.verified for one in good])
    aside = _held(seat) - before
    replies, waiting = list[Reply](), list[Reply]()
    for one in good:
        applied = apply_seat(seat, one.fetched, one.verified, one.tip)
        _go_on(seat, one.seat)
        replies, waiting = replies + applied.replies, waiting + applied.waiting
        yield Taken(applied.counts, _refused(one, applied), applied.fell)
    for other in unmoved:
        _go_on(seat, other)
    for counts, trouble in forks.settle(seat, objects, tips):
        yield Taken(counts, [trouble], [])
    yield Taken(Received(set_aside=len(aside & _held(seat))), troubles, [])
    yield Taken(_counted_since(seat, known, before | aside), [], [])
    yield Taken(_moved_since(seat, replies, waiting), [], [])


def _verify(
    seat: Seat, objects: Objects, tips: dict[str, str]
) -> tuple[list[Shown], list[Trouble]]:
    """Verify refs; what a seat that stays shows is evidence and nothing else."""
    shown, troubles = list[Shown](), list[Trouble]()
    stay = forks.frozen(seat)
    for other, tip in tips.items():
        if other in stay:
            forks.learn(seat, objects, other, tip)
            continue
        try:
            fetched = open_tip(objects, other, tip)
            shown.append(_verified(seat, fetched, tip))
        except SurroundingsError:
            raise
        except KoiniiError as error:
            if other not in forks.frozen(seat):
                mark(seat, other, error.message)
                troubles.append(trouble_of(other, error))
    return shown, troubles


def _verified(seat: Seat, fetched: FetchedSeat, tip: str) -> Shown:
    """Verify one ref; one of another history is looked at for evidence."""
    try:
        verified = verify_seat(fetched, known_of(seat, fetched.seat))
        return Shown(fetched, verified, tip)
    except VerificationError:
        key = forks.key_of(seat, fetched.seat)
        if key is not None:
            look(seat, fetched, key)
        row = seat.heads.fork(fetched.seat)
        if row is not None and row.decided == GOES_ON:
            other = forks.verify_decided(seat, fetched)
            if other is not None:
                return Shown(fetched, other, tip, back=True)
        raise


def _sift(
    seat: Seat, shown: Sequence[Shown], unmoved: Sequence[str], need: Need
) -> tuple[list[Shown], list[Trouble]]:
    """Return the seats to apply, and what to say of those whose head is not taken."""
    refused = {one.seat: heads.check_kept(seat, one) for one in shown}
    found = {other: one for other, one in refused.items() if one is not None}
    top = heads.shown_heads(seat, shown, unmoved)
    stay = forks.frozen(seat)
    found |= heads.too_few(
        seat, {s: head for s, head in top.items() if s not in stay | found.keys()}, need
    )
    for one in shown:
        if one.seat in found:
            mark(seat, one.seat, found[one.seat].reason)
    troubles = [
        *heads.tell_own(seat), *found.values(), *heads.check_unmoved(seat, unmoved),
        *heads.tell_behind(seat, top),
    ]  # fmt: skip
    return [one for one in shown if one.seat not in stay | found.keys()], troubles


def _begin_anew(seat: Seat, shown: Sequence[Shown]) -> Iterator[Taken]:
    """Take the history that the operator has decided for, on the common prefix."""
    for one in shown:
        applied = apply_anew(seat, one.fetched, one.verified, one.tip)
        _go_on(seat, one.seat)
        yield Taken(applied.counts, _refused(one, applied), applied.fell)


def _go_on(seat: Seat, other: str) -> None:
    row = seat.heads.fork(other)
    if row is not None and row.decided == GOES_ON:
        with seat.database.write():
            seat.heads.decide(other, TAKEN)


def _refused(one: Shown, applied: AppliedSeat) -> list[Trouble]:
    return [Trouble(one.seat, *row) for row in applied.refused]


def _moved_since(seat: Seat, replies: list[Reply], waiting: list[Reply]) -> Received:
    """Count anew what waited, or did not, before a seat that was applied later."""
    before = as_waiting(waiting, -1)
    return before.plus(as_waiting(waiting_of(seat, replies)))


def _held(seat: Seat) -> set[HeldKey]:
    """Return which lines of other seats are held."""
    keys = seat.kb.assertions.held_keys(apart=COUNTED)
    author = seat.kb.names.author
    return {key for key in keys if author(key[0])[1] != seat.id}


def _counted_since(
    seat: Seat, known: frozenset[HeldKey], told: set[HeldKey]
) -> Received:
    """Count the lines of counts that have no effect now, and were taken for new ones.

    Those that were here before are set aside.
    """
    without = keys_without_effect(seat) & _held(seat)
    counts = {row[:3] for row in without_effect(seat) if row[5] in OF_COUNTS}
    out = without & counts
    came = len(out - known)
    return Received(new=-came, held=came, set_aside=len((out & known) - told))


def known_of(seat: Seat, other: str) -> Known:
    """Return what was seen of a seat before."""
    head = seat.histories.head(other)
    statements = {
        row.name: row.statements for row in seat.histories.agents() if row.seat == other
    }
    sets: dict[str, Applied] = {}
    for name in statements:
        author = seat.kb.names.author_id(name, other)
        row = None if author is None else seat.histories.input(author)
        if row is not None:
            sets[name] = applied(row.number, row.statement)
    known = head.public_key if head is not None and head.public_key else None
    return Known(known, seat.histories.leaves(other), statements, sets)
