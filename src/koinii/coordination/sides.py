"""The two sides of a dispute that is known here, standing or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.coordination.local import Local
from koinii.errors import NotFoundError
from koinii.seat.disputing import is_pair

if TYPE_CHECKING:
    from koinii.coordination.dispute_id import DisputeId
    from koinii.kb.sentex import Sentex
    from koinii.seat.seat import Seat


def sides_of(seat: Seat, dispute: DisputeId) -> list[Sentex]:
    """Return the sides of a dispute that is known here, standing or not.

    Raises:
        NotFoundError: `koinii/no-such-handle`: a side is not stored here, or the two
            do not clash.
    """
    first, second = map(Local(seat).sentex, dispute.locators)
    if not is_pair(seat.kb, first.id, second.id):
        raise NotFoundError(
            f"{first.locator} and {second.locator} do not clash here",
            code="koinii/no-such-handle",
            hint="koinii disputes shows what does",
            locators=dispute.locators,
        )
    return [first, second]
