"""Finds the tests that pages and tables name as `folder/file.py::function`."""

import ast
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent.parent


@cache
def functions_of(file: str) -> frozenset[str]:
    """Return the names of the test functions of a file, by its path below tests/."""
    path = TESTS / file
    if not path.is_file():
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(
        node.name
        for node in ast.walk(tree)
        if isinstance(node, kinds) and node.name.startswith("test_")
    )


def is_there(test: str) -> bool:
    """Whether a test of that file and name exists."""
    file, _, name = test.partition("::")
    return name in functions_of(file)
