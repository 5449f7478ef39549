"""What docs/python.md shows is what happens, read from top to bottom."""

import doctest
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import koinii

PAGE = Path(__file__).parent.parent / "docs" / "python.md"
VERBS = [
    *["init", "open", "clone", "assert_", "retract", "edit", "load", "check", "ask"],
    *["search", "argue", "why", "why_not", "contradictions", "conflicts", "believed"],
    *["events", "watch", "unwatch", "commit", "log", "prove", "verify", "push"],
    *["pull", "sync", "held", "follow", "unfollow", "rotate_agent", "revoke_key"],
    *["retire_agent", "trust_agent", "admin", "admin_init", "grant", "audit"],
    *["audit_all", "diff", "turns"],
]


def run(text: str) -> tuple[doctest.TestResults, str]:
    """Run the examples of a page in one namespace; return what went wrong too."""
    fences = [token for token in MarkdownIt().parse(text) if token.type == "fence"]
    shown = "\n".join(token.content for token in fences if token.info == "pycon")
    test = doctest.DocTestParser().get_doctest(shown, {}, PAGE.name, None, 0)
    told: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    return result, "".join(told)


def test_the_page_shows_what_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result, told = run(PAGE.read_text(encoding="utf-8"))
    assert not result.failed, told
    assert result.attempted > 50


def test_what_does_not_happen_is_found() -> None:
    result, told = run("```pycon\n>>> one = 1\n```\n\n```pycon\n>>> one\n2\n```\n")
    assert result.failed == 1
    assert "Got:\n    1" in told


@pytest.mark.parametrize("verb", VERBS)
def test_the_page_names_every_verb(verb: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert hasattr(koinii, verb) or hasattr(koinii.RemoteSeat, verb)
    assert f".{verb}(" in text or f"`{verb}`" in text
