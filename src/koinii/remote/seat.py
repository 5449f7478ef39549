"""A seat that meets others: what `koinii.open`, `init` and `clone` return."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from koinii.note import PrivateKey
from koinii.remote import exchange
from koinii.remote.exchange import Outgoing, Pulled, Pushed
from koinii.remote.repository import Git
from koinii.seat import clock, founding
from koinii.seat.config import add_remote, remove_remote
from koinii.seat.parts import open_parts
from koinii.seat.records import Commit
from koinii.seat.reviewing import review
from koinii.seat.seat import Seat

if TYPE_CHECKING:
    from collections.abc import Callable


def _is_watched() -> bool:
    """Tell whether a person is there to answer what git may ask."""
    return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()


class RemoteSeat(Seat):
    """A seat with the verbs that move commits."""

    @property
    def git(self) -> Git:
        """The private repository between this seat and its remotes."""
        return Git(Path(self.layout.git), interactive=_is_watched())

    def push(self, name: str = "origin") -> Pushed:
        """Show this seat's commits on a remote."""
        return exchange.push(self, self.git, name)

    def rehearse_push(self, name: str = "origin") -> Outgoing:
        """Say what `push` would do, and what the remote holds now."""
        return exchange.rehearse_push(self, self.git, name)

    def rehearse_pull(self, name: str = "origin") -> Pulled:
        """Say what `pull` would do; the seat stays as it is."""
        return exchange.rehearse_pull(self, self.git, name)

    def pull(self, name: str = "origin") -> Pulled:
        """Bring what other seats have shown on a remote."""
        return exchange.pull(self, self.git, name)

    def sync(self, name: str = "origin") -> tuple[Pulled, Commit | None, Pushed]:
        """Pull, commit, push."""
        pulled = self.pull(name)
        return pulled, self.commit(), self.push(name)

    def new_agent(self, name: str, *, key: str | None = None) -> None:
        """Give another agent a key at this seat and let it introduce itself."""
        brought = founding.read_key(key) or PrivateKey.generate()
        with self.database.write():
            founding.introduce(
                self.layout, self.database, name, brought, seat=self.id, time=self.now()
            )
            review(self, {name})

    def add_remote(self, name: str, url: str) -> None:
        """Name a remote in `seat.toml`."""
        add_remote(self.layout.config, name, url)
        self.forget_config()

    def remove_remote(self, name: str) -> None:
        """Take a remote out of `seat.toml`; what was pulled from it stays."""
        remove_remote(self.layout.config, name)
        self.forget_config()


def init(
    path: str,
    *,
    agent: str | None = None,
    key: str | None = None,
    now: Callable[[], int] = clock.now_ms,
) -> RemoteSeat:
    """Make a seat in a directory and open it.

    A `seat.toml` there already is kept, and names the agent if none is given.
    `key` names an agent's own OpenSSH key file; without one the agent gets a new
    key, unrelated to any it has elsewhere.
    """
    layout = founding.found(path, agent, founding.read_key(key), now)
    return open(layout.directory, now=now)


def open(path: str, *, now: Callable[[], int] = clock.now_ms) -> RemoteSeat:
    """Open the seat in a directory."""
    return RemoteSeat(*open_parts(path), now)


def clone(
    url: str,
    path: str,
    *,
    agent: str | None = None,
    key: str | None = None,
    now: Callable[[], int] = clock.now_ms,
) -> tuple[RemoteSeat, Pulled]:
    """Make a seat whose remote `origin` is `url`, and pull everything there.

    A remote that cannot be read leaves no seat behind.
    """
    seat = init(path, agent=agent, key=key, now=now)
    try:
        seat.add_remote("origin", url)
        return seat, seat.pull("origin")
    except BaseException:
        seat.close()
        founding.undo(seat.layout)
        raise
