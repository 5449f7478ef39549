"""Who counts here: what is stored of statements and decisions, weighed.

What it says of each author is stored by `reviewing`; everybody else reads that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.store import meta
from koinii.trust.counting import OWNING, Counting, Decisions, Pin
from koinii.trust.names import ADMIN
from koinii.trust.presence import Presence, known_presence
from koinii.trust.standing import COOPERATIVE, Standing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from koinii.seat.parts import Parts

MODE = "mode"  # keys of the store's single values
ADMIN_KEY = "admin"
STANDING = "standing"


class Weighing(NamedTuple):
    """Everybody known here, and how to weigh them."""

    counting: Counting
    known: Mapping[tuple[str, str], Presence]


def mode_of(seat: Parts) -> str:
    """Return the mode by which what is stored was weighed last."""
    return str(meta.get(seat.database.connection, MODE) or COOPERATIVE)


def admin_of(seat: Parts) -> bytes | None:
    """Return the raw key of the pinned admin."""
    key = meta.get(seat.database.connection, ADMIN_KEY)
    assert key is None or isinstance(key, bytes)  # noqa: S101 - written so
    return key


def weigh_all(seat: Parts) -> Weighing:
    """Read every statement that is stored; O(agents known)."""
    known = {
        (row.name, row.seat): known_presence(row.statements, row.name, row.seat)
        for row in seat.histories.agents()
    }
    return Weighing(Counting(_decisions(seat), known.values()), known)


def _decisions(seat: Parts) -> Decisions:
    from koinii.note import PublicKey  # noqa: PLC0415 - off the hot path

    admin = admin_of(seat)
    pins = seat.histories.pins().items()
    return Decisions(
        mode=mode_of(seat),
        admin=None if admin is None else PublicKey(admin).key_hash,
        pins={
            name: Pin(bytes.fromhex(pin.key_hash), pin.decided) for name, pin in pins
        },
        unfollowed=seat.histories.unfollowed(),
    )


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


def owning(verdicts: Mapping[tuple[str, str], str]) -> set[str]:
    """Return the agents whose contexts are their own."""
    return {
        name
        for (name, _), refusal in verdicts.items()
        if refusal in OWNING and name != ADMIN
    }


def make_author(seat: Parts, name: str, place: str) -> int:
    """Return an author's row id, made with the standing that it has now."""
    author = seat.kb.names.author_id(name, place)
    if author is not None:
        return author
    author = seat.kb.names.make_author(name, place)
    if mode_of(seat) != COOPERATIVE or name == ADMIN:
        set_standing(seat, author, seat.weighing().counting.standing(name))
    return author


def set_standing(seat: Parts, author: int, standing: Standing) -> None:
    """Tell the base what an author's word is worth."""
    seat.kb.set_standing(author, arbiter=standing.arbiter, moderator=standing.moderator)
