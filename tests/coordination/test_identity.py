"""Who speaks, and where (spec B.1, C.1): each row is a test of its name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from coordination.quarrel import ATLAS, BOREAS, ROOM, P
from koinii.coordination.channel import join
from koinii.coordination.identity import (
    Principal,
    Request,
    admin_principal,
    authenticate,
    check_write_boundary,
    ingest,
    ingest_into,
)
from koinii.coordination.local import Local
from koinii.coordination.registry import (
    co_attribution,
    display_name_of,
    register_agent,
    registered_agents,
    set_trust,
    trust_of,
)
from koinii.coordination.seat import CoordinationSeat
from koinii.errors import KoiniiError
from koinii.kb.contexts import belief_context, own_context
from koinii.terms import read
from remote.desks import says

CLAIM = read(P)
REGISTRY = "CxRegistry"


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(KoiniiError) as no:
        call()
    return no.value.code


def said_by(seat: CoordinationSeat, context: str) -> set[tuple[str, str]]:
    """Who says what in a context."""
    return {(who, text) for who, _, place, text in says(seat) if place == context}


@pytest.fixture
def medium(seat: CoordinationSeat) -> Local:
    seat.admin_init()
    return Local(seat)


def principal(name: str = BOREAS) -> Principal:
    return authenticate(Request(name))


# Rows ------------------------------------------------------------------------------


def test_registry_context_loads_under_core(seat: CoordinationSeat) -> None:
    assert seat.kb.lattice().sees(REGISTRY, "CxCore")
    assert list(seat.ask("(comment trustLevel ?text)", context=REGISTRY))


def test_registry_is_queryable(seat: CoordinationSeat, medium: Local) -> None:
    admin = admin_principal()
    register_agent(medium, admin, ATLAS, "Atlas", 1)
    register_agent(medium, admin, BOREAS, "Boreas of the North", 2)
    assert registered_agents(medium) == [ATLAS, BOREAS]
    assert (trust_of(medium, ATLAS), trust_of(medium, BOREAS)) == (1, 2)
    assert display_name_of(medium, BOREAS) == "Boreas of the North"
    assert display_name_of(medium, "AgentNobody") is None
    rows = seat.ask("(trustLevel ?agent ?trust)", context=REGISTRY)
    assert len([*rows]) == 2
    assert seat.registry.agents() == [ATLAS, BOREAS]


def test_registry_writes_refused_to_non_admin(
    seat: CoordinationSeat, medium: Local
) -> None:
    boreas = principal()
    for call in (
        lambda: register_agent(medium, boreas, ATLAS, "Atlas", 1),
        lambda: set_trust(medium, boreas, ATLAS, 1),
        lambda: ingest_into(medium, boreas, REGISTRY, read(f"(agent {ATLAS})")),
        lambda: seat.assert_(f"(agent {ATLAS})", context=REGISTRY),
    ):
        assert refused(call) == "koinii/registry-forbidden"
    assert not said_by(seat, REGISTRY)
    register_agent(medium, admin_principal(), ATLAS, "Atlas", 1)
    assert {who for who, _ in said_by(seat, REGISTRY)} == {"AdminRoot"}


def test_agent_cannot_write_another_agents_context(
    seat: CoordinationSeat, medium: Local
) -> None:
    boreas = principal()
    assert not boreas.authenticated
    assert refused(lambda: ingest_into(medium, boreas, "CxAtlas", CLAIM)) == (
        "koinii/foreign-context"
    )
    locator = ingest(medium, boreas, CLAIM)
    assert said_by(seat, "CxBoreas") == {(BOREAS, P)}
    assert not said_by(seat, "CxAtlas")
    assert locator == seat.locate(P, "CxBoreas")
    assert refused(lambda: authenticate(Request(BOREAS), policy="proof-tier")) == (
        "koinii/identity-unverified"
    )


def test_no_writing_under_another_creator(
    seat: CoordinationSeat, medium: Local
) -> None:
    """Who says it is the principal; how it was proven is the principal's own (A.11)."""

    def verify(agent: str, credential: object) -> bool:
        return (agent, credential) == (BOREAS, "right")

    asked = Request(BOREAS, "right", source="desk")
    proven = authenticate(asked, policy="proof-tier", verify=verify)
    assert proven == Principal(BOREAS, "CxBoreas", "desk", "proof-tier", True)  # noqa: FBT003
    ingest(medium, proven, CLAIM)
    assert said_by(seat, "CxBoreas") == {(BOREAS, P)}
    for forged in ("wrong", None):
        code = refused(
            lambda forged=forged: authenticate(  # type: ignore[misc]
                Request(BOREAS, forged), policy="proof-tier", verify=verify
            )
        )
        assert code == "koinii/identity-unverified"


