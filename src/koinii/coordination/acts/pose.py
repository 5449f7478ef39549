"""Asking a question of everyone in the channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.coordination.words import act

if TYPE_CHECKING:
    from koinii.coordination.medium import Medium
    from koinii.terms.locator import Locator
    from koinii.terms.term import Term


def pose(medium: Medium, agent: str, question: Term) -> Locator:
    """Say `(queries AGENT QUESTION)`, which answers name."""
    sentence = act("queries", agent, question)
    return medium.assert_(sentence, agent=agent, context=None, strength=None)
