"""The state root is the one of the seed's known answers."""

import json
from pathlib import Path

import koinii
from koinii.history.stateroot import state_leaf, state_root
from koinii.terms import read

VECTORS = Path(__file__).parent.parent / "vectors" / "merkle.json"
EMPTY = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_every_tree_of_the_vectors_has_its_state_root() -> None:
    document = json.loads(VECTORS.read_text(encoding="utf-8"))
    checked = 0
    for tree in document["trees"]:
        leaves = [
            state_leaf([tree["creator"]], tree["created"], tree["context"], read(fact))
            for fact in tree["facts"]
        ]
        assert state_root(leaves) == tree["state_root"]
        assert state_root(reversed(leaves)) == tree["state_root"]
        checked += 1
    assert checked == len(document["trees"]) == 27
    assert document["misc"]["state_root_empty"] == state_root([]) == EMPTY


def test_the_single_record_of_the_specification() -> None:
    sentence = read("(usesDatabase ProdCluster PostgreSQL14)")
    leaf = state_leaf(["AgentAtlas"], 1750000000000, "CxAtlas", sentence)

    expected = "f240e90c3fb075b934a7d61b21ce52277faac4d9170190f375bb76346ecd95b1"
    assert state_root([leaf]) == f"sha256:{expected}"


def test_times_and_authors_move_it_and_not_the_commit_id(tmp_path: Path) -> None:
    def made(name: str, agent: str, time: int) -> tuple[str, str]:
        path = str(tmp_path / name)
        with koinii.init(path, agent=agent, now=lambda: time) as seat:
            seat.assert_("(p A)", context="CxShared")
            seat.assert_("(not (p B))", context="CxShared")
            return seat.status().commit, seat.state_root()

    first = made("first", "AgentAtlas", 1_750_000_000_000)
    assert made("same", "AgentAtlas", 1_750_000_000_000) == first
    later = made("later", "AgentAtlas", 1_750_000_000_001)
    other = made("other", "AgentBoreas", 1_750_000_000_000)
    assert later[0] == other[0] == first[0]
    assert len({first[1], later[1], other[1]}) == 3


def test_several_authors_are_a_list(tmp_path: Path) -> None:
    with koinii.init(str(tmp_path / "desk"), agent="AgentZeno", now=lambda: 7) as seat:
        seat.new_agent("AgentAtlas")
        for agent in ("AgentZeno", "AgentAtlas"):
            seat.assert_("(p A)", context="CxShared", agent=agent)

        leaf = state_leaf(["AgentAtlas", "AgentZeno"], 7, "CxShared", read("(p A)"))
        assert seat.state_root() == state_root([leaf])


def test_what_is_local_to_a_seat_is_not_in_it(tmp_path: Path) -> None:
    with koinii.init(str(tmp_path / "desk"), agent="AgentAtlas", now=lambda: 7) as seat:
        seat.new_channel("CxDeploy")
        seat.new_agent("AgentBoreas")
        for agent, said in (("AgentAtlas", "(p A)"), ("AgentBoreas", "(not (p A))")):
            seat.join("CxDeploy", agent=agent)
            seat.assert_(said, agent=agent)
        before = seat.state_root()
        assert seat.adjudication.notify("CxDeploy")
        assert [*seat.believed("CxDisputes")]
        assert seat.state_root() == before
