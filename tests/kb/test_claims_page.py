"""The examples of docs/formats/claims.md are what the code reads and makes."""

import pytest

from koinii.errors import ReadError, RefusedError
from koinii.history.roots import author_tree, context_line, context_tree
from koinii.history.segments import fold, read_segment, write_segment
from koinii.kb.claim import (
    MAX_EXTRAS_BYTES,
    STRENGTHS,
    claim_locator,
    format_claim,
    parse_claim,
)
from pages import FORMATS, blocks

SHOWN = blocks("claims")


@pytest.mark.parametrize("line", SHOWN["lines"].splitlines())
def test_a_line_is_read_and_written(line: str) -> None:
    claim = parse_claim(line)
    assert format_claim(claim.strength, claim.created, claim.text, claim.extras) == line


@pytest.mark.parametrize("line", SHOWN["refused-lines"].splitlines())
def test_another_spelling_is_refused(line: str) -> None:
    with pytest.raises((RefusedError, ReadError)):
        parse_claim(line)


def test_the_segments() -> None:
    *segments, live = SHOWN["segments"].split("\n\n")
    changes = []
    for segment in segments:
        data = (segment.removesuffix("\n") + "\n").encode()
        read = read_segment(data, lambda line: claim_locator("CxAtlas", line))
        assert write_segment(read) == data
        changes.append(read)
    lines = dict(sorted(fold(changes).items())).values()
    assert live.splitlines() == [f"= {line}" for line in lines]


def test_the_authored_root() -> None:
    lines = SHOWN["lines"].splitlines()
    *contexts, root = SHOWN["authored-root"].splitlines()
    rows = []
    for context, own in (("CxAtlas", lines[:2]), ("CxUniverse", lines[2:3])):
        tree = context_tree(own)
        rows.append((context, len(own), tree.root))
    assert contexts == [context_line(*row) for row in rows]
    assert root == author_tree(rows).root.hex()


def test_the_bounds_are_those_of_the_code() -> None:
    text = (FORMATS / "claims.md").read_text(encoding="utf-8")
    assert f"{MAX_EXTRAS_BYTES:,} bytes" in text
    assert " or ".join(f"`{strength}`" for strength in STRENGTHS) in text
