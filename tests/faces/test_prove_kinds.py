"""Proofs of why and of disputes, made and checked on a command line."""

import json
from pathlib import Path

import pytest

import koinii
from faces.command import within


@pytest.fixture
def claims(seat: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A conclusion, and a claim that a context seen by a channel denies."""
    monkeypatch.chdir(seat)
    with koinii.open(str(seat)) as opened:
        for edge in ("CxDeploy CxAtlas", "CxDeploy CxTeam"):
            opened.assert_(f"(genlCx {edge})", context="CxUniverse")
        opened.assert_("(implies (usesDatabase ?x ?y) (busy ?y))", context="CxDeploy")
        claim = opened.assert_("(single Thing)", context="CxAtlas")
        opened.assert_("(not (single Thing))", context="CxTeam")
        opened.commit()
        why = opened.locate("(busy Postgres)", "CxDeploy")
    return {"why": why, "dispute": claim}


def verified(document: str) -> str:
    Path("proof.json").write_text(document)
    done = within("verify", "proof.json")
    assert done.code == 0, done.err
    return done.out


def test_why_is_a_kind_and_a_word(claims: dict[str, str]) -> None:
    done = within("prove", claims["why"], "--why")
    assert done.code == 0
    assert json.loads(done.out)["kind"] == "why"
    told = verified(done.out)
    assert "checked    steps that are instances of their rules: 1" in told
    assert "not shown  that the claim stands where it is most general" in told
    assert within("prove", claims["why"], "--kind", "why").out == done.out
    tlog = within("prove", claims["why"], "--why", "--format", "tlog")
    assert "the tlog-proof leads" in verified(tlog.out)


def test_a_dispute_is_asked_in_a_context(claims: dict[str, str]) -> None:
    done = within("prove", claims["dispute"], "--dispute", "--in", "CxDeploy")
    assert done.code == 0
    told = verified(done.out)
    assert "checked    the negation is believed in: CxTeam" in told
    assert "assumes    sorted" in told
    alone = within("prove", claims["dispute"], "--kind", "dispute").out
    assert "the negation is believed in: none" in verified(alone)


@pytest.mark.parametrize(
    "words",
    [
        ["--why", "--dispute"],
        ["--kind", "inclusion", "--why"],
        ["--kind", "absence", "--dispute"],
        ["--why", "--in", "CxDeploy"],
        ["--in", "CxDeploy"],
        ["--kind", "attribution", "--in", "CxDeploy"],
    ],
)
def test_a_proof_of_two_things_is_off(claims: dict[str, str], words: list[str]) -> None:
    done = within("prove", claims["why"], *words)
    assert (done.code, done.out) == (2, "")


def test_a_context_that_does_not_see_the_claim_is_refused(
    claims: dict[str, str],
) -> None:
    done = within("prove", claims["dispute"], "--dispute", "--in", "CxTeam")
    assert done.code == 4
    assert "--in CxAtlas" in done.err
