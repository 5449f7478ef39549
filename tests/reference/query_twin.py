"""Queries answered by trying everything: every fact for every literal.

Shares no code with `koinii.kb`: sameness, visibility, matching and the filters
are written here from their definitions (spec A.1, A.4; design section 6).
"""

from fractions import Fraction
from itertools import pairwise, product

from koinii.terms import Decimal, Ratio, Symbol, Term

Fact = tuple[str, Term]  # a context and a sentence believed there
Key = tuple[object, ...]
Binding = dict[str, Term]
Answers = set[frozenset[tuple[str, Key]]]


class UnboundError(Exception):
    """A filter holds a variable that no literal of the query binds."""


def key(term: Term) -> Key:
    """Two terms are the same content exactly if their keys are equal."""
    if isinstance(term, tuple):
        return ("list", *map(key, term))
    return (type(term).__name__, repr(term))


def seen(context: str, facts: list[Fact]) -> set[str]:
    """Every context that `context` sees by the edges among the facts."""
    edges = [
        (name_of(sentence[1]), name_of(sentence[2]))
        for place, sentence in facts
        if place == "CxUniverse"
        and isinstance(sentence, tuple)
        and sentence[0] == Symbol("genlCx")
    ]
    reached = {context}
    for _ in edges:
        reached |= {above for below, above in edges if below in reached}
    return reached


def in_scope(facts: list[Fact], context: str | None, scope: str) -> list[Term]:
    """The sentences that a read from a context takes in."""
    if context is None or scope == "any":
        return [sentence for _, sentence in facts]
    wanted = {context} if scope == "exact" else seen(context, facts)
    return [sentence for place, sentence in facts if place in wanted]


def answers(goals: list[Term], sentences: list[Term]) -> Answers:
    """The distinct bindings under which every goal holds."""
    literals = [goal for goal in goals if not is_filter(goal)]
    filters = [goal for goal in goals if is_filter(goal)]
    binding_names = {name for literal in literals for name in names(literal)}
    for one in filters:
        if not names(one) <= binding_names:
            raise UnboundError(one)
    found: Answers = set()
    possible = [
        [one for one in sentences if matched(positive_form(literal), one, {})
         is not None]
        for literal in literals
    ]  # fmt: skip
    for chosen in product(*possible):
        binding: Binding | None = {}
        for literal, sentence in zip(literals, chosen, strict=True):
            binding = matched(positive_form(literal), sentence, binding)
        if binding is not None and all(holds(f, binding, sentences) for f in filters):
            found.add(frozenset((name, key(term)) for name, term in binding.items()))
    return found


def positive_form(literal: Term) -> Term:
    """The literal with at most one `not`."""
    nots = 0
    while isinstance(literal, tuple) and literal[0] == Symbol("not"):
        nots, literal = nots + 1, literal[1]
    return (Symbol("not"), literal) if nots % 2 else literal


def is_filter(goal: Term) -> bool:
    inner = positive_form(goal)
    if isinstance(inner, tuple) and inner[0] == Symbol("not"):
        inner = inner[1]
    words = {"lessThan", "greaterThan", "different", "equals", "unknown"}
    return isinstance(inner, tuple) and name_of(inner[0]) in words


def names(term: Term) -> set[str]:
    if isinstance(term, tuple):
        return {name for part in term for name in names(part)}
    return {name_of(term)} if name_of(term)[:1] == "?" else set()


def name_of(term: Term) -> str:
    return term.text if isinstance(term, Symbol) else ""


def matched(pattern: Term, term: Term, binding: Binding | None) -> Binding | None:
    """The binding, extended so that the pattern is the term, or None."""
    if binding is None:
        return None
    name = name_of(pattern)
    if name == "_":
        return binding
    if name[:1] == "?":
        known = binding.get(name, term)
        return {**binding, name: term} if key(known) == key(term) else None
    if not isinstance(pattern, tuple) or not isinstance(term, tuple):
        return binding if key(pattern) == key(term) else None
    if len(pattern) != len(term):
        return None
    for part, piece in zip(pattern, term, strict=True):
        binding = matched(part, piece, binding)
    return binding


def holds(goal: Term, binding: Binding, sentences: list[Term]) -> bool:
    inner = positive_form(goal)
    assert isinstance(inner, tuple)
    if inner[0] == Symbol("not"):
        return not holds(inner[1], binding, sentences)
    if inner[0] == Symbol("unknown"):
        literal = positive_form(filled(inner[1], binding))
        return all(matched(literal, sentence, {}) is None for sentence in sentences)
    values = [filled(term, binding) for term in inner[1:]]
    if inner[0] == Symbol("equals"):
        return len({key(value) for value in values}) == 1
    if inner[0] == Symbol("different"):
        return len({key(value) for value in values}) == len(values)
    if inner[0] == Symbol("greaterThan"):
        values.reverse()
    return all(less(low, high) for low, high in pairwise(values))


def filled(term: Term, binding: Binding) -> Term:
    if isinstance(term, tuple):
        return tuple(filled(part, binding) for part in term)
    return binding.get(name_of(term), term)


def less(low: Term, high: Term) -> bool:
    both = [amount(low), amount(high)]
    return both[0] is not None and both[1] is not None and both[0] < both[1]


def amount(term: Term) -> Fraction | None:
    if type(term) in (int, float):
        return Fraction(term)  # type: ignore[arg-type]
    if isinstance(term, Ratio | Decimal):
        return Fraction(*term.as_integer_ratio())
    return None
