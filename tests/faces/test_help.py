"""Help, and what the command line says when it was not understood."""

import subprocess

import pytest

from faces.command import COMMAND, environment, within
from koinii.faces.cli.commands import MORE, names_under
from koinii.faces.cli.topics import TOPICS
from koinii.faces.operations import OPERATIONS, Operation

WRONG = [
    (["asc", "x"], "no verb 'asc'", "did you mean koinii ask?"),
    (["remote", "ad"], "no verb 'remote ad'", "did you mean koinii remote add?"),
    (["-C", "x", "comit"], "no verb 'comit'", "did you mean koinii commit?"),
    (["zzz"], "no verb 'zzz'", "koinii help"),
    (["ask", "x", "--jso"], "ask takes no option --jso", "did you mean --json?"),
    (["ask", "x", "--scop", "any"], "no option --scop", "did you mean --scope?"),
    (["ask", "x", "--monotonic"], "no option --monotonic", "to assert, check, load"),
    (["--in", "CxA", "ask", "x"], "no option --in", "belongs to"),
    (["ask"], "ask needs PATTERN", 'koinii ask "'),
    (["argue", "x"], "argue needs --in", "koinii argue"),
    (["remote", "add", "origin"], "remote add needs URL", "koinii remote add"),
    (["ask", "x", "y"], "unexpected extra argument", "koinii help ask"),
    (["ask", "x", "--in"], "--in", "koinii help ask"),
    (["ask", "x", "--limit", "-1"], "--limit takes a number", ""),
    (["ask", "x", "--scope", "all"], "--scope takes cone, exact, any", ""),
    (["ask", "x", "-C", "a", "-C", "b"], "-C is given twice", "koinii help"),
    (["-C", "a", "ask", "x", "-C", "b"], "-C is given twice", "koinii help"),
    (["sync", "-n"], "--dry-run: sync", "koinii help sync"),
    (["ask", "x", "--dry-run"], "--dry-run: ask writes nothing", "koinii help ask"),
    (["config", "--show-origin", "list"], "--show-origin is misplaced", "config list"),
    (["help", "asc"], "no verb 'asc'", "did you mean koinii ask?"),
    (["completion"], "completion needs SHELL", "koinii help completion"),
]


@pytest.mark.parametrize(("words", "message", "hint"), WRONG, ids=str)
def test_what_is_wrong_and_what_was_meant(
    words: list[str], message: str, hint: str
) -> None:
    done = within(*words)
    assert (done.code, done.out) == (2, "")
    first, *rest = done.err.splitlines()
    assert first.startswith("koinii: ")
    assert message in first.lower() or message in first
    assert hint in "".join(rest)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_help_shows_examples_first(operation: Operation) -> None:
    words = operation.name.split()
    page = within("help", *words)
    assert page == within(*words, "--help") == within(*words, "-h")
    assert (page.code, page.err) == (0, "")
    assert page.out.startswith("Usage: koinii " + operation.name)
    first = page.out.index("Examples:")
    assert all(page.out.index(f"\n    {one}") > first for one in operation.examples)
    assert first < page.out.index("Options:")
    assert all(one.spelling in page.out for one in operation.parameters)
    assert ("--dry-run" in page.out) == operation.rehearsed


def test_help_lists_every_verb() -> None:
    page = within("--help").out
    assert page == within("help").out == within().out
    for name in names_under(""):
        assert f"\n  {name} " in page
    assert set(MORE) < set(names_under(""))


@pytest.mark.parametrize("topic", TOPICS)
def test_topics(topic: str) -> None:
    assert within("help", topic).out == TOPICS[topic]
    assert topic in within("help").out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str) -> None:
    done = within("completion", shell)
    assert done.code == 0
    assert "_KOINII_COMPLETE" in done.out


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("koinii com", {"commit", "completion"}),
        ("koinii remote ", {"list", "add", "rm"}),
        ("koinii ask --sc", {"--scope"}),
    ],
)
def test_a_shell_completes(typed: str, offered: set[str]) -> None:
    words = typed.split(" ")
    done = subprocess.run(
        [COMMAND],
        env=environment(
            _KOINII_COMPLETE="complete_bash",
            COMP_WORDS=typed,
            COMP_CWORD=str(len(words) - 1),
        ),
        capture_output=True,
        check=False,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert set(done.stdout.split()) == offered
