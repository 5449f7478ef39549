"""The codes of errors, found in the source, with the exit codes they come with."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import koinii
from koinii import errors
from koinii.faces import outcome

SOURCE = Path(koinii.__file__).parent
SPELLING = re.compile(r"koinii/[a-z]+(?:-[a-z0-9]+)*")
BARE = re.compile(r"[a-z]+(?:-[a-z]+)*")
CLASSES = {
    name: one.exit_code
    for module in (errors, outcome)
    for name, one in vars(module).items()
    if isinstance(one, type) and issubclass(one, errors.KoiniiError)
}
RULES = {"Problem", "Refusal", "refusal"}  # first argument: code of a RefusedError


def codes() -> dict[str, set[int]]:
    """Return each code of the source with the exit codes that can be read there."""
    found: dict[str, set[int]] = defaultdict(set)
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = _constants(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and _is_code(node.value):
                found[str(node.value)] |= set()
            for code, exits in _given(node, names):
                found[code] |= exits
    return dict(found)


def _is_code(value: object) -> bool:
    return isinstance(value, str) and bool(SPELLING.fullmatch(value))


def _constants(tree: ast.Module) -> dict[str, str]:
    return {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value.value, str)
    }


def _given(node: ast.AST, names: dict[str, str]) -> Iterator[tuple[str, set[int]]]:
    """Yield the codes that one call or class gives, with their exit codes."""
    if isinstance(node, ast.ClassDef) and node.name in CLASSES:
        for part in node.body:
            if isinstance(part, ast.Assign) and _named(part.targets[0]) == "code":
                yield _text(part.value, names), {CLASSES[node.name]}
    elif isinstance(node, ast.Call):
        called = _named(node.func)
        exits = {CLASSES[called]} if called in CLASSES else set()
        for keyword in node.keywords:
            code = _text(keyword.value, names) if keyword.arg == "code" else ""
            if code:
                yield code, exits
        if called in RULES and node.args:
            code = _text(node.args[0], names)
            if BARE.fullmatch(code) or _is_code(code):
                yield code, {errors.RefusedError.exit_code}


def _named(node: ast.AST) -> str:
    return str(getattr(node, "id", getattr(node, "attr", "")))


def _text(node: ast.AST, names: dict[str, str]) -> str:
    value = getattr(node, "value", None) if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else names.get(_named(node), "")
