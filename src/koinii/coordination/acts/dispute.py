"""Objecting to a claim: the opposite is said, and that one objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.coordination.words import act, denial, handle

if TYPE_CHECKING:
    from koinii.coordination.medium import Medium
    from koinii.terms.locator import Locator


def dispute(medium: Medium, agent: str, target: str) -> Locator:
    """Say the opposite of a claim and `(disputes AGENT (sentexHandle TARGET))`.

    Both or neither. The opposite is a claim like any other and stays when the target
    goes; the objection, whose locator is returned, goes with it.
    """
    claim = medium.sentex(target)
    objection = act("disputes", agent, handle(claim.locator))
    both = [denial(claim.sentence), objection]
    return medium.edit(agent=agent, add=both, remove=[], context=None).added[-1]
