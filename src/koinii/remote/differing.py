"""How what another seat believed, or this one did, differs from what is believed here.

The other side is rebuilt from the private repository, where every ref that a pull
brought stands with its past.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import NotFoundError, UsageError
from koinii.history.record import CommitRecord, decode_record
from koinii.note import PublicKey
from koinii.remote.archive import Archive
from koinii.remote.auditing import Target, read_target, rebuild
from koinii.remote.beliefs import Beliefs, Clashes, beliefs, clashes, only_in
from koinii.remote.following import INCOMING
from koinii.remote.moving import moving
from koinii.remote.publish import publish
from koinii.remote.reading import Objects
from koinii.remote.rebuilding import Missing, Rebuilding
from koinii.remote.repository import Git
from koinii.remote.wanted import wanted_by
from koinii.seat.modes import admin_of, selected
from koinii.seat.peers import resolve_peer
from koinii.seat.scratch import scratch_seat
from koinii.seat.seat import Seat

if TYPE_CHECKING:
    from koinii.seat.watching import Watch

_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
_COMMIT = re.compile(r"(?:sha256:)?([0-9a-f]{8,64})")
_PREFIX = "sha256:"
_FETCH = "koinii pull, which fetches again what .koinii/git lacks"
_SEAT_DIGITS = 32


class Difference(NamedTuple):
    """What they believe at one commit beside what is believed here now.

    `missing` names what of theirs could not be rebuilt; the rest is as far as it goes.
    """

    seat: str
    number: int
    commit: str
    theirs: Beliefs
    ours: Beliefs
    clashes: Clashes
    missing: Missing | None


def diff(seat: Seat, git: Git, target: str, limit: int) -> Difference:
    """Compare this seat with a commit that is known here.

    `target` is a seat, `SEAT@N`, the number of an own commit or a commit id.

    Raises:
        NotFoundError: nothing of that name is known here.
        UsageError: it names several, or nothing.
    """
    subject, number = _resolve(seat, target)
    with rebuilding_here(seat, git, subject, seat.progress) as rebuilding:
        found = rebuild(rebuilding, number)
        there = rebuilding.scratch.kb
        with seat.kb.view(), there.view():
            return Difference(
                subject,
                found.number,
                found.recorded,
                beliefs(there, only_in(there, seat.kb), limit),
                beliefs(seat.kb, only_in(seat.kb, there), limit),
                clashes(seat.kb, there, limit),
                found.missing,
            )


@contextmanager
def rebuilding_here(
    seat: Seat, git: Git, subject: str, watch: Watch
) -> Iterator[Rebuilding]:
    """Rebuild a seat from what the private repository has."""
    if subject == seat.id and (seat.files.unsent() or not git.directory.is_dir()):
        with moving(seat, git):
            publish(seat, git)
    refs = git.list_refs(INCOMING.rstrip("/")) if git.directory.is_dir() else {}
    tips: dict[str, list[str]] = {}
    for ref, tip in sorted(refs.items()):
        tips.setdefault(ref.rpartition("/")[2], []).append(tip)
    own = seat.histories.tip(seat.id)
    if own:
        tips[seat.id] = [own]
    connection = seat.database.connection
    objects = Objects(git.directory, wanted=wanted_by(selected(connection)))
    archive = Archive(objects, tips, {}, hint=_FETCH)
    admin = admin_of(connection)
    admins = [] if admin is None else [PublicKey(admin)]
    with scratch_seat(watch) as scratch:
        yield Rebuilding(scratch, archive, subject, admins)


# What is meant ---------------------------------------------------------------------


def _resolve(seat: Seat, text: str) -> tuple[str, int]:
    """Return the seat and the number of the commit that a target names."""
    if _NUMBER.fullmatch(text) and _own_size(seat) >= int(text):
        return seat.id, int(text)
    if "@" in text:
        return _by_seat(seat, read_target(text))
    if text.startswith(_PREFIX) or len(text) > _SEAT_DIGITS:
        return _by_commit(seat, text)
    if text.isdecimal() and len(text) < len("12345678"):
        raise _no_commit(seat, int(text))
    try:
        return _by_seat(seat, read_target(text))
    except NotFoundError as error:
        if error.code != "koinii/unknown-seat":
            raise
        return _by_commit(seat, text)


def _own_size(seat: Seat) -> int:
    head = seat.histories.head(seat.id)
    return 0 if head is None else head.size


def _by_seat(seat: Seat, target: Target) -> tuple[str, int]:
    subject = resolve_peer(seat, target.seat)
    head = seat.histories.head(subject)
    size = 0 if head is None else head.size
    if not 0 < (target.number or size) <= size:
        raise NotFoundError(
            f"of seat {subject} {size} commits are known here",
            code="koinii/unknown-commit",
            hint="koinii pull brings what it has shown since",
            seat=subject,
            number=target.number,
        )
    return subject, target.number or size


def _by_commit(seat: Seat, text: str) -> tuple[str, int]:
    """Return the newest commit of an id; of this seat, where it has one."""
    found = _COMMIT.fullmatch(text)
    if found is None:
        raise UsageError(
            f"{text!r} is no seat, no number of a commit and no commit id",
            hint="koinii diff SEAT, SEAT@N, N, or sha256:… as koinii log shows it",
        )
    rows = {
        record.commit_id: (one, record.number)
        for one in _known_seats(seat)
        for record in _records(seat, one)
        if record.commit.hex().startswith(found[1])
    }
    if len(rows) > 1:
        raise UsageError(
            f"{text} begins {len(rows)} commit ids: {', '.join(sorted(rows))}",
            code="koinii/ambiguous-commit",
            hint="give more digits",
            candidates=sorted(rows),
        )
    if not rows:
        raise NotFoundError(
            f"no seat and no commit {text} is known here",
            code="koinii/unknown-commit",
            hint="koinii log and koinii peers list them",
        )
    return rows.popitem()[1]


def _known_seats(seat: Seat) -> list[str]:
    """Return the seats with a history here, this one last."""
    others = [head.seat for head in seat.histories.heads() if head.seat != seat.id]
    return [*others, seat.id]


def _records(seat: Seat, one: str) -> Iterator[CommitRecord]:
    head = seat.histories.head(one)
    size = 0 if head is None else head.size
    for data in seat.histories.records(one, 1, size):
        record = decode_record(data)
        if isinstance(record, CommitRecord):
            yield record


def _no_commit(seat: Seat, number: int) -> NotFoundError:
    return NotFoundError(
        f"this seat has {_own_size(seat)} commits, and none numbered {number}",
        code="koinii/unknown-commit",
        hint="koinii log",
        number=number,
    )
