"""A context that is no channel here, and what can be done about that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import RefusedError
from koinii.seat.held import held
from koinii.terms.printer import write
from koinii.terms.term import Symbol
from koinii.trust.names import INFRASTRUCTURE

if TYPE_CHECKING:
    from koinii.seat.parts import Parts


def no_channel(seat: Parts, name: str) -> RefusedError:
    """Return the refusal of a context that nobody has declared, as far as is known."""
    said, hint = _whose(seat, name) or _declared_in_vain(seat, name) or _nobodys(name)
    return RefusedError(said, code="koinii/no-channel", hint=hint, channel=name)


def _whose(seat: Parts, name: str) -> tuple[str, str] | None:
    owner = seat.kb.structure.owners.get(name)
    if owner is None and name not in INFRASTRUCTURE:
        return None
    whose = "the program" if owner is None else owner.agent
    return (
        f"{name} is {whose}'s own context and cannot be a channel",
        "koinii channel lists those that are; koinii channel new CxOther makes one",
    )


def _declared_in_vain(seat: Parts, name: str) -> tuple[str, str] | None:
    line = write((Symbol("channel"), Symbol(name)))
    for one in held(seat):
        if line in one.line:
            return (
                f"that {name} is a channel was said by {one.agent} at seat "
                f"{one.seat[:8]}, and is held: {one.why}",
                f"koinii held shows it; {one.hint}",
            )
    return None


def _nobodys(name: str) -> tuple[str, str]:
    return (
        f"{name} is not declared as a channel here",
        f"koinii channel new {name}; or koinii pull, if another did",
    )
