"""Which seats of a remote a pull takes, and what it says of the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from koinii.remote.moving import is_made, moving
from koinii.remote.publish import SEATS
from koinii.remote.repository import Git
from koinii.remote.trouble import Trouble
from koinii.seat.seat import Seat

INCOMING = "refs/koinii/incoming/"
MAX_SEATS = 64

_SEAT_ID = re.compile(r"[0-9a-f]{32}")


def followed(seat: Seat, tips: Mapping[str, str]) -> tuple[list[str], list[Trouble]]:
    """Return the seats to follow, known ones first, and what to say of the others.

    Those that the operator has said to follow are no part of the number that is
    followed without being asked.
    """
    known = {head.seat for head in seat.histories.heads() if head.size}
    asked, without = seat.histories.followed(), seat.histories.unfollowed()
    seats = [one for one in tips if _SEAT_ID.fullmatch(one) and one not in without]
    seats.sort(key=lambda one: (one not in asked, one not in known))
    most = MAX_SEATS + len(asked.intersection(seats))
    troubles = [
        Trouble(one, "", "", f"{SEATS}{one} is no seat's ref")
        for one in tips
        if not _SEAT_ID.fullmatch(one)
    ]
    troubles += [
        Trouble(
            one, "", "",
            f"more than {MAX_SEATS} seats: not followed; koinii follow {one} does",
        )
        for one in seats[most:]
    ]  # fmt: skip
    return seats[:most], troubles


def vanished(git: Git, name: str, tips: Mapping[str, str]) -> list[Trouble]:
    """Return what to say of seats that a remote has shown and shows no longer."""
    return [
        Trouble(one, "", "", "the remote no longer shows it; what came of it is kept")
        for one in _shown_before(git, name)
        if one not in tips
    ]


def forget(seat: Seat, git: Git, name: str) -> None:
    """Forget which seats a remote has shown; what came of them stays in the store."""
    if not is_made(git):
        return
    with moving(seat, git):
        for one in _shown_before(git, name):
            git.delete_ref(f"{INCOMING}{name}/{one}")


def _shown_before(git: Git, name: str) -> Iterator[str]:
    here = f"{INCOMING}{name}/"
    yield from sorted(ref.removeprefix(here) for ref in git.list_refs(here.rstrip("/")))
