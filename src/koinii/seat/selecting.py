"""What a seat takes of other seats: by `seat.toml`, and as the store was filled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import UsageError
from koinii.history.segments import folder_of
from koinii.history.selection import Selection
from koinii.seat.arguments import several, text
from koinii.seat.config import set_selection
from koinii.seat.modes import SELECTION, selected
from koinii.seat.select_names import check_selected
from koinii.store import meta

if TYPE_CHECKING:
    from collections.abc import Iterable

    from koinii.seat.parts import Parts

CHANGED = "what this seat selects has changed; the next pull looks at it again"


def wanted(seat: Parts) -> Selection:
    """Return what `seat.toml` says to take."""
    return Selection(frozenset(seat.config.agents), frozenset(seat.config.contexts))


def checked(
    agents: Iterable[str], contexts: Iterable[str], *, everything: bool
) -> Selection | None:
    """Return a selection of names as they are typed, None where none is typed.

    Raises:
        UsageError: names, and everything.
        RefusedError: a name that nobody and nothing can have.
    """
    selection = Selection(
        frozenset(text(one, "agents") for one in several(agents, "agents")),
        frozenset(text(one, "contexts") for one in several(contexts, "contexts")),
    )
    if everything and not selection.is_whole:
        raise UsageError("everything is no part: leave out one of the two")
    if selection.is_whole and not everything:
        return None
    check_selected(selection.agents, selection.contexts)
    return selection


def keep(seat: Parts, selection: Selection) -> None:
    """Write a selection to `seat.toml`."""
    set_selection(seat.layout.config, selection.agents, selection.contexts)
    seat.forget_config()


def select(seat: Parts, selection: Selection) -> int:
    """Take another part of other seats; return how many lines have left.

    They leave as if they had never come, and own replies to them wait. Every other
    seat is looked at again by the next pull.
    """
    connection = seat.database.connection
    if selection == selected(connection):
        return 0
    with seat.kb.write():
        kinds = selection.recorded() or {}
        lines = "\n".join(" ".join((kind, *names)) for kind, names in kinds.items())
        meta.put(connection, SELECTION, lines)
        gone = sum(
            _let_go(seat, author, context)
            for author, context in _places(seat)
            if not selection.takes(_agent(seat, author), seat.kb.names.context(context))
        )
        for head in seat.histories.heads():
            if head.seat != seat.id and head.tip:
                seat.histories.set_trouble(head.seat, head.trouble or CHANGED)
        seat.kb.settle()
    return gone


def not_taken(seat: Parts) -> list[str]:
    """Return what selected contexts see of others and is not selected itself."""
    selection = selected(seat.database.connection)
    lattice, names = seat.kb.structure.lattice, seat.kb.names
    seen = {one for context in selection.contexts for one in lattice.seen_from(context)}
    signed = {
        names.context(place)
        for author in _others(seat)
        for place, _, _ in seat.kb.assertions.published(author)
        if not selection.takes(_agent(seat, author), names.context(place))
    }
    return sorted(seen & signed)


def never_met(seat: Parts) -> list[str]:
    """Return the selected names that no other seat has shown anything of."""
    selection, authors = selected(seat.database.connection), _others(seat)
    agents = {_agent(seat, author) for author in authors}
    contexts = {
        seat.kb.names.context(place)
        for author in authors
        for place, _, _ in seat.kb.assertions.published(author)
    }
    return sorted([*selection.agents - agents, *selection.contexts - contexts])


def _others(seat: Parts) -> list[int]:
    """Return the authors of other seats."""
    author_id = seat.kb.names.author_id
    rows = [one for one in seat.histories.agents() if one.seat != seat.id]
    found = [author_id(one.name, one.seat) for one in rows]
    return [one for one in found if one is not None]


def _places(seat: Parts) -> set[tuple[int, int]]:
    """Return where authors of other seats have lines, held ones too."""
    rows, others = seat.kb.assertions, _others(seat)
    places = {(author, one) for author in others for one in rows.contexts_of(author)}
    return places | {row[:2] for row in rows.held() if row[0] in others}


def _agent(seat: Parts, author: int) -> str:
    return seat.kb.names.author(author)[0]


def _let_go(seat: Parts, author: int, context: int) -> int:
    digests = seat.kb.assertions.digests(author, context)
    gone = seat.kb.set_aside(author, digests)
    gone += seat.kb.assertions.release([(author, context, one) for one in digests])
    folder = folder_of(_agent(seat, author), seat.kb.names.context(context))
    seat.files.see(author, folder, [])
    return gone
