"""Which seats of a remote a pull takes, and what it says of the others.

Anybody can make up refs. So the places of seats that are followed without being asked
belong to seats that have verified before, then to new ones whose tip was signed by
the key that the ref is named after; what fails frees its place for the next. A pull
looks at so many, first those that were never looked at, then those that have failed,
going round.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from koinii.errors import VerificationError
from koinii.history.selection import EVERYTHING, Selection
from koinii.remote.fetching import Fetched, Source, fetch_seats
from koinii.remote.moving import is_made, moving
from koinii.remote.publish import SEATS
from koinii.remote.reading import Objects
from koinii.remote.repository import Git
from koinii.remote.taking import is_unchanged
from koinii.remote.tip import open_tip
from koinii.remote.trouble import Trouble
from koinii.seat.seat import Seat
from koinii.store import meta

INCOMING = "refs/koinii/incoming/"
REMOVED = "-removed"  # no remote has such a name
MAX_SEATS = 64
_AGAIN = "looked at again"  # up to which seat, of those that failed
MAX_TRIED = 256  # refs of seats never met that one pull looks at
_ALONE = 4  # of these are spent on a ref that has to be fetched alone

_SEAT_ID = re.compile(r"[0-9a-f]{32}")


class Brought(NamedTuple):
    """What a pull has to look at: the refs that came, and seats that had not moved.

    `untried` were never looked at; `again` is the last that was, of those that have
    failed before.
    """

    moved: int
    unmoved: list[str]
    fetched: Fetched
    troubles: list[Trouble]
    untried: int
    again: str


class _New(NamedTuple):
    """What came of seats never met, and which of them have a place or were not tried.

    `left` verify and are too many, as far as it was looked.
    """

    fetched: Fetched
    left: list[str]
    untried: list[str]
    tried: list[str]


def source_of(
    git: Git, name: str, url: str, selection: Selection = EVERYTHING
) -> Source:
    """Return a remote as where other seats' refs come from."""
    return Source(git, url, f"{INCOMING}{name}/", selection)


def fetch_followed(
    seat: Seat, source: Source, tips: Mapping[str, str], *, anew: bool = False
) -> Brought:
    """Fetch the refs of the seats to follow, and say what is left of the others.

    Those that the operator has said to follow are no part of the number that is
    followed without being asked. Those whose objects are no longer here, since the
    private repository was lost, are fetched like those that have moved. `anew` looks
    at seats that have not moved too.
    """
    asked, without = seat.histories.followed(), seat.histories.unfollowed()
    seats = [one for one in tips if _SEAT_ID.fullmatch(one) and one not in without]
    met = {head.seat: bool(head.public_key) for head in seat.histories.heads()}
    known = [one for one in seats if one not in asked and met.get(one)]
    sure = [one for one in seats if one in asked] + known[:MAX_SEATS]
    here = set(source.git.list_refs(INCOMING.rstrip("/")).values())
    unmoved = [
        one
        for one in sure
        if not anew and tips[one] in here and is_unchanged(seat, one, tips[one])
    ]
    moved = [one for one in sure if one not in unmoved]
    fetched = fetch_seats(source, moved)
    unknown = [one for one in seats if one not in asked and not met.get(one)]
    last = str(meta.get(seat.database.connection, _AGAIN) or "")
    unknown.sort(key=lambda one: (one in met, one in met and one <= last, one))
    new = _fetch_new(source, unknown, MAX_SEATS - len(known))
    untried = [one for one in new.untried if one not in met]
    troubles = [
        *_odd(one for one in tips if not _SEAT_ID.fullmatch(one)),
        *_too_many([*known[MAX_SEATS:], *new.left]),
        *_not_tried(untried),
    ]
    both = _joined(fetched, new.fetched)
    came = len(both.tips) + len(both.failed)
    again = next((one for one in reversed(new.tried) if one in met), last)
    return Brought(came, unmoved, both, troubles, len(untried), again)


def keep_place(seat: Seat, again: str) -> None:
    """Keep how far refs were looked at again; the next pull begins after that."""
    if meta.get(seat.database.connection, _AGAIN) != again:
        with seat.database.write() as connection:
            meta.put(connection, _AGAIN, again)


