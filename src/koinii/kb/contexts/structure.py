"""What is in force: the statements that shape how a base reads all others.

Edges, masks, `genl`, `symmetric`, `functional`, `disjoint`, marks, channels and
whose contexts are (decision 6). Read from the store when first asked for and
kept; forgotten when they change here or another process has written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.contexts.lattice import (
    MAJORITY,
    Lattice,
    belief_context,
    closure,
    own_context,
)
from koinii.kb.rows import key_of
from koinii.store import meta
from koinii.store.declarations import Declarations
from koinii.terms.encoding import encode
from koinii.terms.slices import split
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from koinii.store.database import Connection
    from koinii.store.names import Names
    from koinii.store.sentexes import Found


def word_of(name: str) -> bytes:
    """Return the encoding of a symbol without a namespace."""
    return encode(Symbol(name))


def name_in(encoded: bytes) -> str:
    """Return the name of an encoded symbol without a namespace."""
    return encoded[6:].decode()


GENL_CX, GENL, EXCEPT = map(word_of, ("genlCx", "genl", "except"))
SYMMETRIC, FUNCTIONAL, DISJOINT = map(word_of, ("symmetric", "functional", "disjoint"))
FOLLOWING, MODAL = map(word_of, ("targetFollowingPredicate", "modalPredicate"))
CHANNEL, CONVENED = map(word_of, ("channel", "convened"))
ARG = word_of("arg")
_FEW = (SYMMETRIC, FUNCTIONAL, DISJOINT, FOLLOWING, MODAL, CHANNEL, CONVENED)


class Statement(NamedTuple):
    """A structural statement in force: where it stands, and what it is said of."""

    id: int
    context: str
    digest: bytes
    said_of: tuple[bytes, ...]  # encodings


class Owner(NamedTuple):
    """Whose a context is, and whether it is what that agent holds."""

    agent: str
    belief: bool


class Structure:
    """The statements in force in one store."""

    def __init__(self, connection: Connection, names: Names) -> None:
        self._connection = connection
        self._names = names
        self.rows = Declarations(connection)
        self._version = -1
        self.generation = 0  # moves with whatever is forgotten
        self.forget()

    def check(self) -> bool:
        """Forget what was read if another process has written since; tell so."""
        version = meta.data_version(self._connection)
        if version == self._version:
            return False
        self._version = version
        self.forget()
        return True

    def forget(self) -> None:
        """Read everything again when it is next asked for."""
        self._lattice: Lattice | None = None
        self.forget_standing()
        self._cones: dict[str, frozenset[int]] = {}
        self._owners: dict[str, Owner] | None = None
        self._locals: frozenset[str] | None = None
        self.forget_statements()

    def forget_statements(self) -> None:
        """Read all but edges and owners again."""
        self.generation += 1
        self._following_keys: frozenset[int] | None = None
        self._few: dict[bytes, list[Statement]] | None = None
        self._above: dict[bytes, list[Statement]] = {}
        self._arguments: dict[bytes, list[Statement]] = {}
        self._under: dict[bytes, list[Statement]] = {}
        self._supers: dict[bytes, frozenset[bytes]] = {}
        self._subs: dict[bytes, frozenset[bytes]] = {}
        self._masks: dict[bytes, list[Statement]] = {}
        self._any_masks: bool | None = None
        self._any_targets: bool | None = None
        self._names_said: dict[bytes, frozenset[bytes]] = {}

    def forget_standing(self) -> None:
        """Read the authors' standing again."""
        self._arbiters: dict[int, bool] = {}
        self._has_members: bool | None = None

    def forget_owners(self) -> None:
        """Read whose contexts are, and which are local, again."""
        self._owners = self._locals = None

    # Contexts ------------------------------------------------------------------

    @property
    def lattice(self) -> Lattice:
        """Who sees whom."""
        if self._lattice is None:
            rows = self.rows.of_functors([key_of(GENL_CX)])
            edges = (self._statement(row).said_of for row in rows)
            self._lattice = Lattice((name_in(a), name_in(b)) for a, b in edges)
        return self._lattice

    def edges_changed(self) -> None:
        """Drop what was worked out from the lattice."""
        self.generation += 1
        self._cones.clear()

    def cone(self, context: str) -> frozenset[int]:
        """Return the ids of the contexts that a context sees."""
        if context not in self._cones:
            ids = map(self._names.context_id, self.lattice.seen_from(context))
            self._cones[context] = frozenset(one for one in ids if one is not None)
        return self._cones[context]

    @property
    def owners(self) -> dict[str, Owner]:
        """Own and belief contexts of the introduced agents."""
        if self._owners is None:
            self._owners = {}
            for agent in self.rows.agents():
                self._owners[own_context(agent)] = Owner(agent, belief=False)
                self._owners[belief_context(agent)] = Owner(agent, belief=True)
        return self._owners

    @property
    def locals(self) -> frozenset[str]:
        """The contexts behind the seat's membrane."""
        if self._locals is None:
            self._locals = frozenset(map(self._names.context, self.rows.locals()))
        return self._locals

    @property
    def channels(self) -> frozenset[str]:
        """The declared channels."""
        return frozenset(map(name_in, self._said(CHANNEL)))

    @property
    def convened(self) -> frozenset[str]:
        """The convened contexts."""
        return frozenset(map(name_in, self._said(CONVENED)))

    def is_arbiter(self, author: int) -> bool:
        """Tell whether what an author says as monotonic counts as that."""
        known = self._arbiters.get(author)
        if known is None:
            known = self._arbiters[author] = self.rows.is_arbiter(author)
        return known

    # Edges ---------------------------------------------------------------------

    @property
    def has_members(self) -> bool:
        """Whether any author is no moderator."""
        if self._has_members is None:
            self._has_members = self.rows.has_members()
        return self._has_members

    def permits(self, agent: str, edge: tuple[str, str], *, moderator: bool) -> bool:
        """Tell whether an edge that somebody says has effect, as things stand.

        What a moderator says has; so has what an agent lets its own contexts see,
        and that a declared channel sees the agent's own context, or what counts
        have ruled.
        """
        if moderator:
            return True
        sub, above = map(self.owners.get, edge)
        if sub is not None:
            return sub.agent == agent
        if edge[0] not in self.channels:
            return False
        own = above is not None and above.agent == agent and not above.belief
        return own or edge[1] == MAJORITY

    def members_edges(self, context: str) -> list[int]:
        """Return the edges to or from a context that a member, no more, says."""
        if not self.has_members:
            return []
        return self.rows.members_edges(key_of(GENL_CX), key_of(word_of(context)))

    # Declarations --------------------------------------------------------------

    @property
    def symmetric(self) -> frozenset[bytes]:
        """The symmetric predicates."""
        return self._said(SYMMETRIC)

    @property
    def functional(self) -> frozenset[bytes]:
        """The predicates declared functional anywhere."""
        return self._said(FUNCTIONAL)

    @property
    def following(self) -> frozenset[bytes]:
        """The predicates whose sentences follow their targets."""
        return self._said(FOLLOWING)

    @property
    def following_keys(self) -> frozenset[int]:
        """The keys of those predicates."""
        if self._following_keys is None:
            self._following_keys = frozenset(map(key_of, self.following))
        return self._following_keys

    def statements(self, word: bytes) -> list[Statement]:
        """Return the statements in force of one of the words that are few."""
        if self._few is None:
            self._few = {one: [] for one in _FEW}
            by_key = {key_of(one): one for one in _FEW}
            functors = {key: self._few[one] for key, one in by_key.items()}
            for row in self.rows.of_functors(list(functors)):
                functor = split(row[3])
                assert functor is not None  # noqa: S101 - a statement is a list
                functors[key_of(functor[0])].append(self._statement(row))
        return self._few[word]

    def _said(self, word: bytes) -> frozenset[bytes]:
        known = self._names_said.get(word)
        if known is None:
            known = frozenset(one.said_of[0] for one in self.statements(word))
            self._names_said[word] = known
        return known

    def _statement(self, row: Found) -> Statement:
        parts = split(row[3])
        assert parts is not None  # noqa: S101 - its shape was checked
        return Statement(row[0], self._names.context(row[1]), row[2], tuple(parts[1:]))

    # Types ---------------------------------------------------------------------

    def above(self, functor: bytes) -> list[Statement]:
        """Return the `genl` statements in force that begin at a functor."""
        known = self._above.get(functor)
        if known is None:
            rows = self.rows.by_first(key_of(GENL), key_of(functor))
            statements = map(self._statement, rows)
            known = [one for one in statements if one.said_of[0] == functor]
            self._above[functor] = known
        return known

    def argument_types(self, functor: bytes) -> list[Statement]:
        """Return the `arg` statements in force of a functor, by locator."""
        known = self._arguments.get(functor)
        if known is None:
            rows = self.rows.by_first(key_of(ARG), key_of(functor))
            statements = map(self._statement, sorted(rows, key=lambda row: row[2]))
            known = [one for one in statements if one.said_of[0] == functor]
            self._arguments[functor] = known
        return known

    def supers(self, functor: bytes) -> frozenset[bytes]:
        """Return what a functor is below by any statements in force, and itself."""
        known = self._supers.get(functor)
        if known is None:
            known = self._supers[functor] = closure(functor, self._one_up)
        return known

    def subs(self, functor: bytes) -> frozenset[bytes]:
        """Return what is below a functor by any statements in force, and itself."""
        known = self._subs.get(functor)
        if known is None:
            known = self._subs[functor] = closure(functor, self._one_down)
        return known

    def under(self, functor: bytes) -> list[Statement]:
        """Return the `genl` statements in force that end at a functor."""
        known = self._under.get(functor)
        if known is None:
            rows = self.rows.by_second(key_of(GENL), key_of(functor))
            statements = map(self._statement, rows)
            known = [one for one in statements if one.said_of[1] == functor]
            self._under[functor] = known
        return known

    def _one_up(self, functor: bytes) -> set[bytes]:
        return {one.said_of[1] for one in self.above(functor)}

    def _one_down(self, functor: bytes) -> set[bytes]:
        return {one.said_of[0] for one in self.under(functor)}

    def climbers(self, high: bytes, context: str) -> frozenset[bytes]:
        """Return what a context sees to be below a functor, and the functor."""

        def one_down(functor: bytes) -> set[bytes]:
            under = self.under(functor)
            return {one.said_of[0] for one in under if self.shows(one, context)}

        return closure(high, one_down)

    def path(self, low: bytes, high: bytes, context: str) -> list[Statement] | None:
        """Return `genl` statements seen and unmasked there that lead from low to high.

        The shortest such path; empty where low is high; None where there is none.
        """
        paths: dict[bytes, list[Statement]] = {low: []}
        waiting = [low]
        for functor in waiting:
            if functor == high:
                return paths[functor]
            for one in sorted(self.above(functor), key=lambda one: one.digest):
                if one.said_of[1] not in paths and self.shows(one, context):
                    paths[one.said_of[1]] = [*paths[functor], one]
                    waiting.append(one.said_of[1])
        return None

    def climbs(self, low: bytes, high: bytes, context: str) -> bool:
        """Tell whether a context sees that low is below high."""
        return high in self.supers(low) and self.path(low, high, context) is not None

    def makes_functional(self, functor: bytes, context: str) -> bool:
        """Tell whether a context sees a predicate declared functional."""
        return any(
            one.said_of[0] == functor and self.shows(one, context)
            for one in self.statements(FUNCTIONAL)
        )

    def sets_apart(self, one: bytes, other: bytes, context: str) -> Statement | None:
        """Return a declaration, seen from a context, that nothing is both."""
        for statement in self.statements(DISJOINT):
            low, high = statement.said_of
            if low == high or not self.shows(statement, context):
                continue
            for first, second in ((low, high), (high, low)):
                if self.climbs(one, first, context) and self.climbs(
                    other, second, context
                ):
                    return statement
        return None

    # Masks ---------------------------------------------------------------------

    @property
    def any_masks(self) -> bool:
        """Whether any mask is stored at all."""
        if self._any_masks is None:
            self._any_masks = self.rows.has_any(key_of(EXCEPT))
        return self._any_masks

    @property
    def any_targets(self) -> bool:
        """Whether any sentence names a locator."""
        if self._any_targets is None:
            self._any_targets = self.rows.has_targets()
        return self._any_targets

    def name_targets(self, rows: Sequence[tuple[bytes, int]]) -> None:
        """Remember the locators (digest, sentex) that new sentences name."""
        self.rows.name_targets(rows)
        self._any_targets = True

    def masks_of(self, digest: bytes) -> list[Statement]:
        """Return the masks in force that name a locator."""
        if not self.any_masks:
            return []
        known = self._masks.get(digest)
        if known is None:
            rows = self.rows.masks(key_of(EXCEPT), digest)
            known = self._masks[digest] = list(map(self._statement, rows))
        return known

    def masked(self, digest: bytes, context: str) -> bool:
        """Tell whether a mask of this locator is on at a context."""
        masks = self.masks_of(digest)
        if not masks:
            return False
        seen = self.lattice.seen_from(context)
        return any(
            one.context in seen and not self.masked(one.digest, context)
            for one in masks
        )

    def shows(self, one: Statement, context: str) -> bool:
        """Tell whether a context sees a statement, unmasked."""
        return self.lattice.sees(context, one.context) and not self.masked(
            one.digest, context
        )
