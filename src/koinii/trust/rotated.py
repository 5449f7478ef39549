"""How the keys of a name follow on each other, and which of them are revoked.

A rotation leads from a key to the next one, and back where the next has signed it
too. What a revoked key signs leads nowhere:

- a revocation by the admin, or by the key itself, ends its rotations from a commit on;
- one by a key that follows on it ends its rotations to all others. Where two that
  follow on one key both revoke it, it leads to neither: who knows which is the thief?
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from koinii.note.fields import EVERYWHERE


class Turn(NamedTuple):
    """A rotation: hashes of the keys, where and from which commit on."""

    old: bytes
    new: bytes
    seat: str
    number: int
    is_cosigned: bool  # by the new key


class Revoked(NamedTuple):
    """A revocation of a key, at a seat or `*`, from a commit on."""

    key: bytes
    seat: str
    number: int
    signers: tuple[bytes, ...] | None  # None: the admin

    def ends(self, key: bytes, seat: str, number: int) -> bool:
        """Tell whether it is of what a key signed for a commit of a seat."""
        here = self.seat in (EVERYWHERE, seat)
        return self.key == key and here and number >= self.number


class Rotated:
    """The rotations of one name, and what is revoked of them."""

    def __init__(self, turns: Iterable[Turn], revoked: list[Revoked]) -> None:
        self._revoked = revoked
        self._back: dict[bytes, set[bytes]] = {}
        self._next: dict[bytes, set[bytes]] = {}
        for turn in turns:
            if turn.is_cosigned:
                self._back.setdefault(turn.new, set()).add(turn.old)
            if not self._is_dead(turn):
                self._next.setdefault(turn.old, set()).add(turn.new)

    def _is_dead(self, turn: Turn) -> bool:
        return any(
            one.ends(turn.old, turn.seat, turn.number)
            and (one.signers is None or turn.old in one.signers)
            for one in self._revoked
        )

    def reached(self, root: bytes) -> frozenset[bytes]:
        """Return the keys that a key leads to, and back."""
        found, waiting = {root}, [root]
        for key in waiting:
            ahead = {one for one in self._next.get(key, ()) if self._leads(key, one)}
            new = (ahead | self._back.get(key, set())) - found
            found |= new
            waiting += sorted(new)
        return frozenset(found)

    def following(self, key: bytes) -> frozenset[bytes]:
        """Return a key and those that follow on it, whatever was revoked of them."""
        found, waiting = {key}, [key]
        for one in waiting:
            new = self._next.get(one, set()) - found
            found |= new
            waiting += sorted(new)
        return frozenset(found)

    def claimants(self, key: bytes) -> set[bytes]:
        """Return the keys next to a key by which, or after which, it was revoked."""
        by = [
            set(one.signers) - {key}
            for one in self._revoked
            if one.key == key and one.signers is not None
        ]
        return {
            one
            for one in self._next.get(key, ())
            if any(self.following(one) & signers for signers in by)
        }

    def _leads(self, key: bytes, next_key: bytes) -> bool:
        return self.claimants(key) <= {next_key}

    def is_revoked(self, key: bytes, seat: str, number: int) -> bool:
        """Tell whether what a key signed for a commit of a seat is revoked.

        By the admin, by the key, or by one that follows on it.
        """
        return any(
            one.ends(key, seat, number) and self._may(one) for one in self._revoked
        )

    def is_revoked_at(self, key: bytes, seat: str) -> bool:
        """Tell whether a key is revoked at a seat at all, from whatever commit on."""
        return any(
            one.key == key and one.seat in (EVERYWHERE, seat) and self._may(one)
            for one in self._revoked
        )

    def _may(self, one: Revoked) -> bool:
        return one.signers is None or bool(self.following(one.key) & set(one.signers))
