"""Push, pull and clone over a git remote; what they report is what is there.

A pull takes each seat's ref alone: verified and applied, or left at its last
good state with the reason. Running it again changes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from koinii.errors import KoiniiError, NotFoundError, PartialError
from koinii.history.selection import EVERYTHING, Selection
from koinii.kb.operation import Fallen
from koinii.remote import admins
from koinii.remote.applying import Received
from koinii.remote.fetching import Fetched, Source
from koinii.remote.following import (
    drop_refs,
    fetch_followed,
    forget_seats,
    keep_place,
    source_of,
    vanished,
)
from koinii.remote.foreseeing import Foreseen, foresee
from koinii.remote.git_failures import COPIED
from koinii.remote.git_words import redact
from koinii.remote.heads import Need, keep_outside
from koinii.remote.moving import moving
from koinii.remote.ownref import Whose, number_of, shown_of
from koinii.remote.publish import ALL, SEATS, own_ref, publish
from koinii.remote.pushing import push_ref
from koinii.remote.remoteref import Face
from koinii.remote.repository import Git
from koinii.remote.taking import NOTHING, take_all
from koinii.remote.trouble import Trouble, mark, one_line
from koinii.seat import instance
from koinii.seat.contests import Contest, contests
from koinii.seat.held import keys_without_effect
from koinii.seat.modes import selected
from koinii.seat.records import Commit
from koinii.seat.rehearsing import rehearse
from koinii.seat.seat import Seat
from koinii.seat.selecting import never_met, select
from koinii.seat.unpublished import note_shown, shown_before
from koinii.store.assertions import HeldKey

NEVER_SHOWN = "koinii/never-shown"
_NEVER = "nothing was ever shown of"


class Pushed(NamedTuple):
    """What a push left on the remote, read back from there.

    `face_written` tells that it wrote what the remote says of itself, too.
    """

    remote: str
    ref: str
    tip: str
    number: int
    moved: bool
    face_written: bool


class Outgoing(NamedTuple):
    """What a push would do; the tip is None where its git objects are not made."""

    remote: str
    address: str
    ref: str
    number: int
    tip: str | None
    there: str | None  # what the remote holds now
    moved: bool


class Pulled(NamedTuple):
    """What a pull did; received = new + already + waiting + held.

    `set_aside` are lines of other seats that were applied before and are held now,
    `fell` own replies that were withdrawn with what they name.
    """

    remote: str
    seats: int
    moved: int
    received: int
    new: int
    already: int
    waiting: int
    held: int
    removed: int
    set_aside: int
    fell: list[Fallen]
    troubles: list[Trouble]
    contested: list[Contest]
    admin: str  # the fingerprint of an admin pinned in this pull, '' for none
    foreseen: Foreseen | None = None  # what a rehearsal says of belief

    @property
    def whole(self) -> bool:
        """Whether everything that came was applied, and all else still is."""
        undecided = [one for one in self.contested if not one.decided]
        return not (self.held or self.set_aside or self.troubles or undecided)


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
        number = committed(seat)
        instance.check(seat)
        instance.keep(seat)
        tip = publish(seat, git)
        ref = own_ref(seat)
        there, face, whose = _shown(seat, git, url)
        moved = there.get(ref) != tip
        if moved:
            overwritten = _overwritten(seat, git, url, there.get(ref, ""), whose)
            push_ref(seat, git, url, tip, ref, there.get(ref), replace=True)
            seat.notices += overwritten
        note_shown(seat, url, number)
        face_written = admins.show(seat, git, url, face, there)
    return Pushed(name, ref, tip, number, moved, face_written)


def rehearse_push(seat: Seat, git: Git, name: str) -> Outgoing:
    """Say what a push would do; it fails where that would, as far as one can see."""
    url = address(seat, name)
    with moving(seat, git):
        number = committed(seat)
        instance.check(seat)
        refs, _, whose = _shown(seat, git, url)
        there = refs.get(own_ref(seat))
        seat.notices += _overwritten(seat, git, url, there or "", whose)
        tip = None if seat.files.unsent() else seat.histories.tip(seat.id)
    moved = tip is None or tip != there
    return Outgoing(name, redact(url), own_ref(seat), number, tip, there, moved)


def committed(seat: Seat) -> int:
    """Return the number of the newest commit, which has to be there."""
    head = seat.histories.head(seat.id)
    if head is None or not head.size:
        raise KoiniiError(
            "there is nothing to push yet",
            code="koinii/nothing-committed",
            hint="koinii commit",
        )
    return head.size


def _overwritten(seat: Seat, git: Git, url: str, there: str, whose: Whose) -> list[str]:
    """Return what to say of a ref of ours that is not as it was left there."""
    before = shown_before(seat, url)
    if whose is Whose.FOREIGN:
        what = f"{there}, which this seat did not sign"
    elif (number := number_of(seat, git, there)) < before:
        shown = f"commit {number}" if there else "nothing of this seat"
        what = f"{shown}, after it had shown commit {before}"
    else:
        return []
    return [
        f"{redact(url)} showed {what}: somebody else wrote at {own_ref(seat)}; a push "
        "replaces that"
    ]


def _shown(seat: Seat, git: Git, url: str) -> tuple[dict[str, str], Face, Whose]:
    """Return the refs of a remote, what it says of itself, and whose our ref is.

    Raises:
        KoiniiError: `koinii/push-raced`: another copy of this seat has pushed there.

    What somebody else has put at our ref is in the way of nothing.
    """
    there = git.ls_remote(url, ALL)
    face = admins.meet(seat, git, url, there)
    found = shown_of(seat, git, url, there.get(own_ref(seat), ""))
    if found.fault is not None:
        raise found.fault
    if found.whose is Whose.COPY:
        raise _raced(url, found.reason)
    return there, face, found.whose


def _raced(url: str, reason: str) -> KoiniiError:
    return KoiniiError(
        f"nothing was pushed to {redact(url)}: {reason}",
        code="koinii/push-raced",
        hint=COPIED,
    )


def not_pushed(
    error: KoiniiError, pulled: Pulled, commit: Commit | None
) -> PartialError:
    """Return the error of a push that failed after a pull and a commit did not."""
    made = (
        f"commit {commit.number} was made" if commit else "there was nothing to commit"
    )
    counts = f"{pulled.received} received, {pulled.new} new, {pulled.held} held"
    return PartialError(
        f"the pull is done ({counts}, {pulled.removed} removed, {pulled.set_aside} set "
        f"aside, {len(pulled.fell)} own replies withdrawn with what they answered, "
        f"{len(pulled.troubles)} troubles), {made}; the push failed: "
        f"{error.message}",
        code=error.code,
        hint=error.hint,
        **{**error.details, "pulled": pulled, "commit": commit},
    )


# Pull -------------------------------------------------------------------------


class Came(NamedTuple):
    """What a remote shows, and what was fetched of it."""

    remote: str
    source: Source
    tips: dict[str, str]
    moved: int
    unmoved: list[str]
    fetched: Fetched
    troubles: list[Trouble]
    never: list[str]  # shown no longer, and nothing of them ever verified
    face: Face
    own: int | None = None  # commits of this seat that it shows, where that is known
    untried: int = 0  # refs of seats that were never looked at
    again: str = ""  # the last that was looked at again


def pull(
    seat: Seat, git: Git, name: str, need: Need = NOTHING, part: Selection = EVERYTHING
) -> Pulled:
    """Bring what other seats have shown on a remote, verified and decided on.

    `part` is what is taken of it. A seat whose head has not the cosignatures that
    are needed stays where it is. One request where nothing moved. Agents met for the
    first time are introduced before any line is decided on, so that the order of
    seats does not matter.
    """
    url = address(seat, name)
    aside = seat.align()
    before = selected(seat.database.connection)
    with moving(seat, git):
        publish(seat, git)
        source = source_of(git, name, url, part)
        came = _fetch(seat, source, name, anew=part != before)
        gone = select(seat, part)
        if came.own is not None:
            note_shown(seat, url, came.own)
        pulled = with_set_aside(seat, aside, take(seat, came, need), gone)
        keep_outside(seat, [*came.fetched.tips])
        keep_place(seat, came.again)
        pulled = _tell_parts(seat, came, pulled, before)
        drop_refs(seat, git, name, came.tips)
    return pulled


def rehearse_pull(
    seat: Seat, git: Git, name: str, need: Need = NOTHING, part: Selection = EVERYTHING
) -> Pulled:
    """Fetch, verify and decide as a pull does, and leave the seat as it is.

    What was fetched stays in the private repository, where a pull finds it.
    """
    url = address(seat, name)
    anew = part != selected(seat.database.connection)
    with moving(seat, git):
        came = _fetch(seat, source_of(git, name, url, part), name, anew=anew)
        return rehearse(seat, lambda: _rehearsed(seat, came, need, part))


def _tell_parts(seat: Seat, came: Came, pulled: Pulled, before: Selection) -> Pulled:
    """Tell what a partial pull did not find, or got although nobody wanted it.

    A name that was not selected `before` and that nobody has shown is a trouble: it
    may be misspelled, and what was selected in its place has left.
    """
    if came.source.selection.is_whole:
        return pulled
    never = never_met(seat)
    known = before.agents | before.contexts
    why = "see how it is spelled"
    if came.untried:
        why = f"{came.untried} refs were not looked at, koinii pull goes on with them"
    troubles = [
        Trouble("", "", "", f"{_NEVER} {one}: {why}", NEVER_SHOWN)
        for one in never
        if one not in known
    ]
    late = [one for one in never if one in known]
    if late:
        seat.notices.append(f"{_NEVER} {', '.join(late)}: {why}")
    if came.fetched.surplus:
        seat.notices.append(
            f"remote {came.remote} does not send parts: everything was moved, and what "
            "is not selected was left aside"
        )
    return pulled._replace(troubles=[*pulled.troubles, *troubles])


def _rehearsed(seat: Seat, came: Came, need: Need, part: Selection) -> Pulled:
    before = selected(seat.database.connection)
    aside, gone = seat.align(), select(seat, part)
    pulled = with_set_aside(seat, aside, take(seat, came, need), gone)
    pulled = _tell_parts(seat, came, pulled, before)
    return pulled._replace(foreseen=foresee(seat))


def with_set_aside(
    seat: Seat, aside: frozenset[HeldKey], pulled: Pulled, removed: int
) -> Pulled:
    """Count what another mode has set aside, of other seats, and is held still.

    `removed` lines are not selected any more.
    """
    still = [
        author
        for author, *_ in aside & keys_without_effect(seat)
        if seat.kb.names.author(author)[1] != seat.id
    ]
    return pulled._replace(
        set_aside=pulled.set_aside + len(still), removed=pulled.removed + removed
    )


def _fetch(seat: Seat, source: Source, name: str, *, anew: bool = False) -> Came:
    git, url = source.git, source.url
    there = git.ls_remote(url, ALL)
    face = admins.meet(seat, git, url, there)
    tips = {ref.removeprefix(SEATS): oid for ref, oid in sorted(there.items())
            if ref.startswith(SEATS)}  # fmt: skip
    own = tips.pop(seat.id, "")
    brought = fetch_followed(seat, source, tips, anew=anew)
    gone, never = vanished(seat, git, name, tips)
    troubles = [*brought.troubles, *gone, *admins.troubles_of(seat, face, there)]
    ours = shown_of(seat, git, url, own)
    if ours.whose is not Whose.OURS:
        troubles.insert(0, Trouble(seat.id, "", "", one_line(ours.reason)))
    shown = number_of(seat, git, own) if ours.whose is Whose.OURS else None
    return Came(
        name, source, tips, brought.moved, brought.unmoved, brought.fetched, troubles,
        never, face, shown, brought.untried, brought.again,
    )  # fmt: skip


def take(seat: Seat, came: Came, need: Need) -> Pulled:
    """Verify and apply what was fetched, seat by seat."""
    troubles = list(came.troubles)
    admin = admins.pin_first(seat, came.face)
    forget_seats(seat, came.never)
    for one, reason in came.fetched.failed.items():
        mark(seat, one, reason)
        troubles.append(Trouble(one, "", "", reason))
    counts, fell = Received(), list[Fallen]()
    held_before = set(seat.held())
    objects = came.source.objects()
    for taken in take_all(seat, objects, came.fetched.tips, came.unmoved, need):
        counts = counts.plus(taken.counts)
        troubles += taken.troubles
        fell += taken.fell
    troubles += [
        Trouble(
            one.seat, one.agent, one.context, f"now held ({one.reason}): {one.line}"
        )
        for one in sorted(set(seat.held()) - held_before)
        if one.seat == seat.id
    ]
    return Pulled(
        came.remote,
        len(came.tips),
        came.moved,
        *counts,
        fell,
        troubles,
        contests(seat),
        admin,
    )
