"""What has to stand in a store, kept beside it: lines said, shown and received.

Each seat has what its own agents said and did not take back, and of every other
seat exactly what that seat's commit of the number it has seen holds; where it
selects, what is selected of that.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from koinii import RemoteSeat
from koinii.kb.operation import Fallen
from koinii.remote.exchange import Pulled
from koinii.seat.records import Commit
from reference.rfc6962 import defined_root
from remote.selected import Part

Key = tuple[str, str, bytes]  # agent, seat, locator
Lines = dict[Key, bytes]  # and the hash of the claim line

LINES = """
    SELECT agent, seat, digest, leaf, label & 16 FROM assertion
        JOIN sentex ON sentex.id = sentex JOIN author ON author.id = author
"""
HELD = """
    SELECT agent, seat, digest, leaf FROM held JOIN author ON author.id = author
"""


PLACES = """
    SELECT digest, context.name FROM sentex JOIN context ON context.id = context
    UNION SELECT digest, context.name FROM held JOIN context ON context.id = context
"""


class Stored(NamedTuple):
    """The lines in a store; what waits is applied."""

    applied: Lines
    held: Lines
    waiting: frozenset[Key]

    @property
    def lines(self) -> Lines:
        return self.applied | self.held


def stored(seat: RemoteSeat) -> Stored:
    """Read all lines of a store; each is applied or held, never both."""
    rows = seat.database.connection.execute(LINES).fetchall()
    held_rows = seat.database.connection.execute(HELD).fetchall()
    applied: Lines = {row[:3]: row[3] for row in rows}
    held: Lines = {row[:3]: row[3] for row in held_rows}
    assert not applied.keys() & held.keys()
    return Stored(applied, held, frozenset(row[:3] for row in rows if row[4]))


def by_seat(lines: Lines, seat: str) -> Lines:
    return {key: leaf for key, leaf in lines.items() if key[1] == seat}


def digest_of(locator: str) -> bytes:
    return bytes.fromhex(locator.removeprefix("sha256:"))


class Books:
    """The books of one seat."""

    def __init__(self, seat: RemoteSeat) -> None:
        self._seat = seat
        self.said: set[Key] = set()
        self.commits: list[Lines] = [{}]  # by number, from 0: nothing
        self.newest: Commit | None = None
        self.part = Part()  # what this seat takes of others
        self.places: dict[bytes, str] = {}  # in which context a line stands

    # What is entered --------------------------------------------------------------

    def say(self, agent: str, locators: Iterable[str]) -> None:
        self.said |= {(agent, self._seat.id, digest_of(one)) for one in locators}

    def unsay(self, agent: str, locators: Iterable[str]) -> None:
        self.said -= {(agent, self._seat.id, digest_of(one)) for one in locators}

    def fell(self, fallen: Iterable[Fallen]) -> None:
        for one in fallen:
            key = (one.agent, self._seat.id, digest_of(one.locator))
            assert key in self.said, f"{one} fell and was not said"
            self.said.remove(key)

    def commit(self, commit: Commit | None) -> None:
        """Enter a commit: the lines of this seat are what it shows from now on."""
        if commit is None:
            return
        assert commit.number == len(self.commits)
        self.commits.append(by_seat(stored(self._seat).lines, self._seat.id))
        self.places |= self._seat.database.connection.execute(PLACES).fetchall()
        self.newest = commit

    # What is compared -------------------------------------------------------------

    def check(self, others: dict[str, Books]) -> None:
        """Compare the store with these books and with those of the other seats."""
        now = stored(self._seat)
        mine = by_seat(now.lines, self._seat.id)
        assert mine.keys() == self.said, "what was said here is what stands here"
        numbers = {peer.seat: peer.number for peer in self._seat.peers()}
        for other, books in others.items():
            copy = by_seat(now.lines, other)
            commit = books.commits[numbers.get(other, 0)]
            expected = {
                key: leaf
                for key, leaf in commit.items()
                if self.part.takes(key[0], books.places[key[2]])
            }
            assert copy == expected, "a copy is a commit, or what is selected of it"
        known = {self._seat.id, *others}
        assert {place for _, place, _ in now.lines} <= known
        self._check_status(now, mine)

    def _check_status(self, now: Stored, mine: Lines) -> None:
        status = self._seat.status()
        leaves = sorted(
            (one.locator.encode() for one in self._seat.believed()),
            key=lambda leaf: sha256(b"\x00" + leaf).digest(),
        )
        root = f"sha256:{defined_root(leaves).hex()}"
        assert (status.commit, status.size) == (root, len(leaves))
        shown = self.commits[-1]
        moved = {key for key, leaf in shown.items() ^ mine.items()}
        assert status.uncommitted == len(moved)
        assert (status.held, status.waiting) == (len(now.held), len(now.waiting))
        assert status.number == len(self.commits) - 1
        assert status.committed == (self.newest.id if self.newest else None)

    def check_counts(self, pulled: Pulled, before: Stored) -> None:
        """Compare what a pull counts with what came, found by comparing stores."""
        now, own = stored(self._seat), self._seat.id
        came = {
            key
            for key, leaf in now.lines.items() - before.lines.items()
            if key[1] != own
        }
        gone = {key for key in before.lines.keys() - now.lines.keys() if key[1] != own}
        aside = {
            key for key in before.applied.keys() & now.held.keys() if key[1] != own
        }
        counted = pulled.new + pulled.already + pulled.waiting + pulled.held
        assert pulled.received == counted, "the counts add up"
        again = pulled.received - len(came)  # told a second time by merged segments
        assert 0 <= again <= len(now.lines)
        assert pulled.removed == len(gone)
        assert pulled.set_aside == len(aside)
        assert pulled.held >= len(came & now.held.keys())
        waiting = came & now.waiting
        if not (before.held or now.held):
            assert pulled.new <= len(came) <= pulled.new + pulled.waiting
        if not (before.held or now.held):
            assert pulled.new == len(came - waiting)
            assert pulled.waiting >= len(waiting)
