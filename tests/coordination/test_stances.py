"""What agents hold (spec B.6, C.6): each row is a test of its name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from coordination.quarrel import ATLAS, BOREAS, CID, NOT_P, ROOM, P, clash, gives
from koinii.coordination.seat import CoordinationSeat
from koinii.errors import KoiniiError
from koinii.terms import write

MEETING = "CxHearing"


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(KoiniiError) as no:
        call()
    return no.value.code


def stored(seat: CoordinationSeat, locator: str) -> bool:
    return seat.kb.find(bytes.fromhex(locator.removeprefix("sha256:"))) is not None


def believe_own(seat: CoordinationSeat, *agents: str) -> None:
    for agent in agents:
        seat.stances.believe_own(agent=agent)


def quarrel(seat: CoordinationSeat) -> tuple[str, str]:
    """Let two say the opposite where nobody hears both."""
    return seat.assert_(P, agent=CID), seat.assert_(NOT_P, agent="AgentDan")


# Rows ------------------------------------------------------------------------------


def test_an_agent_believes_its_own_claims_and_no_others(seat: CoordinationSeat) -> None:
    stances = seat.stances
    seat.assert_(P)
    assert not stances.would_believe(ATLAS, P)
    assert stances.believe_own() == "CxAgentAgentAtlas"
    assert stances.would_believe(ATLAS, P)
    assert not stances.would_believe(BOREAS, P)
    assert not gives(seat, P, "CxUniverse")
    assert stances.would_believe(ATLAS, P, asker="CxBoreas")


def test_contradictory_agents_raise_no_contradiction(seat: CoordinationSeat) -> None:
    believe_own(seat, CID, "AgentDan")
    quarrel(seat)
    assert seat.contradictions() == seat.conflicts() == []
    assert seat.stances.would_believe(CID, P)
    assert seat.stances.would_believe("AgentDan", NOT_P)


def test_project_binds_variables_from_the_agents_context(
    seat: CoordinationSeat,
) -> None:
    believe_own(seat, ATLAS)
    for name in ("Postgres", "Redis"):
        seat.assert_(f"(usesDatabase ProdCluster {name})")
    rows = seat.stances.project(ATLAS, "(usesDatabase ProdCluster ?x)")
    assert sorted(write(row["?x"]) for row in rows) == ["Postgres", "Redis"]


def test_an_agent_reversibly_withdraws_its_own_statement(
    seat: CoordinationSeat,
) -> None:
    believe_own(seat, ATLAS)
    claim = seat.assert_(P)
    mask = seat.stances.disregard(claim)
    assert not gives(seat, P)
    assert not gives(seat, P, "CxAtlas")
    assert not seat.stances.would_believe(ATLAS, P)
    assert stored(seat, claim)
    assert seat.why(claim)["believed"]
    assert seat.stances.restore(mask) == mask
    assert gives(seat, P)
    assert seat.stances.would_believe(ATLAS, P)


def test_an_agent_cannot_disregard_another_agents_statement(
    seat: CoordinationSeat,
) -> None:
    claim = seat.assert_(P)
    assert refused(lambda: seat.stances.disregard(claim, agent=BOREAS)) == (
        "koinii/not-own-statement"
    )
    assert gives(seat, P)
    assert seat.stances.disregards(agent=BOREAS) == []


def test_disregards_are_queryable_and_do_not_cascade(seat: CoordinationSeat) -> None:
    """A mask goes with the statement that its author takes back (design 6)."""
    stances = seat.stances
    claims = [seat.assert_(P), seat.assert_("(kept ProdCluster)")]
    reply = seat.assert_(
        f'(endorses {BOREAS} (sentexHandle "{claims[0]}"))', agent=BOREAS
    )
    masks = [stances.disregard(one) for one in claims]
    other = stances.disregard(reply, agent=BOREAS)
    assert [
        (one.mask, one.target, one.in_force) for one in stances.disregards()
    ] == sorted((mask, claim, True) for mask, claim in zip(masks, claims, strict=True))
    assert [one.mask for one in stances.disregards(agent=BOREAS)] == [other]
    assert stored(seat, reply), "what is masked takes no reply with it"
    assert not gives(seat, "(targetFollowingPredicate except)", "CxSpeechActs")

    seat.retract(claims[0])

    assert [one.mask for one in stances.disregards()] == [masks[1]]
    assert not stored(seat, masks[0])
    seat.assert_(P)
    assert gives(seat, P)


def test_convene_surfaces_otherwise_isolated_belief_disagreements(
    seat: CoordinationSeat,
) -> None:
    believe_own(seat, CID, "AgentDan")
    said, denied = quarrel(seat)
    assert seat.stances.disagreements(MEETING) == []
    edges = seat.stances.convene(MEETING, [CID, "AgentDan"])
    assert len(edges) == 2
    (found,) = seat.stances.disagreements(MEETING)
    assert found.between == [CID, "AgentDan"]
    assert {(one.agent, one.locator, write(one.sentence)) for one in found.sides} == {
        (CID, said, P),
        ("AgentDan", denied, NOT_P),
    }
    before = seat.status()
    seat.stances.convene(MEETING, [CID, "AgentDan"])
    assert seat.status() == before


def test_convene_includes_only_the_agents_it_gathered(seat: CoordinationSeat) -> None:
    seat.stances.convene(MEETING, [CID])
    seat.stances.convene(MEETING, [BOREAS])
    assert seat.stances.convened_agents(MEETING) == [BOREAS, CID]
    assert seat.stances.convened_agents("CxNowhere") == []


def test_convene_works_over_koinii_claims_via_believe_own(
    seat: CoordinationSeat,
) -> None:
    quarrel(seat)
    seat.stances.convene(MEETING, [CID, "AgentDan"])
    assert seat.stances.disagreements(MEETING) == []
    believe_own(seat, CID, "AgentDan")
    (found,) = seat.stances.disagreements(MEETING)
    assert [one.agent for one in found.sides] == ["AgentDan", CID]


def test_dissolving_the_arbiter_dissolves_the_contradiction(
    seat: CoordinationSeat,
) -> None:
    believe_own(seat, CID, "AgentDan")
    quarrel(seat)
    edge, _ = seat.stances.convene(MEETING, [CID, "AgentDan"])
    assert len(seat.contradictions()) == 1
    seat.retract(edge)
    assert seat.contradictions() == []
    assert seat.stances.disagreements(MEETING) == []


# What the rows do not say ------------------------------------------------------------


def test_only_what_nobody_else_says_is_disregarded(seat: CoordinationSeat) -> None:
    """And a mask has no effect from the moment that somebody else says the same."""
    stances = seat.stances
    claim = seat.assert_(P, context=ROOM)
    seat.assert_(P, context=ROOM, agent=BOREAS)
    assert refused(lambda: stances.disregard(claim)) == "koinii/not-own-statement"
    seat.retract(claim, agent=BOREAS)
    stances.disregard(claim)
    assert not gives(seat, P, "CxAtlas")
    seat.assert_(P, context=ROOM, agent=BOREAS)
    (found,) = stances.disregards()
    assert not found.in_force


def test_what_is_concluded_is_nobodys_statement(seat: CoordinationSeat) -> None:
    seat.edit(add=["(implies (up ?x) (reliable ?x))", "(up ProdCluster)"])
    derived = seat.locate(P, "CxAtlas")
    assert seat.why(derived)["believed"]
    assert refused(lambda: seat.stances.disregard(derived)) == (
        "koinii/not-own-statement"
    )


def test_a_clash_in_the_convened_context_itself_is_nobodys_stance(
    seat: CoordinationSeat,
) -> None:
    seat.stances.convene(MEETING, [CID])
    for said in (P, NOT_P):
        seat.assert_(said, context=MEETING)
    assert len(seat.contradictions(MEETING)) == 1
    assert seat.stances.disagreements(MEETING) == []


def test_a_clash_that_only_a_channel_sees_is_none_of_the_convened(
    seat: CoordinationSeat,
) -> None:
    clash(seat)
    seat.stances.convene(MEETING, [ATLAS, BOREAS])
    assert len(seat.contradictions(ROOM)) == 1
    assert seat.stances.disagreements(MEETING) == []


def test_nobodys_own_context_is_convened(seat: CoordinationSeat) -> None:
    assert refused(lambda: seat.stances.convene("CxAtlas", [BOREAS])) == (
        "koinii/foreign-context"
    )
    assert refused(lambda: seat.stances.convene(MEETING, ["Nobody"])) == "naming"
