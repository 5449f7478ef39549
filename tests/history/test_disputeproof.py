"""Disputes: each context that a channel sees, and how it stands to the negation."""

import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from history.sample_proofs import RECORD, commitment_of, text_of
from history.sample_why import (
    CLAIM,
    EDGES,
    FACT,
    MIRROR,
    OTHERS,
    RULE,
    VOCABULARY,
    WHY_DOCUMENTS,
    alone,
    beside,
    commit_of,
    disputed,
    stated,
)
from history.stand_alone import verify
from history.tampering import changed, fields, place_of, reason
from koinii.errors import VerificationError
from koinii.history.explaining import Grounds, dispute
from koinii.history.proving import Sentence
from koinii.history.stateproof import not_shown

DISPUTES = [name for name in WHY_DOCUMENTS if name.startswith("dispute")]


def checked(document: object) -> list[str]:
    verdict = verify(document)
    assert verdict, verdict.reason
    return verdict.checked


def test_a_dispute_tells_who_holds_the_negation_and_its_mirror() -> None:
    told = checked(disputed())

    assert "the claim is a leaf under the root" in told
    assert "contexts that CxDeploy sees by the edges given: 4" in told
    assert "the negation is believed in: CxBoreas" in told
    assert "the negation is absent from: CxAtlas, CxDeploy, CxTeam" in told
    assert "the mirror is believed in: CxTeam" in told
    assert "the mirror is absent from: CxAtlas, CxBoreas, CxDeploy" in told
    assert verify(disputed()).assumes[0] == "sorted"
    assert any("no rebuttal" in line for line in not_shown("dispute"))


def test_a_claim_that_nobody_denies_is_told_so() -> None:
    told = checked(alone())

    assert "the negation is believed in: none" in told
    assert not any("mirror" in line for line in told)
    assert verify(alone()).assumes[:1] == ["sorted"]
    assert len(verify(alone()).assumes) == 2


def test_a_claim_that_fell_is_told_so() -> None:
    told = checked(WHY_DOCUMENTS["dispute of a defeated claim"])

    assert "the claim is no leaf under the root" in told
    assert "the negation is believed in: CxDeploy" in told


def test_what_no_tree_shows_of_symmetry_is_assumed() -> None:
    two = verify(WHY_DOCUMENTS["dispute of two"])
    assert "no vocabulary declares the claim's predicate symmetric" in two.assumes
    known = verify(beside(), vocabulary=[VOCABULARY])
    assert known.assumes[:-1] == ["sorted"]
    assert "the mirror is believed in: CxDeploy" in known.checked
    assert "vocabulary" in verify(beside()).assumes[1]


# What a stranger may try ------------------------------------------------------


