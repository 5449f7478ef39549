"""The examples of a page: its code blocks, by the second word of their language."""

from pathlib import Path

from markdown_it import MarkdownIt

FORMATS = Path(__file__).parent.parent / "docs" / "formats"


def blocks(page: str) -> dict[str, str]:
    """Return the named code blocks of a page of docs/formats."""
    text = (FORMATS / f"{page}.md").read_text(encoding="utf-8")
    fences = [token for token in MarkdownIt().parse(text) if token.type == "fence"]
    named = [(block.info.split(), block.content) for block in fences]
    found = {words[1]: content for words, content in named if len(words) > 1}
    assert found, f"{page} has no examples"
    return found


def pairs(block: str, between: str) -> list[tuple[str, str]]:
    """Return what stands on both sides of a sign on each line of a block."""
    lines = [line.split(f" {between} ") for line in block.splitlines()]
    assert all(len(line) == 2 for line in lines), lines
    return [(left, right) for left, right in lines]