def test_co_attribution_survives_first_writer_wins(
    seat: CoordinationSeat, medium: Local
) -> None:
    both = [ingest(medium, principal(name), CLAIM) for name in (ATLAS, BOREAS)]
    assert len(set(both)) == 2
    assert co_attribution(medium, CLAIM) == ["CxAtlas", "CxBoreas"]
    for name in (ATLAS, BOREAS):
        assert said_by(seat, own_context(name)) == {(name, P)}


def test_trust_is_a_mutable_number(seat: CoordinationSeat, medium: Local) -> None:
    admin = admin_principal()
    register_agent(medium, admin, ATLAS, "Atlas", 1)
    set_trust(medium, admin, ATLAS, read("0.94"))
    assert trust_of(medium, ATLAS) == read("0.94")
    assert len([*seat.ask(f"(trustLevel {ATLAS} ?value)", context=REGISTRY)]) == 1
    again = set_trust(medium, admin, ATLAS, read("0.94"))
    assert again == seat.locate(f"(trustLevel {ATLAS} 0.94)", REGISTRY)
    set_trust(medium, admin, BOREAS, 3)  # nothing was there before
    assert trust_of(medium, BOREAS) == 3


def test_admin_writes_only_the_registry(seat: CoordinationSeat, medium: Local) -> None:
    admin = admin_principal()
    for call in (
        lambda: ingest_into(medium, admin, "CxAtlas", CLAIM),
        lambda: ingest(medium, admin, CLAIM),
        lambda: seat.assert_(P, context="CxAtlas", agent="AdminRoot"),
    ):
        assert refused(call) == "koinii/admin-off-registry"


def test_authenticate_refuses_an_unknown_policy() -> None:
    for policy in ("", "Cooperative", "admin"):
        assert refused(lambda p=policy: authenticate(Request(ATLAS), policy=p)) == (  # type: ignore[misc]
            "koinii/unknown-policy"
        )


# Marks of part B -----------------------------------------------------------------


def test_rec_a_registration_is_one_operation(
    seat: CoordinationSeat, medium: Local
) -> None:
    admin = admin_principal()
    register_agent(medium, admin, ATLAS, "Atlas", 1)
    before = said_by(seat, REGISTRY)
    assert register_agent(medium, admin, ATLAS, "Atlas", 1)
    assert said_by(seat, REGISTRY) == before
    for name, trust in (("Other", 1), ("Atlas", 2)):
        again = refused(
            lambda n=name, t=trust: register_agent(medium, admin, ATLAS, n, t)  # type: ignore[misc]
        )
        assert again == "functional"
    assert said_by(seat, REGISTRY) == before


def test_rec_a_trust_is_replaced_in_one_operation(
    seat: CoordinationSeat, medium: Local
) -> None:
    admin = admin_principal()
    set_trust(medium, admin, ATLAS, 1)
    cursor = seat.events().cursor
    set_trust(medium, admin, ATLAS, 2)
    assert len(seat.events(cursor).events) == 1


HAZARDS = [
    "AgentRegistry", "AgentDisputes", "AgentUniverse", "AgentCore", "AgentSpeechActs",
    "AgentMajority", "AgentAgentFoo", "Agent", "AdminRoot",
]  # fmt: skip


@pytest.mark.parametrize("name", HAZARDS)
def test_ids_whose_context_is_somebody_elses_are_refused(
    seat: CoordinationSeat, name: str
) -> None:
    codes = {"koinii/reserved-name", "naming"}
    assert refused(lambda: authenticate(Request(name))) in codes
    assert refused(lambda: join(Local(seat), ROOM, name)) in codes
    assert refused(lambda: seat.new_agent(name)) in codes


@pytest.mark.parametrize("name", ["Atlas", "atlas", "Boreas"])
def test_an_id_without_agent_before_it_is_none(
    seat: CoordinationSeat, name: str
) -> None:
    """So that Atlas and AgentAtlas do not share a context."""
    assert refused(lambda: authenticate(Request(name))) == "naming"
    assert refused(lambda: join(Local(seat), ROOM, name)) == "naming"


def test_an_id_whose_context_is_a_channel_is_refused(seat: CoordinationSeat) -> None:
    assert refused(lambda: seat.new_agent("AgentDeploy")) == "koinii/reserved-name"


def test_contexts_follow_from_ids_alone() -> None:
    assert own_context(ATLAS) == "CxAtlas"
    assert belief_context(ATLAS) == "CxAgentAgentAtlas"
    asked = Request(ATLAS, credential={"context": "CxBoreas"})
    assert authenticate(asked).context == "CxAtlas"


def test_the_boundary_is_looked_at_in_order() -> None:
    admin, boreas = admin_principal(), principal()
    check_write_boundary(admin, REGISTRY)
    check_write_boundary(boreas, "CxBoreas")
    assert refused(lambda: check_write_boundary(boreas, REGISTRY)) == (
        "koinii/registry-forbidden"
    )
    assert refused(lambda: check_write_boundary(admin, "CxBoreas")) == (
        "koinii/admin-off-registry"
    )
