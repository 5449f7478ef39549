"""Counts, recomputed from what is said: no store, no index, nothing kept.

`said` are the live, applied assertions as (agent, context, sentence); `calls` what
those who called a count have said of it, as (claim, channel, sentence).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

Said = tuple[str, str, str]
Call = tuple[str, str, str]

_BALLOT = re.compile(
    r'\((votesFor|votesAgainst) (Agent\w+) \(sentexHandle "([^"]+)"\)\)'
)
_UNIVERSE = "CxUniverse"


def members(said: Iterable[Said], channel: str) -> set[str]:
    """Who has joined a channel; nobody while it is not declared."""
    stated = {sentence for _, context, sentence in said if context == _UNIVERSE}
    if f"(channel {channel})" not in stated:
        return set()
    found = (re.fullmatch(rf"\(genlCx {channel} Cx(\w+)\)", one) for one in stated)
    return {f"Agent{one[1]}" for one in found if one}


def tally(said: Iterable[Said], claim: str, channel: str) -> tuple[int, int]:
    """How many members vote for a claim and against it, those who do both apart."""
    said = [*said]
    joined = members(said, channel)
    voters: dict[str, set[str]] = {"votesFor": set(), "votesAgainst": set()}
    for agent, context, sentence in said:
        ballot = _BALLOT.fullmatch(sentence)
        if ballot is None or ballot[3] != claim or context != f"Cx{agent[5:]}":
            continue
        if ballot[2] == agent and agent in joined:
            voters[ballot[1]].add(agent)
    both = voters["votesFor"] & voters["votesAgainst"]
    return len(voters["votesFor"] - both), len(voters["votesAgainst"] - both)


def in_force(
    said: Iterable[Said],
    claims: Mapping[str, str],
    calls: Iterable[Call],
    dispute: Iterable[Said],
) -> set[str]:
    """Which sentences counts have ruled; `claims` are the sentences by locator.

    None while either side of the dispute is not said.
    """
    said, found = [*said], set[str]()
    if not {*dispute} <= {*said}:
        return found
    for claim, channel, sentence in calls:
        for_, against = tally(said, claim, channel)
        upheld = sentence == claims[claim]
        if (upheld and for_ > against) or (not upheld and against > for_):
            found.add(sentence)
    return found
