"""A seat whose beliefs rest on one another, and proofs of why and of disputes.

CxDeploy sees CxAtlas, and CxBoreas by way of CxTeam. A fact is read with its
arguments swapped and as one of a more general predicate; a rule of the
vocabulary concludes from what another rule did.
"""

from dataclasses import replace
from hashlib import sha256
from typing import Any

from history.sample_proofs import (
    AGENT_KEY,
    ATLAS,
    INTRODUCTION,
    RECORD,
    SEAT_ID,
    commitment_of,
    tree_over,
)
from koinii.history import author_tree, context_tree
from koinii.history.explaining import Fact, Grounds, Step, dispute, why
from koinii.history.proving import Commitment, Said, Sentence
from koinii.merkle import Levels
from koinii.terms import canonical, read, write
from koinii.trust.statements import Authored, sign_statement

VOCABULARY = (
    b"; what the sample ships\n\n(genlCx CxSpeechActs CxCore)\n"
    b"(implies (careful ?var0) (watched ?var0))\n(symmetric beside)\n"
)
DIGEST = sha256(VOCABULARY).digest()


def stated(context: str, text: str) -> Sentence:
    """Return a sentence with its text in the one spelling."""
    return Sentence(context, write(canonical(read(text))))


def commit_of(sentences: list[Sentence]) -> tuple[Levels, Commitment]:
    """Return the tree over sentences and a commitment to it."""
    tree = tree_over([one.locator for one in sentences])
    bound = {"CxSpeechActs": DIGEST}
    record = replace(RECORD, commit=tree.root, size=tree.size, vocabulary=bound)
    return tree, commitment_of(record)


RULE = stated(
    "CxDeploy",
    "(implies (and (near ?host ?other) (port ?host ?n) (lessThan ?n 1024)"
    " (different ?host ?other)) (careful ?other))",
)
FACT = stated("CxAtlas", "(adjacent HostB HostA)")
PORT = stated("CxBoreas", "(port HostA 443)")
CLIMB = stated("CxTeam", "(genl adjacent near)")
MIRROR = stated("CxUniverse", "(symmetric near)")
EDGES = [
    stated("CxUniverse", f"(genlCx {sub} {above})")
    for sub, above in [
        ("CxDeploy", "CxAtlas"),
        ("CxDeploy", "CxTeam"),
        ("CxTeam", "CxBoreas"),
        ("CxDeploy", "CxSpeechActs"),
    ]
]
TO_ATLAS, TO_TEAM, TO_BOREAS, TO_ACTS = (one.locator for one in EDGES)
CAREFUL = stated("CxDeploy", "(careful HostB)")
WATCHED = stated("CxDeploy", "(watched HostB)")
SHIPPED = stated("CxSpeechActs", "(implies (careful ?var0) (watched ?var0))")

DENIALS = [
    stated("CxBoreas", "(not (near HostA HostB))"),
    stated("CxTeam", "(not (near HostB HostA))"),
]
CLAIM = stated("CxAtlas", "(near HostA HostB)")
OTHERS = [stated("CxAtlas", f"(other {n})") for n in range(5)]
LEAVES = [RULE, FACT, PORT, CLIMB, MIRROR, *EDGES, CAREFUL]
TREE, COMMITMENT = commit_of([*LEAVES, WATCHED, CLAIM, *DENIALS, *OTHERS])

LINES = [f"default 1760000000000 {one.text}" for one in (FACT, CLAIM, *OTHERS)]
CLAIMS = context_tree(LINES)
ROWS = [("CxAtlas", CLAIMS.size, CLAIMS.root), ("CxDeploy", 1, b"o" * 32)]
CONTEXTS = author_tree(ROWS)
AUTHORED = Authored(
    "AgentAtlas", AGENT_KEY.public.key_hash, SEAT_ID, 3, 8, CONTEXTS.root, None
)
SAID = Said(
    LINES[0],
    CLAIMS,
    CONTEXTS,
    0,
    sign_statement(AUTHORED, ATLAS).decode(),
    sign_statement(INTRODUCTION, ATLAS).decode(),
)

