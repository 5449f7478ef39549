"""Every hint names verbs that this version has, with options that they take."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from faces.command import SENTENCE, within
from koinii.faces.cli.advice import FLAGS
from koinii.faces.cli.commands import GROUPS, MORE
from koinii.faces.operations import OPERATIONS, find

SOURCE = Path(koinii.__file__).parent
HINTS = {"hint", "_HINT", "_RESTORE", "COPIED", "FIX"}
MENTION = re.compile(r"(?<!newer )\bkoinii ((?:-C \S+ )?)([a-z][a-z-]*)([^`;,:()]*)")
OPTION = re.compile(r"(?<!\S)--?[A-Za-z][a-z-]*")


def texts(node: ast.AST) -> Iterator[str]:
    """Yield the texts an expression may come to, `X` where something is put in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(
            str(part.value) if isinstance(part, ast.Constant) else "X"
            for part in node.values
        )
    elif isinstance(node, ast.IfExp):
        yield from texts(node.body)
        yield from texts(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from texts(value)


def given(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the expressions that one node of the source gives as hints."""
    if isinstance(node, ast.keyword) and node.arg == "hint":
        yield node.value
    elif isinstance(node, ast.Assign):
        named = {getattr(one, "id", getattr(one, "attr", "")) for one in node.targets}
        if named & HINTS:
            yield node.value
    elif isinstance(node, ast.Call):
        called = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if called == "attention":
            yield from node.args[2:]
        elif called in ("refusal", "Refusal"):
            yield from node.args[3:]


def hints() -> list[tuple[str, str]]:
    """Return every hint of the source with its place."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for value in given(node):
                place = f"{path.relative_to(SOURCE)}:{value.lineno}"  # type: ignore[attr-defined]
                found += [(place, text) for text in texts(value)]
    return found


def test_the_hints_are_found() -> None:
    places = {place.rpartition(":")[0] for place, _ in hints()}
    assert len(hints()) > 90
    assert {"terms/shape.py", "seat/seat.py", "remote/check_git.py"} <= places


@pytest.mark.parametrize(("place", "hint"), hints(), ids=lambda text: text[:40])
def test_every_hint_names_verbs_that_are_here(place: str, hint: str) -> None:
    for _, verb, rest in MENTION.findall(hint):
        operation = find(f"{verb} {rest.split()[0]}" if rest.split() else verb)
        operation = operation or find(verb) or find(f"{verb} list")
        assert operation or verb in MORE, f"{place}: {hint}"
        own = [one.spelling for one in operation.parameters] if operation else []
        assert set(OPTION.findall(rest)) <= {*own, *FLAGS}, f"{place}: {hint}"


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_examples_begin_with_their_verb(operation: object) -> None:
    for example in getattr(operation, "examples", ()):
        _, verb, rest = next(iter(MENTION.findall(example)))
        assert find(verb) or verb in GROUPS, example + rest


def test_hints_where_they_are_told(here: Path, tmp_path: Path) -> None:
    variables = within("assert", "(p ?x)", "--json")
    assert variables.error["hint"].endswith("ask with them: koinii ask ...")
    key = str(here / ".koinii/keys/AgentAtlas")
    nobody = within("clone", str(here), str(tmp_path / "new"), "--key", key, "--json")
    assert nobody.error["code"] == "koinii/no-agent"
    assert nobody.error["hint"].startswith("koinii clone ")
    for name in ("Agent", "Atlas", "agentAtlas"):
        done = within("assert", SENTENCE, "--as", name, "--json")
        assert (done.code, done.error["code"]) == (4, "naming")
        assert "agent new" not in done.error["hint"]
    unknown = within("assert", SENTENCE, "--as", "AgentCleo", "--json")
    assert unknown.error["hint"] == "koinii agent new AgentCleo"
