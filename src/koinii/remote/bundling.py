"""Bundles made: refs of seats in one file, for where there is no network.

Every ref in it is one that its own seat has signed, so a file can carry what others
have said. It is written beside its place and put there whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from koinii.remote.beside import beside
from koinii.remote.bundle_file import check_place, write_whole
from koinii.remote.bundle_git import ask
from koinii.remote.bundle_header import Needed, read_header, write_header
from koinii.remote.carrying import Carried, Plan, Wish, nothing_new, plan_for
from koinii.remote.exchange import committed
from koinii.remote.git_failures import failed
from koinii.remote.moving import moving
from koinii.remote.numbered import Numbered
from koinii.remote.publish import publish
from koinii.remote.reading import Objects
from koinii.remote.remoteref import REMOTE_REF, remote_commit
from koinii.remote.repository import Git
from koinii.seat import instance
from koinii.seat.seat import Seat


class Created(NamedTuple):
    """A bundle that was written, or would be: then it has no size."""

    file: str
    bytes: int | None
    seats: list[Carried]
    admin: bool  # whether it names the admin, as a remote does


def create(seat: Seat, git: Git, file: str, wish: Wish) -> Created:
    """Write what is committed here to a file.

    Raises:
        KoiniiError: `koinii/nothing-committed`, `koinii/nothing-new`.
        UsageError: no place for a file, or no such commit.
    """
    git.need_program("make a bundle")
    path = check_place(file)
    with moving(seat, git):
        committed(seat)
        instance.check(seat)
        instance.keep(seat)
        publish(seat, git)
        plan = plan_for(seat, Objects(git.directory), wish)
        with beside(seat, git, plan.refs) as aside:
            plan = plan.without(_torn(aside, plan))
            size = _write(seat, aside, path, plan)
    _tell(seat, plan)
    return Created(file, size, plan.carried, bool(plan.statement))


def rehearse_create(seat: Seat, git: Git, file: str, wish: Wish) -> Created:
    """Say what a bundle would hold; nothing is written."""
    git.need_program("make a bundle")
    check_place(file)
    with moving(seat, git):
        committed(seat)
        instance.check(seat)
        plan = plan_for(seat, Objects(git.directory), wish)
    _tell(seat, plan)
    return Created(file, None, plan.carried, bool(plan.statement))


def _tell(seat: Seat, plan: Plan) -> None:
    seat.notices += plan.notices
    lines = seat.kb.assertions.count_changes()
    if lines:
        many = "1 line that is" if lines == 1 else f"{lines} lines that are"
        seat.notices.append(f"{many} not committed yet stay here: koinii commit")


# Writing it -------------------------------------------------------------------


def _torn(aside: Git, plan: Plan) -> dict[str, str]:
    """Return the seats of which only parts are here, and what to say of each."""
    if not any(aside.directory.glob("objects/pack/*.promisor")):
        return {}
    return {
        one.seat: f"only parts of seat {one.seat} are here, so it is not carried"
        for one in plan.carried
        if one.tip and not _is_whole(aside, one.tip, plan.begins.get(one.seat))
    }


def _is_whole(aside: Git, tip: str, begin: Numbered | None) -> bool:
    without = [f"^{begin.oid}"] if begin else []
    asked = ("rev-list", "--objects", "--quiet", tip, *without)
    return not ask(aside, "look for objects", asked).code


def _write(seat: Seat, aside: Git, path: str, plan: Plan) -> int:
    """Let git pack the refs, and write that under a header of ours."""
    refs = plan.refs
    if not refs:
        raise nothing_new(Wish())
    if plan.statement:
        refs[REMOTE_REF] = remote_commit(aside, plan.statement)
        aside.restore_ref(REMOTE_REF, refs[REMOTE_REF])
    made = aside.directory / "made.bundle"
    without = [f"^{one.oid}" for one in plan.needs]
    asked = ("bundle", "create", "-q", "--version=2", str(made), *refs, *without)
    doing = "make a bundle"
    done = ask(aside, doing, asked)
    if done.code:
        raise failed(doing, done.words, code=done.code)
    return _put(made, path, plan.needs, refs)


def _put(made: Path, path: str, needs: list[Needed], refs: Mapping[str, str]) -> int:
    with made.open("rb") as file:
        found = read_header(file)
        is_asked = {one.oid for one in found.needs} == {one.oid for one in needs}
        if not is_asked or found.refs != refs:
            raise AssertionError("git has bundled something else than it was asked to")
        return write_whole(path, write_header(needs, refs), file)
