"""Why: the tree against the twin's firings, and that it stands on its own leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings

from kb.busy_bases import played, plays
from kb.engine_driver import Driver
from kb.engine_moves import Move
from koinii.kb.explaining import why
from koinii.kb.writing import Said
from koinii.terms import read, write
from koinii.terms.canonical import canonical
from reference.engine_frame_twin import Sentex, reached
from reference.engine_twin import Belief

Node = dict[str, Any]
Reasons = Counter[tuple[str, tuple[str, ...]]]


@settings(max_examples=25, deadline=None)
@given(plays())
def test_every_explanation_is_what_the_twin_drew(moves: list[Move]) -> None:
    with played(moves) as (driver, belief):
        for row in belief.stored - belief.frame.shipped:
            tree = why(driver.kb, bytes.fromhex(row.locator[7:]))
            assert tree["locator"] == row.locator
            check(belief, tree)


def check(belief: Belief, tree: Node) -> None:
    rows = {row.locator: row for row in belief.stored}
    for path in paths(tree):
        node, row = path[-1], rows[path[-1]["locator"]]
        told_as_it_is(belief, node, row)
        marks = {"cycle", "again", "truncated"} & node.keys()
        if marks or is_leaf(path):
            assert not node["support"]
        else:
            assert reasons_of(node) == drawn(belief, row)
        above = {one["locator"] for one in path[:-1]}
        assert ("cycle" in node) <= (row.locator in above)
        for reason in node["support"]:
            reads_its_facts(belief, row, reason, rows)
    if tree["believed"]:
        assert derivable(tree) >= {one[-1]["locator"] for one in paths(tree)}


def told_as_it_is(belief: Belief, node: Node, row: Sentex) -> None:
    frame = belief.frame
    said = frame.asserted.get(row, [])
    assert node["sentence"] == write(row.sentence)
    assert node["context"] == row.context
    assert node["believed"] == (row in belief.believed)
    assert node["strength"] == ("monotonic" if row in belief.known else "default")
    assert node["premise"] == bool(said)
    assert ("shipped" in node) == (row in frame.shipped)
    assert ("waiting" in node) == (row in belief.waiting)
    authors = [(one["agent"], one["seat"], one["strength"]) for one in node["authors"]]
    assert authors == sorted((*one.author, one.strength) for one in said)


def is_leaf(path: list[Node]) -> bool:
    """What somebody asserts, what is shipped, and what fell below the root."""
    node = path[-1]
    fell = len(path) > 1 and not node["believed"]
    return node["premise"] or "shipped" in node or fell


def drawn(belief: Belief, row: Sentex) -> Reasons:
    """The firings of the twin that conclude a row, or make it believed."""
    return Counter(
        (one.rule.locator, tuple(fact.locator for fact in one.facts))
        for one in belief.drawing.placed
        if row in belief.drawing.concluded(one)
        if row not in belief.believed or set(one.facts) <= belief.believed
    )


def reasons_of(node: Node) -> Reasons:
    return Counter(
        (one["rule"], tuple(fact["locator"] for fact in one["because"]))
        for one in node["support"]
    )


def reads_its_facts(
    belief: Belief, row: Sentex, reason: Node, rows: dict[str, Sentex]
) -> None:
    """The edges lead to all that is read, by statements that are in force."""
    frame = belief.frame
    in_force = {(one.context, write(one.sentence)) for one in frame.in_force}
    edges = {tuple(one[1:-1].split()[1:]) for one in reason["edges"]}
    seen = reached(row.context, edges)
    grounds = [
        rows[reason["rule"]],
        *(rows[one["locator"]] for one in reason["because"]),
    ]
    assert {one.context for one in grounds} <= seen <= frame.up(row.context)
    assert {("CxUniverse", one) for one in reason["edges"]} <= in_force
    for need in reason["needs"]:
        places = {context for context, text in in_force if text == need}
        assert places
        if row in belief.believed and need.startswith("(genl "):
            assert places & seen


def derivable(tree: Node) -> set[str]:
    """What follows from the leaves by the steps of the tree alone."""
    nodes = [path[-1] for path in paths(tree)]
    found = {one["locator"] for one in nodes if one["premise"] or "shipped" in one}
    while True:
        more = {
            node["locator"]
            for node in nodes
            for reason in node["support"]
            if {one["locator"] for one in reason["because"]} <= found
        }
        if more <= found:
            return found
        found |= more


def paths(tree: Node) -> Iterator[list[Node]]:
    """Every node with the nodes above it, the root first."""
    waiting = [[tree]]
    while waiting:
        path = waiting.pop()
        yield path
        waiting.extend(
            [*path, fact]
            for reason in path[-1]["support"]
            for fact in reason["because"]
        )


# By hand -----------------------------------------------------------------------------


def chain(driver: Driver, length: int) -> bytes:
    """(p0 A) and rules to (p1 A), (p2 A), …; returns the last one's digest."""
    texts = [
        "(p0 A)",
        *[f"(implies (p{at} ?x) (p{at + 1} ?x))" for at in range(length)],
    ]
    said = [
        Said("CxAnn", canonical(read(text)), write(canonical(read(text))), 0, 1, None)
        for text in texts
    ]
    with driver.kb.write():
        author = driver.kb.names.make_author("AgentAnn", "here")
        driver.kb.put(author, said, replace=False, journal=False)
    (last,) = driver.kb.matching(read(f"(p{length} A)"), "CxAnn", "exact")
    return last.digest


def deepest(tree: Node) -> Node:
    node, depth = tree, 0
    while node["support"]:
        (reason,) = node["support"]
        (node,) = reason["because"]
        depth += 1
    return {**node, "depth": depth}


def test_a_chain_is_as_deep_as_asked_for() -> None:
    driver = Driver()
    try:
        last = chain(driver, 1500)
        whole = deepest(why(driver.kb, last, 2000))
        assert (whole["depth"], whole["premise"], "truncated" in whole) == (
            *(1500, True, False),
        )
        short = deepest(why(driver.kb, last))
        assert (short["depth"], short["premise"], short["truncated"]) == (
            *(256, False, True),
        )
    finally:
        driver.close()


def test_what_is_not_stored_says_so() -> None:
    driver = Driver()
    try:
        assert why(driver.kb, bytes(32)) == {
            "locator": f"sha256:{bytes(32).hex()}",
            "stored": False,
            "believed": False,
        }
    finally:
        driver.close()
