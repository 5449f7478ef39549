"""Rules over facts: every firing that a fact, or a rule, newly makes possible.

Joins read what is present whatever its label (decision 6). Facts are taken in
the order of their ids, each joined with those up to its own: so each tuple is
met once, when its last fact is.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.rows import NEGATION, key_of
from koinii.kb.rules import read_rule
from koinii.terms.encoding import decode_known
from koinii.terms.printer import write
from koinii.terms.slices import build, depth, match, split
from koinii.terms.term import MAX_DEPTH, MAX_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from koinii.kb.rules import Literal, Rule
    from koinii.kb.structure import Structure
    from koinii.store.network import Fact, Network
    from koinii.store.sentexes import Sentexes
    from koinii.terms.slices import Bound, Part

    # Of the functors p of a fact and q of a literal: that p is below q, or that
    # one of them is symmetric.
    Need: TypeAlias = tuple[str, bytes, bytes]

CLIMB, MIRROR = "climb", "mirror"
_LIST = 0x0B
_NO_NEEDS: frozenset[Need] = frozenset()
_READ = 8192  # sentences
_ESCAPES = 3  # characters of text that a byte of an encoding stands for, at most


class Draft(NamedTuple):
    """A firing that is not stored yet."""

    rule: Rule
    facts: tuple[Fact, ...]  # in the order of the rule's literals
    needs: frozenset[Need]
    body: bytes  # the encoding of what is concluded


class _Reading(NamedTuple):
    """A fact's arguments as one literal reads them."""

    arguments: list[bytes]
    needs: frozenset[Need]


