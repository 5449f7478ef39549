"""Proofs of why and of disputes, made by seats and checked by both verifiers."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

import koinii
from history.stand_alone import verify as by_both
from koinii.errors import NotFoundError, RefusedError, UsageError
from koinii.history.shipped import shipped_files
from koinii.seat.seat import Seat
from koinii.terms import write

VOCABULARY = list(shipped_files())


@pytest.fixture
def seat(tmp_path: Path) -> Seat:
    return koinii.init(str(tmp_path / "seat"), agent="AgentAtlas")


def say(seat: Seat, context: str, *texts: str) -> list[str]:
    return [seat.assert_(text, context=context) for text in texts]


def link(seat: Seat, *edges: str) -> None:
    for edge in edges:
        say(seat, "CxUniverse", f"(genlCx {edge})")


def proven(seat: Seat, locator: str, **kind: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(seat.prove(locator, **kind))
    verdict = by_both(document, vocabulary=VOCABULARY, root=seat_root(seat))
    assert verdict, verdict.reason
    return document


def seat_root(seat: Seat) -> str:
    root, _ = seat.kb.root()
    return f"sha256:{root.hex()}"


def test_a_conclusion_of_conclusions_is_explained(seat: Seat) -> None:
    link(seat, "CxDeploy CxAtlas", "CxDeploy CxTeam", "CxTeam CxUniverse")
    say(seat, "CxUniverse", "(genl adjacent near)", "(symmetric near)")
    say(seat, "CxAtlas", "(adjacent HostB HostA)", "(port HostA 443)")
    say(
        seat,
        "CxDeploy",
        "(implies (and (near ?h ?o) (port ?h ?n) (lessThan ?n 1024)) (careful ?o))",
        "(implies (careful ?x) (watched ?x))",
    )
    seat.commit()

    document = proven(seat, seat.locate("(watched HostB)", "CxDeploy"), why=True)
    assert len(document["steps"]) == 2
    first = document["steps"][0]["facts"][0]
    assert first["climbs"]
    assert first["mirror"]
    assert len(document["authors"]) == 1
    assert not any("author" in line for line in koinii.verify(document).assumes)


def test_a_premise_is_explained_by_its_line(seat: Seat) -> None:
    (locator,) = say(seat, "CxAtlas", "(usesDatabase ProdCluster Postgres)")
    seat.commit()

    document = proven(seat, locator, why=True)
    assert document["steps"] == []
    assert document["said"]["line"].endswith("(usesDatabase ProdCluster Postgres)")


def test_a_claim_in_a_circle_stands_on_what_is_outside(seat: Seat) -> None:
    (premise,) = say(seat, "CxAtlas", "(p A)")
    say(seat, "CxAtlas", "(implies (p ?x) (q ?x))", "(implies (q ?x) (p ?x))")
    seat.commit()

    assert proven(seat, premise, why=True)["steps"] == []
    derived = seat.locate("(q A)", "CxAtlas")
    assert len(proven(seat, derived, why=True)["steps"]) == 1


def test_wrapped_rules_are_signed_as_they_were_said(seat: Seat) -> None:
    say(seat, "CxAtlas", "(p A)", "(set/defaultRule (implies (p ?x) (q ?x)))")
    seat.commit()

    document = proven(seat, seat.locate("(q A)", "CxAtlas"), why=True)
    lines = [leaf["said"]["line"] for leaf in document["leaves"]]
    assert any("(set/defaultRule " in line for line in lines)


def test_what_was_said_after_the_commit_has_no_line_yet(seat: Seat) -> None:
    say(seat, "CxAtlas", "(p A)", "(implies (p ?x) (q ?x))")
    seat.commit()
    (conclusion,) = say(seat, "CxAtlas", "(q A)")

    document = proven(seat, conclusion, why=True)
    assert "said" not in document
    assert not any("said" in leaf for leaf in document["leaves"])


def test_nothing_is_proven_that_is_not_believed(seat: Seat) -> None:
    (lost,) = say(seat, "CxAtlas", "(p A)")
    seat.assert_("(not (p A))", context="CxAtlas", strength="monotonic")
    seat.commit()

    with pytest.raises(NotFoundError) as caught:
        seat.prove(lost, why=True)
    assert caught.value.code == "koinii/not-believed"
    document = proven(seat, lost, dispute=True)
    assert "index" not in document["claim"]
    assert "index" in document["seen"][0]["negation"]


def test_a_dispute_is_that_of_the_context_which_reads(seat: Seat) -> None:
    link(seat, "CxDeploy CxAtlas", "CxDeploy CxTeam", "CxTeam CxUniverse")
    say(seat, "CxUniverse", "(symmetric near)")
    (claim,) = say(seat, "CxAtlas", "(near A B)")
    say(seat, "CxTeam", "(not (near B A))")
    seat.commit()

    document = proven(seat, claim, dispute=True, context="CxDeploy")
    rows = {row["context"]: row for row in document["seen"]}
    assert set(rows) == set(seat.kb.lattice().seen_from("CxDeploy"))
    assert [name for name, row in rows.items() if "index" in row["mirror"]] == [
        "CxTeam"
    ]
    alone = proven(seat, claim, dispute=True)
    assert [row["context"] for row in alone["seen"]] == ["CxAtlas"]
    with pytest.raises(RefusedError) as caught:
        seat.prove(claim, dispute=True, context="CxTeam")
    assert caught.value.code == "koinii/not-seen"


def test_a_proof_shows_one_thing(seat: Seat) -> None:
    (locator,) = say(seat, "CxAtlas", "(p A)")
    seat.commit()

    with pytest.raises(UsageError):
        seat.prove(locator, why=True, dispute=True)
    with pytest.raises(UsageError):
        seat.prove(locator, why=True, context="CxAtlas")
    assert seat.prove(locator, why=True, form="tlog").startswith("c2sp.org/tlog-proof")


RULES = [
    "(implies (and (near ?x ?y) (near ?y ?z) (different ?x ?z)) (near ?x ?z))",
    "(implies (and (near ?x ?y) (not (near ?y ?x))) (oneWay ?x ?y))",
    "(implies (beside ?x ?y) (near ?y ?x))",
    "(implies (and (size ?x ?n) (size ?y ?m) (lessThan ?n ?m)) (below ?x ?y))",
    "(implies (and (below ?x ?y) (near ?x ?y)) (below ?y ?x))",
    "(implies (near ?x ?x) (odd ?x))",
]
CONTEXTS = ["CxA", "CxB", "CxC", "CxD"]


def fact(chance: random.Random) -> str:
    if chance.random() < 0.3:
        return (
            f"(size {chance.choice('ABC')} {chance.choice(['1', '1.5', '7/2', 'Z'])})"
        )
    functor = chance.choice(["near", "beside", "adjacent", "touching"])
    text = f"({functor} {chance.choice('ABC')} {chance.choice('ABC')})"
    return f"(not {text})" if chance.random() < 0.2 else text


def scatter(seat: Seat, chance: random.Random) -> None:
    """Say facts, rules and declarations here and there, with edges at random."""
    for _ in range(5):
        sub, above = chance.sample(CONTEXTS, 2)
        link(seat, f"{sub} {above}")
    link(seat, "CxA CxUniverse")
    declared = [
        "(genl adjacent near)",
        "(genl touching adjacent)",
        "(symmetric beside)",
    ]
    say(seat, "CxUniverse", *declared, chance.choice(["(symmetric near)", "(rare A)"]))
    say(seat, "CxA", "(size A 1)", "(implies (size ?x ?n) (sized ?x))")
    for text in [*chance.sample(RULES, 4), *(fact(chance) for _ in range(7))]:
        say(seat, chance.choice(CONTEXTS), text)


@pytest.mark.parametrize("seed", range(10))
def test_all_that_is_believed_is_explained_and_weighed(seat: Seat, seed: int) -> None:
    scatter(seat, random.Random(seed))
    seat.commit()
    steps = 0
    for one in list(seat.kb.believed()):
        document = proven(seat, one.locator, why=True)
        steps += len(document["steps"])
        assert bool(document["steps"]) or seat.kb.asserted_by(one.id)
        if write(one.sentence).startswith(("(near", "(not (near", "(size")):
            told = proven(seat, one.locator, dispute=True)
            seen = {row["context"] for row in told["seen"]}
            assert seen == set(seat.kb.lattice().seen_from(one.context))
    assert steps
