"""The registry: what the admin records of agents, for people (spec B.1).

Trust is a number that is stored: nothing computes it, and nothing follows from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.coordination.identity import (
    Principal,
    admin_principal,
    check_write_boundary,
)
from koinii.errors import RefusedError, UsageError
from koinii.seat.arguments import parse, text
from koinii.terms.canonical import canonical
from koinii.terms.printer import write
from koinii.terms.term import Decimal, Ratio, Symbol
from koinii.trust.names import REGISTRY, check_agent

if TYPE_CHECKING:
    from koinii.coordination.medium import Medium
    from koinii.kb.sentex import Sentex
    from koinii.seat.seat import Seat
    from koinii.terms.locator import Locator
    from koinii.terms.term import Term

AGENT, NAME, TRUST = "agent", "displayNameOf", "trustLevel"


def register_agent(
    medium: Medium, principal: Principal, agent: str, display_name: str, trust: Term
) -> list[Locator]:
    """Record an agent, its name and how far it is trusted; all or nothing.

    Doing it again with the same values changes nothing; another name or trust is
    refused (`functional`): `set_trust` changes the one.

    Raises:
        RefusedError: `koinii/registry-forbidden`: who is not the admin.
        UsageError: the trust is no number.
    """
    check_write_boundary(principal, REGISTRY)
    check_agent(agent)
    _check_number(trust)
    said: list[Term] = [
        (Symbol(AGENT), Symbol(agent)),
        (Symbol(NAME), Symbol(agent), display_name),
        (Symbol(TRUST), Symbol(agent), trust),
    ]
    try:
        done = medium.edit(agent=principal.id, add=said, remove=[], context=REGISTRY)
    except RefusedError as error:
        if error.code == "functional":
            raise _recorded(medium, principal, said, error) from error
        raise
    return done.added


def _recorded(
    medium: Medium, principal: Principal, said: list[Term], error: RefusedError
) -> RefusedError:
    """Return the refusal of another name or trust, with what changes them."""
    ways = []
    for word, given in zip((NAME, TRUST), said[1:], strict=True):
        assert isinstance(given, tuple)  # noqa: S101 - built above
        agent, value = write(given[1]), write(given[2])
        now = _records(medium, word, agent)
        if not now or now[0].sentence == canonical(given):
            continue
        if word == TRUST:
            ways.append(f"koinii registry trust {agent} {value}")
        else:
            ways.append(
                f"koinii retract {now[0].locator} --as {principal.id}, and then this"
            )
    return RefusedError(
        error.message, code=error.code, hint="; ".join(reversed(ways)), **error.details
    )


def set_trust(medium: Medium, principal: Principal, agent: str, value: Term) -> Locator:
    """Put another number in the place of an agent's trust, in one operation.

    Raises:
        UsageError: it is no number.
    """
    check_write_boundary(principal, REGISTRY)
    _check_number(value)
    said = Symbol(TRUST), Symbol(agent), value
    now = _records(medium, TRUST, agent)
    gone = [one.locator for one in now if one.sentence != canonical(said)]
    done = medium.edit(agent=principal.id, add=[said], remove=gone, context=REGISTRY)
    return done.added[0]


def _check_number(value: Term) -> None:
    if type(value) not in (int, float, Ratio, Decimal):  # True is an int to Python
        raise UsageError(
            f"trust is a number, not {write(value)[:80]}",
            hint="such as 1, 0.9, 0.9M or 9/10",
            parameter="trust",
        )


def trust_of(medium: Medium, agent: str) -> Term | None:
    """Return an agent's trust, None where none is recorded."""
    return _value(_records(medium, TRUST, agent))


def display_name_of(medium: Medium, agent: str) -> Term | None:
    """Return how an agent is shown to people, None where nothing is recorded."""
    return _value(_records(medium, NAME, agent))


def registered_agents(medium: Medium) -> list[str]:
    """Return the recorded agents, by name."""
    pattern = Symbol(AGENT), Symbol("?agent")
    named = {one.sentence[1] for one in medium.matching(pattern, REGISTRY)
             if isinstance(one.sentence, tuple)}  # fmt: skip
    return sorted(one.name for one in named if isinstance(one, Symbol))


def co_attribution(medium: Medium, sentence: Term) -> list[str]:
    """Return the contexts that hold a sentence independently of each other."""
    return sorted({one.context for one in medium.matching(sentence, None)})


class Registry:
    """The registry as a seat reads it, and as its admin writes it.

    What is written is the admin's word, signed with its key, which lies at one seat.
    """

    def __init__(self, seat: Seat) -> None:
        from koinii.coordination.local import Local  # noqa: PLC0415 - for this class only

        self._medium: Medium = Local(seat)

    def register(
        self, agent: str, display_name: str, trust: str | Term
    ) -> list[Locator]:
        """Record an agent, its name for people, and how far it is trusted."""
        return register_agent(
            self._medium,
            admin_principal(),
            text(agent, "agent"),
            text(display_name, "display_name"),
            parse(trust),
        )

    def set_trust(self, agent: str, trust: str | Term) -> Locator:
        """Put another number in the place of an agent's trust."""
        said = text(agent, "agent"), parse(trust)
        return set_trust(self._medium, admin_principal(), *said)

    def trust_of(self, agent: str) -> Term | None:
        """Return an agent's trust, None where none is recorded."""
        return trust_of(self._medium, text(agent, "agent"))

    def display_name_of(self, agent: str) -> Term | None:
        """Return how an agent is shown to people, None where nothing is recorded."""
        return display_name_of(self._medium, text(agent, "agent"))

    def agents(self) -> list[str]:
        """Return the recorded agents, by name."""
        return registered_agents(self._medium)


def _records(medium: Medium, word: str, agent: str) -> list[Sentex]:
    pattern = Symbol(word), Symbol(agent), Symbol("?value")
    return list(medium.matching(pattern, REGISTRY))


def _value(records: list[Sentex]) -> Term | None:
    for one in records:
        if isinstance(one.sentence, tuple):
            return one.sentence[-1]
    return None
