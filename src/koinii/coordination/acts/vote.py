"""Casting a ballot for or against a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.coordination.words import act, handle
from koinii.errors import RefusedError
from koinii.seat.arguments import text

if TYPE_CHECKING:
    from koinii.coordination.medium import Medium
    from koinii.terms.locator import Locator

STANCES = {"for": "votesFor", "against": "votesAgainst"}


def vote(medium: Medium, agent: str, stance: str, target: str) -> Locator:
    """Say `(votesFor AGENT (sentexHandle TARGET))`, or `votesAgainst`.

    Who has said both is counted in neither: retract the one to change sides.

    Raises:
        RefusedError: `koinii/no-such-stance`: neither `for` nor `against`.
    """
    word = STANCES.get(text(stance, "stance"))
    if word is None:
        raise RefusedError(
            f"{stance!r} is no stance: a vote is for or against",
            code="koinii/no-such-stance",
            hint="koinii vote for LOCATOR, or koinii vote against LOCATOR",
            stance=stance,
        )
    sentence = act(word, agent, handle(medium.sentex(target).locator))
    return medium.assert_(sentence, agent=agent, context=None, strength=None)
