"""What the seats of a pull say of each other's heads, against what it shows itself.

Each verified seat carries `cosigned/<seat id>`: heads it has checked, and evidence.
They are read before anything is applied, so that a second history is not taken
first and taken back then. A file that is not good refuses itself alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from koinii.errors import (
    KoiniiError,
    SurroundingsError,
    UsageError,
    VerificationError,
)
from koinii.history.cosigned import MAX_COSIGNED, Cosigned, open_cosigned, read_cosigned
from koinii.history.evidence import Branch
from koinii.merkle import root as tree_root
from koinii.note import (
    Checkpoint,
    PublicKey,
    open_checkpoint,
    parse_checkpoint,
    parse_note,
    seat_verifier,
)
from koinii.note.checkpoint import SEAT_ORIGIN
from koinii.remote.evidence import branch_of, keep, meet
from koinii.remote.fetched import FetchedSeat
from koinii.remote.forks import frozen, key_of
from koinii.remote.reading import Objects
from koinii.remote.tip import read_tip
from koinii.remote.trouble import Trouble
from koinii.remote.verify import VerifiedSeat
from koinii.seat import instance
from koinii.seat.arguments import count, maybe_count
from koinii.seat.cosigning import FOLDER
from koinii.seat.seat import Seat
from koinii.store.heads import TAKEN, CosignatureRow

BEHIND = "koinii/behind"
WENT_BACK = "koinii/went-back"
TOO_FEW = "koinii/too-few-cosigners"

_SEAT_ID = re.compile(r"[0-9a-f]{32}")


class Need(NamedTuple):
    """How many other seats have to have cosigned a head, and how lately."""

    cosigners: int = 0
    max_age: int | None = None  # seconds


def need_of(cosigners: int, max_age: int | None) -> Need:
    """Return what is needed of other seats' heads, as it was asked for.

    Raises:
        UsageError: an age of cosignatures, and none are needed.
    """
    need = Need(count(cosigners, "require_cosigners"), maybe_count(max_age, "max_age"))
    if need.max_age is not None and not need.cosigners:
        raise UsageError(
            "max_age says how old cosignatures may be, and none are asked for",
            hint="koinii pull --require-cosigners 1 --max-age SECONDS",
            argument="max_age",
        )
    return need


class Shown(NamedTuple):
    """A ref of this pull that was verified; `back` on the common prefix alone."""

    fetched: FetchedSeat
    verified: VerifiedSeat
    tip: str
    back: bool = False

    @property
    def seat(self) -> str:
        """Whose ref it is."""
        return self.verified.seat

    @property
    def head(self) -> Checkpoint:
        """The head that it shows."""
        return _claimed(self.verified.history.checkpoint)

    @property
    def branch(self) -> Branch:
        """The head with its leaves."""
        history = self.verified.history
        return branch_of(history.checkpoint, history.leaves)


def _claimed(note: str) -> Checkpoint:
    return parse_checkpoint(parse_note(note.encode()).claimed_text)


# The files --------------------------------------------------------------------


def read_files(seat: Seat, objects: Objects, shown: Sequence[Shown]) -> list[Trouble]:
    """Read what verified seats say of those that are known, or met just now."""
    met = {one.seat: one for one in shown}
    known = {head.seat for head in seat.histories.heads()} | met.keys() | {seat.id}
    troubles = []
    for one in shown:
        troubles += _unknown_names(one)
        for subject in sorted(_subjects(one.fetched) & known):
            troubles += _read(seat, met, one.fetched, _key(one), subject)
    new = {one for one in met if not _is_known(seat, one)}
    for fetched, key in _earlier(seat, objects, met, new):
        for subject in sorted(_subjects(fetched) & new):
            troubles += _read(seat, met, fetched, key, subject)
    return troubles


def _key(one: Shown) -> PublicKey:
    return one.verified.history.key


def _is_known(seat: Seat, other: str) -> bool:
    head = seat.histories.head(other)
    return head is not None and head.size > 0


def _subjects(fetched: FetchedSeat) -> set[str]:
    paths = (path for path in fetched.files if path.startswith(FOLDER))
    return {path.removeprefix(FOLDER) for path in paths}


def _unknown_names(one: Shown) -> list[Trouble]:
    """Return what to say of files that are named after no seat, one for all."""
    bad = sorted(x for x in _subjects(one.fetched) if not _SEAT_ID.fullmatch(x))
    return [
        Trouble(
            one.seat, "", FOLDER + name, "it is no seat's id", "koinii/bad-cosigned"
        )
        for name in bad[:1]
    ]


def _earlier(
    seat: Seat, objects: Objects, met: Mapping[str, Shown], new: set[str]
) -> Iterator[tuple[FetchedSeat, PublicKey]]:
    """Yield what was applied of other seats, where it may speak of a new one."""
    without = seat.histories.unfollowed() | met.keys() | {seat.id}
    for head in seat.histories.heads() if new else ():
        if head.size and head.tip and head.seat not in without:
            try:
                fetched = read_tip(objects, head.seat, head.tip)
            except VerificationError:
                continue
            yield fetched, PublicKey(head.public_key)


def _read(
    seat: Seat,
    met: Mapping[str, Shown],
    fetched: FetchedSeat,
    cosigner: PublicKey,
    subject: str,
) -> list[Trouble]:
    """Take in one file; its seat's own key, where known, has to be the one in it."""
    path = FOLDER + subject
    key = key_of(seat, subject) or (_key(met[subject]) if subject in met else None)
    try:
        body = fetched.body(path, MAX_COSIGNED)
        said = open_cosigned(read_cosigned(body), cosigner, seat=subject, key=key)
    except SurroundingsError:
        raise
    except KoiniiError as error:
        return [Trouble(fetched.seat, "", path, error.message, error.code)]
    with seat.database.write():
        _take_head(seat, met.get(subject), said, fetched.seat)
        if said.fork is not None and subject != seat.id:
            keep(seat, subject, [said.fork])
    if said.fork is not None and subject == seat.id:
        return [
            _copied(seat, fetched.seat, "has evidence of two histories of this seat")
        ]
    return []


