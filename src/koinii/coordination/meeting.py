"""Where agents meet: a context that somebody has declared as a channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.seat.arguments import text
from koinii.seat.undeclared import no_channel

if TYPE_CHECKING:
    from koinii.seat.seat import Seat


def declared(seat: Seat, channel: str) -> str:
    """Return the name of a channel.

    Raises:
        RefusedError: `koinii/no-channel`: it is not declared here.
    """
    if text(channel, "channel") not in seat.kb.structure.channels:
        raise no_channel(seat, channel)
    return channel
