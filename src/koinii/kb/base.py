"""The knowledge base of one seat: what is asserted, believed and asked.

Reads see the last whole write. Writes go through `write()`, one transaction
each. Standing is decided above; here every assertion given is applied.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import UsageError
from koinii.kb import query
from koinii.kb.contexts import UNIVERSE, Lattice
from koinii.kb.rows import altered, key_or_open, read_row
from koinii.merkle import Levels
from koinii.merkle import root as tree_root
from koinii.store import meta
from koinii.store.assertions import Assertions
from koinii.store.names import Names
from koinii.store.sentexes import BELIEVED, Sentexes
from koinii.terms.locator import leaf
from koinii.terms.match import unify
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from koinii.kb.writing import Counts, Said, Writer
    from koinii.store.assertions import AssertionRow
    from koinii.store.database import Connection, Database
    from koinii.store.sentexes import Found
    from koinii.terms.term import Term

CHUNK = 20_000
SCOPES = ("cone", "exact", "any")
_ANYTHING = Symbol("?_")


class Sentex(NamedTuple):
    """A stored sentence with its place and its content address."""

    id: int
    context: str
    digest: bytes
    sentence: Term
    body: bytes  # the sentence's encoding

    @property
    def locator(self) -> str:
        """The content address, `sha256:` and 64 hex digits."""
        return f"sha256:{self.digest.hex()}"


class Verdict(NamedTuple):
    """What `argue` finds: `true`, `false`, `unknown` or `contradiction`."""

    verdict: str
    supporting: list[Sentex]
    opposing: list[Sentex]


class KnowledgeBase:
    """Sentexes, assertions and belief over one open store."""

    def __init__(self, database: Database) -> None:
        connection = database.connection
        self._database = database
        self._connection = connection
        self.names = Names(connection)
        self.sentexes = Sentexes(connection)
        self.assertions = Assertions(connection)
        self._made_writer: Writer | None = None
        self._writes = 0
        self._lattice: tuple[tuple[int, int], Lattice] | None = None
        self._cones: dict[str, frozenset[int]] = {}
        self._levels: tuple[int, Levels] | None = None
        database.before_write.append(self.sentexes.drain)
        database.undone.append(self._forget)

    def _forget(self) -> None:
        """Drop what was read; a write that was undone may have been in it."""
        self.names.forget()
        self._lattice = self._levels = None

    # Writing -----------------------------------------------------------------

    @property
    def _writer(self) -> Writer:
        from koinii.kb.writing import Writer  # noqa: PLC0415 - reads need none

        if self._made_writer is None:
            self._made_writer = Writer(
                self._connection, self.names, self.sentexes, self.assertions
            )
        return self._made_writer

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Run one durable transaction over the base; see `Database.write`."""
        self._writes += 1
        with self._database.write() as connection:
            yield connection

    def put(
        self, author: int, batch: Iterable[Said], *, replace: bool, journal: bool
    ) -> Counts:
        """Make these live assertions of the author; see `Writer.put`."""
        self._writes += 1
        return self._writer.put(author, batch, replace=replace, journal=journal)

    def put_many(
        self, author: int, batches: Iterable[list[Said]], *, journal: bool
    ) -> Iterator[Counts]:
        """Put batch after batch, all said at one time and strength.

        An empty base gets its indexes afterwards.
        """
        self._writes += 1
        if self.sentexes.is_empty():
            yield from self._writer.fill(author, batches, journal=journal)
            return
        for batch in batches:
            yield self.put(author, batch, replace=False, journal=journal)

    def drop(self, author: int, digests: list[bytes], *, journal: bool) -> int:
        """Withdraw the author's assertions of these; return how many there were."""
        self._writes += 1
        return self._writer.drop(author, digests, journal=journal)

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
        number, context_id, digest, body = found
        context = self.names.context(context_id)
        sentence = read_row(context, digest, body)
        return Sentex(number, context, digest, sentence, body)

    # Asking ------------------------------------------------------------------

    def ask(
        self, pattern: Term, context: str | None, scope: str = "cone"
    ) -> Iterator[query.Bindings]:
        """Yield the distinct bindings that make a query hold.

        Scope `cone` reads what the context sees, `exact` that context alone,
        `any` every context (and is what no context means).
        """
        if scope not in SCOPES:
            raise UsageError(f"no such scope: {scope}", hint=f"one of {SCOPES}")
        contexts = self._scope(context, scope)
        goals = query.goals_of(pattern)
        if len(goals) == 1 and query.is_literal(goals[0]):
            return query.distinct(self._matches(goals[0], contexts))
        return query.answer(
            query.plan(goals), lambda literal: self._facts(literal, contexts)
        )

    def matching(self, literal: Term, context: str | None, scope: str) -> list[Sentex]:
        """Return the believed sentexes that one literal matches."""
        contexts = self._scope(context, scope)
        return [
            sentex
            for sentex in map(self._sentex, self._rows(literal, contexts))
            if unify(literal, sentex.sentence, {}) is not None
        ]

    def argue(self, sentence: Term, context: str) -> Verdict:
        """Weigh a ground sentence against its negation, as a context sees both.

        Raises:
            RefusedError: `shape` or `not-ground`: it is not one ground literal.
        """
        goal = query.one_ground(sentence)
        denial = query.one_ground((Symbol("not"), goal))
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
        version = (meta.data_version(self._connection), self._writes)
        if self._lattice is None or self._lattice[0] != version:
            self._lattice = (version, Lattice(self._edges()))
            self._cones.clear()
        return self._lattice[1]

    def _edges(self) -> Iterator[tuple[str, str]]:
        pattern = (Symbol("genlCx"), Symbol("?sub"), Symbol("?super"))
        for sentex in self.matching(pattern, UNIVERSE, "exact"):
            edge = sentex.sentence
            if isinstance(edge, tuple):
                _, sub, super_ = edge
                if isinstance(sub, Symbol) and isinstance(super_, Symbol):
                    yield sub.name, super_.name

    def _scope(self, context: str | None, scope: str) -> frozenset[int] | None:
        """Return the ids of the contexts a read takes in; None is all of them."""
        if context is None or scope == "any":
            return None
        if scope == "exact":
            return self._ids((context,))
        lattice = self.lattice()
        if context not in self._cones:
            self._cones[context] = self._ids(lattice.seen_from(context))
        return self._cones[context]

    def _ids(self, names: Iterable[str]) -> frozenset[int]:
        ids = map(self.names.context_id, names)
        return frozenset(one for one in ids if one is not None)

    def _facts(self, literal: Term, contexts: frozenset[int] | None) -> Iterator[Term]:
        for _, context_id, digest, body in self._rows(literal, contexts):
            yield read_row(self.names.context(context_id), digest, body)

    def _matches(
        self, literal: Term, contexts: frozenset[int] | None
    ) -> Iterator[query.Bindings]:
        name_of = self.names.context
        for _, context_id, digest, body in self._rows(literal, contexts):
            bindings = unify(literal, read_row(name_of(context_id), digest, body))
            if bindings is not None:
                yield bindings

    def _rows(self, literal: Term, contexts: frozenset[int] | None) -> Iterator[Found]:
        negative, plain = query.split(literal)
        keys = list(map(key_or_open, plain))
        return self.sentexes.candidates(keys, negative=negative, contexts=contexts)

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
        kept = meta.get(self._connection, "root")
        if isinstance(kept, str):
            epoch, root, size = kept.split()
            if int(epoch) == now:
                return bytes.fromhex(root), int(size)
        if self._levels is not None and self._levels[0] == now:
            return self._levels[1].root, self._levels[1].size
        return tree_root(self.sentexes.leaf_hashes()), self.sentexes.count_leaves()

    def keep_root(self) -> tuple[bytes, int]:
        """Work out the root inside a write and keep it for later reads."""
        root, size = self.root()
        now = meta.epoch(self._connection)
        meta.put(self._connection, "root", f"{now} {root.hex()} {size}")
        return root, size
