"""Objecting to a claim: the opposite is said, and that one objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.coordination.words import act, denial, handle
from koinii.errors import RefusedError
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from koinii.coordination.medium import Medium
    from koinii.kb.sentex import Sentex
    from koinii.terms.locator import Locator

IMPLIES = Symbol("implies")


def dispute(medium: Medium, agent: str, target: str) -> Locator:
    """Say the opposite of a claim and `(disputes AGENT (sentexHandle TARGET))`.

    Both or neither. The opposite is a claim like any other and stays when the target
    goes; the objection, whose locator is returned, goes with it.
    """
    claim = medium.sentex(target)
    _check_deniable(claim)
    objection = act("disputes", agent, handle(claim.locator))
    both = [denial(claim.sentence), objection]
    return medium.edit(agent=agent, add=both, remove=[], context=None).added[-1]


def _check_deniable(claim: Sentex) -> None:
    """Refuse a rule, which has no opposite."""
    if isinstance(claim.sentence, tuple) and claim.sentence[:1] == (IMPLIES,):
        raise RefusedError(
            "a rule has no opposite, so nobody disputes it",
            code="not-well-formed",
            hint="dispute a claim that it concludes; koinii why shows the rule of one",
            locator=claim.locator,
        )
