"""Audit from a remote alone: what its refs show, and nothing of an own store.

The refs come into a repository of their own, which goes when the audit ends.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import NotFoundError, UsageError, VerificationError
from koinii.remote.address import whole_address
from koinii.remote.archive import Archive
from koinii.remote.fetching import Source, fetch_seats
from koinii.remote.git_words import redact
from koinii.remote.libgit import choose
from koinii.remote.publish import ALL, SEATS
from koinii.remote.reading import Objects
from koinii.remote.rebuilding import Audited, Rebuilding
from koinii.remote.remoteref import read_face
from koinii.remote.repository import Git
from koinii.remote.withheld import Seen, newest_cosigned, not_shown
from koinii.seat.scratch import scratch_seat
from koinii.seat.watching import unwatched

if TYPE_CHECKING:
    from koinii.seat.watching import Watch

NOT_REBUILT = "koinii/not-rebuilt"
MAX_SEATS = 64  # that the history does not name, and that may have cosigned it
NOBODY: Mapping[str, int] = {}

_TARGET = re.compile(r"([0-9a-f]{8,32})(?:@([1-9][0-9]{0,18}))?")
_SEAT_ID = re.compile(r"[0-9a-f]{32}")


class Target(NamedTuple):
    """A seat by the first digits of its id, and one of its commits if that is named."""

    seat: str
    number: int | None


def read_target(text: str, number: int | None = None) -> Target:
    """Return what `SEAT` or `SEAT@N` names; `number` is that of the commit.

    Raises:
        UsageError: it is neither, or has a number beside the other one.
    """
    if number is not None:
        text = f"{text}@{number}"
    found = _TARGET.fullmatch(text)
    if found is None:
        raise UsageError(
            f"{text!r} is no seat's id, nor one with @ and the number of a commit",
            hint="the first 8 hex digits and more, such as 5f1d2c3b or 5f1d2c3b@12",
        )
    return Target(found[1], None if found[2] is None else int(found[2]))


def audit(
    url: str,
    target: Target,
    watch: Watch = unwatched,
    *,
    interactive: bool = False,
    seen: Mapping[str, int] = NOBODY,
) -> Audited:
    """Rebuild one commit of a seat, by default the newest, from a remote.

    `interactive` says that a person is there to answer what git may have to ask. Where
    a later commit than the remote shows is cosigned there, or `seen` by whoever asks
    (numbers by seat), the newest is that one, and is not rebuilt.

    Raises:
        NotFoundError: the remote shows no such seat, or no commit of that number.
        VerificationError: what it shows of that seat is not signed by it.
        SurroundingsError: no network, no git, no room.
    """
    with _rebuilding(url, target, watch, seen, interactive=interactive) as shown:
        if target.number is None and shown.withheld is not None:
            return shown.withheld
        return rebuild(shown.rebuilding, target.number)


def audit_every(
    url: str,
    target: Target,
    watch: Watch = unwatched,
    *,
    interactive: bool = False,
    seen: Mapping[str, int] = NOBODY,
) -> Iterator[Audited]:
    """Rebuild every commit of a seat in order, up to the one that is named.

    Or up to the newest; after it comes one that the remote does not show, as `audit`.

    Raises:
        KoiniiError: as of `audit`.
    """
    with _rebuilding(url, target, watch, seen, interactive=interactive) as shown:
        rebuilding = shown.rebuilding
        last = check_number(rebuilding, target.number)
        yield from map(rebuilding.compare, rebuilding.steps(last))
        if target.number is None and shown.withheld is not None:
            yield shown.withheld


def rebuild(rebuilding: Rebuilding, number: int | None) -> Audited:
    """Go to one commit, by default the newest, and compare it."""
    last = check_number(rebuilding, number)
    (at,) = deque(rebuilding.steps(last), maxlen=1)
    return rebuilding.compare(at)


def check_number(rebuilding: Rebuilding, number: int | None) -> int:
    """Return the number of the commit that is asked for.

    Raises:
        NotFoundError: `koinii/unknown-commit`.
    """
    size = rebuilding.history.size
    if number is not None and number > size:
        raise NotFoundError(
            f"seat {rebuilding.subject} has {size} commits, and none numbered {number}",
            code="koinii/unknown-commit",
            hint=f"koinii audit {rebuilding.subject[:8]} is about the newest",
            seat=rebuilding.subject,
            number=number,
        )
    return size if number is None else number


def refusal(found: Audited, agreeing: int = 0) -> VerificationError | None:
    """Return the error that a commit which does not agree comes to, None else.

    `agreeing` commits before it did.
    """
    missing = found.missing
    if missing is None:
        return None
    before = ""
    if agreeing:
        commits = f"{agreeing} commits before it agree"
        before = f"; {'the commit before it agrees' if agreeing == 1 else commits}"
    return VerificationError(
        f"commit {found.number} of seat {found.seat} is not rebuilt: {missing.field}: "
        f"{missing.what}: {missing.why}{before}",
        code=NOT_REBUILT,
        hint=missing.hint,
        **found._asdict(),
    )


# What a remote shows --------------------------------------------------------------


class _Shown(NamedTuple):
    """What a remote shows of a seat, and a commit that it does not show."""

    rebuilding: Rebuilding
    withheld: Audited | None


@contextmanager
def _rebuilding(
    url: str,
    target: Target,
    watch: Watch,
    seen: Mapping[str, int],
    *,
    interactive: bool,
) -> Iterator[_Shown]:
    with TemporaryDirectory(prefix="koinii-") as folder, scratch_seat(watch) as scratch:
        git, url = (
            choose(Path(folder, "git"), interactive=interactive),
            whole_address(url),
        )
        git.init()
        there = git.ls_remote(url, ALL)
        subject = _resolve(url, target.seat, there)
        face = read_face(git, url, there)
        archive = _fetch(git, url, [subject], there)
        named = _named(archive, subject) - {subject}
        others = sorted(set(_seats(there)) - named - {subject})[:MAX_SEATS]
        archive = _fetch(git, url, [subject, *sorted(named), *others], there)
        admins = [] if face.admin is None else [face.admin]
        rebuilding = Rebuilding(scratch, archive, subject, admins)
        history = rebuilding.history
        newest = max(
            Seen(seen.get(subject, 0), "the seat that asks"),
            newest_cosigned(archive.objects, archive.tips, subject, history.key),
        )
        yield _Shown(rebuilding, not_shown(subject, history.size, newest))


def _resolve(url: str, prefix: str, there: Mapping[str, str]) -> str:
    found = sorted(one for one in _seats(there) if one.startswith(prefix))
    if len(found) > 1:
        raise UsageError(
            f"{prefix} begins {len(found)} seat ids: {', '.join(found)}",
            code="koinii/ambiguous-seat",
            hint="give more digits",
            candidates=found,
        )
    if not found:
        raise NotFoundError(
            f"{redact(url)} shows no seat {prefix}",
            code="koinii/unknown-seat",
            hint="koinii peers lists seats; --from names another remote",
            seat=prefix,
        )
    return found[0]


def _seats(there: Mapping[str, str]) -> list[str]:
    seats = [ref.removeprefix(SEATS) for ref in there if ref.startswith(SEATS)]
    return [one for one in seats if _SEAT_ID.fullmatch(one)]


def _fetch(git: Git, url: str, seats: list[str], there: Mapping[str, str]) -> Archive:
    shown = [one for one in seats if SEATS + one in there]
    came = fetch_seats(Source(git, url, SEATS), shown)
    faults = dict.fromkeys(set(seats) - set(shown), "the remote does not show its ref")
    return Archive(
        Objects(git.directory),
        {seat: [tip] for seat, tip in came.tips.items()},
        faults | came.failed,
    )


def _named(archive: Archive, subject: str) -> set[str]:
    """Return the seats whose heads the history of one names."""
    return {seat for record in archive.newest(subject).new for seat in record.heads}
