"""Telling that one will not do what a message asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.coordination.words import act, handle

if TYPE_CHECKING:
    from koinii.coordination.medium import Medium
    from koinii.terms.locator import Locator


def refuse(medium: Medium, agent: str, target: str) -> Locator:
    """Say `(refuse AGENT (sentexHandle TARGET))`; it outlives its target."""
    named = handle(medium.sentex(target).locator)
    sentence = act("refuse", agent, named)
    return medium.assert_(sentence, agent=agent, context=None, strength=None)
