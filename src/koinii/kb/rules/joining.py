"""Rules over facts: every firing that a fact, or a rule, newly makes possible.

Joins read what is present whatever its label (decision 6). Facts are taken in
the order of their ids, each joined with those up to its own: so each tuple is
met once, when its last fact is.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.rows import NEGATION, key_of
from koinii.kb.rules.rule import read_rule
from koinii.terms.encoding import decode_known
from koinii.terms.printer import write
from koinii.terms.slices import build, depth, fill, match, split
from koinii.terms.term import MAX_DEPTH, MAX_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from koinii.kb.contexts.structure import Structure
    from koinii.kb.rules.rule import Literal, Rule
    from koinii.store.network import Fact, Network
    from koinii.store.sentexes import Sentexes
    from koinii.terms.slices import Bound, Part

    # Of the functors p of a fact and q of a literal: that p is below q, or that
    # one of them is symmetric.
    Need: TypeAlias = tuple[str, bytes, bytes]
    # A fact's arguments as one literal reads them, and what that needs.
    Reading: TypeAlias = tuple[list[bytes], frozenset[Need]]
    Emit: TypeAlias = "Callable[[Draft], None]"

CLIMB, MIRROR = "climb", "mirror"
NO_NEEDS: frozenset[Need] = frozenset()
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


class _Join:
    """One search: a rule, the facts chosen so far, and what becomes of firings."""

    __slots__ = ("emit", "facts", "own", "plan", "rule", "start", "until")

    def __init__(self, rule: Rule, plan: list[int], until: int, emit: Emit) -> None:
        self.rule = rule
        self.plan = plan  # positions of the literals that are still to be matched
        self.until = until
        self.emit = emit
        self.facts: dict[int, Fact] = {}
        self.start = -1
        self.own = 0  # a fact not taken before `start`: it begins another join there


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

    def reads(self, functor: bytes) -> bool:
        """Tell whether a positive literal of any rule has this very functor."""
        return bool(self._triggered(functor, False))  # noqa: FBT003 - the sign

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

    def from_fact(self, fact: Fact, until: int, emit: Emit) -> None:
        """Emit the firings of a fact with the facts up to an id."""
        negative, functor, arguments = literal_of(fact[4])
        for read_as in self._read_as(functor, negative):
            for number, position in self._triggered(read_as, negative):
                for reading in self._readings(functor, read_as, arguments):
                    join = self._join(number, position, until, emit)
                    join.own = fact[0]
                    self._begin(join, fact, reading)

    def newly_read(self, fact: Fact, need: Need, until: int, emit: Emit) -> None:
        """Emit the firings in which a fact is read in a way that is new.

        The need is of its functor. A firing with two such facts is met twice.
        """
        negative, functor, arguments = literal_of(fact[4])
        read_as = need[2]
        if negative and functor != read_as:
            return
        for number, position in self._triggered(read_as, negative):
            for reading in self._readings(functor, read_as, arguments):
                if need in reading[1]:
                    join = self._join(number, position, until, emit)
                    self._begin(join, fact, reading)

    def from_rule(self, number: int, until: int, emit: Emit) -> None:
        """Emit every firing of a rule over the facts up to an id."""
        self._extend(self._join(number, -1, until, emit), 0, NO_NEEDS, {})

    def _join(self, number: int, start: int, until: int, emit: Emit) -> _Join:
        rule = self.rule(number)
        join = _Join(rule, self._plan(rule, start), until, emit)
        join.start = start
        return join

    def _begin(self, join: _Join, fact: Fact, reading: Reading) -> None:
        arguments, needs = reading
        bound: Bound = {}
        if _matches(join.rule.literals[join.start].arguments, arguments, bound):
            join.facts[join.start] = fact
            if join.plan:
                self._extend(join, 0, needs, bound)
            else:
                self._conclude(join, needs, bound)

    def _extend(
        self, join: _Join, at: int, needs: frozenset[Need], bound: Bound
    ) -> None:
        """Match the literals that the plan has left, from one of them on."""
        position = join.plan[at]
        literal = join.rule.literals[position]
        is_last = at + 1 == len(join.plan)
        for fact, (arguments, more) in self._candidates(literal, bound, join.until):
            if fact[0] == join.own and position < join.start:
                continue
            extended = dict(bound)
            if not _matches(literal.arguments, arguments, extended):
                continue
            join.facts[position] = fact
            all_needs = needs | more if more else needs
            if is_last:
                self._conclude(join, all_needs, extended)
            else:
                self._extend(join, at + 1, all_needs, extended)

    def _conclude(self, join: _Join, needs: frozenset[Need], bound: Bound) -> None:
        rule = join.rule
        if rule.filters and not rule.admits(bound):
            return
        body = fill(rule.conclusion, bound)
        if _is_oversized(body, bound):
            self.oversized += 1
            return
        facts = tuple([join.facts[at] for at in range(len(rule.literals))])
        join.emit(Draft(rule, facts, needs, body))

    # Candidates --------------------------------------------------------------------

    def _candidates(
        self, literal: Literal, bound: Bound, until: int
    ) -> Iterable[tuple[Fact, Reading]]:
        """Return the facts that may match a literal, each in a reading of it."""
        keys = [_key(part, bound) for part in literal.arguments]
        negative, read_as = literal.negative, literal.functor
        if negative:
            return self._of_functor(read_as, literal, keys, until)
        return chain.from_iterable(
            self._of_functor(functor, literal, keys, until)
            for functor in self._structure.subs(read_as)
        )

    def _of_functor(
        self, functor: bytes, literal: Literal, keys: list[int | None], until: int
    ) -> Iterator[tuple[Fact, Reading]]:
        orders = [keys]
        if len(keys) == 2 and self._mirrors(functor, literal.functor):  # noqa: PLR2004 - binary
            orders.append(keys[::-1])
        for mirrored, order in enumerate(orders):
            for fact in self._network.facts(
                [key_of(functor), *order], negative=literal.negative, until=until
            ):
                _, own, arguments = literal_of(fact[4])
                if own == functor and len(arguments) == len(keys):
                    readings = self._readings(functor, literal.functor, arguments)
                    if mirrored < len(readings):
                        yield fact, readings[mirrored]

    def _readings(
        self, functor: bytes, read_as: bytes, arguments: list[bytes]
    ) -> list[Reading]:
        """Return a fact's arguments as they stand, and swapped if that may be."""
        needs = NO_NEEDS
        if functor != read_as:
            needs = frozenset(((CLIMB, functor, read_as),))
        if (
            len(arguments) != 2  # noqa: PLR2004 - binary
            or not self._mirrors(functor, read_as)
            or arguments[0] == arguments[1]
        ):
            return [(arguments, needs)]
        swapped = needs | {(MIRROR, functor, read_as)}
        return [(arguments, needs), (arguments[::-1], swapped)]

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
        best = min((_openness(literals[at], bound), at) for at in waiting)[1]
        waiting.remove(best)
        order.append(best)
        bound |= _variables(literals[best].arguments)
    return order


def _openness(literal: Literal, bound: set[str]) -> int:
    """Return how many arguments are open, less those that are closed."""
    return sum(1 if _variables(one) - bound else -1 for one in literal.arguments)


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
