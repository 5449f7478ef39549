"""Push, pull and clone over a git remote; what they report is what is there.

A pull takes each seat's ref alone: verified and applied, or left at its last
good state with the reason. Running it again changes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from koinii.errors import KoiniiError, NotFoundError, VerificationError
from koinii.note import PublicKey
from koinii.remote.applying import Received, apply_seat
from koinii.remote.publish import SEATS, own_ref, publish
from koinii.remote.reading import Objects
from koinii.remote.remoteref import REMOTE_REF, check_remote, remote_commit
from koinii.remote.repository import Git
from koinii.remote.verify import FetchedSeat, Known, verify_seat
from koinii.seat.reviewing import contested
from koinii.seat.seat import Seat
from koinii.store.histories import Head
from koinii.trust.statements import open_authored, statement_hash

MAX_SEATS = 64
INCOMING = "refs/koinii/incoming/"


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
        EnvironmentError_: no such place, no network, no git.
    """
    url = address(seat, name)
    tip = publish(seat, git)
    if not tip:
        raise KoiniiError(
            "there is nothing to push yet",
            code="koinii/nothing-committed",
            hint="koinii commit",
        )
    ref = own_ref(seat)
    there = git.ls_remote(url, "refs/koinii/*")
    check_remote(git, url, there)
    moved = there.get(ref) != tip
    if moved:
        git.push_and_confirm(url, tip, ref, there.get(ref))
    if REMOTE_REF not in there:
        git.push_and_confirm(url, remote_commit(git), REMOTE_REF, None)
    head = seat.histories.head(seat.id)
    return Pushed(name, ref, tip, head.size if head else 0, moved)


# Pull -------------------------------------------------------------------------


def pull(seat: Seat, git: Git, name: str) -> Pulled:
    """Bring what other seats have shown on a remote, verified and decided on."""
    url = address(seat, name)
    publish(seat, git)
    here = f"{INCOMING}{name}/"
    git.fetch(url, [f"+{SEATS}*:{here}*"])
    refs = git.list_refs(here.rstrip("/"))
    tips = {ref.removeprefix(here): oid for ref, oid in sorted(refs.items())}
    tips.pop(seat.id, None)
    counts, troubles, moved = Received(), [], 0
    for other in list(tips)[:MAX_SEATS]:
        if _unchanged(seat, other, tips[other]):
            continue
        moved += 1
        got, refused = _take(seat, git, other, tips[other])
        counts = counts.plus(got)
        troubles += refused
    troubles += [
        Trouble(other, "", "", f"more than {MAX_SEATS} seats: not followed")
        for other in list(tips)[MAX_SEATS:]
    ]
    return Pulled(name, len(tips), moved, *counts, troubles, contests(seat))


def _unchanged(seat: Seat, other: str, tip: str) -> bool:
    head = seat.histories.head(other)
    return head is not None and head.tip == tip and not head.trouble


def _take(seat: Seat, git: Git, other: str, tip: str) -> tuple[Received, list[Trouble]]:
    try:
        objects = Objects(git.directory)
        files = objects.list_files(tip)
        fetched = FetchedSeat(
            other, files, lambda path, most: objects.read(files[path].oid, most, path)
        )
        verified = verify_seat(fetched, _known(seat, other))
        applied = apply_seat(seat, fetched, verified, tip)
    except VerificationError as error:
        _mark(seat, other, error)
        path = str(error.details.get("path", ""))
        return Received(), [Trouble(other, "", path, error.message)]
    return applied.counts, [Trouble(other, *one) for one in applied.refused]


def _mark(seat: Seat, other: str, error: VerificationError) -> None:
    """Remember that a seat's newest ref was refused; it stays where it was."""
    with seat.database.write():
        if seat.histories.head(other) is None:
            seat.histories.put_head(Head(other, b"", 0, "", "", ""))
        seat.histories.set_trouble(other, error.message)


def _known(seat: Seat, other: str) -> Known:
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
    from koinii.note import PublicKey as Key  # noqa: PLC0415

    pins = seat.histories.pins()
    rows = {(row.name, row.seat): row for row in seat.histories.agents()}
    by_hash = {Key(row.public_key).key_hash.hex(): row for row in rows.values()}
    return [
        Contest(
            agent,
            place,
            Key(by_hash[pins[agent]].public_key).fingerprint,
            Key(rows[agent, place].public_key).fingerprint,
        )
        for agent, place in sorted(contested(seat))
    ]
