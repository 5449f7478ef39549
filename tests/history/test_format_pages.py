"""The examples on the pages of docs/formats are what the code makes and reads."""

import json
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from history.sample_proofs import (
    HEAD,
    RECORD,
    SEAT,
    absent,
    attributed,
    included,
)
from history.sample_rotations import attributed as rotated
from history.sample_statements import EXAMPLES
from history.sample_why import disputed, explained, plain_dispute, simple
from koinii.history import decode_record
from koinii.history.stateproof import verify
from koinii.note import seat_cosigner
from koinii.note.statements import _READERS

FORMATS = Path(__file__).parents[2] / "docs" / "formats"
PAGES = ("notes", "proofs", "records", "statements")


def examples(page: str) -> dict[str, str]:
    """Return the code blocks of a page by the second word of their language."""
    text = (FORMATS / f"{page}.md").read_text()
    blocks = [token for token in MarkdownIt().parse(text) if token.type == "fence"]
    return {block.info.split()[1]: block.content for block in blocks}


def test_notes() -> None:
    assert examples("notes") == {
        "signed-checkpoint": HEAD,
        "verifier-key": SEAT.verifier.vkey + "\n",
        "cosigner-key": seat_cosigner(SEAT.verifier.key).vkey + "\n",
    }


def test_records() -> None:
    [shown] = examples("records").values()

    assert decode_record(bytes.fromhex(shown)) == RECORD


def test_statements() -> None:
    shown = examples("statements")
    text = (FORMATS / "statements.md").read_text()

    assert shown == EXAMPLES
    kinds = [note.split("\n", 1)[0] for note in shown.values()]
    assert sorted(kinds) == sorted(_READERS)
    assert all(f"| `{kind}` |" in text for kind in kinds)


def test_proofs() -> None:
    shown = examples("proofs")

    assert {kind: json.loads(text) for kind, text in shown.items()} == {
        "inclusion": included(7),
        "absence": absent(),
        "attribution": attributed(7),
        "why": simple(),
        "dispute": plain_dispute(),
    }
    assert all(verify(text) for text in shown.values())


MADE = [included(), absent(), attributed(), rotated(), explained(), disputed()]


def names_of(value: object) -> set[str]:
    """Return the names in a document, at any depth, that are no data."""
    if isinstance(value, list):
        return {name for one in value for name in names_of(one)}
    if not isinstance(value, dict):
        return set()
    own = {name for name in value if name[0] not in "?C"}
    return own | names_of(list(value.values()))


@pytest.mark.parametrize("page", PAGES)
def test_every_field_of_the_code_is_on_its_page(page: str) -> None:
    text = (FORMATS / f"{page}.md").read_text()
    named = {"records": RECORD.__slots__, "proofs": names_of(MADE)}
    for name in set(named.get(page, ())) - {"unknown"}:
        assert f"`{name}`" in text
