"""A dispute as plain data, the same for a list, a file and a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.terms.printer import write

if TYPE_CHECKING:
    from koinii.coordination.disputes import Dispute
    from koinii.faces.actions import Named


def told(dispute: Dispute) -> Named:
    """Return a dispute as plain data; its id is the text that other verbs take."""
    sides = [
        {**side._asdict(), "sentence": write(side.sentence)} for side in dispute.sides
    ]
    return {**dispute._asdict(), "id": dispute.id.text, "sides": sides}
