"""Answering a question, or any other sentex."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.coordination.words import act, handle

if TYPE_CHECKING:
    from koinii.coordination.medium import Medium
    from koinii.terms.locator import Locator
    from koinii.terms.term import Term


def answer(medium: Medium, agent: str, content: Term, target: str) -> Locator:
    """Say `(answers AGENT CONTENT (sentexHandle TARGET))`; it goes with its target."""
    named = handle(medium.sentex(target).locator)
    sentence = act("answers", agent, content, named)
    return medium.assert_(sentence, agent=agent, context=None, strength=None)
