"""Who counts here: what is stored of statements and decisions, weighed.

What it says of each author is stored by `reviewing`; everybody else reads that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.seat.damaged import naming
from koinii.seat.modes import admin_of, mode_of
from koinii.trust.counting import OWNING, Counting, Decisions, Pin
from koinii.trust.names import ADMIN
from koinii.trust.presence import Presence, known_presence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from koinii.store.database import Connection
    from koinii.store.histories import AgentRow, Histories
    from koinii.store.histories import Pin as Stored


class Weighing(NamedTuple):
    """Everybody known here, and how to weigh them."""

    counting: Counting
    known: Mapping[tuple[str, str], Presence]


def weigh_all(connection: Connection, histories: Histories) -> Weighing:
    """Read every statement that is stored; O(agents known)."""
    known = {(row.name, row.seat): _presence(row) for row in histories.agents()}
    return Weighing(Counting(_decisions(connection, histories), known.values()), known)


def _presence(row: AgentRow) -> Presence:
    with naming(f"the statements of {row.name} at seat {row.seat}"):
        return known_presence(row.statements, row.name, row.seat)


def _pin(agent: str, pin: Stored) -> Pin:
    with naming(f"the key that {agent} stands for"):
        return Pin(bytes.fromhex(pin.key_hash), pin.decided)


def _decisions(connection: Connection, histories: Histories) -> Decisions:
    from koinii.note import PublicKey  # noqa: PLC0415 - off the hot path

    admin = admin_of(connection)
    pins = histories.pins().items()
    return Decisions(
        mode=mode_of(connection),
        admin=None if admin is None else PublicKey(admin).key_hash,
        pins={name: _pin(name, pin) for name, pin in pins},
        unfollowed=histories.unfollowed(),
    )


def owning(verdicts: Mapping[tuple[str, str], str]) -> set[str]:
    """Return the agents whose contexts are their own."""
    return {
        name
        for (name, _), refusal in verdicts.items()
        if refusal in OWNING and name != ADMIN
    }
