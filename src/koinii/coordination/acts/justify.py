"""Giving a ground for a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.coordination.words import act, handle

if TYPE_CHECKING:
    from koinii.coordination.medium import Medium
    from koinii.terms.locator import Locator
    from koinii.terms.term import Term


def justify(medium: Medium, agent: str, ground: Term, target: str) -> Locator:
    """Say `(justifies AGENT GROUND (sentexHandle TARGET))`; it goes with its target."""
    named = handle(medium.sentex(target).locator)
    sentence = act("justifies", agent, ground, named)
    return medium.assert_(sentence, agent=agent, context=None, strength=None)
