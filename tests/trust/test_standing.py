"""Who may say what where standing is granted: design section 8, at every door."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import RefusedError
from koinii.terms import read, write
from koinii.terms.canonical import canonical
from koinii.terms.folds import word
from koinii.terms.shape import STRUCTURAL
from koinii.trust.boundary import admit, world_of
from koinii.trust.standing import Standing
from remote.desks import Clock, hand_over, make_desk, room, says

ATLAS, BOREAS = "AgentAtlas", "AgentBoreas"  # members, and no more
CLEO = "AgentCleo"  # moderator of CxDeploy
DORA = "AgentDora"  # moderator everywhere
EMIL = "AgentEmil"  # arbiter
ROOT = "AdminRoot"
GRANTS = {
    ATLAS: ["member"],
    BOREAS: ["member"],
    CLEO: ["member", "moderator CxDeploy"],
    DORA: ["moderator *"],
    EMIL: ["arbiter *"],
}
WORLD = world_of(  # who has no standing in it is a member
    GRANTS,
    {
        CLEO: Standing(channels=frozenset({"CxDeploy"})),
        DORA: Standing(moderator=True),
        EMIL: Standing(arbiter=True),
    },
)
FOREIGN, NONE = "koinii/foreign-context", "koinii/no-standing"
OFF = "koinii/admin-off-registry"
REGISTRY = "koinii/registry-forbidden"
RULE = "(implies (p ?x) (q ?x))"
MASK = f'(except (sentexHandle "sha256:{"0" * 64}"))'
UNIVERSE = "CxUniverse"

# speaker, context, sentence, code ("" is let in)
TABLE = [
    # a member in its own contexts: anything but structural statements, masks apart
    *((ATLAS, "CxAtlas", text, "") for text in ("(p A)", "(not (p B))", RULE, MASK)),
    *((ATLAS, "CxAgentAgentAtlas", text, "") for text in ("(p A)", RULE, MASK)),
    *(
        (ATLAS, context, text, NONE)
        for context in ("CxAtlas", "CxAgentAgentAtlas")
        for text in ("(genl dog animal)", "(functional p)", "(disjoint dog cat)",
                     "(arg p 1 dog)")
    ),
    # in another's
    (ATLAS, "CxBoreas", "(p A)", FOREIGN),
    (ATLAS, "CxAgentAgentBoreas", MASK, FOREIGN),
    (DORA, "CxBoreas", "(p A)", FOREIGN),
    # in what is nobody's
    *((ATLAS, "CxDeploy", text, NONE) for text in ("(p A)", RULE, MASK)),
    *((ATLAS, UNIVERSE, text, NONE) for text in ("(p A)", RULE, MASK)),
    (ATLAS, "CxElsewhere", "(p A)", NONE),
    (EMIL, "CxDeploy", "(p A)", NONE),
    # a member in CxUniverse: what it sees, what sees it
    (ATLAS, UNIVERSE, "(genlCx CxAtlas CxLore)", ""),
    (ATLAS, UNIVERSE, "(genlCx CxAtlas CxBoreas)", ""),
    (ATLAS, UNIVERSE, "(genlCx CxAgentAgentAtlas CxAtlas)", ""),
    (ATLAS, UNIVERSE, "(genlCx CxDeploy CxAtlas)", ""),
    (ATLAS, UNIVERSE, "(genlCx CxAgentAgentAtlas CxLore)", NONE),
    (ATLAS, UNIVERSE, "(genlCx CxDeploy CxBoreas)", NONE),
    (ATLAS, UNIVERSE, "(genlCx CxDeploy CxLore)", NONE),
    (ATLAS, UNIVERSE, "(genlCx CxDeploy CxAgentAgentAtlas)", NONE),
    (ATLAS, UNIVERSE, "(genlCx CxBoreas CxAtlas)", FOREIGN),
    (ATLAS, UNIVERSE, "(genlCx CxUniverse CxAtlas)", FOREIGN),
    (EMIL, UNIVERSE, "(genlCx CxDeploy CxEmil)", ""),
    # what stands in CxUniverse alone
    *(
        (ATLAS, UNIVERSE, text, NONE)
        for text in ("(channel CxDeploy)", "(convened CxPanel)", "(symmetric p)",
                     "(modalPredicate p)", "(targetFollowingPredicate p)",
                     "(genl dog animal)", "(functional p)")
    ),
    (EMIL, UNIVERSE, "(channel CxDeploy)", NONE),
    (CLEO, UNIVERSE, "(channel CxDeploy)", NONE),
    # a moderator of one channel: facts, rules and masks there
    *((CLEO, "CxDeploy", text, "") for text in ("(p A)", "(not (p B))", RULE, MASK)),
    (CLEO, "CxDeploy", "(genl dog animal)", NONE),
    (CLEO, "CxOps", "(p A)", NONE),
    (CLEO, UNIVERSE, "(p A)", NONE),
    (CLEO, "CxCleo", "(p A)", ""),
    (CLEO, "CxAtlas", "(p A)", FOREIGN),
    # a moderator: all that is nobody's
    *(
        (DORA, context, text, "")
        for context in ("CxDora", "CxDeploy", "CxElsewhere", UNIVERSE)
        for text in ("(p A)", RULE, MASK, "(genl dog animal)", "(functional p)",
                     "(disjoint dog cat)", "(arg p 1 dog)")
    ),
    *(
        (DORA, UNIVERSE, text, "")
        for text in ("(channel CxDeploy)", "(convened CxPanel)", "(symmetric p)",
                     "(modalPredicate p)", "(targetFollowingPredicate p)",
                     "(genlCx CxDeploy CxBoreas)", "(genlCx CxPanel CxAgentAgentAtlas)")
    ),
    (DORA, UNIVERSE, "(genlCx CxBoreas CxDora)", FOREIGN),
    (DORA, UNIVERSE, "(channel CxAtlas)", FOREIGN),
    # the registry is the admin's, and the admin has nothing else
    (ROOT, "CxRegistry", "(p A)", ""),
    (ROOT, "CxRegistry", RULE, ""),
    (ROOT, "CxDeploy", "(p A)", OFF),
    (ROOT, UNIVERSE, "(channel CxDeploy)", OFF),
    *((who, "CxRegistry", "(p A)", REGISTRY) for who in GRANTS),
    (DORA, "CxCore", "(p A)", FOREIGN),
]  # fmt: skip
SAID = [row for row in TABLE if row[0] != ROOT and row[3] in ("", NONE)]


def strength(sentence: str) -> int:
    return int(word(canonical(read(sentence))) in STRUCTURAL)


@pytest.mark.parametrize(("speaker", "context", "sentence", "code"), TABLE)
def test_the_table_where_standing_is_granted(
    speaker: str, context: str, sentence: str, code: str
) -> None:
    form = canonical(read(sentence))
    refusal = admit(speaker, context, form, strength(sentence), WORLD)
    assert (refusal.code if refusal else "") == code
    if code == NONE:
        assert refusal is not None
        assert f"koinii admin grant {speaker} moderator" in refusal.hint


def test_the_table_has_every_structural_word() -> None:
    for wanted in ("", NONE):
        said = {row[2].split()[0].strip("(") for row in TABLE if row[3] == wanted}
        assert said >= STRUCTURAL, wanted


# The doors ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[RemoteSeat, RemoteSeat]]:
    """The seat of the admin, in proof-tier, and one where everybody may speak.

    The agents are at both, with the same keys.
    """
    with room() as folder:
        desk = make_desk(folder, "speaking", GRANTS)
        keys = {name: Path(desk.path, ".koinii", "keys", name) for name in GRANTS}
        root = make_desk(folder, "root", GRANTS, keys)
        text = (root.path / "seat.toml").read_text()
        (root.path / "seat.toml").write_text(text.replace("cooperative", "proof-tier"))
        with (
            koinii.open(str(root.path), now=Clock()) as judge,
            koinii.open(str(desk.path), now=Clock()) as speaking,
        ):
            judge.admin_init()
            for agent, standing in GRANTS.items():
                words = [one.removesuffix(" *") for one in standing]
                judge.grant(agent, words, only=True)
            yield judge, speaking


@pytest.fixture
def judge(pair: tuple[RemoteSeat, RemoteSeat]) -> RemoteSeat:
    return pair[0]


@pytest.mark.parametrize(("speaker", "context", "sentence", "code"), TABLE)
def test_what_is_typed(
    judge: RemoteSeat, speaker: str, context: str, sentence: str, code: str
) -> None:
    found = judge.check(sentence, context=context, agent=speaker)
    told = {one.code for one in found} - {"koinii/no-such-handle"}
    assert told == ({code} if code else set())
    if code:
        with pytest.raises(RefusedError) as caught:
            judge.assert_(sentence, context=context, agent=speaker)
        assert caught.value.code == code


def test_what_is_loaded(judge: RemoteSeat) -> None:
    for speaker, context, sentence, code in TABLE:
        report = judge.load([sentence], context=context, agent=speaker)
        assert [one.code for one in report.refused] == ([code] if code else [])


def test_what_is_pulled(pair: tuple[RemoteSeat, RemoteSeat]) -> None:
    judge, speaking = pair
    for speaker, context, sentence, _ in SAID:
        report = speaking.load([sentence], context=context, agent=speaker)
        assert not report.refused
    speaking.commit()
    hand_over(speaking, judge)
    codes = {
        (one.agent, one.context, one.line.split(" ", 2)[2]): one.reason
        for one in judge.held()
    }
    expected = {
        (speaker, context, spelled(sentence)): code
        for speaker, context, sentence, code in SAID
    }
    assert codes == {who: code for who, code in expected.items() if code}
    assert {one.why for one in judge.held()} >= {
        "what stands in CxDeploy takes a moderator, and AgentAtlas is none here",
        "channel statements take a moderator, and AgentCleo is none here",
    }
    here = {
        (agent, context, said)
        for agent, place, context, said in says(judge)
        if place == speaking.id
    }
    assert here == {who for who, code in expected.items() if not code}

    before = judge.status().commit
    up = judge.grant(ATLAS, ["moderator"])
    assert up.back == sum(
        code == NONE and who[0] == ATLAS for who, code in expected.items()
    )
    assert not [one for one in judge.held() if one.agent == ATLAS]
    down = judge.grant(ATLAS, ["member"], only=True)
    assert (down.held, down.back) == (up.back, 0)
    assert judge.status().commit == before


def spelled(sentence: str) -> str:

    return write(canonical(read(sentence)))
