"""What the operations of a conversation call: acts, counts, stances, the registry.

As in `actions`: one step on the seat, nothing more; terms come back as text. What is
loaded here is for these verbs alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import NotFoundError, UsageError
from koinii.terms.printer import write

if TYPE_CHECKING:
    from collections.abc import Iterable

    from koinii.coordination.channel import Channel
    from koinii.coordination.stances import Stances
    from koinii.faces.actions import Named
    from koinii.seat.seat import Seat
    from koinii.terms.term import Term


# Acts ---------------------------------------------------------------------------


def pose(seat: Seat, question: str, agent: str | None) -> Named:
    """Ask a question of everybody."""
    return {"locator": _speaking(seat, agent).pose(question)}


def answer(seat: Seat, locator: str, content: str, agent: str | None) -> Named:
    """Answer a question, or anything else."""
    return {"locator": _speaking(seat, agent).answer(content, locator)}


def endorse(seat: Seat, locator: str, agent: str | None) -> Named:
    """Stand by a claim."""
    return {"locator": _speaking(seat, agent).endorse(locator)}


def justify(seat: Seat, locator: str, ground: str, agent: str | None) -> Named:
    """Give a ground for a claim."""
    return {"locator": _speaking(seat, agent).justify(ground, locator)}


def dispute(seat: Seat, locator: str, agent: str | None) -> Named:
    """Object to a claim."""
    return {"locator": _speaking(seat, agent).dispute(locator)}


def vote(seat: Seat, stance: str, locator: str, agent: str | None) -> Named:
    """Cast a ballot."""
    return {"locator": _speaking(seat, agent).vote(stance, locator)}


def not_understood(seat: Seat, locator: str, agent: str | None) -> Named:
    """Tell that nothing can be made of a message."""
    return {"locator": _speaking(seat, agent).not_understood(locator)}


def refuse(seat: Seat, locator: str, agent: str | None) -> Named:
    """Tell that what a message asks will not be done."""
    return {"locator": _speaking(seat, agent).refuse(locator)}


def reply_many(seat: Seat, lines: Iterable[str], agent: str | None) -> Named:
    """Say several things at once, or nothing of it."""
    said = [line.strip() for line in lines]
    said = [line for line in said if line and not line.startswith(";")]
    if not said:
        raise UsageError(
            "there is nothing to say: the text has no sentence",
            hint="koinii reply-many FILE, one sentence a line",
        )
    report = _speaking(seat, agent).reply_many(said)
    return {"locators": list(report.added)}


def _speaking(seat: Seat, agent: str | None) -> Channel:
    """Return a voice for an agent, which has its acts whether it has joined or not."""
    from koinii.coordination.channel import Channel  # noqa: PLC0415 - see above
    from koinii.coordination.local import Local  # noqa: PLC0415 - see above

    speaker = seat.speaker(agent)
    return Channel(Local(seat), speaker.own_context, speaker.agent)


# Counts -------------------------------------------------------------------------


def majority(
    seat: Seat, dispute: str, claim: str, channel: str, agent: str | None
) -> Named:
    """Count the ballots on a claim and say what the count has ruled."""
    from koinii.coordination.counts import resolve_by_majority  # noqa: PLC0415 - see above

    found = resolve_by_majority(seat, dispute, claim, channel, agent=agent)
    told = found._asdict()
    return {"for": told.pop("for_"), **told}


# Stances ------------------------------------------------------------------------


def believes(seat: Seat, holder: str, sentence: str, context: str | None) -> Named:
    """Return what an agent would answer."""
    asker = {} if context is None else {"asker": context}
    rows = [*_stances(seat).project(holder, sentence, **asker)]
    told = [{name: write(term) for name, term in row.items()} for row in rows]
    return {
        "answers": sorted(told, key=lambda row: sorted(row.items())),
        "more": False,
        "believes": bool(rows),
        **({} if rows else _unseen(seat, [holder])),
    }


def convene(seat: Seat, context: str, agents: list[str], agent: str | None) -> Named:
    """Gather what agents hold in a context; with none named, tell who is gathered."""
    stances = _stances(seat)
    for one in agents:
        _check_known(seat, one)
    added = stances.convene(context, agents, agent=agent) if agents else []
    return {"locators": list(added), "agents": stances.convened_agents(context)}


def disagreements(seat: Seat, context: str) -> Named:
    """Return where gathered agents contradict each other."""
    found = _stances(seat).disagreements(context)
    agents = _stances(seat).convened_agents(context)
    told = [
        {
            "between": one.between,
            "sides": [
                {**side._asdict(), "sentence": write(side.sentence)}
                for side in one.sides
            ],
        }
        for one in found
    ]
    return {"disagreements": told, "agents": agents, **_unseen(seat, agents)}


def _unseen(seat: Seat, agents: list[str]) -> Named:
    """Tell which agents answer nothing of what they say: they lack an edge."""
    from koinii.trust.names import belief_context, own_context  # noqa: PLC0415 - see above

    sees, found = seat.kb.lattice().sees, []
    for one in agents:
        if not _is_met(seat, one):
            return {"unknown_agent": one}
        belief, own = belief_context(one), own_context(one)
        if not sees(belief, own):
            found.append({"agent": one, "edge": f"(genlCx {belief} {own})"})
    return {"unseen": found} if found else {}


def _check_known(seat: Seat, agent: str) -> None:
    from koinii.trust.names import check_agent  # noqa: PLC0415 - see above

    check_agent(agent)
    if not _is_met(seat, agent):
        raise NotFoundError(
            f"nobody named {agent} is known here",
            code="koinii/unknown-agent",
            hint="koinii agent lists those that are; koinii pull, if it is elsewhere",
            agent=agent,
        )


def _is_met(seat: Seat, agent: str) -> bool:
    return any(one.name == agent for one in seat.agents())


def disregard(
    seat: Seat, locator: str | None, agent: str | None, *, undo: bool
) -> Named:
    """Hide an own statement, show it again, or list what is hidden."""
    stances = _stances(seat)
    if locator is None:
        if undo:
            raise UsageError("--undo of what?", hint="koinii disregard LOCATOR --undo")
        return {
            "disregards": [one._asdict() for one in stances.disregards(agent=agent)]
        }
    if not undo:
        return {"locator": stances.disregard(locator, agent=agent)}
    mask = _mask(seat, stances, locator, agent)
    return {"locator": stances.restore(mask, agent=agent)}


def _mask(seat: Seat, stances: Stances, locator: str, agent: str | None) -> str:
    """Return the mask that a locator names, or that names what it names."""
    from koinii.terms.locator import locator_of  # noqa: PLC0415 - see above

    named = locator_of(seat.resolve(locator))
    for one in stances.disregards(agent=agent):
        if named in (one.mask, one.target):
            return one.mask
    raise NotFoundError(
        f"{named} is not disregarded",
        code="koinii/not-disregarded",
        hint="koinii disregard lists what is",
        locator=named,
    )


def _stances(seat: Seat) -> Stances:
    from koinii.coordination.stances import Stances  # noqa: PLC0415 - see above

    return Stances(seat)


# The registry -------------------------------------------------------------------


def registry_list(seat: Seat) -> list[Named]:
    """Return the recorded agents."""
    from koinii.coordination.registry import Registry  # noqa: PLC0415 - see above

    known = Registry(seat)
    with seat.kb.view():
        return [
            {
                "agent": one,
                "display_name": _name(known.display_name_of(one)),
                "trust": _text(known.trust_of(one)),
            }
            for one in known.agents()
        ]


def registry_new(seat: Seat, agent: str, display_name: str, trust: str) -> Named:
    """Record an agent, as the admin."""
    from koinii.coordination.registry import Registry  # noqa: PLC0415 - see above

    return {"locators": list(Registry(seat).register(agent, display_name, trust))}


def registry_trust(seat: Seat, agent: str, trust: str) -> Named:
    """Record another trust of an agent, as the admin."""
    from koinii.coordination.registry import Registry  # noqa: PLC0415 - see above

    known = Registry(seat)
    if agent not in known.agents():
        raise NotFoundError(
            f"{agent} is not recorded in the registry",
            code="koinii/unknown-agent",
            hint=f"koinii registry new {agent} --name NAME --trust {trust}",
            agent=agent,
        )
    return {"locator": known.set_trust(agent, trust)}


def _name(value: Term | None) -> str | None:
    return value if isinstance(value, str) else _text(value)


def _text(value: object) -> str | None:
    return None if value is None else write(value)  # type: ignore[arg-type]  # a term
