"""What the operations about trust call: keys, the admin, whom to follow.

As in `actions`: one step on the seat, nothing more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import UsageError

if TYPE_CHECKING:
    from koinii.remote.seat import RemoteSeat
    from koinii.seat.administering import Admin, GrantReport
    from koinii.seat.deciding import Decided
    from koinii.seat.peers import Followed
    from koinii.seat.reporting import Agent
    from koinii.seat.seat import Seat
    from koinii.seat.trusting import Trusted

_EVERYWHERE = "*"


def agent_list(seat: Seat) -> list[Agent]:
    """Return the agents known here."""
    return seat.agents()


def agent_new(
    seat: RemoteSeat, name: str, key: str | None, mail_names: list[str]
) -> Agent:
    """Give an agent a key here."""
    if key is None and _own_agent(seat, name):
        raise UsageError(
            f"{name} is an agent of this seat already",
            code="koinii/already-an-agent",
            hint="koinii agent",
            agent=name,
        )
    seat.new_agent(name, key=key, mail_names=mail_names)
    (agent,) = _own_agent(seat, name)
    return agent


def _own_agent(seat: Seat, name: str) -> list[Agent]:
    return [one for one in seat.agents() if (one.name, one.seat) == (name, seat.id)]


def is_held(agent: Agent) -> bool:
    """Tell whether what an agent says is held here."""
    return bool(agent.refusal)


def agent_trust(seat: Seat, name: str, fingerprint: str) -> Trusted:
    """Decide for a key."""
    return seat.trust_agent(name, fingerprint)


def agent_rotate(seat: Seat, agent: str | None, key: str | None) -> Decided:
    """Give an agent of this seat a new key."""
    return seat.rotate_agent(agent or seat.config.agent, key=key)


def agent_revoke(  # noqa: PLR0917 - by name, from the table
    seat: Seat,
    agent: str | None,
    fingerprint: str,
    place: str | None,
    number: int,
    reason: str,
) -> Decided:
    """Take the word of a key of an agent of this seat away."""
    name, where = agent or seat.config.agent, place or _EVERYWHERE
    return seat.revoke_key(name, fingerprint, reason=reason, seat=where, number=number)


def agent_retire(seat: Seat, agent: str | None, place: str, number: int) -> Decided:
    """Withdraw what an agent said at a seat."""
    return seat.retire_agent(agent or seat.config.agent, place, number=number)


def admin_list(seat: Seat) -> Admin | None:
    """Return the admin and its grants."""
    return seat.admin()


def admin_init(seat: Seat) -> Admin:
    """Make an admin."""
    return seat.admin_init()


def admin_forget(seat: RemoteSeat) -> Admin:
    """Give an admin up."""
    return seat.admin_forget()


def admin_grant(  # noqa: PLR0917 - by name, from the table
    seat: Seat,
    agent: str,
    standing: list[str],
    channels: list[str],
    key: str | None,
    only: bool,  # noqa: FBT001 - by name, from the table
) -> GrantReport:
    """Grant an agent standing; with channels, it moderates those."""
    words = [one for one in standing if one != "moderator" or not channels]
    if channels and len(words) == len(standing):
        raise UsageError(
            "--in is where a moderator is one",
            hint=f"koinii admin grant {agent} moderator --in {channels[0]}",
            parameter="--in",
        )
    words += [f"moderator {channel}" for channel in channels]
    return seat.grant(agent, words, key=key, only=only)


def is_held_somewhere(report: GrantReport) -> bool:
    """Tell whether what an agent says is held of some seat all the same."""
    return bool(report.without)


def admin_revoke(  # noqa: PLR0917 - by name, from the table
    seat: Seat,
    agent: str,
    fingerprint: str,
    place: str | None,
    number: int,
    reason: str,
) -> Decided:
    """Take the word of a key of any agent away."""
    where = place or _EVERYWHERE
    return seat.revoke_key(
        agent, fingerprint, reason=reason, seat=where, number=number, by_admin=True
    )


def follow(seat: Seat, place: str) -> Followed:
    """Follow a seat."""
    return seat.follow(place)


def unfollow(seat: Seat, place: str) -> Followed:
    """Follow a seat no more."""
    return seat.unfollow(place)


def holds_rest(found: Followed) -> bool:
    """Tell whether lines of a seat that is followed are held all the same."""
    return bool(found.rest)
