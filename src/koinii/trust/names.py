"""Agent names and the contexts that are theirs (spec B.1)."""

from __future__ import annotations

import re

from koinii.errors import RefusedError
from koinii.kb.contexts import belief_context, own_context

__all__ = ["belief_context", "check_agent", "own_context"]

INFRASTRUCTURE = frozenset(
    {"CxCore", "CxRegistry", "CxSpeechActs", "CxDisputes", "CxMajority", "CxUniverse"}
)
ADMIN = "AdminRoot"  # the author of the registry; its key grants standing
REGISTRY = "CxRegistry"
RESERVED = frozenset({"AgentMajority", "AgentRegistry", ADMIN})
RESERVED_MAIL = frozenset({"broadcast", "koinii", "operator"})
_AGENT = re.compile(r"Agent[A-Z][A-Za-z0-9]*")
_MAIL = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
MAX_NAME = 128


def check_agent(name: str) -> None:
    """Refuse a name that no agent may have.

    Raises:
        RefusedError: `naming` for its spelling, `koinii/reserved-name` where the
            name or its context belongs to something else.
    """
    if not _AGENT.fullmatch(name) or len(name) > MAX_NAME:
        raise RefusedError(
            f"{name!r} is no agent's name",
            code="naming",
            hint="names look like AgentAtlas: Agent, a capital, letters and digits",
            name=name,
        )
    if (
        name in RESERVED
        or name.startswith("AgentAgent")
        or own_context(name) in INFRASTRUCTURE
    ):
        raise RefusedError(
            f"the name {name} is reserved",
            code="koinii/reserved-name",
            hint="choose another name",
            name=name,
        )


def home_context(agent: str) -> str:
    """Return where an agent speaks if it names no place."""
    return REGISTRY if agent == ADMIN else own_context(agent)


def check_mail_name(name: str) -> None:
    """Refuse a name that no mailbox may have.

    Raises:
        RefusedError: `naming` for its spelling, `koinii/reserved-name`.
    """
    if not _MAIL.fullmatch(name) or len(name) > MAX_NAME:
        raise RefusedError(
            f"{name!r} is no mail name",
            code="naming",
            hint="mail names look like worker-marki: small letters, digits, hyphens",
            name=name,
        )
    if name in RESERVED_MAIL:
        raise RefusedError(
            f"the mail name {name} is reserved",
            code="koinii/reserved-name",
            hint="choose another name",
            name=name,
        )
