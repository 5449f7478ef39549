"""A seat that was copied or restored goes on from the history that a remote shows.

That history was signed by this seat's own key. It becomes this seat's, and what was
said here since the last commit that both have is put on top of it, as changes not
yet committed. What was taken back there stays taken back.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from koinii.errors import (
    KoiniiError,
    NotFoundError,
    RefusedError,
    SurroundingsError,
    VerificationError,
)
from koinii.kb.operation import Fallen
from koinii.remote.adopting import Adopted, adopt
from koinii.remote.exchange import address
from koinii.remote.fetched import FetchedSeat, bad
from koinii.remote.fetching import Source, bring
from koinii.remote.moving import moving
from koinii.remote.own_lines import NOTHING, Read, Shown, shown, shown_at
from koinii.remote.ownref import RETURNED
from koinii.remote.publish import ALL, own_ref
from koinii.remote.reading import Objects
from koinii.remote.remoteref import read_face
from koinii.remote.repository import Git
from koinii.remote.tip import open_tip, read_tip
from koinii.remote.verified_history import record_of
from koinii.remote.verify import Known, VerifiedSeat, verify_seat
from koinii.seat import instance
from koinii.seat.own_key import own_key
from koinii.seat.rehearsing import rehearse
from koinii.seat.rereading import sound_leaves
from koinii.seat.seat import Seat

_TRAILER = re.compile(r"\nKoinii-Commit: ([1-9][0-9]{0,14})\n\Z")


class Recovered(NamedTuple):
    """What a recovery came to.

    `common` counts the commits that this copy had and the remote has. `taken` and
    `removed` are lines of our agents that came and went with those after it; `kept`
    the changes made here, which the next commit carries. `keyless` are agents of this
    seat whose keys are not in this directory, so that nothing they say can be signed.
    """

    remote: str
    number: int  # of the newest commit, which is ours now
    common: int
    moved: bool  # whether there was anything to take over
    taken: int
    removed: int
    kept: int
    agents: list[str]  # introduced in the other copy; their keys are there
    fell: list[Fallen]
    elsewhere: str  # another place where commits were made that the remote lacks
    keyless: list[str]


class _Came(NamedTuple):
    """What the remote shows of this seat, fetched and verified."""

    remote: str
    tip: str
    fetched: FetchedSeat
    verified: VerifiedSeat


def recover(seat: Seat, git: Git, name: str) -> Recovered:
    """Take the remote's history of this seat over, and put on it what is new here.

    All or nothing; once more changes nothing.

    Raises:
        NotFoundError: the remote shows nothing of this seat.
        VerificationError: what it shows is not signed by this seat's key; a push
            replaces it.
        RefusedError: what was said here cannot be told from what was there before.
    """
    return recover_from(seat, git, name, address(seat, name))


def recover_from(seat: Seat, git: Git, name: str, url: str) -> Recovered:
    """Take over what an address shows, of which errors speak by its name."""
    seat.align()
    with moving(seat, git):
        came = _fetch(seat, git, name, url)
        recovered = _take(seat, git, came)
        if recovered.moved:
            git.restore_ref(own_ref(seat), came.tip)
    return recovered


def rehearse_recover(seat: Seat, git: Git, name: str) -> Recovered:
    """Say what `recover` would do; the seat stays as it is."""
    url = address(seat, name)
    with moving(seat, git):
        came = _fetch(seat, git, name, url)
        return rehearse(seat, lambda: _take(seat, git, came))


def _fetch(seat: Seat, git: Git, name: str, url: str) -> _Came:
    """Fetch our own ref and verify it as another seat's, under our own key."""
    ref, here = own_ref(seat), RETURNED + seat.id
    there = git.ls_remote(url, ALL)
    read_face(git, url, there)
    if ref not in there:
        raise NotFoundError(
            f"remote {name} shows nothing of seat {seat.id}",
            code="koinii/nothing-to-recover",
            hint="koinii push there from the copy that went on, or name another remote",
            remote=name,
        )
    key = own_key(seat).public.raw
    try:
        bring(Source(git, url, RETURNED), [seat.id])
        tip = git.list_refs(RETURNED.rstrip("/"))[here]
        fetched = open_tip(Objects(git.directory), seat.id, tip)
        verified = verify_seat(fetched, Known(key, [], {}, {}))
        for one in verified.refused:
            raise bad(one.path, one.reason)
    except VerificationError as error:
        raise _forged(name, ref, error) from error
    return _Came(name, tip, fetched, verified)


