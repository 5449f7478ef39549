"""Modes, and what an agent may do beyond its own context (design section 8)."""

from __future__ import annotations

from typing import NamedTuple

COOPERATIVE, PROOF_TIER = "cooperative", "proof-tier"
MODES = (COOPERATIVE, PROOF_TIER)


class Standing(NamedTuple):
    """A member's standing where nothing else is said."""

    moderator: bool = False
    channels: frozenset[str] = frozenset()  # where it moderates if not everywhere
    arbiter: bool = False


MEMBER = Standing()
EVERYBODY = Standing(moderator=True, arbiter=True)  # of mode cooperative
