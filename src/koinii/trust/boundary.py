"""The write boundary: who may say what where (design section 8).

One function for every door: typed, loaded and pulled lines. It is pure: what
it needs to know of the seat is in its `World`. Whether the speaker's word counts
at all is decided before (`counting`); here it is where it may say what.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import RefusedError
from koinii.kb.contexts import MAJORITY, UNIVERSE
from koinii.terms.folds import word
from koinii.terms.shape import STRUCTURAL, check_context, check_sentence
from koinii.terms.term import Symbol
from koinii.trust.names import (
    ADMIN,
    INFRASTRUCTURE,
    MAX_NAME,
    REGISTRY,
    belief_context,
    own_context,
)
from koinii.trust.standing import MEMBER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from koinii.terms.term import Term
    from koinii.trust.standing import Standing

_MEETINGS = {"channel": "a channel", "convened": "convened"}
DEFAULT = 0
IN_UNIVERSE = frozenset(
    {
        "channel",
        "convened",
        "genlCx",
        "modalPredicate",
        "symmetric",
        "targetFollowingPredicate",
    }
)


class World(NamedTuple):
    """What a decision may depend on besides the line itself."""

    owners: Mapping[str, str]  # own and belief contexts of every introduced agent
    standing: Mapping[str, Standing] | None = None  # by agent; None: all have all


class Refusal(NamedTuple):
    """Why a line is not let in; the code is stable."""

    code: str
    message: str
    hint: str = ""


def world_of(
    agents: Iterable[str], standing: Mapping[str, Standing] | None = None
) -> World:
    """Return the world in which exactly these agents are introduced."""
    owners: dict[str, str] = {}
    for agent in agents:
        owners[own_context(agent)] = agent
        owners[belief_context(agent)] = agent
    return World(owners, standing)


def admit(
    speaker: str, context: str, sentence: Term, strength: int, world: World
) -> Refusal | None:
    """Decide whether an agent's line is let in; None is yes.

    The sentence is in canonical form. Its shape comes first, then the place, then
    what only some may say.
    """
    name = word(sentence)
    return (
        _by_shape(sentence)
        or _context_fault(context)
        or _by_place(speaker, context, world)
        or _by_structure(name, speaker, context, (sentence, strength), world)
        or _by_standing(name, speaker, context, sentence, world)
    )


def _by_shape(sentence: Term) -> Refusal | None:
    try:
        check_sentence(sentence)
    except RefusedError as error:
        return Refusal(error.code, error.message, error.hint)
    return None


@lru_cache(maxsize=1024)
def _context_fault(context: str) -> Refusal | None:
    try:
        check_context(Symbol(context))
    except RefusedError as error:
        return Refusal(error.code, error.message, error.hint)
    if len(context) > MAX_NAME:
        return Refusal("naming", f"a context's name has at most {MAX_NAME} letters")
    return None


def _by_place(speaker: str, context: str, world: World) -> Refusal | None:
    if speaker == ADMIN:
        return None if context == REGISTRY else _off_registry()
    if context == REGISTRY:
        return Refusal(
            "koinii/registry-forbidden", f"only the admin writes in {REGISTRY}"
        )
    if context in INFRASTRUCTURE and context != UNIVERSE:
        return Refusal(
            "koinii/foreign-context",
            f"{context} is kept by the program",
            f"write in {own_context(speaker)} or a channel",
        )
    owner = world.owners.get(context, speaker)
    if owner != speaker:
        return Refusal(
            "koinii/foreign-context",
            f"{context} belongs to {owner}, not to {speaker}",
            f"write in {own_context(speaker)} or a channel",
        )
    return None


def _off_registry() -> Refusal:
    return Refusal(
        "koinii/admin-off-registry",
        f"the admin writes in {REGISTRY} and nowhere else",
        "say it as an agent: --as AgentYou",
    )


def _by_structure(
    name: str, speaker: str, context: str, said: tuple[Term, int], world: World
) -> Refusal | None:
    sentence, strength = said
    if name not in STRUCTURAL:
        return None
    if name in IN_UNIVERSE and context != UNIVERSE:
        return Refusal(
            "shape",
            f"{name} statements stand in {UNIVERSE}",
            f"koinii assert --in {UNIVERSE} ...",
        )
    if strength == DEFAULT:
        return Refusal(
            "shape",
            f"{name} statements are always monotonic",
            "say it without a strength: koinii assert",
        )
    if name in ("channel", "convened"):
        return _meeting(name, sentence, world)
    return _edge(speaker, sentence, world) if name == "genlCx" else None


def _edge(speaker: str, sentence: Term, world: World) -> Refusal | None:
    """What a context sees is its owner's to say, and the program's of its own."""
    assert isinstance(sentence, tuple)  # noqa: S101 - its shape was checked
    sub = sentence[1]
    assert isinstance(sub, Symbol)  # noqa: S101 - its shape was checked
    owner = world.owners.get(sub.name, speaker)
    if owner != speaker or sub.name in INFRASTRUCTURE:
        kept = owner if owner != speaker else "the program"
        return Refusal(
            "koinii/foreign-context",
            f"what {sub.name} sees is for {kept} to say",
            "make a channel see it: koinii join CxChannel",
        )
    return None


def _meeting(word: str, sentence: Term, world: World) -> Refusal | None:
    assert isinstance(sentence, tuple)  # noqa: S101 - its shape was checked
    (_, context) = sentence
    assert isinstance(context, Symbol)  # noqa: S101 - its shape was checked
    name = context.name
    if name in INFRASTRUCTURE or name in world.owners:
        return Refusal(
            "koinii/foreign-context",
            f"{name} is {world.owners.get(name, 'the program')}'s own context "
            f"and cannot be {_MEETINGS[word]}",
            "choose another name for it",
        )
    return None


# Standing ---------------------------------------------------------------------


def _by_standing(
    name: str, speaker: str, context: str, sentence: Term, world: World
) -> Refusal | None:
    """What takes more than to be a member, where standing is granted."""
    if world.standing is None or speaker == ADMIN:
        return None
    standing = world.standing.get(speaker, MEMBER)
    if standing.moderator:
        return None
    if name == "genlCx":
        allowed = _is_members_edge(speaker, sentence, world)
    else:
        here = context in standing.channels or world.owners.get(context) == speaker
        allowed = here and (name == "except" or name not in STRUCTURAL)
    if allowed:
        return None
    what = f"what stands in {context} takes"
    if name in STRUCTURAL:
        what = f"{name} statements take"
    return Refusal(
        "koinii/no-standing",
        f"{what} a moderator, and {speaker} is none here",
        f"koinii admin grant {speaker} moderator, by the admin; or write in "
        f"{own_context(speaker)}",
    )


def _is_members_edge(speaker: str, sentence: Term, world: World) -> bool:
    """Tell whether an edge is one that a member may say.

    What it sees; that its belief context sees its own; and that a context that is
    nobody's sees it, or what counts have ruled, which has effect only while that is a
    declared channel.
    """
    assert isinstance(sentence, tuple)  # noqa: S101 - its shape was checked
    _, sub, above = sentence
    assert isinstance(sub, Symbol)  # noqa: S101 - its shape was checked
    assert isinstance(above, Symbol)  # noqa: S101 - its shape was checked
    own = own_context(speaker)
    if sub.name == own:
        return True
    if above.name == MAJORITY:
        return sub.name not in world.owners
    return above.name == own and (
        sub.name == belief_context(speaker) or sub.name not in world.owners
    )
