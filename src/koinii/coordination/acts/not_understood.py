"""Telling that one can make nothing of a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.coordination.words import act, handle

if TYPE_CHECKING:
    from koinii.coordination.medium import Medium
    from koinii.terms.locator import Locator


def not_understood(medium: Medium, agent: str, target: str) -> Locator:
    """Say `(notUnderstood AGENT (sentexHandle TARGET))`; it outlives its target."""
    named = handle(medium.sentex(target).locator)
    sentence = act("notUnderstood", agent, named)
    return medium.assert_(sentence, agent=agent, context=None, strength=None)
