"""Commits of a seat that a remote does not show, and that somebody has seen.

What is shown is signed and rebuilt; that it is all there is, no signature says. Other
seats on the same remote have cosigned heads, and whoever asks may have met more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from koinii.errors import KoiniiError, SurroundingsError
from koinii.history.cosigned import MAX_COSIGNED, open_cosigned, read_cosigned
from koinii.note import PublicKey
from koinii.remote.reading import Objects
from koinii.remote.rebuilding import Audited, Missing
from koinii.remote.tip import open_tip, seat_key
from koinii.seat.cosigning import FOLDER

_HINT = "ask for it where the seat pushes to, and who runs the remote why it is gone"


class Seen(NamedTuple):
    """Up to which commit somebody has seen a seat; nobody where that is 0."""

    number: int = 0
    by: str = ""


def newest_cosigned(
    objects: Objects, tips: Mapping[str, Sequence[str]], subject: str, key: PublicKey
) -> Seen:
    """Return the newest commit that another seat's signed tip has a cosignature of."""
    found = Seen()
    for cosigner in sorted(tips.keys() - {subject}):
        for tip in tips[cosigner]:
            number = _cosigned(objects, cosigner, tip, subject, key)
            if number > found.number:
                found = Seen(number, f"seat {cosigner}")
    return found


def _cosigned(
    objects: Objects, cosigner: str, tip: str, subject: str, key: PublicKey
) -> int:
    try:
        fetched = open_tip(objects, cosigner, tip)
        if FOLDER + subject not in fetched.files:
            return 0
        file = read_cosigned(fetched.body(FOLDER + subject, MAX_COSIGNED))
        said = open_cosigned(file, seat_key(fetched), seat=subject, key=key)
    except SurroundingsError:
        raise
    except KoiniiError:  # its own audit says so
        return 0
    return 0 if said.head is None else said.head.checkpoint.size


def not_shown(subject: str, size: int, seen: Seen) -> Audited | None:
    """Return the commit that was seen, as one that is not rebuilt; None for none."""
    if seen.number <= size:
        return None
    why = f"{seen.by} has seen it, and the remote shows {size}"
    what = f"commit {seen.number} of seat {subject}"
    missing = Missing("history", what, why, _HINT)
    return Audited(subject, seen.number, "", "", 0, equal=False, missing=missing)
