"""The lines of those who called a count, as docs/formats/claims.md shows them."""

from __future__ import annotations

import pytest

from koinii.kb.claim import parse_claim
from koinii.terms import read, write
from koinii.trust.counts import call_of, opposite
from pages import blocks

SHOWN = blocks("claims")


@pytest.mark.parametrize("line", SHOWN["counts"].splitlines())
def test_a_line_of_a_count_is_read_and_written(line: str) -> None:
    claim = parse_claim(line)
    call = call_of(claim.sentence, claim.strength, claim.extras)
    assert call is not None
    assert call.counted.extras() == claim.extras
    assert call.outcome == ("against" if claim.text.startswith("(not") else "for")


@pytest.mark.parametrize("line", SHOWN["no-counts"].splitlines())
def test_another_line_is_none(line: str) -> None:
    claim = parse_claim(line)
    assert call_of(claim.sentence, claim.strength, claim.extras) is None


def test_no_count_is_of_a_rule_or_a_structural_statement() -> None:
    (line, *_) = SHOWN["counts"].splitlines()
    extras = parse_claim(line).extras
    for text in ("(implies (p ?x) (q ?x))", "(channel CxDeploy)", "(p ?x)", "P"):
        assert call_of(read(text), 1, extras) is None


def test_the_opposite_of_an_opposite_is_the_thing() -> None:
    said = read("(reliable ProdCluster)")
    assert write(opposite(said)) == "(not (reliable ProdCluster))"
    assert opposite(opposite(said)) == said
