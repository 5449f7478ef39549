"""Taking back what one has said."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from koinii.coordination.medium import Medium
    from koinii.seat.speaking import RetractReport


def retract(medium: Medium, agent: str, target: str) -> RetractReport:
    """Withdraw an agent's own assertion; this seat's replies to it go too."""
    return medium.retract(target, agent=agent)
