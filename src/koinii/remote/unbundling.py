"""Bundles taken: a pull from a file, which is a remote that is only read.

Old is no fault of a file: what is known already is here already, and what it does
not show is nothing to speak of. Its refs are kept where no remote's are, and hold
nothing that has not verified.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from koinii.errors import KoiniiError, VerificationError
from koinii.merkle import root as tree_root
from koinii.remote import admins, heads
from koinii.remote.beside import beside
from koinii.remote.bundle_file import Bundle, read_bundle
from koinii.remote.bundle_needs import check_needs
from koinii.remote.exchange import Came, Pulled, take, with_set_aside
from koinii.remote.fetching import Fetched, Source, fetch_seats
from koinii.remote.following import INCOMING, fetch_followed, source_of
from koinii.remote.following import Brought as Fetches
from koinii.remote.heads import Need, keep_outside
from koinii.remote.moving import moving
from koinii.remote.numbered import is_here
from koinii.remote.ownref import Whose, shown_of
from koinii.remote.publish import SEATS, own_ref, publish
from koinii.remote.reading import Objects
from koinii.remote.remoteref import REMOTE_REF, Face
from koinii.remote.repository import Git
from koinii.remote.taking import NOTHING
from koinii.remote.tip import open_tip
from koinii.remote.trouble import Trouble
from koinii.remote.verified_history import signed_head
from koinii.seat import instance
from koinii.seat.modes import selected
from koinii.seat.rehearsing import rehearse
from koinii.seat.seat import Seat
from koinii.seat.selecting import select, wanted

REFUSED = "koinii/bundle-refused"
NAME = "-bundle"  # no remote has such a name
_HERE = f"{INCOMING}{NAME}/"
_SHOWN = 3  # refs that are named
_OF_A_REMOTE = frozenset(
    {"koinii/network", "koinii/no-repository", "koinii/git-failed"}
)


class Brought(NamedTuple):
    """What came of a bundle, and the seats of which more is here already."""

    came: Came
    older: list[str]
    own: Whose | None  # whose it is that it shows for this seat, None for nothing


def apply(seat: Seat, git: Git, named: str, need: Need = NOTHING) -> Pulled:
    """Bring what a bundle holds of other seats, verified and decided on.

    Raises:
        NotFoundError: `koinii/no-file`, `koinii/bundle-needs`.
        VerificationError: `koinii/not-a-bundle`, `koinii/damaged-bundle`.
    """
    git.need_program("apply a bundle")
    bundle = read_bundle(named)
    aside = seat.align()
    with moving(seat, git):
        publish(seat, git)
        try:
            came = bring(seat, git, bundle).came
            gone = select(seat, wanted(seat))
            pulled = with_set_aside(seat, aside, take(seat, came, need), gone)
            keep_outside(seat, [*came.fetched.tips])
        finally:
            _keep_verified(seat, git)
    return as_of_bundle(seat, pulled)


def rehearse_apply(seat: Seat, git: Git, named: str, need: Need = NOTHING) -> Pulled:
    """Verify and decide as `apply` does; nothing of it stays."""
    git.need_program("apply a bundle")
    bundle = read_bundle(named)
    with moving(seat, git), beside(seat, git, refs_of(seat, git)) as aside:
        came = bring(seat, aside, bundle).came
        pulled = rehearse(seat, lambda: take_for_now(seat, came, need))
    return as_of_bundle(seat, pulled)


def take_for_now(seat: Seat, came: Came, need: Need) -> Pulled:
    """Take what came while the seat rehearses."""
    aside, gone = seat.align(), select(seat, wanted(seat))
    return with_set_aside(seat, aside, take(seat, came, need), gone)


def refs_of(seat: Seat, git: Git) -> dict[str, str]:
    """Return refs at the newest commit that verified of each seat and is here."""
    objects = Objects(git.directory)
    known = {head.seat: head.tip for head in seat.histories.heads() if head.tip}
    tips = {other: tip for other, tip in known.items() if is_here(objects, tip)}
    own = tips.pop(seat.id, "")
    mine = {own_ref(seat): own} if own else {}
    return mine | {_HERE + other: tip for other, tip in tips.items()}


# What is in it ----------------------------------------------------------------


def bring(seat: Seat, git: Git, bundle: Bundle) -> Brought:
    """Fetch from a bundle what is not here; nothing of it is verified yet.

    Raises:
        VerificationError: `koinii/bundle-refused`: it holds no seat's ref.
    """
    refs = bundle.header.refs
    if not any(one.startswith(SEATS) for one in refs):
        raise VerificationError(
            f"nothing in {bundle.named} verifies: it holds no seat's ref",
            code=REFUSED,
            hint="ask who made it; nothing of it was taken",
        )
    check_needs(seat, git, bundle, refs_of(seat, git))
    face = Face()
    if REMOTE_REF in refs:
        with _reading():
            face = admins.meet(seat, git, bundle.path, dict(refs))
    tips = {
        ref.removeprefix(SEATS): oid
        for ref, oid in sorted(refs.items())
        if ref.startswith(SEATS)
    }
    own = tips.pop(seat.id, "")
    source = source_of(git, NAME, bundle.path, wanted(seat))
    older = [one for one, tip in tips.items() if _is_below(seat, git, one, tip)]
    asked = {one: tip for one, tip in tips.items() if one not in older}
    brought = _fetch(seat, source, asked)
    objects = source.objects()
    late = [
        one for one in brought.fetched.tips.items() if _is_older(seat, objects, *one)
    ]
    fetched = Fetched(
        {s: t for s, t in brought.fetched.tips.items() if (s, t) not in late},
        brought.fetched.failed,
    )
    whose = shown_of(seat, git, bundle.path, own).whose
    troubles = [*brought.troubles, *_of_ours(seat, whose)]
    if REMOTE_REF in refs:
        troubles += admins.troubles_of(seat, face, refs)
    _tell_others(seat, bundle)
    came = Came(
        bundle.named, source, tips, brought.moved - len(late), brought.unmoved,
        fetched, troubles, [], face,
    )  # fmt: skip
    return Brought(came, [*older, *(one for one, _ in late)], whose if own else None)


def _fetch(seat: Seat, source: Source, tips: Mapping[str, str]) -> Fetches:
    """Fetch refs; where none can be read, it is the file that is refused.

    Also what has not moved, where a private repository made again has lost it.
    """
    anew = source.selection != selected(seat.database.connection)
    with _reading():
        brought = fetch_followed(seat, source, tips, anew=anew)
    objects = Objects(source.git.directory)
    lost = [one for one in brought.unmoved if not is_here(objects, tips[one])]
    with _reading():
        fetch_seats(source, lost)
    failed = brought.fetched.failed
    if failed and len(failed) == len(tips):
        raise _unreadable(next(iter(failed.values())))
    return brought


@contextmanager
def _reading() -> Iterator[None]:
    """Take what git says of a remote that ends too early as said of a file."""
    try:
        yield
    except KoiniiError as error:
        if error.code in _OF_A_REMOTE:
            raise _unreadable(error.message) from error
        raise


def _unreadable(reason: str) -> VerificationError:
    return VerificationError(
        f"the bundle cannot be read: {reason}",
        code=REFUSED,
        hint="ask who made it; nothing of it was taken",
        reason=reason,
    )


def _is_below(seat: Seat, git: Git, other: str, tip: str) -> bool:
    """Tell whether a tip is an earlier git commit of what is here of a seat."""
    here = seat.histories.tip(other)
    return here not in ("", tip) and git.is_ancestor(tip, here)


def _is_older(seat: Seat, objects: Objects, other: str, tip: str) -> bool:
    """Tell whether a tip shows an earlier state of the history that is here."""
    mine = seat.histories.leaves(other)
    try:
        head = signed_head(open_tip(objects, other, tip))
    except VerificationError:
        return False
    return head.size < len(mine) and tree_root(mine[: head.size]) == head.root


def _of_ours(seat: Seat, whose: Whose) -> Iterator[Trouble]:
    """Say what a bundle shows of this seat that is not here."""
    if whose is Whose.COPY:
        reason = (
            "the bundle shows commits of this seat that are not here: it was copied, "
            f"or restored from a backup; {instance.RECOVER}"
        )
        yield Trouble(seat.id, "", "", reason, instance.COPIED)
    elif whose is not Whose.OURS:
        reason = "what the bundle shows for this seat is not what this seat signed"
        yield Trouble(seat.id, "", "", reason)


def _tell_others(seat: Seat, bundle: Bundle) -> None:
    """Say which refs are nobody's here."""
    known = [one for one in bundle.header.refs if one.startswith(SEATS)]
    others = [*bundle.header.others, *bundle.header.refs.keys() - {*known, REMOTE_REF}]
    if others:
        first = ", ".join(f"{one[:80]!a}" for one in sorted(others)[:_SHOWN])
        more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
        seat.notices.append(
            f"refs of the bundle that are no seat's were not looked at: {first}{more}"
        )


# Afterwards -------------------------------------------------------------------


def as_of_bundle(seat: Seat, pulled: Pulled) -> Pulled:
    """Tell as a notice what is no fault of a file: somebody has seen more."""
    behind = [one for one in pulled.troubles if one.code == heads.BEHIND]
    seat.notices += [one.reason.replace("this remote", "this bundle") for one in behind]
    troubles = [
        one._replace(reason=one.reason.replace("this remote", "this bundle"))
        for one in pulled.troubles
        if one.code != heads.BEHIND
    ]
    return pulled._replace(troubles=troubles)


def _keep_verified(seat: Seat, git: Git) -> None:
    """Set the refs of bundles to what has verified, and drop all others."""
    wanted: Mapping[str, str] = refs_of(seat, git)
    for ref, oid in git.list_refs(_HERE.rstrip("/")).items():
        tip = wanted.get(ref)
        if tip is None:
            git.delete_ref(ref)
        elif tip != oid:
            git.restore_ref(ref, tip)
