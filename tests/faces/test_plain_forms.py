"""The plain forms and the full command line read the same lines the same way."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faces.command import SENTENCE, within
from koinii.errors import KoiniiError
from koinii.faces.cli import read_line
from koinii.faces.hot import parse
from koinii.faces.invocation import Invocation, Page

WORDS = st.sampled_from(
    [
        "ask", "assert", "argue", "retract", "locate", "status", "log", "load", "edit",
        "prove", "verify", "remote", "list", "add", "help", "version", "init", "-C",
        "search", "desk", "--json", "-q", "--quiet", "-v", "-n", "--dry-run", "--in",
        "CxAtlas", "--in=CxA", "--as", "AgentAtlas", "--monotonic", "--monotonic=1",
        "--limit",
        "--limit=2", "3", "-3", "--scope", "exact", "--format", "--format=json", "json",
        "tlog", "--", "-", "-rf", "--no-input", "--color", "never", "", "(p ?x)", "-h",
        "--key", "--add", "--kind", "x=y", "-qv", "--jso",
    ]
)  # fmt: skip
LINES = [
    ["ask", "(usesDatabase ?x ?y)"],
    ["ask", "(usesDatabase ?x ?y)", "--json"],
    ["--json", "ask", "(usesDatabase ?x ?y)", "--in", "CxAtlas"],
    ["ask", "--in=CxAtlas", "--scope", "exact", "(usesDatabase ?x ?y)", "--limit=1"],
    ["ask", "(nothing ?x)"],
    ["ask", "(nothing ?x)", "-q"],
    ["ask", SENTENCE],
    ["ask", "(usesDatabase", "--json"],
    ["ask", "p", "--json"],
    ["ask", "--json"],
    ["ask", "-"],
    ["ask", "(p ?x)", "--in", "deploy", "--json"],
    ["ask", "(p ?x)", "--limit", "many"],
    ["ask", "(p ?x)", "--scope", "wide"],
    ["ask", "a", "b"],
    ["ask", "(p ?x)", "--in", "CxA", "--in", "CxB"],
    ["ask", "(p ?x)", "-n"],
    ["ask", "-rf"],
    ["ask", "--", "-rf"],
    ["search", "cluster", "postgres"],
    ["search", "cluster", "--json", "--limit", "0", "postgres"],
    ["search", "prod", "Cluster", "--in", "CxNowhere"],
    ["search", "cluster", "--scope", "exact"],
    ["search", "cluster", ""],
    ["search", "OR", "--", "-rf", "*"],
    ["search", "-", "--json"],
    ["search"],
    ["argue", SENTENCE, "--in", "CxAtlas", "--json"],
    ["argue", SENTENCE],
    ["locate", SENTENCE, "--in", "CxAtlas"],
    ["locate", SENTENCE, "--in", ""],
    ["assert", "-n", "(likes Ann Tea)"],
    ["assert", "(likes ?x Tea)", "--json"],
    ["assert", "(likes Ann Tea)", "--as", "AgentNobody"],
    ["assert", "(likes Ann Tea)", "--monotonic=yes"],
    ["retract", "12345678", "--json"],
    ["retract", "12", "--json"],
    ["status", "--json"],
    ["log"],
    ["log", "--limit", "0"],
    ["show", "1"],
    ["show", "99", "--json"],
    ["load", "gone.kb", "--json"],
    ["load", "-", "-n"],
    ["push"],
    ["edit", "--add", "(p A)", "-n"],
    ["edit", "--add", "(p A)", "--add", "(p B)", "-n", "--json"],
    ["peers", "--json"],
    ["-C", "gone", "ask", "(p ?x)", "--json"],
    ["-C", "gone", "status"],
    ["version", "extra"],
]


def reading(words: list[str]) -> object:
    """Return what the full command line makes of a line, an error as its text."""
    try:
        asked = read_line(words)
    except KoiniiError as error:
        return error.message
    if isinstance(asked, Page):
        return "a page"
    return asked.operation.name, dict(asked.given), asked.flags


@given(st.lists(WORDS, max_size=7))
def test_a_plain_form_is_read_as_the_full_command_line_reads_it(
    words: list[str],
) -> None:
    plain = parse(words)
    if plain is not None:
        assert (plain.operation.name, plain.given, plain.flags) == reading(words)


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_both_answer_alike(words: list[str], here: Path) -> None:
    stdin = b"(usesDatabase ?x Postgres)"
    plain = within(*words, stdin=stdin)
    assert plain == within(*words, stdin=stdin, full=True)
    assert "--json" not in words or plain.json


@pytest.mark.parametrize(
    "words",
    [
        ["ask", "(p ?x)"],
        ["-C", "desk", "ask", "(p ?x)", "--json", "--in", "CxA"],
        ["assert", "-"],
        ["assert", "-n", "(p A)"],
        ["status", "-v"],
        ["prove", "12345678", "--format", "tlog"],
        ["ask", "--", "--in"],
        ["search", "a", "b", "--in", "CxA"],
    ],
)
def test_common_lines_are_plain(words: list[str]) -> None:
    assert isinstance(parse(words), Invocation)


@pytest.mark.parametrize(
    "words", [[], ["help"], ["remote", "list"], ["-h"], ["ask"], ["ask", "x", "-h"]]
)
def test_other_lines_are_not(words: list[str]) -> None:
    assert parse(words) is None
