"""Every row of section C is a test, or is listed with what it waits for."""

from __future__ import annotations

import ast
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from coordination.section_c import CHANGED, ELSEWHERE, ROWS, WAITING

TESTS = Path(__file__).parents[1]
EVERY = [*chain.from_iterable(ROWS.values())]
COUNTS = {
    "C.1": 9, "C.2": 7, "C.3": 14, "C.4": 13, "C.5": 26, "C.6": 10, "C.7": 3,
    "C.8": 19, "C.9": 5, "C.10": 14, "C.11": 13,
}  # fmt: skip


@cache
def all_tests() -> frozenset[str]:
    """The names of all tests there are."""
    trees = (ast.parse(path.read_text("utf-8")) for path in TESTS.rglob("test_*.py"))
    return frozenset(
        node.name
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def named(row: str) -> str:
    return "test_" + row.lower().replace("-", "_").replace(" ", "_")


def is_tested(row: str) -> bool:
    if row in ELSEWHERE:
        return ELSEWHERE[row] in all_tests()
    name = named(row)
    if len(row) <= 3:
        return any(one.startswith(f"{name}_") for one in all_tests())
    return name in all_tests()


def test_each_row_is_here_once() -> None:
    assert {section: len(rows) for section, rows in ROWS.items()} == COUNTS
    assert len(EVERY) == len(set(EVERY)) + 1, "one name stands in C.2 and in C.3"
    assert EVERY.count("endorsement-survives-first-writer-wins") == 2


@pytest.mark.parametrize("row", dict.fromkeys(EVERY))
def test_a_row_is_tested_or_waits(row: str) -> None:
    assert is_tested(row) != (row in WAITING)


@pytest.mark.parametrize("row", CHANGED)
def test_what_differs_is_a_row_that_is_tested_and_has_a_reason(row: str) -> None:
    assert row in EVERY
    assert is_tested(row)
    assert CHANGED[row]


def test_what_is_listed_is_a_row() -> None:
    assert {*ELSEWHERE, *WAITING} <= {*EVERY}
    assert not {*ELSEWHERE} & {*WAITING}


def test_a_row_that_nobody_tests_is_noticed() -> None:
    assert not is_tested("a-row-that-is-none")
    assert not is_tested("S99")
