"""Standing by a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.coordination.words import act, handle

if TYPE_CHECKING:
    from koinii.coordination.medium import Medium
    from koinii.terms.locator import Locator


def endorse(medium: Medium, agent: str, target: str) -> Locator:
    """Say `(endorses AGENT (sentexHandle TARGET))`; it goes with its target."""
    named = handle(medium.sentex(target).locator)
    sentence = act("endorses", agent, named)
    return medium.assert_(sentence, agent=agent, context=None, strength=None)