@pytest.mark.parametrize("name", DISPUTES)
@settings(max_examples=100)
@given(data=st.data())
def test_a_changed_character_is_refused(name: str, data: st.DataObject) -> None:
    text = text_of(WHY_DOCUMENTS[name])
    at = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.sampled_from('0aB ?(["{,:') | st.characters())
    if other != text[at]:
        assert not verify(text[:at] + other + text[at + 1 :])
    assert not verify(text[:at] + text[at + 1 :])


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 2**65)
    | st.sampled_from([RULE.locator, "CxTeam", "(near HostB HostA)"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["index", "path", "left"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@pytest.mark.parametrize("name", DISPUTES)
@settings(max_examples=100)
@given(data=st.data(), value=values)
def test_a_field_of_any_other_value_is_refused(
    name: str, data: st.DataObject, value: object
) -> None:
    document = WHY_DOCUMENTS[name]
    path = data.draw(st.sampled_from(fields(document)))
    other = changed(document, path, value)
    if other != document:
        assert not verify(other)


@pytest.mark.parametrize("path", fields(WHY_DOCUMENTS["dispute"]))
def test_no_field_may_be_missing(path: str) -> None:
    whole = copy.deepcopy(disputed())
    place, name = place_of(whole, path)
    del place[name]

    assert not verify(whole)


def test_a_denial_is_not_hidden_as_absent() -> None:
    """A context that holds the negation shows the neighbours of another leaf."""
    document = disputed()
    rows = {row["context"]: row for row in document["seen"]}
    absent = rows["CxTeam"]["negation"]
    at = [row["context"] for row in document["seen"]].index("CxBoreas")

    assert "enclose" in reason(changed(document, f"seen.{at}.negation", absent))
    held = rows["CxBoreas"]["negation"]
    assert "path" in reason(changed(document, "seen.1.mirror", held))


def test_every_context_seen_is_told_of_and_no_other() -> None:
    document = disputed()
    seen = document["seen"]

    assert "those that the channel sees" in reason(changed(document, "seen", seen[1:]))
    assert "those that" in reason(changed(document, "seen", [*seen, seen[0]]))
    other = {**seen[0], "context": "CxOther"}
    assert "those that" in reason(changed(document, "seen", [*seen, other]))
    fewer = changed(document, "leaves", document["leaves"][:2])
    assert "those that" in reason(fewer)
    assert "mirror" in reason(
        changed(document, "seen", [{**row} for row in seen[:-1]] + [drop(seen[-1])])
    )


def drop(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "mirror"}


def test_the_mirror_is_not_hidden_by_saying_nothing_of_symmetry() -> None:
    document = disputed()
    silent = {name: one for name, one in document.items() if name != "symmetric"}
    plain = {**silent, "seen": [drop(row) for row in document["seen"]]}

    assert "mirror" in reason(plain)
    absent = {**alone("(pair A B)")["symmetric"]}
    assert reason({**plain, "symmetric": absent})


def made(claim: Sentence, channel: str, leaves: list[Sentence]) -> dict[str, Any]:
    tree, commitment = commit_of([claim, *leaves, *OTHERS])
    return dispute(claim, channel, Grounds(leaves), tree, commitment)


def test_a_claim_that_the_channel_does_not_see_is_refused() -> None:
    claim = stated("CxAtlas", "(single Thing)")
    assert "does not see the claim" in reason(made(claim, "CxDeploy", []))
    with pytest.raises(VerificationError, match="not seen"):
        made(claim, "CxAtlas", [EDGES[2]])
    assert "not seen" in reason(changed(disputed(), "in", "CxTeam"))
    assert verify(made(claim, "CxDeploy", [EDGES[0]]))


def test_a_leaf_that_is_no_edge_is_refused() -> None:
    claim = stated("CxDeploy", "(single Thing)")
    document = made(claim, "CxDeploy", [EDGES[0]])
    tree, commitment = commit_of([claim, FACT, EDGES[0], *OTHERS])
    more = dispute(claim, "CxDeploy", Grounds([EDGES[0], FACT]), tree, commitment)
    assert verify(document)
    assert "edge" in reason(more)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(genl pin port)", "structural"),
        ("(implies (p ?var0) (q ?var0))", "literal"),
    ],
)
def test_what_nobody_negates_has_no_dispute(text: str, why: str) -> None:
    claim = Sentence("CxDeploy", text)
    tree, commitment = commit_of([claim, *OTHERS])
    with pytest.raises(VerificationError, match=why):
        dispute(claim, "CxDeploy", Grounds(), tree, commitment)
    document = alone()
    document.update(sentence=text, locator=claim.locator)
    assert reason(document)


def test_a_context_that_no_tree_covers_is_refused() -> None:
    """Nothing local is a leaf, so absence would show nothing."""
    claim = stated("CxDeploy", "(single Thing)")
    edge = stated("CxUniverse", "(genlCx CxDeploy CxDisputes)")
    tree, _ = commit_of([claim, edge, *OTHERS])
    record = replace(RECORD, commit=tree.root, size=tree.size)
    grounds = Grounds([edge])
    document = dispute(claim, "CxDeploy", grounds, tree, commitment_of(record))

    assert "local" in reason(document)
    open_ = replace(record, local=())
    assert verify(dispute(claim, "CxDeploy", grounds, tree, commitment_of(open_)))


def test_a_declaration_elsewhere_bears_on_nothing() -> None:
    document = beside()
    wrong = copy.deepcopy(document)
    wrong["vocabulary"][0]["sentence"] = "(symmetric near)"
    assert "bears on nothing" in reason(wrong)
    claim = stated("CxDeploy", "(single Thing)")
    grounds = Grounds(vocabulary=[Sentence("CxSpeechActs", "(symmetric beside)")])
    tree, commitment = commit_of([claim, *OTHERS])
    assert "mirror" in reason(dispute(claim, "CxDeploy", grounds, tree, commitment))
    as_leaf = Grounds([*EDGES[:3], MIRROR])
    tree, commitment = commit_of([CLAIM, *EDGES, MIRROR, *OTHERS])
    document = dispute(CLAIM, "CxDeploy", as_leaf, tree, commitment)
    assert "mirror" in reason(document)
    del document["symmetric"]
    assert "bears on nothing" in reason(document)
