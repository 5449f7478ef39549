"""Where a seat keeps things, and how one is found from where a command runs.

A seat is `seat.toml`, which people edit, beside `.koinii/`, which holds the
store, the private keys and a bare git repository.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from koinii.errors import SurroundingsError

CONFIG = "seat.toml"
STATE = ".koinii"


class Layout(NamedTuple):
    """The paths of one seat."""

    directory: str

    @property
    def config(self) -> str:
        """The file that people edit."""
        return os.path.join(self.directory, CONFIG)

    @property
    def state(self) -> str:
        """The directory that only the program writes."""
        return os.path.join(self.directory, STATE)

    @property
    def store(self) -> str:
        """The SQLite file."""
        return os.path.join(self.state, "store.db")

    @property
    def keys(self) -> str:
        """The directory of private keys, 0700."""
        return os.path.join(self.state, "keys")

    @property
    def seat_key(self) -> str:
        """The key that signs this seat's history."""
        return os.path.join(self.keys, "seat")

    def agent_key(self, agent: str) -> str:
        """The key an agent of this seat signs with."""
        return os.path.join(self.keys, agent)

    @property
    def git(self) -> str:
        """The private bare repository."""
        return os.path.join(self.state, "git")

    def is_seat(self) -> bool:
        """Tell whether a seat is here."""
        return os.path.isfile(self.config) and os.path.isdir(self.state)


def find(start: str, *, asked: str | None) -> Layout:
    """Return the seat a command is about.

    `asked` (from `-C` or KOINII_SEAT) must itself be a seat or lie in one;
    otherwise the search goes upward from `start`, as git searches.

    Raises:
        SurroundingsError: `koinii/no-seat`, with the places looked at.
    """
    origin = os.path.realpath(asked if asked is not None else start)
    if asked is not None and not os.path.isdir(origin):
        raise _no_seat(f"{asked} is no directory", [origin])
    looked = []
    place = origin
    while True:
        looked.append(place)
        layout = Layout(place)
        if layout.is_seat():
            return layout
        parent = os.path.dirname(place)
        if parent == place:
            raise _no_seat(f"no seat in {origin} or above it", looked)
        place = parent


def _no_seat(message: str, looked: list[str]) -> SurroundingsError:
    return SurroundingsError(
        message,
        code="koinii/no-seat",
        hint="koinii init --as AgentYou makes one here; -C DIR names another",
        looked=looked,
    )