def _forged(name: str, ref: str, error: VerificationError) -> VerificationError:
    return VerificationError(
        f"{ref} on {name} does not show what this seat has signed: {error.message}",
        code=error.code,
        hint=f"koinii push {name} replaces it with what is here",
        **{**error.details, "ref": ref, "remote": name},
    )


def _take(seat: Seat, git: Git, came: _Came) -> Recovered:
    theirs = came.verified.history.leaves
    with seat.kb.write():
        mine = sound_leaves(seat)
        common = _common(mine, theirs)
        moved, adopted = common < len(theirs), Adopted(0, 0, [])
        if moved:
            base = _base(seat, git, came, common)
            adopted = adopt(seat, came.fetched, came.verified, came.tip, base)
        elsewhere = _begin(seat, moved=moved)
        fell = seat.kb.fallen()
        number = len(seat.histories.leaves(seat.id))
        kept = seat.kb.assertions.count_changes()
    return Recovered(
        came.remote, number, common, moved, adopted.taken, adopted.removed, kept,
        adopted.agents, fell, elsewhere, _keyless(seat),
    )  # fmt: skip


def _keyless(seat: Seat) -> list[str]:
    """Return the agents of this seat whose key files are not here."""
    return [
        row.name
        for row in seat.histories.agents()
        if row.seat == seat.id and not Path(seat.layout.agent_key(row.name)).exists()
    ]


def _common(mine: list[bytes], theirs: list[bytes]) -> int:
    """Return how many records two histories begin with that are the same."""
    pairs = zip(mine, theirs, strict=False)
    return next(
        (at for at, (one, other) in enumerate(pairs) if one != other),
        min(len(mine), len(theirs)),
    )


def _begin(seat: Seat, *, moved: bool) -> str:
    """Make this the copy that goes on.

    Return where more was seen than is here now, '' where that was this directory,
    which was restored from a backup.
    """
    try:
        seen = instance.read_outside(seat)
        is_damaged = False
    except SurroundingsError:
        seen, is_damaged = None, True
    copied = seen is not None and instance.is_copied(seat, seen)
    if moved or copied or is_damaged:
        instance.begin_anew(seat)
    if seen is None or not seen.head or not instance.is_beyond(seat, seen):
        return ""
    here = os.path.realpath(seat.layout.directory)
    return "" if seen.directory == here else seen.directory


# What both copies began with -----------------------------------------------------


def _base(seat: Seat, git: Git, came: _Came, common: int) -> Shown:
    """Return what our agents had said at the last commit that both have."""
    if not common:
        return NOTHING
    head = seat.histories.head(seat.id)
    if head is not None and head.size == common:
        return shown((path for path, _, _ in seat.files.listing()), _stored(seat))
    record = record_of(came.fetched, came.verified.history.leaves, common)
    objects = Objects(git.directory)
    for commit in _commits_of(objects, [came.tip, seat.histories.tip(seat.id)], common):
        try:
            return shown_at(read_tip(objects, seat.id, commit), record.manifest)
        except VerificationError:
            continue
    raise RefusedError(
        f"what was said here cannot be told from what was there before: the files of "
        f"commit {common} are in git neither here nor on {came.remote}",
        code="koinii/past-lost",
        hint="go on in a seat of your own, and bring the agents' keys: koinii clone "
        "ADDRESS NEW-DIR --as AgentYou --key .koinii/keys/AgentYou",
        commit=common,
    )


def _stored(seat: Seat) -> Read:
    def read(path: str) -> bytes:
        body = seat.files.body(path)
        assert body is not None  # noqa: S101 - the listing named it
        return zlib.decompress(body)

    return read


def _commits_of(objects: Objects, tips: list[str], number: int) -> Iterator[str]:
    """Yield the git commits, below these tips, that show a commit of the seat."""
    for tip in tips:
        oid: str | None = tip
        while oid:
            try:
                commit = objects.read_commit(oid)
            except KoiniiError:
                break
            found = _TRAILER.search(commit.message)
            if found is None or int(found[1]) < number:
                break
            if int(found[1]) == number:
                yield oid
                break
            oid = commit.parent
