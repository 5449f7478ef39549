"""The knowledge base of one seat: what is asserted, believed and asked.

Reads see the last whole write. Writes go through `write()`, one transaction
each. Standing is decided above; here every assertion given is applied.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import UsageError
from koinii.kb import query
from koinii.kb.contexts.structure import Structure
from koinii.kb.reading import Place, Reader
from koinii.kb.rows import altered
from koinii.kb.sentex import Sentex, sentex_of
from koinii.merkle import Levels
from koinii.merkle import root as tree_root
from koinii.store import meta
from koinii.store.assertions import Assertions
from koinii.store.names import Names
from koinii.store.sentexes import BELIEVED, Sentexes
from koinii.terms.locator import leaf
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from koinii.kb.contexts import Lattice
    from koinii.kb.network.parts import Parts
    from koinii.kb.operation import Fallen, Writing
    from koinii.kb.standing import Clash
    from koinii.kb.supporting import Support
    from koinii.kb.writing import Counts, Said
    from koinii.store.assertions import AssertionRow
    from koinii.store.database import Connection, Database
    from koinii.store.sentexes import Found
    from koinii.terms.term import Term

__all__ = ["KnowledgeBase", "Sentex", "Verdict"]

SCOPES = ("cone", "exact", "any")


class Verdict(NamedTuple):
    """What `argue` finds: `true`, `false`, `unknown` or `contradiction`."""

    verdict: str
    supporting: list[Sentex]
    opposing: list[Sentex]


def no_time() -> int:
    """Stand for a clock where nobody asks since when anything stands."""
    return 0


class KnowledgeBase:
    """Sentexes, assertions and belief over one open store."""

    def __init__(
        self,
        database: Database,
        now: Callable[[], int] = no_time,
        at_end: Iterable[Callable[[Writing], None]] = (),
    ) -> None:
        self.now = now
        self._at_end = [*at_end]
        connection = database.connection
        self._database = database
        self._connection = connection
        self.names = Names(connection)
        self.sentexes = Sentexes(connection)
        self.assertions = Assertions(connection)
        self.structure = Structure(connection, self.names)
        self.reader = Reader(self.names, self.sentexes, self.structure)
        self._parts: Parts | None = None
        self._writing: Writing | None = None
        self._levels: tuple[int, Levels] | None = None
        database.before_write.append(self.sentexes.drain)
        database.undone.append(self._forget)

    def _forget(self) -> None:
        """Drop what was read; a write that was undone may have been in it."""
        self.names.forget()
        self.sentexes.forget()
        self.structure.forget()
        self._levels = None
        if self._parts is not None:
            self._parts.forget()
        if self._writing is not None:
            self._writing.undone()

    @property
    def parts(self) -> Parts:
        """What the engine is made of, for those who explain what it did."""
        from koinii.kb.network.parts import assemble  # noqa: PLC0415 - `ask` needs none

        if self._parts is None:
            self._parts = assemble(
                self.names, self.sentexes, self.assertions, self.structure
            )
        elif not self.is_writing and self.structure.check():
            self._parts.forget()
        return self._parts

    @property
    def is_writing(self) -> bool:
        """Whether an operation is under way, so that nobody else can write."""
        return self._writing is not None and self._writing.is_open

    @contextmanager
    def view(self) -> Iterator[None]:
        """Read several things as they stand at one moment; see `Database.view`."""
        with self._database.view():
            yield

    # Writing -----------------------------------------------------------------

    @property
    def writing(self) -> Writing:
        """What writes to this base."""
        from koinii.kb.operation import Writing  # noqa: PLC0415 - reads need none

        if self._writing is None:
            self._writing = Writing(self._database, self.parts, self.now)
            self._writing.at_end += self._at_end
        return self._writing

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Run one durable operation over the base; see `Database.write`.

        What follows from what it said is settled at its end.
        """
        with self.writing.operation() as connection:
            yield connection

    def settle(self) -> None:
        """Bring belief up to date within a write that goes on to read it."""
        self.writing.settle()

    def conclude(self) -> None:
        """Bring belief to what it will be at the end of the write under way."""
        self.writing.conclude()

    def put(
        self, author: int, batch: Iterable[Said], *, replace: bool, journal: bool
    ) -> Counts:
        """Make these live assertions of the author; see `Writer.put`."""
        return self.writing.say().put(author, batch, replace=replace, journal=journal)

    def put_many(
        self,
        author: int,
        batches: Iterable[list[Said]],
        *,
        replace: bool = False,
        journal: bool,
    ) -> Iterator[Counts]:
        """Put batch after batch: all said at one time and strength, or no two alike.

        An empty base gets its indexes afterwards; until then nothing finds a row.
        """
        from koinii.kb.garbage import uncollected  # noqa: PLC0415 - reads need none

        with uncollected():
            if self.sentexes.is_empty():
                yield from self.writing.say().fill(author, batches, journal=journal)
                return
            for batch in batches:
                yield self.put(author, batch, replace=replace, journal=journal)

    def drop(self, author: int, digests: list[bytes], *, journal: bool) -> int:
        """Withdraw the author's assertions of these; return how many there were.

        This seat's own replies to what leaves the store go with it; see `fallen`.
        """
        return self.writing.retract(author, digests, journal=journal)

    def fallen(self) -> list[Fallen]:
        """Return the own replies and masks that fell in the newest operation here.

        Within one: in what it has settled so far.
        """
        return self.writing.fallen()

    def set_aside(self, author: int, digests: list[bytes]) -> int:
        """Take assertions out of the base that are held from now on.

        Replies to what leaves the store with them only wait.
        """
        return self.writing.set_aside(author, digests)

    def own(self, contexts: set[str]) -> None:
        """Take in that these contexts have found an owner, by an introduction."""
        self.writing.own(contexts)

    def set_standing(self, author: int, *, arbiter: bool, moderator: bool) -> None:
        """Record what an author may do; its assertions are weighed anew."""
        self.writing.set_standing(author, arbiter=arbiter, moderator=moderator)

    # Finding -----------------------------------------------------------------

    def find(self, digest: bytes) -> Sentex | None:
        """Return the stored sentex of a locator, believed or not.

        Raises:
            VerificationError: `koinii/row-altered`.
        """
        found = self.sentexes.by_digest(digest)
        if found is not None:
            return self._sentex(found)
        if self.sentexes.has_leaf(leaf(digest)):
            raise altered(digest)
        return None

    def get(self, sentex: int) -> Sentex:
        """Return the sentex of a row id, which must be there."""
        return self._sentex(self.sentexes.by_id(sentex))

    def find_prefix(self, prefix: str, limit: int = 20) -> list[Sentex]:
        """Return at most `limit` sentexes whose locator begins with these digits."""
        low = bytes.fromhex(prefix.ljust(64, "0"))
        high = bytes.fromhex(prefix.ljust(64, "f"))
        return [self._sentex(row) for row in self.sentexes.by_prefix(low, high, limit)]

    def is_believed(self, sentex: Sentex) -> bool:
        """Tell whether a stored sentex is believed."""
        return bool(self.sentexes.label(sentex.id) & BELIEVED)

    def asserted_by(self, sentex: int) -> list[AssertionRow]:
        """Return every live assertion of one sentex."""
        return self.assertions.of_sentex(sentex)

    def believed(self, context: str | None = None) -> Iterator[Sentex]:
        """Yield what is believed, in one context or everywhere, as a stream."""
        if context is None:
            yield from map(self._sentex, self.sentexes.believed(None))
            return
        known = self.names.context_id(context)
        if known is not None:
            yield from map(self._sentex, self.sentexes.believed(known))

    def _sentex(self, found: Found) -> Sentex:
        return sentex_of(self.names, *found)

    # Asking ------------------------------------------------------------------

    def ask(
        self, pattern: Term, context: str | None, scope: str = "cone"
    ) -> Iterator[query.Bindings]:
        """Yield the distinct bindings that make a query hold.

        Scope `cone` reads what the context sees, `exact` that context alone,
        `any` every context (and is what no context means).
        """
        place, reader = self.place(context, scope), self.reader
        goals = query.goals_of(pattern)
        if len(goals) == 1 and query.is_literal(goals[0]):
            return query.distinct(reader.matches(goals[0], place))
        return query.answer(
            query.plan(goals), lambda literal: reader.facts(literal, place)
        )

    def place(self, context: str | None, scope: str) -> Place:
        """Return where a read is made from, as things stand now.

        Raises:
            UsageError: no such scope.
        """
        if scope not in SCOPES:
            raise UsageError(f"no such scope: {scope}", hint=f"one of {SCOPES}")
        self.structure.check()
        return Place(context, scope)

    def matching(self, literal: Term, context: str | None, scope: str) -> list[Sentex]:
        """Return the believed sentexes that one literal matches."""
        found = self.reader.sentexes(literal, self.place(context, scope))
        return [Sentex(*one) for one in found]

    def argue(self, sentence: Term, context: str) -> Verdict:
        """Weigh a ground sentence against its negation, as a context sees both.

        Raises:
            RefusedError: `shape` or `not-ground`: it is not one ground literal.
        """
        goal = query.one_ground(sentence)
        denial = query.one_ground((Symbol("not"), goal))
        with self.view():
            supporting = self.matching(goal, context, "cone")
            opposing = self.matching(denial, context, "cone")
        verdicts = {
            (True, True): "contradiction",
            (True, False): "true",
            (False, True): "false",
            (False, False): "unknown",
        }
        verdict = verdicts[bool(supporting), bool(opposing)]
        return Verdict(verdict, supporting, opposing)

    def lattice(self) -> Lattice:
        """Return who sees whom as of the last write of anybody."""
        self.structure.check()
        return self.structure.lattice

    # Explaining ----------------------------------------------------------------

    def clashes(self, *, known: bool, context: str | None) -> list[Clash]:
        """Return the clashes that stand; see `kb.standing.standing`."""
        from koinii.kb.standing import standing  # noqa: PLC0415 - `ask` needs none

        with self.view():
            return standing(self.parts, known=known, context=context)

    def supports(self, sentex: int) -> list[Support]:
        """Return the reasons for a derived sentex, in the order of content."""
        from koinii.kb.supporting import supports  # noqa: PLC0415 - `ask` needs none

        with self.view():
            return supports(self.parts, sentex)

    # The commit tree -----------------------------------------------------------

    def tree(self) -> Levels:
        """Return the tree over what is believed, kept until belief moves."""
        now = meta.epoch(self._connection)
        if self._levels is None or self._levels[0] != now:
            self._levels = (now, Levels(self.sentexes.leaf_hashes()))
        return self._levels[1]

    def root(self) -> tuple[bytes, int]:
        """Return the commit root and the number of leaves.

        O(believed) after belief has moved, else one look-up; memory for a block.
        """
        now = meta.epoch(self._connection)
        kept = self._kept_root()
        if kept is not None and kept[0] == now:
            return kept[1:]
        if self._levels is not None and self._levels[0] == now:
            return self._levels[1].root, self._levels[1].size
        return tree_root(self.sentexes.leaf_hashes()), self.sentexes.count_leaves()

    def keep_root(self, signed: tuple[bytes, int] | None) -> tuple[bytes, int]:
        """Work out the root inside a write and keep it for later reads.

        What was kept before counts only where it is the root that was signed last;
        any other is worked out from the leaves.
        """
        now = meta.epoch(self._connection)
        if signed is not None and self._kept_root() == (now, *signed):
            return signed
        self._levels = None
        root, size = (
            tree_root(self.sentexes.leaf_hashes()),
            self.sentexes.count_leaves(),
        )
        meta.put(self._connection, "root", f"{now} {root.hex()} {size}")
        return root, size

    def _kept_root(self) -> tuple[int, bytes, int] | None:
        """Return the epoch, root and size that were kept, None for none."""
        kept = meta.get(self._connection, "root")
        if not isinstance(kept, str):
            return None
        epoch, root, size = kept.split()
        return int(epoch), bytes.fromhex(root), int(size)