class Joiner:
    """Runs rules over the facts of one store."""

    def __init__(
        self, network: Network, sentexes: Sentexes, structure: Structure
    ) -> None:
        self._network = network
        self._sentexes = sentexes
        self._structure = structure
        self._rules: dict[int, Rule] = {}
        self._triggers: dict[tuple[bytes, bool], list[tuple[int, int]]] = {}
        self._plans: dict[tuple[int, int], list[int]] = {}
        self.oversized = 0  # conclusions not drawn because of their size

    def forget(self) -> None:
        """Read rules again; some came or went."""
        self._rules.clear()
        self._triggers.clear()
        self._plans.clear()

    def rule(self, rule: int) -> Rule:
        """Return a stored rule."""
        known = self._rules.get(rule)
        if known is None:
            _, context, digest, body = self._sentexes.by_id(rule)
            known = self._rules[rule] = read_rule(rule, context, digest, body)
        return known

    def is_trigger(self, functor: bytes, *, negative: bool) -> bool:
        """Tell whether a literal of this functor may set off any rule."""
        return any(
            self._triggered(one, negative) for one in self._read_as(functor, negative)
        )

    def _read_as(self, functor: bytes, negative: bool) -> frozenset[bytes]:  # noqa: FBT001
        if negative:
            return frozenset((functor,))
        return self._structure.supers(functor)

    def _triggered(self, functor: bytes, negative: bool) -> list[tuple[int, int]]:  # noqa: FBT001
        known = self._triggers.get((functor, negative))
        if known is None:
            rows = self._network.triggers(key_of(functor), int(negative))
            known = self._triggers[functor, negative] = [
                (rule, position)
                for rule, position in rows
                if self._runs(rule)
                and self.rule(rule).literals[position].functor == functor
            ]
        return known

    def _runs(self, rule: int) -> bool:
        """Tell whether a rule is asserted to run forward by anybody."""
        flags = self._network.rule(rule)
        return flags is not None and flags[1]

    # What a fact sets off --------------------------------------------------------

    def from_fact(self, fact: Fact, until: int) -> Iterator[Draft]:
        """Yield the firings of a fact with the facts up to an id."""
        negative, functor, arguments = literal_of(fact[4])
        for read_as in self._read_as(functor, negative):
            for number, position in self._triggered(read_as, negative):
                for reading in self._readings(functor, read_as, arguments):
                    yield from self._at(
                        number, position, fact, reading, until, own=fact[0]
                    )

    def newly_read(
        self, fact: Fact, read_as: bytes, kind: str, until: int
    ) -> Iterator[Draft]:
        """Yield the firings in which a fact is read in a way that is new.

        `kind` is the need that now holds of its functor and `read_as`. A firing
        with two such facts is met twice.
        """
        negative, functor, arguments = literal_of(fact[4])
        if negative and functor != read_as:
            return
        need = (kind, functor, read_as)
        for number, position in self._triggered(read_as, negative):
            for reading in self._readings(functor, read_as, arguments):
                if need in reading.needs:
                    yield from self._at(number, position, fact, reading, until, own=0)

    def from_rule(self, number: int, until: int) -> Iterator[Draft]:
        """Yield every firing of a rule over the facts up to an id."""
        rule = self.rule(number)
        plan = self._plan(rule, -1)
        facts: dict[int, Fact] = {}
        yield from self._rest(rule, plan, facts, frozenset(), {}, (-1, 0), until)

    def _at(
        self,
        number: int,
        position: int,
        fact: Fact,
        reading: _Reading,
        until: int,
        *,
        own: int,
    ) -> Iterator[Draft]:
        """Yield the firings with a fact at one literal.

        `own` is the id of a fact that is not taken for an earlier literal,
        because it begins another join there.
        """
        rule = self.rule(number)
        bound: Bound = {}
        if not _matches(rule.literals[position].arguments, reading.arguments, bound):
            return
        yield from self._rest(
            rule,
            self._plan(rule, position),
            {position: fact},
            reading.needs,
            bound,
            (position, own),
            until,
        )

    def _rest(
        self,
        rule: Rule,
        plan: list[int],
        facts: dict[int, Fact],
        needs: frozenset[Need],
        bound: Bound,
        start: tuple[int, int],
        until: int,
    ) -> Iterator[Draft]:
        """Yield the ways to match the literals that the plan has left."""
        left = len(rule.literals) - len(facts)
        if not left:
            yield from self._drawn(rule, facts, needs, bound)
            return
        position = plan[len(facts) - (start[0] >= 0)]
        literal = rule.literals[position]
        wanted = literal.arguments
        not_again = start[1] if position < start[0] else 0
        for fact, arguments, more in self._candidates(literal, bound, until):
            if fact[0] == not_again:
                continue
            extended = dict(bound)
            if _matches(wanted, arguments, extended):
                facts[position] = fact
                every = needs | more if more else needs
                if left == 1:
                    yield from self._drawn(rule, facts, every, extended)
                else:
                    yield from self._rest(
                        rule, plan, facts, every, extended, start, until
                    )
                del facts[position]

    def _drawn(
        self,
        rule: Rule,
        facts: dict[int, Fact],
        needs: frozenset[Need],
        bound: Bound,
    ) -> tuple[Draft, ...]:
        """Return the firing that a substitution makes, if the filters hold."""
        for one in rule.filters:
            if not one.holds(bound):
                return ()
        body = build(rule.conclusion, bound)
        if _is_oversized(body, bound):
            self.oversized += 1
            return ()
        in_order = tuple([facts[at] for at in range(len(facts))])
        return (Draft(rule, in_order, needs, body),)

    # Candidates --------------------------------------------------------------------

    def _candidates(
        self, literal: Literal, bound: Bound, until: int
    ) -> Iterator[tuple[Fact, list[bytes], frozenset[Need]]]:
        """Yield facts with their arguments as a literal reads them, and its needs."""
        keys = [_key(part, bound) for part in literal.arguments]
        negative, read_as = literal.negative, literal.functor
        below = frozenset((read_as,)) if negative else self._structure.subs(read_as)
        for functor in below:
            orders = [keys]
            if len(keys) == 2 and self._mirrors(functor, read_as):  # noqa: PLR2004 - binary
                orders.append(keys[::-1])
            is_plain = functor == read_as and len(orders) == 1
            for mirrored, order in enumerate(orders):
                rows = self._network.facts(
                    [key_of(functor), *order], negative=negative, until=until
                )
                for fact in rows:
                    _, found, arguments = literal_of(fact[4])
                    if found != functor or len(arguments) != len(keys):
                        continue
                    if is_plain:
                        yield fact, arguments, _NO_NEEDS
                        continue
                    readings = self._readings(functor, read_as, arguments)
                    if mirrored < len(readings):
                        yield fact, *readings[mirrored]

    def _readings(
        self, functor: bytes, read_as: bytes, arguments: list[bytes]
    ) -> list[_Reading]:
        """Return a fact's arguments as they stand, and swapped if that may be."""
        needs: frozenset[Need] = frozenset()
        if functor != read_as:
            needs = frozenset(((CLIMB, functor, read_as),))
        readings = [_Reading(arguments, needs)]
        if (
            len(arguments) == 2  # noqa: PLR2004 - binary
            and arguments[0] != arguments[1]
            and self._mirrors(functor, read_as)
        ):
            swapped = needs | {(MIRROR, functor, read_as)}
            readings.append(_Reading(arguments[::-1], swapped))
        return readings

    def _mirrors(self, functor: bytes, read_as: bytes) -> bool:
        symmetric = self._structure.symmetric
        return functor in symmetric or read_as in symmetric

    def _plan(self, rule: Rule, start: int) -> list[int]:
        """Return the order in which the other literals are matched."""
        known = self._plans.get((rule.id, start))
        if known is None:
            known = self._plans[rule.id, start] = _planned(rule.literals, start)
        return known


