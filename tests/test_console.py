"""The runner of documents must not let a wrong document pass."""

import sys
import time
from pathlib import Path

import pytest

from console import ConsoleError, parse, run_markdown

HASH = "0123456789abcdef" * 4


def document(folder: Path, *lines: str) -> Path:
    path = folder / "page.md"
    text = "\n".join(["# Title", "", "```console", *lines, "```", ""])
    path.write_text(text, encoding="utf-8")
    return path


def run(folder: Path, *lines: str, limit: float = 20.0) -> None:
    run_markdown(document(folder, *lines), folder, limit)


RIGHT = {
    "output": ["$ echo one; echo two", "one", "two"],
    "nothing": ["$ true"],
    "no line feed at the end": ["$ printf x; printf y >&2", "x", "y"],
    "standard error last": ["$ echo bad >&2; echo good", "good", "bad"],
    "continued": ["$ cat <<END", "> one", "> END", "one"],
    "greater than": ["$ echo; echo '> x'", "", "> x"],
    "one shell": ["$ mkdir d; cd d; x=5", "$ echo $x ${PWD##*/}", "5 d"],
    "blank line between": ["$ echo a", "a", "", "$ echo b", "b"],
    "exit code": ["$ echo no >&2; (exit 4)", "no", "[exit 4]"],
    "exit code alone": ["$ false", "[exit 1]"],
    "bad syntax": ["$ )", "...", "[exit 2]"],
    "no input": ["$ cat"],
    "any lines": ["$ seq 9", "1", "...", "8", "9"],
    "any lines, none": ["$ seq 2", "1", "...", "2"],
    "any lines, twice": ["$ seq 9", "...", "4", "...", "9"],
    "hash": [f"$ echo sha256:{HASH}", "sha256:<hash>"],
    "short": [f"$ echo {HASH[:8]} {HASH[:16]}", "<short> <short>"],
    "id": [f"$ echo '{HASH[:32]}.'", "<id>."],
    "number": ["$ echo 1 -2 3.5", "<n> <n> <n>"],
    "times": [
        "$ echo 2026-01-02, 03:04, 2026-01-02T03:04:05Z, 2026-01-02 03:04:05.6",
        "<time>, <time>, <time>, <time>",
    ],
    "named": ["$ echo a b", "<word:x> <word:y>", "$ echo b a", "<word:y> <word:x>"],
    "named twice in a line": ["$ echo a a", "<word:x> <word:x>"],
    "other angles": ["$ echo '<file>'", "<file>"],
    "no user": ["$ ls -A ~; git config --global user.name", "[exit 1]"],
    "no settings": ["$ env | grep -E '^(GIT|KOINII|XDG|PYTHON)'", "[exit 1]"],
    "left running": ["$ sleep 100 &", "$ echo on", "on"],
}

WRONG = {
    "other line": (
        ["$ echo one", "two"],
        r"page.md:4: \$ echo one\n(.|\n)*-two\n\+one",
    ),
    "missing line": (["$ echo one; echo two", "one"], r"\+two"),
    "additional line": (["$ echo one", "one", "two"], "-two"),
    "nothing printed": (["$ true", "one"], "-one"),
    "something printed": (["$ echo one"], r"\+one"),
    "fails": (["$ (exit 3)"], "exit code 3, not 0"),
    "does not fail": (["$ true", "[exit 4]"], "exit code 0, not 4"),
    "fails otherwise": (["$ false", "[exit 4]"], "exit code 1, not 4"),
    "short hash": ([f"$ echo {HASH[1:]}", "<hash>"], "-<hash>"),
    "long short": ([f"$ echo {HASH[:17]}", "<short>"], "-<short>"),
    "no number": (["$ echo x", "<n>"], "-<n>"),
    "no time": (["$ echo; echo x", "<time>"], "-<time>"),
    "a word, not two": (["$ echo a b", "<word>"], "-<word>"),
    "named, other": (["$ echo a", "<word:x>", "$ echo b", "<word:x>"], "page.md:6"),
    "named twice, other": (["$ echo a b", "<word:x> <word:x>"], "-<word:x> <word:x>"),
    "any lines, wrong end": (["$ seq 9", "...", "10"], "-10"),
    "pattern signs": (["$ echo axb", "a.b"], "-a.b"),
    "no command": (["output"], "page.md:4: a block begins"),
    "second line": (["$ true", "$ echo no", "yes"], "page.md:5"),
    "shell ended": (["$ exit", "$ true"], "page.md:5(.|\n)*ended the shell"),
}


@pytest.mark.parametrize("lines", RIGHT.values(), ids=RIGHT)
def test_a_right_document_passes(tmp_path: Path, lines: list[str]) -> None:
    run(tmp_path, *lines)


@pytest.mark.parametrize(("lines", "reason"), WRONG.values(), ids=WRONG)
def test_a_wrong_document_fails(tmp_path: Path, lines: list[str], reason: str) -> None:
    with pytest.raises(ConsoleError, match=reason):
        run(tmp_path, *lines)


def test_a_command_that_hangs_is_killed_with_all_it_started(tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(ConsoleError, match="still running after"):
        run(tmp_path, "$ (sleep 3; touch alive) & sleep 100", limit=0.5)
    assert time.monotonic() - began < 10
    time.sleep(3)
    assert not (tmp_path / "alive").exists()


def test_only_console_blocks_run(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    fences = ["```sh", "$ exit 1", "```", "````text", "```console", "$ false", "```"]
    path.write_text("\n".join([*fences, "````", "", "    $ false"]), encoding="utf-8")
    assert parse(path) == []


def test_the_own_environment_comes_first(tmp_path: Path) -> None:
    page = document(tmp_path, "$ python -c 'import sys; print(sys.prefix)'", sys.prefix)
    run_markdown(page, tmp_path)
    assert [command.line for command in parse(page)] == [4]


def test_settings_of_the_surroundings_do_not_reach_a_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KOINII_AGENT", "AgentStray")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Stray")
    run(tmp_path, "$ echo ${KOINII_AGENT-none} ${GIT_AUTHOR_NAME-none}", "none none")