STEPS = [
    Step(
        CAREFUL.locator,
        RULE.locator,
        {"?var0": "HostA", "?var1": "HostB", "?var2": "443"},
        [Fact(FACT.locator, [CLIMB.locator], MIRROR.locator), Fact(PORT.locator)],
        {
            "CxAtlas": [TO_ATLAS],
            "CxTeam": [TO_TEAM],
            "CxBoreas": [TO_TEAM, TO_BOREAS],
        },
    ),
    Step(
        WATCHED.locator,
        SHIPPED.locator,
        {"?var0": "HostB"},
        [Fact(CAREFUL.locator)],
        {"CxSpeechActs": [TO_ACTS]},
    ),
]
GROUNDS = Grounds(LEAVES, [SHIPPED], {FACT.locator: SAID})


def explained() -> dict[str, Any]:
    """Two steps, one of a vocabulary rule, and a signed line."""
    return why(WATCHED, STEPS, GROUNDS, TREE, COMMITMENT)


def premised() -> dict[str, Any]:
    """A claim that nothing but its author supports."""
    return why(FACT, [], Grounds(said={FACT.locator: SAID}), TREE, COMMITMENT)


def disputed() -> dict[str, Any]:
    """A claim that two contexts speak against, one of them in a mirror."""
    return dispute(CLAIM, "CxDeploy", Grounds(EDGES[:3]), TREE, COMMITMENT)


def alone(text: str = "(single Thing)") -> dict[str, Any]:
    """A dispute over one context, the channel itself; nobody speaks against it."""
    claim = stated("CxDeploy", text)
    tree, commitment = commit_of([claim, *OTHERS])
    return dispute(claim, "CxDeploy", Grounds(), tree, commitment)


def defeated() -> dict[str, Any]:
    """A claim that is believed no longer, whose negation is."""
    denial = stated("CxDeploy", "(single Thing)")
    tree, commitment = commit_of([denial, *OTHERS])
    claim = stated("CxDeploy", "(not (single Thing))")
    return dispute(claim, "CxDeploy", Grounds(), tree, commitment)


def beside() -> dict[str, Any]:
    """A claim whose predicate the vocabulary declares symmetric."""
    declared = Sentence("CxSpeechActs", "(symmetric beside)")
    claim = stated("CxDeploy", "(beside A B)")
    tree, commitment = commit_of([claim, stated("CxDeploy", "(not (beside B A))")])
    grounds = Grounds(vocabulary=[declared])
    return dispute(claim, "CxDeploy", grounds, tree, commitment)


def simple() -> dict[str, Any]:
    """One rule over one fact that its context sees by one edge."""
    rule = stated("CxDeploy", "(implies (fact ?item ?n) (counted ?item))")
    fact = stated("CxAtlas", "(fact Item0 0)")
    claim = stated("CxDeploy", "(counted Item0)")
    tree, commitment = commit_of([rule, fact, EDGES[0], claim])
    step = Step(
        claim.locator,
        rule.locator,
        {"?var0": "Item0", "?var1": "0"},
        [Fact(fact.locator)],
        {"CxAtlas": [TO_ATLAS]},
    )
    return why(claim, [step], Grounds([rule, fact, EDGES[0]]), tree, commitment)


def plain_dispute() -> dict[str, Any]:
    """A claim that the channel denies."""
    claim = stated("CxAtlas", "(single Thing)")
    denial = stated("CxDeploy", "(not (single Thing))")
    tree, commitment = commit_of([claim, denial, EDGES[0]])
    return dispute(claim, "CxDeploy", Grounds([EDGES[0]]), tree, commitment)


WHY_DOCUMENTS: dict[str, dict[str, Any]] = {
    "why": explained(),
    "why of a premise": premised(),
    "dispute": disputed(),
    "dispute of one": alone(),
    "dispute of two": alone("(pair Thing Other)"),
    "dispute of a defeated claim": defeated(),
    "dispute by the vocabulary": beside(),
    "why by one step": simple(),
    "dispute in a channel": plain_dispute(),
}
