"""This seat's own ref read back from a remote, whole, as any other seat would.

A push compares the ref alone: a remote that has lost objects shows the newest commit
still, takes the same push for done, and gives nothing of the seat to whoever clones.
So the ref is fetched into a repository of its own, which has nothing yet, and verified.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from koinii.errors import KoiniiError, SurroundingsError, VerificationError
from koinii.remote.exchange import push
from koinii.remote.git_failures import reason_of
from koinii.remote.git_words import redact
from koinii.remote.libgit import choose
from koinii.remote.moving import alone
from koinii.remote.ownref import RETURNED, Whose, is_before, weigh
from koinii.remote.publish import own_ref
from koinii.remote.remoteref import REMOTE_REF
from koinii.remote.trouble import one_line
from koinii.seat.unpublished import note_shown, shown_before

if TYPE_CHECKING:
    from koinii.remote.repository import Git
    from koinii.seat.seat import Seat

PUT_BACK = "koinii doctor --fix --remotes"
_DAMAGED = (
    "files that are there and cannot be read stand in the way: who runs it finds "
    "them with git fsck --full, and takes them away; then koinii doctor --fix "
    "--remotes again"
)


def lost_at(seat: Seat, url: str) -> str:
    """Return what keeps others from taking this seat from a remote, '' for nothing.

    Everything below the ref is moved and verified; O(the seat's git history).

    Raises:
        SurroundingsError: no network, no credentials, no space.
    """
    ref = own_ref(seat)
    with _scratch() as git:
        try:
            git.fetch(url, [f"+{ref}:{ref}"])
            found = weigh(seat, git, git.list_refs(ref.rpartition("/")[0])[ref])
        except VerificationError as error:
            return one_line(str(error.details.get("words") or error.message))
        return "" if found.whose is Whose.OURS else one_line(found.reason)


def put_back(seat: Seat, git: Git) -> list[str]:
    """Give each remote again what it has lost of this seat, and say what was done.

    Git sends nothing that a remote's refs say is there. So the ref is deleted there
    and pushed again from a repository that knows of no other: a whole pack. A kill
    in between leaves a remote without the ref, which the next push brings.

    Raises:
        KoiniiError: `koinii/remote-damaged`: it cannot be read all the same.
    """
    done: dict[str, str] = {}
    with alone(seat):
        for name, url in sorted(seat.config.remotes.items()):
            try:
                tip = git.ls_remote(url, own_ref(seat)).get(own_ref(seat), "")
            except KoiniiError:
                continue  # the checks that follow say so
            if _is_to_be_sent(seat, git, url, tip):
                done[name] = _send_whole(seat, git, name, url, tip)
    for name in done:
        push(seat, git, name)  # what the remote says of itself may have been lost, too
    return [*done.values()]


def _is_to_be_sent(seat: Seat, git: Git, url: str, tip: str) -> bool:
    mine = seat.histories.tip(seat.id)
    if not (tip and mine):
        return bool(mine) and shown_before(seat, url) > 0
    is_ours = tip == mine or is_before(git, tip, mine)
    return is_ours and bool(lost_at(seat, url))


def _send_whole(seat: Seat, git: Git, name: str, url: str, there: str) -> str:
    git.need_program(f"put back what {redact(url)} has lost")
    ref, mine = own_ref(seat), seat.histories.tip(seat.id)
    with _scratch() as whole:
        whole.fetch(str(git.directory), [f"+{ref}:{ref}"])
        if there:
            whole.drop_there(url, ref, there)
        _drop_lost_face(whole, url)
        try:
            whole.push_and_confirm(url, mine, ref, None)
            lost = lost_at(seat, url)
        except SurroundingsError:
            raise
        except KoiniiError as error:
            words = str(error.details.get("words") or error.message)
            lost = one_line(reason_of(words))
    if lost:
        raise KoiniiError(
            f"remote {name}, {redact(url)}, cannot be read although all of this seat "
            f"was sent again: {lost}",
            code="koinii/remote-damaged",
            hint=_DAMAGED,
            remote=name,
        )
    head = seat.histories.head(seat.id)
    assert head is not None  # noqa: S101 - there is a tip
    note_shown(seat, url, head.size - len(seat.files.unsent()))
    return f"sent all of this seat again to remote {name}, which had lost some of it"


def _drop_lost_face(whole: Git, url: str) -> None:
    """Delete what a remote says of itself where it has lost that; a push writes it."""
    there = whole.ls_remote(url, REMOTE_REF).get(REMOTE_REF)
    if there is None:
        return
    try:
        whole.fetch(url, [f"+{REMOTE_REF}:{RETURNED}face"])
    except VerificationError:
        whole.drop_there(url, REMOTE_REF, there)


@contextmanager
def _scratch() -> Iterator[Git]:
    with TemporaryDirectory(prefix="koinii-") as folder:
        git = choose(Path(folder, "git"))
        git.init()
        yield git
