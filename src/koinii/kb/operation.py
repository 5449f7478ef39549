"""Write operations: each is settled at its end, and told once.

One transaction, one settlement, one event (design section 5).
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from koinii.kb import feed, vocabulary
from koinii.kb.contexts.structure import EXCEPT, GENL_CX
from koinii.kb.episodes import Keeper
from koinii.kb.network.settling import Settlement
from koinii.kb.rows import key_of, read_row
from koinii.kb.rules.joining import literal_of
from koinii.kb.writing import Writer
from koinii.store import meta
from koinii.store.sentexes import LOCAL, WAITING
from koinii.terms.locator import locator_of
from koinii.terms.printer import write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet

    from koinii.kb.network.parts import Parts
    from koinii.kb.network.withdrawing import Departed
    from koinii.store.database import Connection, Database


SAYING, RETRACTING, HOLDING = "saying", "retracting", "holding"


class Fallen(NamedTuple):
    """An own author's reply, or mask, that was withdrawn with what it names."""

    agent: str
    context: str
    sentence: str
    locator: str


class Writing:
    """What writes to one store; at most one operation is under way."""

    def __init__(
        self, database: Database, parts: Parts, now: Callable[[], int]
    ) -> None:
        self._database = database
        self._connection = database.connection
        self.parts = parts
        self._operation: Settlement | None = None
        self._writer: Writer | None = None
        self._is_shipped = False
        self._mode = SAYING
        self._fell: dict[tuple[int, bytes], Fallen] = {}
        self._episodes = Keeper(self._connection, parts)
        self._now = now
        self.at_end: list[Callable[[Writing], None]] = []  # may say more

    @property
    def settlement(self) -> Settlement:
        """The operation under way."""
        assert self._operation is not None  # noqa: S101 - every write is one
        return self._operation

    @property
    def writer(self) -> Writer:
        """The writer of the operation under way."""
        assert self._writer is not None  # noqa: S101 - every write is one
        return self._writer

    @contextmanager
    def operation(self) -> Iterator[Connection]:
        """Run one operation; within another it is a part of that one."""
        with self._database.write() as connection:
            if self._operation is not None:
                yield connection
                return
            try:
                self._begin()
                yield connection
                self._finish()
            finally:
                self._operation = self._writer = None

    def moves(self, functors: AbstractSet[int]) -> bool:
        """Tell whether the operation put, dropped, woke or stilled such a sentence."""
        if self.writer.functors & functors:
            return True
        nodes = self.settlement.nodes
        return any(
            key_of(literal_of(row.body)[1]) in functors
            for row in nodes.before.values()
            if (row.label ^ nodes.label(row.id)) & WAITING
        )

    @property
    def is_open(self) -> bool:
        """Whether an operation is under way."""
        return self._operation is not None

    def _begin(self) -> None:
        self.parts.sentexes.forget()
        if self.parts.structure.check():
            self.parts.forget()
        self._operation = Settlement(self.parts)
        self._writer = Writer(self._connection, self.parts, self._operation)
        self._mode = SAYING
        self._fell.clear()
        if not self._is_shipped:
            self._ship()
            self._is_shipped = True

    def conclude(self) -> None:
        """Settle, and what the seat says at the end of an operation too."""
        self.settle()
        for one in self.at_end:
            one(self)
        self.settle()

    def _finish(self) -> None:
        self.conclude()
        self._keep_episodes()
        self.parts.structure.edges_changed()  # contexts may be new here
        if self.settlement.nodes.moved:
            meta.advance_epoch(self._connection)
        feed.record(self._connection, self.parts, self.settlement)

    def _keep_episodes(self) -> None:
        """Note which clashes stand now, and take away the marks on those that ended."""
        ended = self._episodes.update(self.settlement.nodes, self._now)
        while marks := list(self._episodes.orphans(ended)):
            for author, digest in marks:
                self.writer.drop(author, [digest], journal=False)
            self.settle()
            ended = self._episodes.update(self.settlement.nodes, self._now)

    def settle(self) -> None:
        """Bring belief up to date with what the operation has said so far."""
        operation = self.settlement
        if operation.is_pending:
            retracting = self._mode == RETRACTING
            operation.cascade = self._cascade if retracting else None
            operation.settle()

    def undone(self) -> None:
        """Ship and read again; a write, or a part of one, was undone."""
        self._is_shipped = False
        self.parts.clashes.take_moved()
        if self._operation is not None:
            self._operation.undone()

    # Saying and withdrawing -----------------------------------------------------

    def _turn(self, mode: str) -> None:
        """Settle what was done so far where another kind of thing comes next.

        Own replies go with what a retraction takes away, and with nothing else.
        """
        if mode != self._mode:
            self.settle()
            self._mode = mode

    def say(self) -> Writer:
        """Return the writer, to put assertions."""
        self._turn(SAYING)
        return self.writer

    def retract(self, author: int, digests: list[bytes], *, journal: bool) -> int:
        """Withdraw an author's assertions, and own replies to what leaves."""
        self._turn(RETRACTING)
        gone = self.writer.drop(author, digests, journal=journal)
        self.settlement.withdrawn.update((author, digest) for digest in gone)
        return len(gone)

    def set_aside(self, author: int, digests: list[bytes]) -> int:
        """Take assertions out that are held from now on; replies only wait."""
        self._turn(HOLDING)
        return len(self.writer.drop(author, digests, journal=False))

    def _cascade(self, departed: list[Departed]) -> bool:
        """Withdraw own authors' replies to what has left, and their masks of it."""
        return sum(map(self._cascade_from, departed)) > 0

    def _cascade_from(self, departed: Departed) -> int:
        structure = self.parts.structure
        if not structure.any_targets:
            return 0
        following = set(map(key_of, structure.following))
        gone = 0
        for sentex, functor, label in structure.rows.naming(departed.digest):
            if functor == key_of(EXCEPT):
                gone += self._withdraw_own(sentex, departed.digest)
            elif functor in following and (label & LOCAL or not departed.is_local):
                gone += self._withdraw_own(sentex, None)
        return gone

    def _withdraw_own(self, sentex: int, masked: bytes | None) -> int:
        """Withdraw this seat's assertions of a reply, or an own author's mask.

        A mask goes with its target if its author has just withdrawn that too.
        """
        seat = meta.get(self._connection, "seat")
        digest = self.parts.sentexes.digests([sentex])[sentex]
        gone = 0
        for row in self.parts.assertions.of_sentex(sentex):
            author = row[1]
            if self.parts.names.author(author)[1] != seat:
                continue
            if masked is None or (author, masked) in self.settlement.withdrawn:
                self._note(author, sentex)
                dropped = self.writer.drop(author, [digest], journal=True)
                self.settlement.withdrawn.update((author, one) for one in dropped)
                gone += len(dropped)
        return gone

    def _note(self, author: int, sentex: int) -> None:
        """Note what falls, while its row is here to be read."""
        _, context, digest, body = self.parts.sentexes.by_id(sentex)
        place = self.parts.names.context(context)
        self._fell[author, digest] = Fallen(
            self.parts.names.author(author)[0],
            place,
            write(read_row(place, digest, body)),
            locator_of(digest),
        )

    def fallen(self) -> list[Fallen]:
        """Return what fell with its target in the newest operation, as far as settled.

        What was undone in it is live again, and is none of them.
        """
        line = self.parts.assertions.line
        return sorted(one for of, one in self._fell.items() if line(*of) is None)

    # What the program and the seat decide ------------------------------------------

    def _ship(self) -> None:
        """Store the vocabulary of this program, in place of another's."""
        digest = vocabulary.digest()
        if meta.get(self._connection, "vocabulary") == digest:
            return
        self.writer.ship(vocabulary.sentences())
        meta.put(self._connection, "vocabulary", digest)
        local = self.parts.names.make_context("CxDisputes")
        self.parts.structure.rows.make_local(local)
        self.parts.structure.forget_owners()
        self.settle()

    def own(self, contexts: set[str]) -> None:
        """Take in that these contexts have found an owner, by an introduction."""
        self.settlement.own(contexts)

    def set_standing(self, author: int, *, arbiter: bool, moderator: bool) -> None:
        """Record an author's standing; what it bears on is weighed anew."""
        structure = self.parts.structure
        structure.rows.set_standing(author, arbiter=arbiter, moderator=moderator)
        structure.forget_standing()
        touched = self.parts.assertions.weighty(author)
        self.settlement.touch(touched)
        functors = self.parts.sentexes.functors(touched)
        self.settlement.shape(
            one for one, functor in functors if functor == key_of(GENL_CX)
        )
