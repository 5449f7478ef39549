"""One word for each idea: the glossary is in order, and other pages keep to it."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parent.parent
GLOSSARY = ROOT / "docs/glossary.md"
PAGES = sorted({ROOT / "README.md", *ROOT.glob("docs/**/*.md")} - {GLOSSARY})
TERM = re.compile(r"^- (?:\*\*(.+?)\*\*|`(.+?)`): \S", re.MULTILINE)
WORDS = re.compile(r"^\| ([a-z -]+) \| ([a-z ]+) \|$", re.MULTILINE)
TEXT = GLOSSARY.read_text(encoding="utf-8")


def terms() -> list[str]:
    return [bold or code for bold, code in TERM.findall(TEXT)]


def forbidden() -> dict[str, str]:
    """Return the words not to use, each with the one to use."""
    pairs: list[tuple[str, str]] = WORDS.findall(TEXT)
    return {
        wrong: right for wrong, right in pairs if wrong.strip("- ") and wrong != "not"
    }


def prose(text: str) -> str:
    """Return the text of a page without its code."""
    inline = [token for token in MarkdownIt().parse(text) if token.type == "inline"]
    parts = [part for token in inline for part in token.children or []]
    return " ".join(part.content for part in parts if part.type == "text")


def strays(text: str) -> list[str]:
    """Return the forbidden words in a page, in one number or several."""
    flat = " ".join(prose(text).lower().split())
    return [word for word in forbidden() if re.search(rf"\b{word}s?\b", flat)]


def test_every_line_of_the_list_is_a_term() -> None:
    lines = [line for line in TEXT.splitlines() if line.startswith("- ")]
    assert len(terms()) == len(lines) >= 20


def test_terms_are_unique_and_in_order() -> None:
    assert [pair for pair in pairwise(terms()) if pair[0] >= pair[1]] == []


def test_words_to_use_are_terms() -> None:
    used = {word.removesuffix(" id") for word in forbidden().values()}
    assert used
    assert used <= set(terms())
    assert not set(forbidden()) & set(terms())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_keep_to_the_words(page: Path) -> None:
    assert strays(page.read_text(encoding="utf-8")) == []


def test_a_stray_word_is_found() -> None:
    text = "The Fact\nIDs, `a peer id` and\n\n    node id\n\nmicrotheories; microtheory"
    assert strays(text) == ["fact id", "microtheory"]
