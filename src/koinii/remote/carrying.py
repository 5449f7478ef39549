"""What a bundle is to carry: refs as their seats signed them, less what is there.

What the other side holds is what it was told, or what its own record says: the heads
that it has applied. Nothing is written here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from koinii.errors import KoiniiError, NotFoundError, UsageError
from koinii.history.record import CommitRecord, PeerHead, decode_record
from koinii.remote import admins
from koinii.remote.bundle_header import Needed, needed
from koinii.remote.exchange import committed
from koinii.remote.numbered import Numbered, is_here, newest_up_to
from koinii.remote.publish import SEATS
from koinii.remote.reading import Objects
from koinii.seat.peers import resolve_peer
from koinii.seat.seat import Seat
from koinii.seat.two_records import bound_heads, short

NOTHING_NEW = "koinii/nothing-new"


class Wish(NamedTuple):
    """What a bundle is to hold, and what may be left out of it."""

    all_seats: bool = False
    since: int | None = None  # a commit of ours that the other side holds
    for_seat: str | None = None  # what it says it holds


class Carried(NamedTuple):
    """The ref of one seat in a bundle; what comes after commit `since` of it."""

    seat: str
    number: int
    since: int  # 0 for all of it
    tip: str | None  # None where its git objects are not made


class Holder(NamedTuple):
    """Another seat: its newest commit here, and the newest of ours it says it holds."""

    seat: str
    number: int
    holds: int  # 0 for none


def holders(seat: Seat) -> list[Holder]:
    """Return what is known of the seats that a bundle could be for."""
    return [
        Holder(head.seat, head.size, _said_by(seat, head.seat).numbers.get(seat.id, 0))
        for head in seat.histories.heads()
        if head.seat != seat.id and head.size
    ]


class Plan(NamedTuple):
    """What a bundle carries, and where each seat's part of it begins."""

    carried: list[Carried]
    begins: Mapping[str, Numbered]  # by seat, where it does not begin at the start
    statement: str  # of the admin, '' for none
    notices: list[str]

    @property
    def refs(self) -> dict[str, str]:
        """The refs by the names that they have everywhere."""
        return {SEATS + one.seat: one.tip for one in self.carried if one.tip}

    @property
    def needs(self) -> list[Needed]:
        """The commits that the other side has to have."""
        return [needed(one.oid, s, one.number) for s, one in self.begins.items()]

    def without(self, torn: Mapping[str, str]) -> Plan:
        """Return the plan without seats that cannot be carried, and say why."""
        carried = [one for one in self.carried if one.seat not in torn]
        begins = {s: one for s, one in self.begins.items() if s not in torn}
        return Plan(carried, begins, self.statement, [*self.notices, *torn.values()])


def plan_for(seat: Seat, objects: Objects, wish: Wish) -> Plan:
    """Work out what a bundle is to carry.

    Raises:
        KoiniiError: `koinii/nothing-new`.
        UsageError, NotFoundError: no such commit, no such seat.
    """
    held = _held_there(seat, wish)
    carried, begins = list[Carried](), dict[str, Numbered]()
    notices: list[str] = []
    for one in _newest(seat, all_seats=wish.all_seats):
        number = held.numbers.get(one.seat, 0)
        if one.seat == held.reader or number >= one.number:
            continue
        if one.tip and not is_here(objects, one.tip):
            notices.append(_lost(one.seat))
            continue
        begin = _begin(objects, one, number)
        if begin is not None:
            begins[one.seat] = begin
        since = 0 if begin is None else begin.number
        if since < number:
            notices.append(_begins_earlier(one.seat, number, since))
        carried.append(one._replace(since=since))
    if not carried:
        raise nothing_new(wish)
    statement = admins.statement_here(seat) if wish.all_seats else ""
    return Plan(carried, begins, statement, [*held.notices, *notices])


