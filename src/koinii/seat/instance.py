"""Which of several copies of one seat this directory is.

Beside the own head the store keeps a random token, replaced at a commit. The same
token and the head are kept outside the seat once that is durable. Whoever finds
another token there, or a head that it does not have, is a copy or was restored from
a backup, and signs nothing. The token before the newest counts too: a kill between
the store and the place outside is no copy.

A token is replaced only where the place outside has the newest; so however many
processes commit, and whatever cannot be written, what is outside stays one of two.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import KoiniiError, SurroundingsError, VerificationError
from koinii.merkle import root as tree_root
from koinii.note import open_checkpoint
from koinii.note.checkpoint import SEAT_ORIGIN, parse_checkpoint, seat_verifier
from koinii.note.signed import parse_note
from koinii.seat.home import home_of
from koinii.seat.own_key import own_key
from koinii.seat.records import last_record
from koinii.store import meta

if TYPE_CHECKING:
    from koinii.note import Checkpoint
    from koinii.seat.parts import Parts

FILE = "instance"
COPIED = "koinii/seat-copied"
RECOVER = "koinii recover --from origin"
ALONE = "nothing outside shows that this is the only copy of the seat"
INSTANCE, _BEFORE = "instance", "instance_before"  # in the store
_TOKEN = 16  # bytes
_HEX = frozenset("0123456789abcdef")


class Outside(NamedTuple):
    """What was last kept outside of this seat, by whichever copy of it."""

    token: str
    head: str  # the signed checkpoint, '' before the first commit
    time: int  # ms, of that commit
    directory: str  # where the seat was that wrote it

    @property
    def size(self) -> int:
        """The number of the newest commit seen there."""
        return parse_checkpoint(parse_note(self.head.encode()).claimed_text).size


# Before something is signed ---------------------------------------------------


def check(seat: Parts) -> None:
    """Refuse to sign for a seat that is in use elsewhere, or was put back.

    Nothing outside, or nothing that can be read, refuses nothing: that is told by
    `notices` and by the doctor.

    Raises:
        VerificationError: `koinii/seat-copied`, with both numbers.
        SurroundingsError: `koinii/bad-home`: what is outside is damaged.
    """
    with seat.database.write():
        seen = _look(seat)
        if seen is not None and is_copied(seat, seen):
            raise _copied(seat, seen)


def is_copied(seat: Parts, seen: Outside) -> bool:
    """Tell whether what was seen outside is of another copy, or of a later state."""
    if seen.token not in _tokens(seat):
        return True
    return is_beyond(seat, seen)


def is_beyond(seat: Parts, seen: Outside) -> bool:
    """Tell whether a head was seen outside that is none of this history."""
    head = seat.histories.head(seat.id)
    if seen.head in ("", "" if head is None else head.checkpoint):
        return False
    top = _opened(seat, seen)
    leaves = seat.histories.leaves(seat.id)
    return top.size > len(leaves) or tree_root(leaves[: top.size]) != top.root


def read_outside(seat: Parts) -> Outside | None:
    """Return what is kept outside, None where nothing is.

    Raises:
        SurroundingsError: `koinii/cannot-read`, `koinii/bad-home`.
    """
    try:
        text = home_of(seat).read(FILE)
    except SurroundingsError as error:
        if isinstance(error.__cause__, UnicodeDecodeError):
            raise _damaged(seat) from error
        raise
    if text is None:
        return None
    try:
        seen = _parsed(text)
        if seen.head:
            _opened(seat, seen)
    except (ValueError, VerificationError) as error:
        raise _damaged(seat) from error
    return seen


def _parsed(text: str) -> Outside:
    """Read what was kept; ValueError where it is anything else."""
    values = json.loads(text)
    kinds = {"token": str, "head": str, "time": int, "directory": str}
    if type(values) is not dict or {k: type(v) for k, v in values.items()} != kinds:
        raise ValueError(text)
    if len(values["token"]) != 2 * _TOKEN or not _HEX.issuperset(values["token"]):
        raise ValueError(text)
    return Outside(**values)


def is_newest(seat: Parts, seen: Outside) -> bool:
    """Tell whether what is outside is as the store has it."""
    return seen.token == meta.get(seat.database.connection, INSTANCE)


def _look(seat: Parts) -> Outside | None:
    """Return what is outside; that there is nothing, or nothing readable, is told."""
    try:
        seen = read_outside(seat)
    except SurroundingsError as error:
        if error.code != "koinii/cannot-read":
            raise
        _tell(seat, error)
        return None
    if is_without(seat, seen):
        _say(seat, f"{ALONE}; if it is a copy: koinii recover")
    return seen


def is_without(seat: Parts, seen: Outside | None) -> bool:
    """Tell whether nothing is outside though commits were made, here or elsewhere."""
    return seen is None and seat.histories.head(seat.id) is not None


def _tokens(seat: Parts) -> tuple[object, object]:
    connection = seat.database.connection
    return meta.get(connection, INSTANCE), meta.get(connection, _BEFORE)


def _opened(seat: Parts, seen: Outside) -> Checkpoint:
    verifier = seat_verifier(own_key(seat).public)
    return open_checkpoint(seen.head.encode(), [verifier], origin=SEAT_ORIGIN + seat.id)


# Once something was signed ----------------------------------------------------


def renew(seat: Parts) -> None:
    """Replace the token in the write of a commit, and keep it outside after that."""
    connection = seat.database.connection
    try:
        seen = read_outside(seat)
        is_outside = seen is None or is_newest(seat, seen)
    except SurroundingsError:
        is_outside = False
    if is_outside:
        meta.put(connection, _BEFORE, meta.get(connection, INSTANCE))
        meta.put(connection, INSTANCE, new_token())
    seat.database.afterwards(FILE, lambda: keep(seat))


def begin_anew(seat: Parts) -> None:
    """Take this directory for the one copy that goes on, whatever is outside."""
    connection = seat.database.connection
    meta.put(connection, _BEFORE, None)
    meta.put(connection, INSTANCE, new_token())
    seat.database.afterwards(FILE, lambda: keep(seat, afresh=True))


def keep(seat: Parts, *, afresh: bool = False) -> None:
    """Have outside what the store has; where that cannot be, it is told.

    Call it outside of a write, before what was signed leaves the seat. `afresh`
    takes away what is there first, readable or not.
    """
    try:
        with seat.database.alone():
            if afresh:
                home_of(seat).remove(FILE)
            _write(seat)
    except KoiniiError as error:
        _tell(seat, error)


def _write(seat: Parts) -> None:
    token = meta.get(seat.database.connection, INSTANCE)
    head, record = seat.histories.head(seat.id), last_record(seat)
    kept = Outside(
        str(token),
        "" if head is None else head.checkpoint,
        0 if record is None else record.time,
        os.path.realpath(seat.layout.directory),
    )
    text = json.dumps(kept._asdict(), indent=1) + "\n"
    if home_of(seat).read(FILE) != text:
        home_of(seat).write(FILE, text)


def new_token() -> str:
    """Return what no copy that went on elsewhere has."""
    return os.urandom(_TOKEN).hex()


# The heads of other seats -----------------------------------------------------


def keep_head(seat: Parts, other: str, checkpoint: str, *, force: bool = False) -> bool:
    """Keep the newest head seen of another seat outside; tell whether it is kept.

    A smaller one than is kept, or another one of the same size, is not, unless
    forced. `checkpoint` is the signed note.
    """
    path, head = _path_of(other), _claimed(checkpoint)
    try:
        before = home_of(seat).read(path)
        if before == checkpoint:
            return True
        if before is not None and not force and not _follows(head, _claimed(before)):
            return False
        home_of(seat).write(path, checkpoint)
    except SurroundingsError as error:
        _tell(seat, error)
        return False
    return True


def kept_head(seat: Parts, other: str) -> str | None:
    """Return the newest head seen of another seat from here, None for none.

    It is a signed note as it came: verify it before it decides anything.

    Raises:
        SurroundingsError: `koinii/cannot-read`.
    """
    return home_of(seat).read(_path_of(other))


def _path_of(other: str) -> str:
    assert len(other) == 32 and _HEX.issuperset(other), other  # noqa: S101, PLR2004 - a seat id
    return f"heads/{other}"


def _claimed(note: str) -> Checkpoint:
    return parse_checkpoint(parse_note(note.encode()).claimed_text)


def _follows(head: Checkpoint, before: Checkpoint) -> bool:
    same = (head.size, head.root) == (before.size, before.root)
    return head.size > before.size or same


# What is told -----------------------------------------------------------------


def _tell(seat: Parts, error: KoiniiError) -> None:
    """Tell once that this directory cannot be told from a copy of it."""
    _say(
        seat,
        f"{error.message}: nothing outside shows that this seat is not a copy or an "
        "older state of itself; koinii doctor",
    )


def tell_copied(seat: Parts) -> None:
    """Tell whoever only reads that this is a copy, or an older state; a cheap look."""
    try:
        seen = read_outside(seat)
        if seen is not None and is_copied(seat, seen):
            error = _copied(seat, seen)
            _say(seat, f"{error.code}: {error.message}; {error.hint}")
    except KoiniiError:
        return  # who signs is refused, and the doctor tells why


def _say(seat: Parts, notice: str) -> None:
    if notice not in seat.notices:
        seat.notices.append(notice)


def _copied(seat: Parts, seen: Outside) -> VerificationError:
    head = seat.histories.head(seat.id)
    here = 0 if head is None else head.size
    there = seen.size if seen.head else 0
    return VerificationError(
        f"seat {seat.id} is in use elsewhere, or this directory was restored from a "
        f"backup: here is its commit {here}, and commit {there} was made at "
        f"{seen.directory}; nothing is signed here",
        code=COPIED,
        hint=RECOVER,
        here=here,
        elsewhere=there,
        since=seen.time,
        directory=seen.directory,
        seat=seat.id,
    )


def _damaged(seat: Parts) -> SurroundingsError:
    path = home_of(seat).path(FILE)
    return SurroundingsError(
        f"{path} is damaged, so nothing shows that this seat is not a copy of itself",
        code="koinii/bad-home",
        hint=f"{RECOVER}; or, if it is in no other directory and no backup: rm {path}",
        path=str(path),
    )
