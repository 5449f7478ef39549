"""What a base is given, what of it is in force, who sees what, what is masked.

The first arrows of decision 6. Everything is a comprehension over sets, worked
out anew each time; shares no code with `koinii`.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from koinii.terms.term import Term
from reference.encoding_twin import encoded, is_locator, locator
from reference.matching_twin import functor, is_form, is_negative, name, parts, within

MASK = "except"
EDGE = "genlCx"
UNIVERSE = "CxUniverse"
EVERYWHERE = {"symmetric", "targetFollowingPredicate", "modalPredicate"} | {
    *("channel", "convened", EDGE),
}  # stand in CxUniverse or the vocabulary, read whoever sees them
STRUCTURAL = EVERYWHERE | {MASK, "genl", "functional", "disjoint", "arg"}

Author = tuple[str, str]  # an agent at a seat


class Assertion(NamedTuple):
    agent: str
    seat: str
    context: str
    sentence: Term  # canonical, without its wrappers
    strength: str = "default"  # or "monotonic"
    wrappers: frozenset[str] = frozenset()  # of a rule: "inert", "default"

    @property
    def author(self) -> Author:
        return self.agent, self.seat


class Standing(NamedTuple):
    arbiter: bool = True
    moderator: bool = True


@dataclass(frozen=True)
class World:
    """Everything that belief is a function of.

    Owners go from a context to its agent, and whether it is the belief context.
    """

    assertions: tuple[Assertion, ...] = ()
    owners: dict[str, tuple[str, bool]] = field(default_factory=dict)
    standing: dict[Author, Standing] = field(default_factory=dict)
    local: frozenset[str] = frozenset({"CxDisputes"})
    vocabulary: tuple[tuple[str, Term], ...] = ()

    def standing_of(self, author: Author) -> Standing:
        return self.standing.get(author, Standing())


class Sentex:
    """A sentence in a context; its locator is its identity."""

    __slots__ = ("body", "context", "locator", "sentence")

    def __init__(self, context: str, sentence: Term) -> None:
        self.context = context
        self.sentence = sentence
        self.body = encoded(sentence)
        self.locator = locator(context, sentence)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sentex) and self.locator == other.locator

    def __hash__(self) -> int:
        return hash(self.locator)

    def __repr__(self) -> str:
        return f"Sentex({self.context!r}, {self.sentence!r})"

    def word(self) -> str:
        """The functor of a positive sentence, `implies` for a rule."""
        return "" if is_negative(self.sentence) else functor(self.sentence)

    def is_rule(self) -> bool:
        return self.word() == "implies"

    def is_structural(self) -> bool:
        return self.word() in STRUCTURAL

    def arguments(self) -> tuple[str, ...]:
        """The names a structural statement is said of."""
        return tuple(map(name, parts(self.sentence)[1:]))

    def named(self) -> set[str]:
        """The well-formed locators in `(sentexHandle "...")` anywhere within."""
        handles = [
            one[1]
            for one in within(self.sentence)
            if isinstance(one, tuple) and len(one) == 2 and is_form(one, "sentexHandle")
        ]
        return {one for one in handles if isinstance(one, str) and is_locator(one)}


class Frame:
    """Statements in force, the lattice and the masks."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.asserted: dict[Sentex, list[Assertion]] = {}
        for one in world.assertions:
            row = Sentex(one.context, one.sentence)
            self.asserted.setdefault(row, []).append(one)
        self.shipped = {Sentex(*one) for one in world.vocabulary}
        self.stated = set(self.asserted) | self.shipped
        self.in_force = {row for row in self.stated if self._is_in_force(row)}
        self.channels = self._declared("channel")
        self.in_force -= {row for row in self.in_force if self._is_without(row)}
        edges = {row.arguments() for row in self.in_force if row.word() == EDGE}
        self.contexts = {row.context for row in self.stated} | {
            context for edge in edges for context in edge
        }
        self.above = {one: reached(one, edges) for one in self.contexts}
        self.symmetric = self._declared("symmetric")
        self.following = self._declared("targetFollowingPredicate")
        self.modal = self._declared("modalPredicate")
        self.meetings = self.channels | self._declared("convened")
        self.genl = {row for row in self.in_force if row.word() == "genl"}
        self._genl_steps = {row.arguments() for row in self.genl}
        self._shipped_locators = {row.locator for row in self.shipped}
        self._masks = [row for row in self.in_force if row.word() == MASK]

    # In force ----------------------------------------------------------------

    def _is_in_force(self, row: Sentex) -> bool:
        if not row.is_structural():
            return False
        if row in self.shipped:
            return True
        if row.word() in EVERYWHERE and row.context != UNIVERSE:
            return False
        if row.word() == MASK and self.is_owned(row.context):
            return self._says_a_sole_asserter(row)
        if row.word() == EDGE:
            sub, above = row.arguments()
            return sub in self.world.local or above not in self.world.local
        return True

    def _says_a_sole_asserter(self, mask: Sentex) -> bool:
        """Whether an author of the mask is the only asserter of its target."""
        saying = [
            one.author
            for row, ones in self.asserted.items()
            if row.locator in mask.named()
            for one in ones
        ]
        return any([one.author] == saying for one in self.asserted[mask])

    def _is_without(self, row: Sentex) -> bool:
        """Whether the row is an edge that nobody who may has said."""
        if row.word() != EDGE or row in self.shipped:
            return False
        return not any(self.permits(one) for one in self.asserted[row])

    def permits(self, edge: Assertion) -> bool:
        """Whether an edge has effect because this author says it.

        A moderator's always; a member's from its own contexts; and the one that
        makes a declared channel see the member's own context.
        """
        sub, above = Sentex(edge.context, edge.sentence).arguments()
        own = self.is_own(above) and self.owner(above) == edge.agent
        return (
            self.world.standing_of(edge.author).moderator
            or self.owner(sub) == edge.agent
            or (own and sub in self.channels and not self.is_owned(sub))
        )

    def _declared(self, word: str) -> set[str]:
        """What is marked by a statement that is read whoever sees it."""
        return {row.arguments()[0] for row in self.in_force if row.word() == word}

    # Contexts ----------------------------------------------------------------

    def is_owned(self, context: str) -> bool:
        return context in self.world.owners

    def owner(self, context: str) -> str | None:
        agent, _ = self.world.owners.get(context, (None, False))
        return agent

    def is_own(self, context: str) -> bool:
        """Whether it is an agent's own context, and not its belief context."""
        return context in self.world.owners and not self.world.owners[context][1]

    def is_local(self, row: Sentex) -> bool:
        of_local = row.word() == EDGE and row.arguments()[0] in self.world.local
        return row.context in self.world.local or of_local

    def follows(self, row: Sentex) -> bool:
        """Whether the row waits for what it names."""
        literal = not row.is_rule() and not row.is_structural()
        return literal and row.word() in self.following

    def up(self, context: str) -> frozenset[str]:
        return self.above.get(context, frozenset({context}))

    # Masks -------------------------------------------------------------------

    def masked(self, target: str, viewer: str) -> bool:
        """Whether a mask of this locator is on at the viewer."""
        return target not in self._shipped_locators and any(
            mask.context in self.up(viewer) and not self.masked(mask.locator, viewer)
            for mask in self._masks
            if target in mask.named()
        )

    def shows(self, row: Sentex, viewer: str) -> bool:
        """Whether the viewer sees the row, unmasked."""
        return row.context in self.up(viewer) and not self.masked(row.locator, viewer)

    # Types -------------------------------------------------------------------

    def climbs(self, p: str, q: str, viewer: str) -> bool:
        seen = {row.arguments() for row in self.genl if self.shows(row, viewer)}
        return q in reached(p, seen)

    def is_below(self, p: str, q: str) -> bool:
        """Whether statements in force anywhere lead from p to q."""
        return p == q or q in reached(p, self._genl_steps)


def reached(start: str, steps: set[tuple[str, ...]]) -> frozenset[str]:
    """Reflexive and transitive: whatever steps lead to from the start."""
    found = {start}
    for _ in steps:
        found |= {high for low, high in steps if low in found}
    return frozenset(found)
