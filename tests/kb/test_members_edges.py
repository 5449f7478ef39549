"""What a member says of a context that is nobody's, and what that costs others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kb.engine_driver import Driver, introduce
from koinii.kb.contexts import belief_context, own_context
from koinii.store.declarations import Declarations
from koinii.terms import read
from koinii.terms.canonical import canonical
from reference.encoding_twin import locator
from reference.engine_frame_twin import UNIVERSE, Assertion

ANN, BOB, EVE = "AgentAnn", "AgentBob", "AgentEve"


@pytest.fixture
def driver() -> Iterator[Driver]:
    made = Driver()
    yield made
    made.close()


def say(
    driver: Driver,
    agent: str,
    text: str,
    context: str = UNIVERSE,
    *,
    known: bool = True,
) -> None:
    strength = "monotonic" if known else "default"
    sentence = canonical(read(text))
    driver.put(Assertion(agent, "here", context, sentence, strength), replace=False)


def make_member(driver: Driver, agent: str) -> None:
    with driver.kb.write():
        author = driver.kb.names.make_author(agent, "here")
        driver.kb.set_standing(author, arbiter=True, moderator=False)


def believes(driver: Driver, text: str, context: str = UNIVERSE) -> bool:
    digest = bytes.fromhex(locator(context, canonical(read(text)))[7:])
    found = driver.kb.find(digest)
    return found is not None and driver.kb.is_believed(found)


def test_it_comes_and_goes_with_the_channel(driver: Driver) -> None:
    make_member(driver, ANN)
    edge = "(genlCx CxDeploy CxAnn)"
    with driver.kb.write():
        say(driver, ANN, edge)
    assert not believes(driver, edge)
    with driver.kb.write():
        say(driver, BOB, "(channel CxDeploy)")
    assert believes(driver, edge)
    assert driver.kb.structure.lattice.sees("CxDeploy", "CxAnn")

    channel = locator(UNIVERSE, canonical(read("(channel CxDeploy)")))
    with driver.kb.write():
        driver.drop((BOB, "here"), [channel])

    assert not believes(driver, edge)
    assert not driver.kb.structure.lattice.sees("CxDeploy", "CxAnn")


def test_whose_a_context_is_decides_of_edges_that_are_there(driver: Driver) -> None:
    make_member(driver, EVE)
    edge = "(genlCx CxDeploy CxEve)"
    with driver.kb.write():
        say(driver, BOB, "(channel CxDeploy)")
        say(driver, EVE, edge)
    assert not believes(driver, edge)

    with driver.kb.write():
        introduce(driver.database, EVE)
        driver.kb.own({own_context(EVE), belief_context(EVE)})

    assert believes(driver, edge)


def test_a_moderators_edge_is_not_the_members_consent(driver: Driver) -> None:
    make_member(driver, ANN)
    with driver.kb.write():
        say(driver, ANN, "(p A)", "CxAnn", known=False)
        say(driver, BOB, "(not (p A))", "CxOps")
        for agent in (ANN, BOB):
            say(driver, agent, "(genlCx CxOps CxAnn)")
    assert driver.kb.structure.lattice.sees("CxOps", "CxAnn")
    assert believes(driver, "(p A)", "CxAnn")

    with driver.kb.write():
        say(driver, BOB, "(channel CxOps)")

    assert not believes(driver, "(p A)", "CxAnn")


def test_where_all_are_moderators_no_edge_is_looked_for(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> list[int]:
        raise AssertionError

    monkeypatch.setattr(Declarations, "members_edges", never)
    with driver.kb.write():
        say(driver, ANN, "(genlCx CxDeploy CxAnn)")
        say(driver, BOB, "(channel CxDeploy)")

    assert believes(driver, "(genlCx CxDeploy CxAnn)")
    make_member(driver, ANN)
    with pytest.raises(AssertionError), driver.kb.write():
        say(driver, BOB, "(channel CxOps)")
