"""What is told about trust, as lines of text and notes: keys, grants, what is held."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from koinii.seat.administering import Admin, Granted, GrantReport
    from koinii.seat.deciding import Decided
    from koinii.seat.held import Held
    from koinii.seat.peers import Followed
    from koinii.seat.reporting import Agent
    from koinii.seat.trusting import Trusted

Told = tuple[list[str], list[str]]  # lines for standard output, notes

_CARRY = "koinii commit and koinii push tell the others"


def agents(found: list[Agent]) -> Told:
    """Tell each agent with its key, and what to do about those that do not count."""
    return list(map(_agent, found)), _ways_on(found)


def _agent(agent: Agent) -> str:
    mail = f"  mail {' '.join(agent.mail_names)}" if agent.mail_names else ""
    held = f"  held: {agent.why} ({agent.refusal})" if agent.refusal else ""
    return f"{agent.name} at {agent.seat} {agent.fingerprint}{mail}{held}"


def _ways_on(found: list[Agent]) -> list[str]:
    """Return what to do, once for each thing to do."""
    ways = dict.fromkeys((one.name, one.hint) for one in found if one.refusal)
    return [f"{name}: {hint}" for name, hint in ways]


def trusted(found: Trusted) -> Told:
    """Tell whom a name stands for."""
    seats = ", ".join(found.seats) or "none as yet"
    line = f"{found.agent} stands for {found.fingerprint} here; it counts at {seats}"
    return [line], [_moved(found.held, found.back)]


def decided(found: Decided) -> Told:
    """Tell what an agent or the admin has signed about a key."""
    place = "every seat" if found.seat == "*" else f"seat {found.seat}"
    start = f"from commit {found.number} on" if found.number else "from the first on"
    told = {
        "rotate": f"{found.agent} has the new key {found.key} here, {start}",
        "revoke": f"the key {found.key} of {found.agent} counts no more at {place}, "
        f"{start}",
        "retire": f"what {found.agent} said at {place}, {start}, is withdrawn",
    }
    return [told[found.kind]], [_moved(found.held, found.back), _CARRY]


def admin(found: Admin | None) -> Told:
    """Tell whose grants count here, and what they grant."""
    if found is None:
        return [], ["no admin is pinned here; koinii admin init makes one"]
    where = "its key is at this seat" if found.is_here else "its key is elsewhere"
    lines = [f"admin {found.fingerprint}, {where}", *map(_granted, found.grants)]
    return lines, [] if found.grants else ["nobody is granted anything"]


def founded(found: Admin) -> Told:
    """Tell of a new admin."""
    line = f"admin {found.fingerprint}, its key is at this seat"
    return [line], [
        "koinii push shows it to the others, who pin it when they meet it",
        'grants decide who counts where seat.toml says mode = "proof-tier"',
    ]


def granted(found: GrantReport) -> Told:
    """Tell what an agent may do now, and whether all of it counts."""
    held = [
        f"what {found.agent} says at seat {place} is held all the same; koinii agent "
        "says why"
        for place in found.without
    ]
    return [_granted(found)], [_moved(found.held, found.back), *held, _CARRY]


def _granted(one: Granted | GrantReport) -> str:
    standing = ", ".join(word.removesuffix(" *") for word in one.standing)
    return f"{one.agent} {one.fingerprint} {standing}"


def followed(found: Followed) -> Told:
    """Tell whether a seat is followed."""
    line = f"{found.seat} is {'followed' if found.follows else 'not followed'}"
    notes = [_moved(found.held, found.back)]
    if found.follows:
        notes.append("koinii pull brings what it says now")
    if found.rest:
        notes.append(f"{_lines(found.rest)} of it held all the same; koinii held")
    return [line], notes


def held(found: list[Held]) -> list[str]:
    """Tell how many lines are held for which reason, then each with the way on."""
    counts = Counter(one.reason for one in found)
    total = [f"{count} {reason}" for reason, count in sorted(counts.items())]
    return [*total, *(line for one in found for line in _held(one))]


def _held(one: Held) -> list[str]:
    why = " ".join([one.why, *one.missing])
    return [
        f"{one.reason}: {one.agent} at {one.seat} in {one.context}: {one.line}",
        f"  {why}",
        f"  next: {one.hint}",
    ]


def _moved(held: int, back: int) -> str:
    if not held and not back:
        return "no line has moved"
    return f"{_lines(held)} held since, {_lines(back)} back"


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"
