"""Bundles looked at: what applying one would come to, or what the file alone shows.

Where there is no seat, one is made for the moment and thrown away: it verifies as
any seat does, and what it decides is nobody's decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from koinii.errors import KoiniiError, VerificationError
from koinii.note import PrivateKey
from koinii.remote.beside import beside
from koinii.remote.bundle_file import Bundle, read_bundle
from koinii.remote.bundle_git import ask
from koinii.remote.exchange import Pulled
from koinii.remote.git_failures import reason_of
from koinii.remote.heads import Need
from koinii.remote.libgit import choose
from koinii.remote.moving import moving
from koinii.remote.ownref import Whose
from koinii.remote.repository import Git
from koinii.remote.taking import NOTHING
from koinii.remote.unbundling import REFUSED as NOTHING_GOOD
from koinii.remote.unbundling import Brought, as_of_bundle, bring, refs_of, take_for_now
from koinii.seat import clock
from koinii.seat.founding import found
from koinii.seat.parts import open_parts
from koinii.seat.rehearsing import rehearse
from koinii.seat.seat import Seat

VERIFIED, ALREADY, REFUSED = "verified", "already", "refused"
_NOBODY = "AgentNobody"
_TIP = "the tip, by its seat's key"
_BELOW = "head, records, manifest, authored sets and their lines under it"


class Looked(NamedTuple):
    """One ref of a bundle: `number` is the seat's newest commit known with it."""

    seat: str
    state: str  # verified, already, refused
    number: int


class Checked(NamedTuple):
    """What a bundle was found to be; `pulled` is what applying it would come to."""

    file: str
    bytes: int
    seats: list[Looked]
    checked: list[str]
    not_shown: list[str]
    pulled: Pulled | None  # None where there is no seat

    @property
    def whole(self) -> bool:
        """Whether all of it verified, and all would be applied."""
        good = all(one.state != REFUSED for one in self.seats)
        return good and (self.pulled is None or self.pulled.whole)


def verify(seat: Seat, git: Git, named: str, need: Need = NOTHING) -> Checked:
    """Say what applying a bundle would come to; nothing of it stays.

    Raises:
        VerificationError: nothing in it verifies.
        NotFoundError: `koinii/no-file`, `koinii/bundle-needs`.
    """
    git.need_program("verify a bundle")
    bundle = read_bundle(named)
    with moving(seat, git), beside(seat, git, refs_of(seat, git)) as aside:
        found = bring(seat, aside, bundle)
        _ask_git(aside, bundle)
        pulled, seats = rehearse(seat, lambda: _try(seat, found, need))
    pulled = as_of_bundle(seat, pulled)
    return _checked(bundle, seats, pulled, _not_shown(seats, []), pulled)


def verify_alone(named: str) -> Checked:
    """Verify what a bundle shows by itself, where there is no seat.

    Raises:
        VerificationError: nothing in it verifies.
        NotFoundError: `koinii/no-file`, `koinii/bundle-needs`.
    """
    bundle = read_bundle(named)
    with TemporaryDirectory(prefix="koinii-") as folder:
        layout = found(folder, _NOBODY, PrivateKey.generate(), clock.now_ms)
        with Seat(*open_parts(layout.directory), clock.now_ms) as seat:
            seat.home = Path(folder, "outside")
            git = choose(Path(layout.git))
            git.need_program("verify a bundle")
            with moving(seat, git):
                brought = bring(seat, git, bundle)
                _ask_git(git, bundle)
                pulled, seats = _try(seat, brought, NOTHING)
    more = ["whether any of it would be applied: there is no seat here"]
    return _checked(bundle, seats, pulled, _not_shown(seats, more), None)


def _try(seat: Seat, found: Brought, need: Need) -> tuple[Pulled, list[Looked]]:
    """Take what came, and look at each seat before that is undone."""
    pulled = take_for_now(seat, found.came, need)
    seats = []
    for other, tip in found.came.tips.items():
        head = seat.histories.head(other)
        state = REFUSED
        if other in found.older or other in found.came.unmoved:
            state = ALREADY
        elif head is not None and head.tip == tip and not head.trouble:
            state = VERIFIED
        seats.append(Looked(other, state, 0 if head is None else head.size))
    if found.own is not None:
        state = ALREADY if found.own is Whose.OURS else REFUSED
        seats.append(Looked(seat.id, state, len(seat.histories.leaves(seat.id))))
    return pulled, seats


def _ask_git(git: Git, bundle: Bundle) -> None:
    """Have git look at the file too.

    Raises:
        VerificationError: `koinii/bundle-refused`, with its words.
    """
    asked = ("bundle", "verify", "-q", bundle.path)
    done = ask(git, "verify a bundle", asked)
    if done.code:
        raise VerificationError(
            f"git bundle verify refuses it: {reason_of(done.words)}",
            code=NOTHING_GOOD,
            words=done.words,
        )


# What to say of it ------------------------------------------------------------


def _checked(
    bundle: Bundle,
    seats: list[Looked],
    found: Pulled,
    not_shown: list[str],
    pulled: Pulled | None,
) -> Checked:
    good = [one for one in seats if one.state != REFUSED]
    if not good:
        raise _nothing_good(bundle, seats, found)
    checked = [
        f"the header: {_count(len(bundle.header.refs), 'ref')}, "
        f"{_count(len(bundle.header.needs), 'commit')} needed",
        "the checksum of its pack; git bundle verify",
        *(
            f"seat {one.seat}, commit {one.number}: {_TIP}; {_BELOW}"
            for one in good
            if one.state == VERIFIED
        ),
    ]
    return Checked(bundle.named, bundle.size, seats, checked, not_shown, pulled)


def _not_shown(seats: Sequence[Looked], more: list[str]) -> list[str]:
    here = [one for one in seats if one.state == ALREADY]
    told = [f"seat {one.seat}: commit {one.number} is here already" for one in here]
    bad = [one for one in seats if one.state == REFUSED]
    return [*told, *(f"seat {one.seat}: it was refused" for one in bad), *more]


def _nothing_good(
    bundle: Bundle, seats: Sequence[Looked], found: Pulled
) -> KoiniiError:
    why = next((one.reason for one in found.troubles), "it holds no seat's ref")
    return VerificationError(
        f"nothing in {bundle.named} verifies: {why}",
        code=NOTHING_GOOD,
        hint="ask who made it; nothing of it was taken",
        seats=seats,
        troubles=found.troubles,
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
