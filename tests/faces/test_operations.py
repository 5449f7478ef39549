"""The table, what stands behind it, and the page made from it."""

import inspect
import shlex
from pathlib import Path

import pytest

from koinii.faces.cli import read_line
from koinii.faces.cli.commands import GROUPS
from koinii.faces.invocation import Invocation
from koinii.faces.operations import FLAG, OPERATIONS, Operation, find
from koinii.faces.page import page

ROOT = Path(__file__).parents[2]
VERBS = {
    "init", "clone", "status", "log", "show", "commit", "push", "pull", "sync",
    "remote", "assert", "retract", "edit", "load", "ask", "argue", "locate", "marker",
    "deref", "prove", "verify", "agent", "channel", "join", "held", "peers", "config",
    "version", "doctor", "search", "check", "why", "why-not", "contradictions",
    "conflicts", "disputes", "rule", "notify", "quarantine", "diagnostics", "watch",
    "admin", "follow", "unfollow", "pose", "answer", "endorse", "justify", "dispute",
    "vote", "not-understood", "refuse", "reply-many", "majority", "believes",
    "convene", "disagreements", "disregard", "registry", "recover", "bundle", "audit",
    "diff", "export", "import", "gc",
}  # fmt: skip
EXAMPLES = [(one, text) for one in OPERATIONS for text in one.examples]


def test_every_verb_of_this_version_is_there_once() -> None:
    names = [one.name for one in OPERATIONS]
    assert len(names) == len(set(names))
    assert {name.split()[0] for name in names} == VERBS
    assert set(GROUPS) == {name.split()[0] for name in names if " " in name}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_parameters_are_those_of_the_function(operation: Operation) -> None:
    subject, *taken = inspect.signature(operation.run).parameters.values()
    assert subject.name == ("at" if operation.needs == "none" else "seat")
    assert [one.name for one in taken] == [one.name for one in operation.parameters]
    assert all(one.default is one.empty for one in taken)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_what_can_be_left_out_has_a_value(operation: Operation) -> None:
    for one in operation.parameters:
        assert not (one.required and one.default is not None)
        assert isinstance(one.absent, bool) == (one.kind == FLAG)
        assert not one.choices or one.absent in (None, *one.choices)
    places = [one.required for one in operation.parameters if one.positional]
    assert places == sorted(places, reverse=True)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_only_what_writes_is_rehearsed(operation: Operation) -> None:
    assert operation.writes or not operation.rehearsed


@pytest.mark.parametrize(("operation", "text"), EXAMPLES)
def test_an_example_is_of_its_operation(operation: Operation, text: str) -> None:
    typed, _, _ = text.replace(" < ", " > ").partition(" > ")
    program, *words = shlex.split(typed)
    asked = read_line(words)
    assert program == "koinii"
    assert isinstance(asked, Invocation)
    assert asked.operation is operation


def test_an_operation_is_found_by_name() -> None:
    assert find("remote add") in OPERATIONS
    assert find("remote") is None


def test_the_page_is_that_of_the_table() -> None:
    """Make it again with `python -m koinii.faces.page > docs/operations.md`."""
    assert (ROOT / "docs/operations.md").read_text(encoding="utf-8") == page()
