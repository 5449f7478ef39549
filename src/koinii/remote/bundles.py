"""Bundles as a part of a seat: `seat.bundles`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.remote import bundling, carrying, checking_bundles, unbundling
from koinii.remote.carrying import Wish
from koinii.remote.heads import need_of
from koinii.seat import instance
from koinii.seat.arguments import flag, maybe_count, maybe_text, path_text

if TYPE_CHECKING:
    from os import PathLike

    from koinii.remote.bundling import Created
    from koinii.remote.carrying import Holder
    from koinii.remote.checking_bundles import Checked
    from koinii.remote.exchange import Pulled
    from koinii.remote.repository import Git
    from koinii.seat.seat import Seat


class Bundles:
    """Commits in files, for where no remote can be reached."""

    def __init__(self, seat: Seat, git: Git) -> None:
        self._seat = seat
        self._git = git

    def holders(self) -> list[Holder]:
        """Return what other seats say they hold of this one."""
        return carrying.holders(self._seat)

    def create(
        self,
        path: str | PathLike[str],
        *,
        all_seats: bool = False,
        since: int | None = None,
        for_seat: str | None = None,
    ) -> Created:
        """Write this seat's commits to a file; with `all_seats` all others' too.

        What the other side holds is left out: up to `since`, a commit of this seat,
        or what the seat `for_seat` says it holds.
        """
        wish = _wish(since, for_seat, all_seats=all_seats)
        return bundling.create(self._seat, self._git, path_text(path), wish)

    def rehearse_create(
        self,
        path: str | PathLike[str],
        *,
        all_seats: bool = False,
        since: int | None = None,
        for_seat: str | None = None,
    ) -> Created:
        """Say what `create` would carry; nothing is written."""
        wish = _wish(since, for_seat, all_seats=all_seats)
        named = path_text(path)
        return bundling.rehearse_create(self._seat, self._git, named, wish)

    def apply(
        self,
        path: str | PathLike[str],
        *,
        require_cosigners: int = 0,
        max_age: int | None = None,
    ) -> Pulled:
        """Bring what a bundle holds of other seats, as `pull` does from a remote."""
        need = need_of(require_cosigners, max_age)
        instance.tell_copied(self._seat)
        return unbundling.apply(self._seat, self._git, path_text(path), need)

    def rehearse_apply(
        self,
        path: str | PathLike[str],
        *,
        require_cosigners: int = 0,
        max_age: int | None = None,
    ) -> Pulled:
        """Say what `apply` would do; the seat stays as it is."""
        need = need_of(require_cosigners, max_age)
        named = path_text(path)
        return unbundling.rehearse_apply(self._seat, self._git, named, need)

    def verify(self, path: str | PathLike[str]) -> Checked:
        """Check a bundle, and say what applying it would come to."""
        return checking_bundles.verify(self._seat, self._git, path_text(path))


def _wish(since: int | None, for_seat: str | None, *, all_seats: bool) -> Wish:
    return Wish(
        flag(all_seats, "all_seats"),
        maybe_count(since, "since"),
        maybe_text(for_seat, "for_seat"),
    )
