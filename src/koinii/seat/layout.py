"""Where a seat keeps things, and how one is found from where a command runs.

A seat is `seat.toml`, which people edit, beside `.koinii/`, which holds the
store, the private keys and a bare git repository.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import SurroundingsError

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIG = "seat.toml"
STATE = ".koinii"
_LINK = "gitdir: "
_MAX_LINK = 8192


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

    def lacks_settings(self) -> bool:
        """Tell whether a seat's state is here and its `seat.toml` is not."""
        return os.path.isfile(self.store) and not os.path.isfile(self.config)


def find(start: str, *, asked: str | None) -> Layout:
    """Return the seat a command is about.

    `asked` (from `-C` or KOINII_SEAT) must itself be a seat or lie in one;
    otherwise the search goes upward from `start`, as git searches. Within a linked
    working tree of git that holds no seat, the main one is looked through.

    Raises:
        SurroundingsError: `koinii/no-seat`, with the places looked at;
            `koinii/unfinished-seat` for settings without their state.
    """
    origin = os.path.realpath(asked if asked is not None else start)
    if asked is not None and not os.path.isdir(origin):
        raise _no_seat(f"{asked} is no directory", [origin])
    looked: list[str] = []
    for place in _places(origin):
        looked.append(place)
        layout = Layout(place)
        if layout.is_seat():
            return layout
        if os.path.isfile(layout.config):
            return _checked_out(layout)
        if os.path.isfile(layout.store):
            raise without_settings(layout)
    mains = [main for main in map(_main_working_tree, _upward(origin)) if main]
    also = f", nor in its main working tree {mains[0]}" if mains else ""
    raise _no_seat(f"no seat in {origin} or above it{also}", looked)


def _places(origin: str) -> Iterator[str]:
    """Yield where a seat may be, the nearest first."""
    for place in _upward(origin):
        yield place
        main = _main_working_tree(place)
        if main is not None:
            for one in _upward(_counterpart(origin, place, main)):
                if os.path.commonpath([main, one]) == main:
                    yield one


def _checked_out(layout: Layout) -> Layout:
    """Return the seat whose settings these are: git checks them out alone."""
    for place in _upward(layout.directory):
        main = _main_working_tree(place)
        if main is not None:
            there = Layout(_counterpart(layout.directory, place, main))
            if there.is_seat():
                return there
    raise _unfinished(layout)


def _counterpart(path: str, linked: str, main: str) -> str:
    return os.path.normpath(os.path.join(main, os.path.relpath(path, linked)))


def _upward(place: str) -> Iterator[str]:
    while True:
        yield place
        place, below = os.path.dirname(place), place
        if place == below:
            return


def _main_working_tree(place: str) -> str | None:
    """Return the main tree of a linked working tree of git, None for all else.

    There `.git` is a file that names `<main>/.git/worktrees/<name>`; that of a
    submodule names a directory of modules.
    """
    try:
        with open(os.path.join(place, ".git"), encoding="utf-8") as file:
            text = file.read(_MAX_LINK)
    except (OSError, UnicodeDecodeError):
        return None
    if not text.startswith(_LINK) or "\0" in text:
        return None
    named = os.path.join(place, text.removeprefix(_LINK).rstrip("\r\n"))
    trees, _ = os.path.split(os.path.realpath(named))
    repository, word = os.path.split(trees)
    main, name = os.path.split(repository)
    return main if (word, name) == ("worktrees", ".git") else None


def without_settings(layout: Layout) -> SurroundingsError:
    """Return the error of a seat whose `seat.toml` is lost."""
    return SurroundingsError(
        f"{layout.config} is missing, and {layout.state} is there",
        code="koinii/no-settings",
        hint=f"koinii -C {layout.directory} doctor says how it is written anew",
        path=layout.directory,
    )


def _unfinished(layout: Layout) -> SurroundingsError:
    return SurroundingsError(
        f"{layout.config} lies ready, and there is no {STATE} beside it",
        code="koinii/unfinished-seat",
        hint=f"koinii init {layout.directory}",
        path=layout.directory,
    )


def _no_seat(message: str, looked: list[str]) -> SurroundingsError:
    return SurroundingsError(
        message,
        code="koinii/no-seat",
        hint="koinii init --as AgentYou makes one here; -C DIR names another",
        looked=looked,
    )
