"""docs/formats/json.md says what the source does: envelope, exit codes, codes."""

import json
import re
from pathlib import Path

import pytest

from faces.codes import CLASSES, codes
from faces.command import SENTENCE, strict, within
from koinii.faces.actions import _UNRESOLVED
from koinii.terms.rules import _refused
from pages import FORMATS, blocks

PAGE = (FORMATS / "json.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([a-z0-9/-]+)` \| ([0-9, ]+) \| (\S.*) \|$", re.MULTILINE)
EXIT = re.compile(r"^\| (\d+) \| (\S.*?) \| (.*?) ?\|$", re.MULTILINE)


def shown() -> dict[str, set[int]]:
    """Return the codes on the page with their exit codes."""
    rows = ROW.findall(PAGE)
    assert [row[0] for row in rows] == sorted({row[0] for row in rows})
    return {code: set(map(int, exits.split(", "))) for code, exits, _ in rows}


def made() -> dict[str, set[int]]:
    """Return the codes of the source, those built from parts among them."""
    found = codes()
    for reason, (kind, _) in _UNRESOLVED.items():
        found.setdefault(f"koinii/{reason}", set()).add(kind.exit_code)
    refused = _refused("", "too-symmetric", ())
    found.setdefault(refused.code, set()).add(refused.exit_code)
    return found


def test_the_page_has_every_code_of_the_source_and_no_other() -> None:
    assert set(shown()) == set(made())


@pytest.mark.parametrize(("code", "exits"), made().items())
def test_the_exit_codes_are_those_of_the_source(code: str, exits: set[int]) -> None:
    assert shown()[code] >= exits
    assert shown()[code] == exits or len(exits) == 0, "an exit code too many"


def test_the_exit_codes_are_those_of_the_classes() -> None:
    rows = {int(code): words for code, _, words in EXIT.findall(PAGE)}
    assert set(rows) == {0, *CLASSES.values()}
    named = {
        name.strip("`"): code
        for code, words in rows.items()
        for name in filter(None, words.split(", "))
    }
    assert named == {name: CLASSES[name] for name in named}
    assert CLASSES.keys() - named.keys() == {"StoppedError", "InternalError"}


def test_the_examples(here: Path) -> None:
    examples = blocks("json")
    rehearsed = within("assert", SENTENCE, "--json", "--dry-run").out
    assert rehearsed == examples["rehearsed"]
    assert within("assert", SENTENCE, "--json").out == examples["done"]
    assert within("push", "--json").out == examples["failed"]
    for text in examples.values():
        assert strict(text) == json.loads(text)
