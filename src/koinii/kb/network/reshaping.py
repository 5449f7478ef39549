"""What comes into force or goes out of it, and what that bears on.

The first step of an operation: whether a structural statement is in force
follows from assertions alone. Then exactly the footings and sights that depend
on what moved are worked out again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.kb.contexts.structure import (
    CHANNEL,
    CONVENED,
    DISJOINT,
    EXCEPT,
    FOLLOWING,
    FUNCTIONAL,
    GENL,
    GENL_CX,
    SYMMETRIC,
    name_in,
    word_of,
)
from koinii.kb.network import clashes
from koinii.kb.network.replies import targets_of
from koinii.kb.rows import key_of
from koinii.kb.rules import placing
from koinii.kb.rules.joining import CLIMB, MIRROR
from koinii.store.network import ON_CONTEXT, ON_FUNCTOR, ON_LATTICE
from koinii.store.sentexes import BELIEVED, KNOWN, LOCAL, SHIPPED
from koinii.terms.slices import split
from koinii.terms.structural import STRUCTURAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from koinii.kb.network.nodes import Nodes
    from koinii.kb.network.parts import Parts
    from koinii.kb.rules.placing import Footing
    from koinii.store.clashes import Pair
    from koinii.store.network import Firing
    from koinii.store.sentexes import Node

    Shaping = tuple[Node, bytes, list[bytes]]  # a statement, its word, what it is of

WORDS = frozenset(map(word_of, STRUCTURAL))
IMPLIES = word_of("implies")
IN_FORCE = BELIEVED | KNOWN


class Moves:
    """What one operation has moved of what is in force."""

    def __init__(self) -> None:
        self.contexts: set[str] = set()  # seen by a context that sees more or less
        self.functors: set[bytes] = set()  # whose clashes are to be looked for again
        self.masked: set[bytes] = set()  # locators whose masks came or went
        self.read_anew: set[tuple[str, bytes, bytes]] = set()  # needs met now
        self.followed: set[bytes] = set()  # predicates marked or no longer marked
        self.lattice = False  # whatever a context sees may have moved


class Reshaper:
    """Brings structural statements into force, and out of it."""

    def __init__(self, parts: Parts, nodes: Nodes) -> None:
        self._parts = parts
        self._structure = parts.structure
        self._nodes = nodes

    def reshape(self, sentexes: Iterable[int]) -> Moves:
        """Decide what is in force of these statements; return what moved.

        Edges come last: those that members say hang on channels.
        """
        moves = Moves()
        self._structure.forget_statements()
        touched = self._statements(sentexes)
        changed = self._moved(one for one in touched if one[1] != GENL_CX)
        before = self._climbed(changed)
        mirrored = self._structure.symmetric
        touched += self._depending(touched, changed)
        changed += self._moved(one for one in touched if one[1] == GENL_CX)
        for _, word, said_of in touched:
            if word == GENL_CX:
                self._around(moves, name_in(said_of[1]))
        self._nodes.flush()
        for row, word, said_of in changed:
            self._apply(moves, row, word, said_of)
        self._structure.forget_statements()
        for _, word, said_of in touched:
            if word == GENL_CX:
                self._around(moves, name_in(said_of[1]))
            elif word in (CHANNEL, CONVENED):
                self._around(moves, name_in(said_of[0]))
        self._types(moves, changed, before, mirrored)
        for row, word, _ in changed:
            if word == EXCEPT:
                self._unmasked(moves, row.body)
        return moves

    def _statements(self, sentexes: Iterable[int]) -> list[Shaping]:
        rows = [row for row in map(self._nodes.row, sentexes) if row is not None]
        touched = [(row, *_statement(row.body)) for row in rows]
        return [one for one in touched if one[1] in WORDS]

    # In force or not ------------------------------------------------------------

    def _moved(self, statements: Iterable[Shaping]) -> list[Shaping]:
        """Decide each of these; return those that come into force or go."""
        return [one for one in statements if self._moves_force(one[0], one[1])]

    def _depending(
        self, touched: list[Shaping], changed: list[Shaping]
    ) -> list[Shaping]:
        """Return the edges to be decided again, now that channels came or went."""
        if not self._structure.has_members:
            return []
        self._nodes.flush()  # edges are decided by what is a channel from now on
        self._structure.forget_statements()
        known = {row.id for row, _, _ in touched}
        found = {
            edge
            for _, word, said_of in changed
            if word == CHANNEL
            for edge in self._structure.members_edges(name_in(said_of[0]))
        }
        return self._statements(sorted(found - known))

    def _moves_force(self, row: Node, word: bytes) -> bool:
        """Set the label of a statement; tell whether it comes into force or goes."""
        label = self._nodes.label(row.id)
        shipped = bool(label & SHIPPED)
        asserted, _ = self._parts.assertions.standing(row.id)
        in_force = shipped or (asserted and self._may(row, word))
        kept = label & (LOCAL | SHIPPED)
        self._nodes.set_label(row.id, kept | (IN_FORCE if in_force else 0))
        return bool(label & BELIEVED) != in_force

    def _may(self, row: Node, word: bytes) -> bool:
        if word == GENL_CX:
            _, said_of = _statement(row.body)
            sub, super_ = map(name_in, said_of)
            local = self._structure.locals
            if super_ in local and sub not in local:
                return False
            return self._is_permitted(row.id, (sub, super_))
        if word != EXCEPT:
            return True
        owners = self._structure.owners
        if self._parts.names.context(row.context) not in owners:
            return True
        return any(self._only_own(row.id, digest) for digest in targets_of(row.body))

    def _is_permitted(self, sentex: int, edge: tuple[str, str]) -> bool:
        """Tell whether somebody says an edge who may, as things stand."""
        structure = self._structure
        return not structure.has_members or any(
            structure.permits(agent, edge, moderator=moderator)
            for agent, moderator in structure.rows.asserters(sentex)
        )

    def _only_own(self, mask: int, digest: bytes) -> bool:
        """Tell whether an author of a mask is the only one who asserts its target."""
        target = self._parts.sentexes.ids([digest]).get(digest)
        if target is None:
            return False
        asserters = {row[1] for row in self._parts.assertions.of_sentex(target)}
        authors = {row[1] for row in self._parts.assertions.of_sentex(mask)}
        return len(asserters) == 1 and asserters <= authors

    # What that moves ------------------------------------------------------------

    def _apply(
        self, moves: Moves, row: Node, word: bytes, said_of: list[bytes]
    ) -> None:
        in_force = bool(self._nodes.label(row.id) & BELIEVED)
        if word == GENL_CX:
            sub, super_ = map(name_in, said_of)
            lattice = self._structure.lattice
            (lattice.add if in_force else lattice.remove)(sub, super_)
            self._structure.edges_changed()
            moves.lattice = True
        elif word == FOLLOWING:
            moves.followed.add(said_of[0])
        elif word in (EXCEPT, FUNCTIONAL, DISJOINT, GENL):
            moves.lattice = True
        if word in (FUNCTIONAL, SYMMETRIC):
            moves.functors.add(said_of[0])

    def _around(self, moves: Moves, context: str) -> None:
        """Note everything that a context sees, before or after the move."""
        moves.contexts |= self._structure.lattice.seen_from(context)

    def own(self, moves: Moves, contexts: Iterable[str]) -> None:
        """Note what moves where contexts have found an owner."""
        for context in contexts:
            self._around(moves, context)
        moves.lattice = True

    def _unmasked(self, moves: Moves, body: bytes) -> None:
        """Note what a mask is of, and what that masks in turn."""
        waiting = targets_of(body)
        while waiting:
            digest = waiting.pop()
            moves.masked.add(digest)
            found = self._parts.sentexes.by_digest(digest)
            if found is not None and _statement(found[3])[0] == EXCEPT:
                waiting.extend(targets_of(found[3]))

    def _climbed(self, changed: list[Shaping]) -> dict[bytes, frozenset[bytes]]:
        """Return what is below the functors that rules read and that moved ones reach.

        Whatever a new statement makes reachable begins at another new one.
        """
        structure, joiner = self._structure, self._parts.joiner
        highs: set[bytes] = set()
        for _, word, said_of in changed:
            if word == GENL:
                highs |= structure.supers(said_of[1])
        return {high: structure.subs(high) for high in highs if joiner.reads(high)}

    def _types(
        self,
        moves: Moves,
        changed: list[Shaping],
        before: dict[bytes, frozenset[bytes]],
        mirrored: frozenset[bytes],
    ) -> None:
        """Note the ways of reading facts that are new, and types set apart."""
        structure = self._structure
        has_disjoint = bool(structure.statements(DISJOINT))
        for _, word, said_of in changed:
            if word == GENL and has_disjoint:
                moves.functors |= structure.subs(said_of[0])
            elif word == DISJOINT:
                for one in said_of:
                    moves.functors |= structure.subs(one)
            elif word == SYMMETRIC and said_of[0] in structure.symmetric:
                below = structure.subs(said_of[0]) - mirrored
                moves.read_anew |= {(MIRROR, low, said_of[0]) for low in below}
                above = structure.supers(said_of[0]) - mirrored
                moves.read_anew |= {(MIRROR, said_of[0], high) for high in above}
        for high, climbed in before.items():
            risen = structure.subs(high) - climbed
            moves.read_anew |= {(CLIMB, low, high) for low in risen}

    # What is worked out again -----------------------------------------------

    def footings(self, moves: Moves) -> set[int]:
        """Return the footings that depend on what moved."""
        return self._on(moves, self._parts.network.footings_on)

    def sights(self, moves: Moves) -> set[int]:
        """Return the sights that depend on what moved."""
        return self._on(moves, self._parts.clashes.sights_on)

    def _on(self, moves: Moves, depending: Callable[[int, int], list[int]]) -> set[int]:
        found: set[int] = set()
        for context in self._ids(moves):
            found.update(depending(ON_CONTEXT, context))
        for functor in moves.functors:
            found.update(depending(ON_FUNCTOR, key_of(functor)))
        if moves.lattice or moves.masked:
            found.update(depending(ON_LATTICE, 0))
        return found

    def _ids(self, moves: Moves) -> Iterator[int]:
        for context in moves.contexts:
            found = self._parts.names.context_id(context)
            if found is not None:
                yield found

    def refooted(self, moves: Moves) -> Iterator[tuple[Firing, Footing]]:
        """Yield the firings whose footing differs now that masks came or went."""
        for digest, sentex in self._parts.sentexes.ids(list(moves.masked)).items():
            for firing in self._resting_on(sentex, digest):
                key = self._parts.network.footing_row(firing.footing)[1]
                footing = placing.read_key(key)
                again = self._parts.placer.footing_again(footing, firing.facts)
                if again != footing:
                    yield firing, again

    def _resting_on(self, sentex: int, digest: bytes) -> Iterator[Firing]:
        network = self._parts.network
        yield from network.firings_with(sentex)
        row = self._parts.sentexes.by_digest(digest)
        if row is not None and _statement(row[3])[0] == IMPLIES:
            for footing in network.footings_of(sentex):
                yield from list(network.firings_of_footing(footing))

    def resighted(self, moves: Moves) -> Iterator[tuple[Pair, clashes.Sight]]:
        """Yield the pairs whose sight differs now that masks came or went."""
        for sentex in self._parts.sentexes.ids(list(moves.masked)).values():
            for pair in self._parts.clashes.of(sentex):
                sight = clashes.read_key(self._parts.clashes.sight_row(pair[3])[0])
                again = self._parts.rivals.again(pair, sight)
                if again != sight:
                    yield pair, again


def _statement(body: bytes) -> tuple[bytes, list[bytes]]:
    """Return the word of a sentence and what it is said of."""
    parts = split(body)
    assert parts is not None  # noqa: S101 - a sentence is a list
    return parts[0], parts[1:]
