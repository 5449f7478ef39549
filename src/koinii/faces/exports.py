"""What export and import call: one step on the seat, nothing more."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from koinii.remote.exporting import Exported
    from koinii.remote.importing import Imported
    from koinii.remote.seat import RemoteSeat


def export(seat: RemoteSeat, directory: str) -> Exported:
    """Write what is said as text."""
    return seat.export(directory)


def rehearse_export(seat: RemoteSeat, directory: str) -> Exported:
    """Say what an export would hold."""
    return seat.rehearse_export(directory)


def import_(seat: RemoteSeat, directory: str) -> Imported:
    """Take an export in."""
    return seat.import_(directory)


def imported_in_part(found: Imported) -> bool:
    """Tell whether a line is held, or belief differs from where it was exported."""
    return not found.whole
