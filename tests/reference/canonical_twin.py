"""The canonical form of a rule, word for word from formats section 2.

Slow: it tries every order of the antecedents. It reads the attributes of
symbols and shares no code with `koinii.terms`. Constants in it are symbols
without namespace, integers and booleans; text comes out.
"""

from itertools import permutations
from typing import Any

Node = Any  # a list of nodes, or a pair of kind and value


def canonical_text(rule: object) -> str:
    """Return the canonical text of `(implies antecedent consequent)`."""
    _, body, goal = node(rule)
    antecedents: list[Node] = []
    for one in flat(body):
        if one not in antecedents:
            antecedents.append(one)
    (goal,) = flat(goal)
    orders = [
        list(order)
        for order in permutations(antecedents)
        if ascending([rank(one, goal) for one in order])
    ]
    best = min(orders, key=lambda order: sequence([*order, goal]))
    numbers = numbering([*best, goal])
    texts = [text(one, numbers) for one in best]
    joined = texts[0] if len(texts) == 1 else f"(and {' '.join(texts)})"
    return f"(implies {joined} {text(goal, numbers)})"


def node(term: object) -> Node:
    if isinstance(term, tuple):
        return [node(part) for part in term]
    kind = type(term).__name__
    return (kind, term.text) if kind == "Symbol" else (kind, term)  # type: ignore[attr-defined]


def named(one: Node, name: str) -> bool:
    return isinstance(one, list) and bool(one) and one[0] == ("Symbol", name)


def folded(one: Node) -> Node:
    if named(one, "not") and named(one[1], "not"):
        return folded(one[1][1])
    if named(one, "not"):
        return [one[0], folded(one[1])]
    if named(one, "greaterThan"):
        return [("Symbol", "lessThan"), *one[:0:-1]]
    return one


def flat(one: Node) -> list[Node]:
    one = folded(one)
    if not named(one, "and"):
        return [one]
    return [part for inner in one[1:] for part in flat(inner)]


def functor(one: Node) -> Node:
    return functor(one[1]) if named(one, "not") else one[0]


def rank(one: Node, goal: Node) -> tuple[Any, ...]:
    is_filter = functor(one)[1] in {"lessThan", "different", "equals", "unknown"}
    return is_filter, functor(one) == functor(goal), key(one, None)


def is_variable(one: Node) -> bool:
    return one[0] == "Symbol" and str(one[1]).startswith("?")


def key(one: Node, numbers: dict[str, int] | None) -> tuple[Any, ...]:
    """The key of a literal; without numbers it is blind to its variables."""
    if isinstance(one, list):
        return (1, len(one), *(key(part, numbers) for part in one))
    if is_variable(one):
        return (2, numbers[one[1]] if numbers else 0)
    kinds = {"bool": 1, "int": 2, "Symbol": 5}
    return (0, kinds[one[0]], one[1])


def variables(one: Node) -> list[str]:
    if isinstance(one, list):
        return [found for part in one for found in variables(part)]
    return [one[1]] if is_variable(one) else []


def numbering(literals: list[Node]) -> dict[str, int]:
    found = [name for one in literals for name in variables(one)]
    return {name: number for number, name in enumerate(dict.fromkeys(found))}


def sequence(literals: list[Node]) -> list[tuple[Any, ...]]:
    numbers = numbering(literals)
    return [key(one, numbers) for one in literals]


def ascending(keys: list[tuple[Any, ...]]) -> bool:
    return keys == sorted(keys)


def text(one: Node, numbers: dict[str, int]) -> str:
    if isinstance(one, list):
        return f"({' '.join(text(part, numbers) for part in one)})"
    if is_variable(one):
        return f"?var{numbers[one[1]]}"
    return str(one[1]).lower() if one[0] == "bool" else str(one[1])
