"""Authors as rows of the base: whether and how much their word counts now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import KoiniiError, NotFoundError, RefusedError
from koinii.seat.modes import LIMITS, admin_of, mode_of
from koinii.store import meta
from koinii.trust.names import ADMIN, check_agent
from koinii.trust.reasons import RETIRED, REVOKED
from koinii.trust.standing import COOPERATIVE, Standing

if TYPE_CHECKING:
    from koinii.seat.parts import Parts


_OF_A_COMMIT = ("", REVOKED, RETIRED)  # the next one may be weighed otherwise


def refusal_at_door(seat: Parts, name: str) -> str:
    """Return why what an agent of this seat says now would not count."""
    refusal = seat.histories.refusal(name, seat.id)
    if refusal not in _OF_A_COMMIT or not meta.get(seat.database.connection, LIMITS):
        return refusal
    counting, known = seat.weighing()
    return counting.weigh(known[name, seat.id], next_number(seat))


def newest_number(seat: Parts, name: str, place: str) -> int:
    """Return the commit of an author's newest set, 0 for none.

    A set of this seat that has changed is one of the next commit.
    """
    author = seat.kb.names.author_id(name, place)
    if author is None:
        return 0
    if place == seat.id and any(one == author for one, _ in seat.kb.assertions.dirty()):
        return next_number(seat)
    row = seat.histories.input(author)
    return 0 if row is None else row.number


def next_number(seat: Parts) -> int:
    """Return the number of this seat's next commit."""
    head = seat.histories.head(seat.id)
    return head.size + 1 if head else 1


def make_author(seat: Parts, name: str, place: str) -> int:
    """Return an author's row id, made with the standing that it has now."""
    author = seat.kb.names.author_id(name, place)
    if author is not None:
        return author
    author = seat.kb.names.make_author(name, place)
    if mode_of(seat.database.connection) != COOPERATIVE or name == ADMIN:
        set_standing(seat, author, seat.weighing().counting.standing(name))
    return author


def set_standing(seat: Parts, author: int, standing: Standing) -> None:
    """Tell the base what an author's word is worth."""
    seat.kb.set_standing(author, arbiter=standing.arbiter, moderator=standing.moderator)


def no_agent(seat: Parts, name: str) -> KoiniiError:
    """Return the refusal of a name that has no key at this seat, '' for nobody's.

    Of a name that no agent may have, too, that it is one.
    """
    if not name:
        return NotFoundError(
            "nobody speaks at this seat, which only reads",
            code="koinii/unknown-agent",
            hint="koinii agent new AgentYou, and --as AgentYou with what it says",
        )
    if name != ADMIN:
        try:
            check_agent(name)
        except RefusedError as error:
            return error
    return NotFoundError(
        f"{name} is no agent of this seat",
        code="koinii/unknown-agent",
        hint=way_in(seat, name),
        agent=name,
    )


def way_in(seat: Parts, name: str) -> str:
    """Return what lets an agent speak at this seat, where it has no key as yet."""
    if name == ADMIN:
        pinned = admin_of(seat.database.connection)
        if pinned is None:
            return "koinii admin init"
        from koinii.note import PublicKey  # noqa: PLC0415 - off the hot path

        key = PublicKey(pinned).fingerprint
        return f"the admin here is {key}; say it at the seat that has that key"
    if name in seat.histories.pins():
        return f"koinii agent new {name} --key FILE, with the key it has elsewhere"
    return f"koinii agent new {name}"
