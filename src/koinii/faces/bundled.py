"""What the verbs on bundles call, and how their answers read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import koinii

if TYPE_CHECKING:
    from koinii.faces.surroundings import Surroundings
    from koinii.remote.bundling import Created
    from koinii.remote.carrying import Carried, Holder
    from koinii.remote.checking_bundles import Checked
    from koinii.remote.exchange import Pulled
    from koinii.remote.seat import RemoteSeat


def holders(seat: RemoteSeat) -> list[Holder]:
    """Return what other seats say they hold of this one."""
    return seat.bundles.holders()


def create(
    seat: RemoteSeat,
    file: str,
    since: int | None,
    for_seat: str | None,
    *,
    all_seats: bool,
) -> Created:
    """Write a bundle."""
    return seat.bundles.create(
        file, all_seats=all_seats, since=since, for_seat=for_seat
    )


def rehearse_create(
    seat: RemoteSeat,
    file: str,
    since: int | None,
    for_seat: str | None,
    *,
    all_seats: bool,
) -> Created:
    """Say what a bundle would carry."""
    return seat.bundles.rehearse_create(
        file, all_seats=all_seats, since=since, for_seat=for_seat
    )


def apply(
    seat: RemoteSeat, file: str, require_cosigners: int | None, max_age: int | None
) -> Pulled:
    """Take a bundle."""
    return seat.bundles.apply(
        file, require_cosigners=require_cosigners or 0, max_age=max_age
    )


def rehearse_apply(
    seat: RemoteSeat, file: str, require_cosigners: int | None, max_age: int | None
) -> Pulled:
    """Say what taking a bundle would come to."""
    return seat.bundles.rehearse_apply(
        file, require_cosigners=require_cosigners or 0, max_age=max_age
    )


def verify(at: Surroundings, file: str) -> Checked:
    """Check a bundle, against the seat that is meant if there is one to write in."""
    layout = at.layout_if_any()
    if layout is None or not os.access(layout.state, os.W_OK):
        from koinii.remote.checking_bundles import verify_alone  # noqa: PLC0415 - git

        return verify_alone(file)
    with koinii.open(layout.directory) as seat:
        at.notices = seat.notices
        return seat.bundles.verify(file)


def applied_in_part(found: Pulled) -> bool:
    """Tell whether something of a bundle was not applied."""
    return not found.whole


def verified_in_part(found: Checked) -> bool:
    """Tell whether something in a bundle was refused, or would not be applied."""
    return not found.whole


# As text ----------------------------------------------------------------------


def holder_lines(found: list[Holder]) -> list[str]:
    """Return a line for each seat that a bundle could be for."""
    return [
        f"{one.seat} commit {one.number}, holds "
        + (f"commit {one.holds} of this seat" if one.holds else "nothing of this seat")
        for one in found
    ]


def carried_lines(found: Created) -> list[str]:
    """Return what a bundle carries, a seat a line."""
    lines = [_carried(one) for one in found.seats]
    if found.admin:
        lines.append("the admin pinned here")
    return lines


def _carried(one: Carried) -> str:
    first = one.since + 1
    which = f"commit {one.number}"
    if first < one.number:
        which = f"commits {first} to {one.number}"
    return f"{one.seat} {which}"