def _fetch_new(source: Source, unknown: Sequence[str], places: int) -> _New:
    """Fetch refs in rounds, as many at once as there are places left."""
    tried, waiting, looked = MAX_TRIED, list(unknown), list[str]()
    fetched = Fetched({}, {})
    while places > 0 and tried > 0 and waiting:
        batch = waiting[: min(places, tried)]
        waiting, looked = waiting[len(batch) :], looked + batch
        came = fetch_seats(source, batch)
        fetched, objects = _joined(fetched, came), source.objects()
        places -= sum(_is_signed(objects, *one) for one in came.tips.items())
        tried -= len(batch) * (_ALONE if came.failed else 1)
    if places > 0:
        return _New(fetched, [], waiting, looked)
    return _New(fetched, waiting, [], looked)


def _is_signed(objects: Objects, other: str, tip: str) -> bool:
    try:
        open_tip(objects, other, tip)
    except VerificationError:
        return False
    return True


def _joined(one: Fetched, more: Fetched) -> Fetched:
    tips, failed = {**one.tips, **more.tips}, {**one.failed, **more.failed}
    return Fetched(tips, failed, one.surplus or more.surplus)


def _odd(names: Iterator[str]) -> Iterator[Trouble]:
    """Say which refs are no seat's; of many the first, and how many there are."""
    first, *more = [*names] or [""]
    if first:
        others = f", nor are {len(more)} more" if more else ""
        yield Trouble(first, "", "", f"{SEATS}{first} is no seat's ref{others}")


def _too_many(seats: Sequence[str]) -> Iterator[Trouble]:
    for one in seats[:1]:
        more = f" ({len(seats) - 1} others neither)" if len(seats) > 1 else ""
        yield Trouble(
            one, "", "",
            f"more than {MAX_SEATS} seats: not followed{more}; "
            f"koinii follow {one} does",
        )  # fmt: skip


def _not_tried(seats: Sequence[str]) -> Iterator[Trouble]:
    for one in seats[:1]:
        yield Trouble(
            one, "", "",
            f"{len(seats)} refs of seats never met were not looked at, after too many "
            f"that verify to nothing; the next pull goes on with them, koinii follow "
            f"{one} with this one",
        )  # fmt: skip


# What a remote shows no longer ---------------------------------------------------


def vanished(
    seat: Seat, git: Git, name: str, tips: Mapping[str, str]
) -> tuple[list[Trouble], list[str]]:
    """Return what to say of seats that a remote has shown and shows no longer.

    And those of which nothing was ever verified: there is nothing to say of them.
    """
    gone = [one for one in _shown_before(git, name) if one not in tips]
    met = _met(seat)
    without = seat.histories.unfollowed()
    troubles = [
        Trouble(one, "", "", "the remote no longer shows it; what came of it is kept")
        for one in gone
        if one in met and one not in without
    ]
    elsewhere = {ref.rpartition("/")[2] for ref in _incoming(git, name)}
    never = {head.seat for head in seat.histories.heads()} - met - elsewhere
    return troubles, sorted(never - tips.keys())


def drop_refs(seat: Seat, git: Git, name: str, tips: Mapping[str, str]) -> None:
    """Let go of refs that showed nothing that verified and are shown no longer."""
    met = _met(seat)
    for one in _shown_before(git, name):
        if one not in tips and one not in met:
            git.delete_ref(f"{INCOMING}{name}/{one}")


def _met(seat: Seat) -> set[str]:
    """Return the seats of which something has verified, or a fork is known."""
    forked = {row.seat for row in seat.heads.forks()}
    return {head.seat for head in seat.histories.heads() if head.public_key} | forked


def forget(seat: Seat, git: Git, name: str) -> None:
    """Forget which seats a remote has shown; what came of them stays.

    Also in git, below the name of no remote: what they believed is rebuilt from there.
    """
    if not is_made(git):
        return
    with moving(seat, git):
        never, met = vanished(seat, git, name, {})[1], _met(seat)
        for ref, tip in git.list_refs(f"{INCOMING}{name}").items():
            one = ref.rpartition("/")[2]
            if one in met:
                git.restore_ref(f"{INCOMING}{REMOVED}/{one}", tip)
            git.delete_ref(ref)
        forget_seats(seat, never)


def forget_seats(seat: Seat, never: Sequence[str]) -> None:
    """Forget seats of which nothing has ever verified."""
    if never:
        with seat.database.write():
            for one in never:
                seat.histories.drop_head(one)


def _shown_before(git: Git, name: str) -> Iterator[str]:
    here = f"{INCOMING}{name}/"
    yield from sorted(ref.removeprefix(here) for ref in git.list_refs(here.rstrip("/")))


def _incoming(git: Git, name: str) -> Iterator[str]:
    """Yield what other remotes than this one have shown."""
    yield from (
        ref
        for ref in git.list_refs(INCOMING.rstrip("/"))
        if not ref.startswith(f"{INCOMING}{name}/")
    )
