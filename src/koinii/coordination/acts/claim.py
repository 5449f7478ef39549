"""Claiming: the claim itself, without a word around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from koinii.coordination.medium import Medium
    from koinii.terms.locator import Locator
    from koinii.terms.term import Term


def assert_(
    medium: Medium,
    agent: str,
    claim: Term,
    *,
    context: str | None = None,
    strength: str | None = None,
) -> Locator:
    """Put a claim in the agent's own context, or in another that it may write in."""
    return medium.assert_(claim, agent=agent, context=context, strength=strength)
