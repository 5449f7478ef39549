"""A seat with what agents do to each other there: what `koinii.open` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.remote.seat import RemoteSeat
from koinii.seat.arguments import text

if TYPE_CHECKING:
    from koinii.coordination.adjudication import Adjudication
    from koinii.coordination.channel import Channel
    from koinii.coordination.disputes import Disputes
    from koinii.coordination.registry import Registry
    from koinii.coordination.stances import Stances

__all__ = ["CoordinationSeat", "clone", "init", "open"]


class CoordinationSeat(RemoteSeat):
    """A seat whose agents talk in channels, differ and settle it."""

    def channel(self, name: str, *, agent: str | None = None) -> Channel:
        """Join a declared channel and return it as the agent takes part in it.

        Raises:
            RefusedError: `koinii/no-channel`: nobody has declared it, as far as
                this seat knows.
        """
        from koinii.coordination.channel import Channel  # noqa: PLC0415 - for talk only
        from koinii.coordination.local import Local  # noqa: PLC0415 - for talk only

        self.join(name, agent=agent)
        return Channel(Local(self), text(name, "name"), self.speaker(agent).agent)

    @property
    def disputes(self) -> Disputes:
        """What the contexts of this seat see in dispute."""
        from koinii.coordination.disputes import Disputes  # noqa: PLC0415 - for talk only

        return Disputes(self)

    @property
    def adjudication(self) -> Adjudication:
        """How disputes are told, left and settled, with nobody to tell.

        `Adjudication(seat, notify_sink=...)` is one with somebody.
        """
        from koinii.coordination.adjudication import Adjudication  # noqa: PLC0415 - for talk only

        return Adjudication(self)

    @property
    def registry(self) -> Registry:
        """What the admin records of agents, for people."""
        from koinii.coordination.registry import Registry  # noqa: PLC0415 - for talk only

        return Registry(self)

    @property
    def stances(self) -> Stances:
        """What each agent holds, and where those gathered disagree."""
        from koinii.coordination.stances import Stances  # noqa: PLC0415 - for talk only

        return Stances(self)


init = CoordinationSeat.init
open = CoordinationSeat.open
clone = CoordinationSeat.clone
