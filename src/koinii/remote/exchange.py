"""Push, pull and clone over a git remote; what they report is what is there.

A pull takes each seat's ref alone: verified and applied, or left at its last
good state with the reason. Running it again changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from koinii.errors import KoiniiError, NotFoundError, SurroundingsError
from koinii.note import PublicKey
from koinii.remote.applying import Received, apply_seat, introduce
from koinii.remote.fetched import FetchedSeat
from koinii.remote.fetching import fetch_seats
from koinii.remote.git_words import redact
from koinii.remote.moving import moving
from koinii.remote.publish import SEATS, own_ref, publish
from koinii.remote.reading import Objects
from koinii.remote.remoteref import REMOTE_REF, check_remote, remote_commit
from koinii.remote.repository import Git
from koinii.remote.verify import Known, VerifiedSeat, verify_seat
from koinii.seat.reviewing import contested
from koinii.seat.seat import Seat
from koinii.store.histories import Head
from koinii.trust.statements import open_authored, statement_hash

ALL = "refs/koinii/*"
INCOMING = "refs/koinii/incoming/"
MAX_SEATS = 64

_SEAT_ID = re.compile(r"[0-9a-f]{32}")


class Pushed(NamedTuple):
    """What a push left on the remote, read back from there."""

    remote: str
    ref: str
    tip: str
    number: int
    moved: bool


class Trouble(NamedTuple):
    """What was not applied, whose it is, the file, and why."""

    seat: str
    agent: str
    path: str
    reason: str


class Contest(NamedTuple):
    """One name with two keys; lines of the other key are held."""

    agent: str
    seat: str
    pinned: str
    other: str


class Pulled(NamedTuple):
    """What a pull did; received = new + already + waiting + held."""

    remote: str
    seats: int
    moved: int
    received: int
    new: int
    already: int
    waiting: int
    held: int
    removed: int
    troubles: list[Trouble]
    contested: list[Contest]

    @property
    def whole(self) -> bool:
        """Whether everything that came was applied."""
        return not (self.held or self.troubles or self.contested)


def address(seat: Seat, name: str) -> str:
    """Return the address of a remote by its name in `seat.toml`."""
    url = seat.config.remotes.get(name)
    if url is None:
        raise NotFoundError(
            f"there is no remote {name}",
            code="koinii/unknown-remote",
            hint=f"koinii remote add {name} ADDRESS",
            remote=name,
        )
    return url


# Push -------------------------------------------------------------------------


def push(seat: Seat, git: Git, name: str) -> Pushed:
    """Show this seat's commits on a remote, and read back what it now holds.

    Raises:
        KoiniiError: the remote refused, with its words; or another copy of this
            seat has pushed commits that this one does not have.
        SurroundingsError: no such place, no network, no git.
    """
    url = address(seat, name)
    with moving(seat, git):
        tip = publish(seat, git)
        if not tip:
            raise KoiniiError(
                "there is nothing to push yet",
                code="koinii/nothing-committed",
                hint="koinii commit",
            )
        ref = own_ref(seat)
        there = git.ls_remote(url, ALL)
        check_remote(git, url, there)
        if troubles := _own(seat, git, there.get(ref, "")):
            raise _raced(url, troubles[0].reason)
        moved = there.get(ref) != tip
        if moved:
            git.push_and_confirm(url, tip, ref, there.get(ref))
        if REMOTE_REF not in there:
            git.push_and_confirm(url, remote_commit(git), REMOTE_REF, None)
    head = seat.histories.head(seat.id)
    return Pushed(name, ref, tip, head.size if head else 0, moved)


def _raced(url: str, reason: str) -> KoiniiError:
    return KoiniiError(
        f"nothing was pushed to {redact(url)}: {reason}",
        code="koinii/push-raced",
        hint="go on with the copy that pushed them, or make a new seat: "
        "koinii clone ADDRESS DIR --as AgentYou",
    )


# Pull -------------------------------------------------------------------------


def pull(seat: Seat, git: Git, name: str) -> Pulled:
    """Bring what other seats have shown on a remote, verified and decided on.

    One request where nothing moved. Agents met for the first time are introduced
    before any line is decided on, so that the order of seats does not matter.
    """
    url = address(seat, name)
    with moving(seat, git):
        publish(seat, git)
        there = git.ls_remote(url, ALL)
        check_remote(git, url, there)
        tips = {ref.removeprefix(SEATS): oid for ref, oid in sorted(there.items())
                if ref.startswith(SEATS)}  # fmt: skip
        troubles = _own(seat, git, tips.pop(seat.id, ""))
        followed, left = _followed(seat, tips)
        troubles += left
        moved = [one for one in followed if not _unchanged(seat, one, tips[one])]
        fetched, failed = fetch_seats(git, url, f"{INCOMING}{name}/", moved)
        for one, reason in failed.items():
            _mark(seat, one, reason)
            troubles.append(Trouble(one, "", "", reason))
        counts = Received()
        for got, refused in _take_all(seat, git, fetched):
            counts = counts.plus(got)
            troubles += refused
    return Pulled(name, len(tips), len(moved), *counts, troubles, contests(seat))


def _own(seat: Seat, git: Git, tip: str) -> list[Trouble]:
    """Say so where the remote shows commits of this seat that are not here."""
    mine = seat.histories.tip(seat.id)
    if not tip or (mine and git.is_ancestor(tip, mine)):
        return []
    reason = (
        "the remote shows commits of this seat that are not here: it was copied, "
        "or restored from a backup"
    )
    return [Trouble(seat.id, "", "", reason)]


def _followed(seat: Seat, tips: dict[str, str]) -> tuple[list[str], list[Trouble]]:
    """Return the seats to follow, known ones first, and what to say of the others."""
    known = {head.seat for head in seat.histories.heads() if head.size}
    seats = [one for one in tips if _SEAT_ID.fullmatch(one)]
    seats.sort(key=lambda one: one not in known)
    troubles = [
        Trouble(one, "", "", f"{SEATS}{one} is no seat's ref")
        for one in tips
        if not _SEAT_ID.fullmatch(one)
    ]
    troubles += [
        Trouble(one, "", "", f"more than {MAX_SEATS} seats: not followed")
        for one in seats[MAX_SEATS:]
    ]
    return seats[:MAX_SEATS], troubles


def _unchanged(seat: Seat, other: str, tip: str) -> bool:
    head = seat.histories.head(other)
    return head is not None and head.tip == tip and not head.trouble


def _take_all(
    seat: Seat, git: Git, tips: dict[str, str]
) -> Iterator[tuple[Received, list[Trouble]]]:
    """Verify every seat, then introduce the agents, then apply seat by seat."""
    objects = Objects(git.directory)
    good: list[tuple[FetchedSeat, VerifiedSeat]] = []
    for other, tip in tips.items():
        try:
            fetched = _fetched(objects, other, tip)
            good.append((fetched, verify_seat(fetched, known_of(seat, other))))
        except SurroundingsError:
            raise
        except KoiniiError as error:
            _mark(seat, other, error.message)
            path = str(error.details.get("path", ""))
            yield Received(), [Trouble(other, "", path, error.message)]
    introduce(seat, [verified for _, verified in good])
    for fetched, verified in good:
        applied = apply_seat(seat, fetched, verified, tips[verified.seat])
        yield applied.counts, [Trouble(verified.seat, *one) for one in applied.refused]


def _fetched(objects: Objects, other: str, tip: str) -> FetchedSeat:
    files = objects.list_files(tip)
    return FetchedSeat(
        other, files, lambda path, most: objects.read(files[path].oid, most, path)
    )


def _mark(seat: Seat, other: str, reason: str) -> None:
    """Remember that a seat's newest ref was refused; it stays where it was."""
    with seat.database.write():
        if seat.histories.head(other) is None:
            seat.histories.put_head(Head(other, b"", 0, "", "", ""))
        seat.histories.set_trouble(other, reason)


def known_of(seat: Seat, other: str) -> Known:
    """Return what was seen of a seat before."""
    head = seat.histories.head(other)
    keys = {
        row.name: row.public_key for row in seat.histories.agents() if row.seat == other
    }
    sets: dict[str, tuple[int, bytes]] = {}
    for name, key in keys.items():
        author = seat.kb.names.author_id(name, other)
        row = None if author is None else seat.histories.input(author)
        if row is not None:
            authored = open_authored(row.statement.encode(), PublicKey(key))
            sets[name] = (row.number, statement_hash(authored))
    known = head.public_key if head is not None and head.public_key else None
    return Known(known, seat.histories.leaves(other), keys, sets)


def contests(seat: Seat) -> list[Contest]:
    """Return the names that stand for another key here than elsewhere."""
    pins = seat.histories.pins()
    rows = {(row.name, row.seat): row for row in seat.histories.agents()}
    by_hash = {PublicKey(row.public_key).key_hash.hex(): row for row in rows.values()}
    return [
        Contest(
            agent,
            place,
            PublicKey(by_hash[pins[agent]].public_key).fingerprint,
            PublicKey(rows[agent, place].public_key).fingerprint,
        )
        for agent, place in sorted(contested(seat))
    ]
