"""The tally of a claim in a channel, as this seat holds the ballots (decision 10).

A ballot is a live, applied assertion by an agent, in its own context, that it votes
for or against a claim, while the agent has joined the channel. Whether it is believed
does not matter, nor whether it waits for the claim: else a ruling could move what it
rests on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.contexts import UNIVERSE, own_context
from koinii.kb.contexts.structure import word_of
from koinii.kb.rows import key_of
from koinii.merkle import leaf_hash
from koinii.merkle import root as tree_root
from koinii.store.sentexes import BELIEVED
from koinii.terms.locator import locate, locator_of, raw_digest
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.kb.base import KnowledgeBase

FOR, AGAINST = "votesFor", "votesAgainst"
_STANCES = {key_of(word_of(word)): word for word in (FOR, AGAINST)}


class Ballot(NamedTuple):
    """One ballot: who, for or against, and where it stands."""

    agent: str
    word: str
    digest: bytes


class Tally(NamedTuple):
    """How many distinct members vote for a claim and against it; who does both, not."""

    for_: int
    against: int
    root: bytes  # RFC 6962 over the locators of the ballots counted, sorted

    @property
    def outcome(self) -> str:
        """`for`, `against` or `tie`."""
        if self.for_ == self.against:
            return "tie"
        return "for" if self.for_ > self.against else "against"


def tally(kb: KnowledgeBase, claim: bytes, channel: str) -> Tally:
    """Count the ballots of a channel's members on a claim; O(what names the claim)."""
    ballots = [one for one in _ballots(kb, claim) if has_joined(kb, one.agent, channel)]
    voters = {
        word: {one.agent for one in ballots if one.word == word}
        for word in (FOR, AGAINST)
    }
    spoiled = voters[FOR] & voters[AGAINST]
    counted = {one.digest for one in ballots if one.agent not in spoiled}
    lines = sorted(locator_of(one).encode() for one in counted)
    return Tally(
        len(voters[FOR] - spoiled),
        len(voters[AGAINST] - spoiled),
        tree_root([leaf_hash(line) for line in lines]),
    )


def has_joined(kb: KnowledgeBase, agent: str, channel: str) -> bool:
    """Tell whether a declared channel sees an agent's own context by an edge."""
    edge = Symbol("genlCx"), Symbol(channel), Symbol(own_context(agent))
    digest = raw_digest(locate(Symbol(UNIVERSE), edge))
    found = kb.sentexes.ids([digest]).get(digest)
    in_force = found is not None and kb.sentexes.label(found) & BELIEVED
    return bool(in_force) and channel in kb.structure.channels


def _ballots(kb: KnowledgeBase, claim: bytes) -> Iterator[Ballot]:
    """Yield the ballots on a claim that stand where they belong."""
    rows = [
        (sentex, _STANCES[functor])
        for sentex, functor, _ in kb.structure.rows.naming(claim)
        if functor in _STANCES
    ]
    target = Symbol("sentexHandle"), locator_of(claim)
    for sentex, word in rows:
        found = kb.get(sentex)
        said = found.sentence
        if not isinstance(said, tuple) or len(said) != 3 or said[2] != target:  # noqa: PLR2004 - word, agent, target
            continue
        agents = {kb.names.author(row[1])[0] for row in kb.asserted_by(sentex)}
        voter = said[1]
        if not isinstance(voter, Symbol) or voter.name not in agents:
            continue
        if found.context == own_context(voter.name):
            yield Ballot(voter.name, word, found.digest)