def _take_head(seat: Seat, shown: Shown | None, said: Cosigned, cosigner: str) -> None:
    """Keep a cosigned head, and compare it with the history that is known here."""
    if said.head is None:
        return
    top, note = said.head.checkpoint, said.head.note
    seat.heads.put_cosignature(
        CosignatureRow(
            said.seat, cosigner, top.size, said.head.seconds, note.decode()
        )
    )  # fmt: skip
    if said.seat != seat.id:
        leaves = _leaves(seat, said.seat, shown)
        if top.size <= len(leaves) and tree_root(leaves[: top.size]) != top.root:
            branches = [Branch(note)] if shown is None else [Branch(note), shown.branch]
            meet(seat, said.seat, said.key, branches)


def _leaves(seat: Seat, other: str, shown: Shown | None) -> list[bytes]:
    if shown is not None:
        return shown.verified.history.leaves
    return seat.histories.leaves(other)


# Heads kept outside -----------------------------------------------------------


def check_kept(seat: Seat, one: Shown) -> Trouble | None:
    """Compare a ref with the newest head seen from here, which no backup puts back.

    Another history than that head's is evidence; an older one is only told.
    """
    kept = _kept(seat, one.seat, _key(one))
    if kept is None or seat.heads.fork(one.seat) is not None:
        return None
    note, top = kept
    leaves = one.verified.history.leaves
    if top.size > len(leaves):
        return _older(one.seat, top.size, len(leaves))
    if tree_root(leaves[: top.size]) != top.root:
        meet(seat, one.seat, _key(one), [Branch(note.encode()), one.branch])
    return None


def check_unmoved(seat: Seat, others: Sequence[str]) -> Iterator[Trouble]:
    """Yield the seats that a remote shows as they are here, where that is too old."""
    for other in others:
        head, key = seat.histories.head(other), key_of(seat, other)
        if head is None or key is None or seat.heads.fork(other) is not None:
            continue
        kept = _kept(seat, other, key)
        if kept is not None and kept[1].size > head.size:
            yield _older(other, kept[1].size, head.size)


def keep_outside(seat: Seat, others: Sequence[str]) -> None:
    """Keep the newest heads of seats where no backup of this one takes them along.

    Call it once they are durable, outside of a write.
    """
    stay = frozen(seat)
    for other in others:
        head, fork = seat.histories.head(other), seat.heads.fork(other)
        if head is None or not head.size or other in stay:
            continue
        decided = fork is not None and fork.decided == TAKEN
        damaged = _kept(seat, other, PublicKey(head.public_key)) is None
        instance.keep_head(seat, other, head.checkpoint, force=decided or damaged)


