"""The lines of one author into the base, a batch at a time.

The boundary decides on each line; a refused one is held alone. Whoever calls it
compares the result with what was signed, and undoes it where that differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from koinii.kb.contexts import MAJORITY
from koinii.kb.line import write_line
from koinii.kb.writing import Counts, Said
from koinii.remote.changes import Changes, Moved, Word
from koinii.seat.seat import Seat
from koinii.store.assertions import HeldRow
from koinii.trust.boundary import admit
from koinii.trust.counts import call_of
from koinii.trust.reasons import DISAGREES

BATCH = 500  # so few that they are gone before garbage is collected
HANDLE = "(sentexHandle "


class Reply(NamedTuple):
    """A line that was applied and names a locator, so that it may wait for it."""

    author: int
    digest: bytes
    was_here: bool  # just as it came


class Intake:
    """Puts what one author says now, and counts what became of it.

    `refusal` is why no line of this author counts, '' where they do.
    """

    def __init__(self, seat: Seat, name: str, author: int, refusal: str) -> None:
        self._seat = seat
        self._name = name
        self._author = author
        self._refusal = refusal
        self._world = seat.world()
        self._rows = seat.kb.assertions
        self._has_live, self._has_held = self._rows.has_lines(author)
        self.received = self.held = self.set_aside = 0
        self.counts = Counts()
        self.replies: list[Reply] = []
        self.removed: dict[str, list[bytes]] = {}  # digests by context

    def take(self, changes: Changes, moved: Iterable[Moved]) -> None:
        """Put the lines of these contexts; note those that are to be removed."""
        batches = self._batches(changes, moved)
        for put in self._seat.kb.put_many(
            self._author, batches, replace=True, journal=False
        ):
            self._seat.progress("applying", sum(put))
            self.counts = Counts(*map(sum, zip(self.counts, put, strict=True)))

    def _batches(
        self, changes: Changes, moved: Iterable[Moved]
    ) -> Iterator[list[Said]]:
        for one in moved:
            removed = self.removed.setdefault(one.context, [])
            self._seat.progress("reading", 0)
            words = changes.words(one)
            while batch := list(islice(words, BATCH)):
                self._seat.progress("reading", len(batch))
                removed += [digest for digest, said in batch if said is None]
                if allowed := self._sorted_out(one.context, batch):
                    yield allowed

    def _sorted_out(self, context: str, batch: list[Word]) -> list[Said]:
        """Let the boundary decide on each line, and return those that it lets in."""
        place = self._seat.kb.names.make_context(context)
        came = [(digest, said) for digest, said in batch if said is not None]
        allowed: list[Said] = []
        held: list[HeldRow] = []
        for digest, said in came:
            reason = self._reason(context, said)
            if reason:
                leaf = said.leaf or b""
                held.append(
                    (self._author, place, digest, leaf, write_line(said), reason)
                )
            else:
                allowed.append(said)
        self.received += len(came)
        called = sum(row[5] == DISAGREES for row in held)
        self.held += len(held) - called
        self.counts = self.counts._replace(new=self.counts.new + called)
        self._note_replies(came)
        self._hold(place, [digest for digest, _ in came], held)
        return allowed

    def _reason(self, context: str, said: Said) -> str:
        """Return why a line is held, '' where it is let in."""
        if context == MAJORITY and call_of(said.sentence, said.strength, said.extras):
            return self._refusal or DISAGREES  # until it is counted here
        found = admit(self._name, context, said.sentence, said.strength, self._world)
        return self._refusal or (found.code if found else "")

    def _note_replies(self, came: Iterable[tuple[bytes, Said]]) -> None:
        """Note which lines may have to wait, before they are put."""
        self.replies += [
            Reply(self._author, digest, self._leaf_of(digest) == said.leaf)
            for digest, said in came
            if HANDLE in said.text
        ]

    def _leaf_of(self, digest: bytes) -> bytes | None:
        if not self._has_live:
            return None
        row = self._rows.line(self._author, digest)
        return row and row[-1]

    def _hold(self, place: int, came: list[bytes], held: list[HeldRow]) -> None:
        """Let go of what was held of these lines, and hold what is held now."""
        if self._has_held:
            self._rows.release([(self._author, place, digest) for digest in came])
        refused = [row[2] for row in held]
        if self._has_live and self._seat.kb.sentexes.ids(refused):
            self.set_aside += self._seat.kb.set_aside(self._author, refused)
        self._rows.hold(held)