def _newest(seat: Seat, *, all_seats: bool) -> Iterator[Carried]:
    """Yield the newest commit that verified of this seat, then of each other."""
    own = seat.histories.head(seat.id)
    assert own is not None  # noqa: S101 - something is committed
    made = own.tip if not seat.files.unsent() else None
    yield Carried(seat.id, own.size, 0, made)
    for head in seat.histories.heads() if all_seats else ():
        if head.seat != seat.id and head.size and head.tip:
            yield Carried(head.seat, head.size, 0, head.tip)


def _begin(objects: Objects, one: Carried, number: int) -> Numbered | None:
    """Return the git commit after which a ref is carried, None for all of it."""
    if not number:
        return None
    if one.tip is None:
        return Numbered("", number)
    return newest_up_to(objects, one.tip, number)


def _lost(seat: str) -> str:
    return (
        f"the git commits of seat {seat} are not here any more, so it is not carried: "
        "a whole bundle of it, or its next commit from a remote, brings them back"
    )


def _begins_earlier(seat: str, number: int, since: int) -> str:
    what = f"after commit {since}" if since else "at its first commit"
    return (
        f"no git commit here is commit {number} of seat {seat}, as happens where a "
        f"history was made again: what is carried of it begins {what}"
    )


class _Held(NamedTuple):
    """What the other side holds of each seat, and who that is where it is known."""

    numbers: Mapping[str, int]
    reader: str
    notices: list[str]


def _held_there(seat: Seat, wish: Wish) -> _Held:
    if wish.since is not None and wish.for_seat is not None:
        raise UsageError(
            "--since and --for both say what the other side holds: give one",
            hint="koinii bundle create FILE --for SEAT",
        )
    if wish.since is not None:
        _check_since(seat, wish.since)
        return _Held({seat.id: wish.since}, "", [])
    if wish.for_seat is None:
        return _Held({}, "", [])
    reader = resolve_peer(seat, wish.for_seat)
    if reader == seat.id:
        raise UsageError(
            "this is that seat, which needs no bundle of its own",
            hint="koinii peers lists the others",
        )
    return _said_by(seat, reader)


def _check_since(seat: Seat, since: int) -> None:
    newest = committed(seat)
    if since > newest:
        raise NotFoundError(
            f"there is no commit {since} yet: the newest is {newest}",
            code="koinii/unknown-commit",
            hint="koinii log lists them",
            newest=newest,
        )


def _said_by(seat: Seat, reader: str) -> _Held:
    """Return the heads that another seat's newest commit known here binds.

    Those that are of another history than the one here count for nothing.
    """
    head = seat.histories.head(reader)
    data = seat.histories.record(reader, head.size) if head and head.size else None
    record = None if data is None else decode_record(data)
    if not isinstance(record, CommitRecord):
        return _Held({}, reader, [f"nothing is known of what {short(reader)} holds"])
    bound = bound_heads(seat, record)
    numbers = {s: row.number for s, row in bound.items() if _is_ours(seat, s, row)}
    notices = []
    if seat.id not in numbers:
        notices.append(
            f"{short(reader)} has not said, up to its commit {record.number}, that it "
            "holds a commit of this seat: all of them are carried"
        )
    return _Held(numbers, reader, notices)


def _is_ours(seat: Seat, other: str, row: PeerHead) -> bool:
    """Tell whether a head is in the history known here, or beyond all of it."""
    head = seat.histories.head(other)
    if head is None:
        return False
    if row.number > head.size:
        return other != seat.id
    return seat.histories.leaf(other, row.number) == row.leaf


def nothing_new(wish: Wish) -> KoiniiError:
    """Return the refusal to make a bundle that would hold nothing."""
    there = "the other side holds"
    if wish.for_seat is not None:
        there = f"seat {wish.for_seat} says it holds"
    return KoiniiError(
        f"nothing is to be carried: {there} all that is committed here",
        code=NOTHING_NEW,
        hint="koinii commit, if something was said since; without --since and --for "
        "all is carried",
    )