@lru_cache(maxsize=_READ)
def literal_of(body: bytes) -> tuple[bool, bytes, list[bytes]]:
    """Return a stored sentence's sign, functor and arguments, as encodings.

    One list serves all who ask: it is not to be changed.
    """
    parts = split(body)
    assert parts is not None  # noqa: S101 - a sentence is a list
    if body.startswith(NEGATION):
        parts = split(parts[1])
        assert parts is not None  # noqa: S101 - not holds a literal
        return True, parts[0], parts[1:]
    return False, parts[0], parts[1:]


def _matches(wanted: tuple[Part, ...], arguments: list[bytes], bound: Bound) -> bool:
    """Tell whether arguments match; most parts are variables or plain encodings."""
    if len(wanted) != len(arguments):
        return False
    for part, encoded in zip(wanted, arguments, strict=True):
        if type(part) is str:
            known = bound.get(part)
            if known is None:
                bound[part] = encoded
            elif known != encoded:
                return False
        elif not match(part, encoded, bound):
            return False
    return True


def _key(part: Part, bound: Bound) -> int | None:
    """Return the key of an argument, None where a variable leaves it open."""
    if isinstance(part, str):
        known = bound.get(part)
        return None if known is None else key_of(known)
    if isinstance(part, bytes):
        return key_of(part)
    if _variables(part) <= bound.keys():
        return key_of(build(part, bound))
    return None


def _variables(part: Part) -> set[str]:
    if isinstance(part, str):
        return {part}
    if isinstance(part, bytes):
        return set()
    return set().union(*map(_variables, part))


def _planned(literals: tuple[Literal, ...], start: int) -> list[int]:
    """Return positions, next the literal with the fewest arguments left open."""
    waiting = [at for at in range(len(literals)) if at != start]
    bound = _variables(literals[start].arguments) if start >= 0 else set()
    order: list[int] = []
    while waiting:

        def openness(at: int) -> tuple[int, int]:
            arguments = literals[at].arguments
            is_open = sum(not _variables(one) <= bound for one in arguments)
            return is_open - len(arguments), at

        best = min(waiting, key=openness)
        waiting.remove(best)
        order.append(best)
        bound |= _variables(literals[best].arguments)
    return order


def _is_oversized(body: bytes, bound: Bound) -> bool:
    """Tell whether a conclusion is deeper or longer than a sentence may be."""
    for one in bound.values():
        if one[0] == _LIST:
            if depth(body) > MAX_DEPTH:
                return True
            break
    if len(body) * _ESCAPES <= MAX_TEXT:
        return False
    return len(write(decode_known(body)).encode()) > MAX_TEXT
