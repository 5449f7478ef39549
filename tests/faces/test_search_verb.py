"""`koinii search`: its answers as text and as JSON."""

from pathlib import Path

from faces.command import SENTENCE, within
from koinii.faces.actions import searched_in_part
from koinii.faces.look import Look
from koinii.faces.render import render
from koinii.kb.searching import Hits


def test_an_answer_has_locator_context_and_sentence(here: Path) -> None:
    locator = within("locate", SENTENCE, "--in", "CxAtlas").out.strip()
    text = within("search", "prod", "DATABASE", "--in", "CxAtlas")
    assert text == (0, f"{locator} CxAtlas {SENTENCE}\n", "")
    data = within("search", "prod", "DATABASE", "--in", "CxAtlas", "--json").data
    claim = {"locator": locator, "context": "CxAtlas", "sentence": SENTENCE}
    assert data == {"found": [claim], "more": False, "unsearched": 0}


def test_nothing_found_is_no_failure(here: Path) -> None:
    assert within("search", "missing") == (0, "", "nothing found\n")
    there = within("search", "cluster", "--in", "CxNowhere")
    assert there == (0, "", "nothing found\nno context CxNowhere is known here\n")
    data = within("search", "cluster", "--in", "CxNowhere", "--json").data
    assert data["unknown_context"] == "CxNowhere"


def test_a_limit_says_so(here: Path) -> None:
    within("assert", "(runs ProdCluster)")
    done = within("search", "cluster", "--limit", "1")
    assert done.err == "1 shown, and there are more\n"
    assert done.out.endswith(" CxAtlas (runs ProdCluster)\n")


def test_no_word_at_all_is_a_usage_error(here: Path) -> None:
    done = within("search", "*", "-", "?", "--json")
    assert (done.code, done.error["code"]) == (2, "koinii/no-words")
    assert within("search", "", "--json").code == 2
    scope = within("search", "x", "--scope", "cone", "--json")
    assert scope.error["hint"] == "koinii search WORDS --in CONTEXT --scope cone"


def test_what_was_not_searched_is_told() -> None:
    result = Hits([], more=False, unsearched=7)._asdict()
    assert searched_in_part(result)
    assert any("7 older" in note for note in render("search", result, Look()).notes)
