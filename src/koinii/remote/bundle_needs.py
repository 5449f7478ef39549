"""What a bundle begins after, which has to be here before anything of it is read."""

from __future__ import annotations

from collections.abc import Mapping

from koinii.errors import NotFoundError
from koinii.remote.bundle_file import Bundle
from koinii.remote.bundle_header import Needed
from koinii.remote.numbered import is_here
from koinii.remote.reading import Objects
from koinii.remote.repository import Git
from koinii.seat.seat import Seat

NEEDS = "koinii/bundle-needs"
_SHOWN = 3  # commits that are named


def check_needs(seat: Seat, git: Git, bundle: Bundle, refs: Mapping[str, str]) -> None:
    """Refuse a bundle that begins after commits which are not here.

    Git asks that a ref leads to them, not only that they are there: `refs` are set.
    """
    objects = Objects(git.directory)
    missing = [one for one in bundle.header.needs if not is_here(objects, one.oid)]
    if missing:
        raise _needs(seat, missing)
    if bundle.header.needs:
        for ref, tip in refs.items():
            git.restore_ref(ref, tip)


def _needs(seat: Seat, missing: list[Needed]) -> NotFoundError:
    said = sorted({one.said for one in missing if one.said})
    sizes = {head.seat: head.size for head in seat.histories.heads()}
    other = said[0][0] if said else ""
    where = f"at seat {other}" if other else "where it was made"
    since = f" --since {sizes[other]}" if sizes.get(other) else ""
    before = _named(missing, said)
    return NotFoundError(
        f"the bundle begins after {before}: apply the one before it first",
        code=NEEDS,
        hint=f"or make one that begins earlier, {where}: "
        f"koinii bundle create FILE{since}",
        needs=[
            {"commit": one.oid, "seat": one.said[0], "number": one.said[1]}
            if one.said
            else {"commit": one.oid, "seat": "", "number": 0}
            for one in missing
        ],
        here={other: sizes.get(other, 0) for other, _ in said},
    )


def _named(missing: list[Needed], said: list[tuple[str, int]]) -> str:
    known = [f"commit {number} of seat {other}" for other, number in said]
    names = (known or [f"git commit {one.oid}" for one in missing])[:_SHOWN]
    more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
    which = "which is" if len(missing) == 1 else "which are"
    return f"{', '.join(names)}{more}, {which} not here"