def _kept(seat: Seat, other: str, key: PublicKey) -> tuple[str, Checkpoint] | None:
    """Return the head kept outside, None for none or one that its seat did not sign."""
    try:
        note = instance.kept_head(seat, other)
        if note is None:
            return None
        origin = SEAT_ORIGIN + other
        return note, open_checkpoint(note.encode(), [seat_verifier(key)], origin=origin)
    except (SurroundingsError, VerificationError):
        return None


def _older(other: str, seen: int, shown: int) -> Trouble:
    reason = (
        f"the history went back: commit {seen} of seat {other} was seen from here, and "
        f"this remote shows {shown}; nothing of it was applied"
    )
    return Trouble(other, "", "checkpoint", reason, WENT_BACK)


# What this remote does not show -----------------------------------------------


def tell_own(seat: Seat) -> Iterator[Trouble]:
    """Yield who has cosigned a head of this seat that is not in its history."""
    mine = seat.histories.leaves(seat.id)
    for row in seat.heads.cosignatures():
        top = _claimed(row.note)
        is_mine = tree_root(mine[: top.size]) == top.root and top.size <= len(mine)
        if row.seat == seat.id and not is_mine:
            yield _copied(
                seat, row.cosigner,
                f"has cosigned commit {row.size} of this seat, which is not in its "
                "history here",
            )  # fmt: skip


def _copied(seat: Seat, cosigner: str, what: str) -> Trouble:
    reason = (
        f"seat {cosigner} {what}: this seat was copied, or restored from a backup; "
        f"{instance.RECOVER}"
    )
    return Trouble(seat.id, "", "", reason, instance.COPIED)


def tell_behind(seat: Seat, heads: Mapping[str, Checkpoint]) -> Iterator[Trouble]:
    """Yield the seats of which somebody has cosigned more than this remote shows."""
    stay, without = frozen(seat), seat.histories.unfollowed()
    newest: dict[str, CosignatureRow] = {}
    for row in seat.heads.cosignatures():
        if row.cosigner not in without and row.seat not in stay:
            best = newest.get(row.seat)
            newest[row.seat] = row if best is None or row.size > best.size else best
    for other, head in sorted(heads.items()):
        seen = newest.get(other)
        if seen is not None and seen.size > head.size:
            by = "this seat" if seen.cosigner == seat.id else f"seat {seen.cosigner}"
            reason = (
                f"{by} has cosigned commit {seen.size} of seat {other}; this remote "
                f"shows {head.size}"
            )
            yield Trouble(other, "", "checkpoint", reason, BEHIND)


def shown_heads(
    seat: Seat, shown: Sequence[Shown], unmoved: Sequence[str]
) -> dict[str, Checkpoint]:
    """Return the head that a pull shows of each seat, verified now or before."""
    heads = {one.seat: one.head for one in shown}
    for other in unmoved:
        head = seat.histories.head(other)
        if head is not None and head.size:
            heads[other] = _claimed(head.checkpoint)
    return heads


# How many have seen it --------------------------------------------------------


def too_few(
    seat: Seat, heads: Mapping[str, Checkpoint], need: Need
) -> dict[str, Trouble]:
    """Return the seats whose head lacks cosignatures of other seats, by id.

    Those of seats that are followed and have told one history count; that of the
    seat itself does not, nor ours, which says only what we know already.
    """
    if need.cosigners <= 0:
        return {}
    lacking = {}
    for other, head in sorted(heads.items()):
        found = _cosigners(seat, other, head, need)
        if len(found) < need.cosigners:
            count = "1 cosignature" if len(found) == 1 else f"{len(found)} cosignatures"
            age = "" if need.max_age is None else f" at most {need.max_age} s old"
            reason = (
                f"its commit {head.size} has {count} of followed seats{age}, and "
                f"{need.cosigners} {'is' if need.cosigners == 1 else 'are'} required"
            )
            lacking[other] = Trouble(other, "", "checkpoint", reason, TOO_FEW)
    return lacking


def _cosigners(seat: Seat, other: str, head: Checkpoint, need: Need) -> set[str]:
    now = seat.now() // 1000
    without = seat.histories.unfollowed() | frozen(seat) | {seat.id, other}
    return {
        row.cosigner
        for row in seat.heads.cosignatures()
        if row.seat == other
        and row.cosigner not in without
        and _claimed(row.note) == head
        and (need.max_age is None or abs(now - row.time) <= need.max_age)
    }
