"""What is believed, recomputed whole from the live assertions.

Decision 6 read word for word, slow and without any state: every fixpoint is
iterated from nothing, every pair and every context is tried. It shares no code
with `koinii`. Sentences given are canonical; a rule with several conclusions
comes as several rules. Reading order: `encoding_twin`, `matching_twin`,
`engine_frame_twin`, `engine_drawing_twin`, `engine_clash_twin`, this.
"""

from collections.abc import Callable, Iterator
from hashlib import sha256

from koinii.terms.term import Term
from reference.encoding_twin import encoded
from reference.engine_clash_twin import Clashing
from reference.engine_drawing_twin import Drawing
from reference.engine_frame_twin import Author, Frame, Sentex, World
from reference.matching_twin import (
    atom,
    fitted,
    is_negative,
    name,
    negation,
    parts,
    readings,
)
from reference.rfc6962 import defined_root

Answer = frozenset[tuple[str, bytes]]  # a variable's text, the bytes of its value
Test = Callable[[Sentex, bool], bool]  # a row, and whether it is concluded


class Belief:
    """Everything that follows from a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.frame = Frame(world)
        self.drawing = Drawing(self.frame)
        self.stored = self.drawing.stored  # what has a row
        self.present = self.drawing.present
        self.waiting = self.stored - self.present
        self.known = self._least(self._in_known, strict=True)
        self.clashes = list(Clashing(self.frame, self.present).all())
        self.defeated = set(self._defeated())
        self.believed = self._least(self._in_belief, strict=False)
        self.contradictions = [
            one
            for one in self.clashes
            if one.visible
            and {one.lo, one.hi} <= self.believed
            and not {one.lo, one.hi} <= self.known
        ]
        self.conflicts = [
            one
            for one in self.clashes
            if one.visible and {one.lo, one.hi} <= self.known
        ]
        self.leaves = {
            row.locator
            for row in self.believed
            if row not in self.frame.shipped and not self.frame.is_local(row)
        }

    @property
    def root(self) -> str:
        leaves = [locator.encode() for locator in self.leaves]
        leaves.sort(key=lambda data: sha256(b"\0" + data).digest())
        return f"sha256:{defined_root(leaves).hex()}"

    def masked(self, locator: str, context: str) -> bool:
        return self.frame.masked(locator, context)

    # Labels ------------------------------------------------------------------

    def _least(self, is_in: Test, *, strict: bool) -> set[Sentex]:
        """The least set with what the test takes and what follows by firings."""
        found: set[Sentex] = set()
        while True:
            drawn = {
                row
                for firing in self.drawing.placed
                if set(firing.facts) <= found
                and (self._is_strict(firing.rule) or not strict)
                for row in self.drawing.concluded(firing)
            }
            wider = {row for row in self.present if is_in(row, row in drawn)}
            if wider == found:
                return found
            found = wider

    def _in_known(self, row: Sentex, concluded: bool) -> bool:  # noqa: FBT001 - a test
        if row in self.frame.shipped:
            return True
        if row.is_structural():
            return row in self.frame.in_force
        return concluded or any(
            one.strength == "monotonic" and self._is_arbiter(one.author)
            for one in self.frame.asserted.get(row, [])
        )

    def _in_belief(self, row: Sentex, concluded: bool) -> bool:  # noqa: FBT001 - a test
        if row.is_structural():
            return row in self.frame.in_force
        return row not in self.defeated and (row in self.frame.stated or concluded)

    def _is_strict(self, rule: Sentex) -> bool:
        return rule in self.frame.shipped or any(
            "default" not in one.wrappers and self._is_arbiter(one.author)
            for one in self.frame.asserted.get(rule, [])
        )

    def _is_arbiter(self, author: Author) -> bool:
        return self.world.standing_of(author).arbiter

    def _defeated(self) -> Iterator[Sentex]:
        for clash in self.clashes:
            for loser, partner, may_fall in clash.partners():
                if may_fall and loser not in self.known and partner in self.known:
                    yield loser

    # Queries -----------------------------------------------------------------

    def ask(self, pattern: Term, context: str) -> set[Answer]:
        """The bindings of one literal, read from a context's cone."""
        found: set[Answer] = self._projected(pattern)
        for row in self.believed:
            if row.is_rule() or not self.frame.shows(row, context):
                continue
            for read, _ in readings(
                pattern,
                row.sentence,
                lambda p, q: self.frame.climbs(p, q, context),
                self.frame.symmetric,
            ):
                binding = fitted(atom(pattern), read, {})
                if binding is not None:
                    found.add(frozenset((v, encoded(t)) for v, t in binding.items()))
        return found

    def _projected(self, pattern: Term) -> set[Answer]:
        """What a modal literal about an agent finds in that agent's belief context."""
        if is_negative(pattern) or len(parts(pattern)) != 3:
            return set()
        word, agent, content = map(name, parts(pattern))
        inner = parts(pattern)[2]
        if word not in self.frame.modal or content:
            return set()
        if not agent.startswith("Agent") or not isinstance(inner, tuple):
            return set()
        return self.ask(inner, f"CxAgent{agent}")

    def argue(self, sentence: Term, context: str) -> str:
        """The verdict on a ground literal: A.16 with design section 6."""
        pro = bool(self.ask(sentence, context))
        con = bool(self.ask(negation(sentence), context))
        verdicts = {
            (True, False): "true",
            (False, True): "false",
            (False, False): "unknown",
            (True, True): "contradiction",
        }
        return verdicts[pro, con]
