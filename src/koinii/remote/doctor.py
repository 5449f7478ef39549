"""A seat looked at from all sides, and mended on demand.

Looking writes nothing and works where the store does not open. What follows
from the assertions is worked out anew in a copy, so looking takes about as long
as loading them did, and twice the store's room in the temporary directory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.recomputing import rebuild as rebuild_base
from koinii.remote.check_git import check_git, check_remotes, check_repository
from koinii.remote.libgit import choose
from koinii.remote.mending import mend
from koinii.remote.read_back import put_back
from koinii.remote.remaking import remake
from koinii.remote.seat import RemoteSeat
from koinii.seat import clock
from koinii.seat.check import ATTENTION, Check, looked
from koinii.seat.check_contents import check_derived, check_store, check_waiting
from koinii.seat.check_instance import check_instance, check_own_history
from koinii.seat.check_keys import check_keys
from koinii.seat.check_place import check_place
from koinii.seat.check_trust import check_mode, check_trust
from koinii.seat.layout import Layout
from koinii.seat.parts import open_parts
from koinii.seat.seat import Seat
from koinii.seat.watching import unwatched
from koinii.store.database import explained, open_store, upgrade_store

if TYPE_CHECKING:
    from koinii.seat.watching import Watch


class Examined(NamedTuple):
    """What was done, if that was asked, and how everything stands after it."""

    done: list[str]
    checks: list[Check]

    @property
    def whole(self) -> bool:
        """Whether nothing wants attention."""
        return all(one.state != ATTENTION for one in self.checks)


def examine(
    layout: Layout,
    *,
    fix: bool = False,
    upgrade: bool = False,
    rebuild: bool = False,
    remotes: bool = False,
    now: Callable[[], int] = clock.now_ms,
    watch: Watch = unwatched,
) -> Examined:
    """Look at everything, after mending what was asked for.

    `upgrade` brings an older store to this program's version, `rebuild` makes
    again what follows from the assertions, `fix` mends the private repository,
    `remotes` asks the remotes too, and with `fix` gives them again what they lost.

    Raises:
        SurroundingsError: what was asked for cannot be done.
        VerificationError: `koinii/row-altered`: there is nothing to rebuild on.
    """
    done = _upgrade(layout) if upgrade else []
    if rebuild:
        done += _rebuild(layout, watch)
    if fix:
        done += remake(layout, now)
        with RemoteSeat.open(layout.directory) as seat:
            done += mend(seat, seat.git)
            done += put_back(seat, seat.git) if remotes else []
        done = done or ["nothing to mend"]
    checks = looked("git", lambda: check_git(Path(layout.state)))
    has_git = all(one.state != ATTENTION for one in checks)
    checks += looked(
        "store", lambda: _contents(layout, watch, git=has_git, remotes=remotes)
    )
    return Examined(done, [*check_place(layout, now()), *checks])


def _upgrade(layout: Layout) -> list[str]:
    found = upgrade_store(layout.store)
    if not found.backup:
        return [f"the store has version {found.after}, the newest"]
    return [
        f"the store went from version {found.before} to {found.after}; "
        f"as it was before: {found.backup}"
    ]


def _rebuild(layout: Layout, watch: Watch) -> list[str]:
    with explained(layout.store), Seat(*open_parts(layout.directory)) as seat:
        found = rebuild_base(seat.kb, seat.database, watch)
    return [
        f"made again what follows from the assertions; root before: "
        f"{_root(found.before)}; after: {_root(found.after)}"
        + (", belief moved" if found.moved else "")
    ]


def _root(root: tuple[bytes, int]) -> str:
    return f"sha256:{root[0].hex()} over {root[1]}"


def _contents(layout: Layout, watch: Watch, *, git: bool, remotes: bool) -> list[Check]:
    """Look at what only an open store can tell."""
    with explained(layout.store), Seat(layout, open_store(layout.store)) as seat:
        seat.progress = watch
        repository = choose(Path(layout.git))
        looks: dict[str, Callable[[], Iterable[Check]]] = {
            "store": lambda: check_store(seat),
            "mode": lambda: check_mode(seat),
            "keys": lambda: check_keys(seat),
            "instance": lambda: check_instance(seat),
            "history": lambda: check_own_history(seat),
            "trust": lambda: check_trust(seat),
            "received": lambda: check_waiting(seat),
            "derived": lambda: check_derived(seat),
        }
        if git:
            looks["repository"] = lambda: check_repository(seat, repository)
        if git and remotes:
            looks["remotes"] = lambda: check_remotes(seat, repository)
        return [one for name, look in looks.items() for one in _read(seat, name, look)]


def _read(seat: Seat, name: str, look: Callable[[], Iterable[Check]]) -> list[Check]:
    """Look at what may be damaged in the store itself."""

    def told() -> Iterator[Check]:
        with explained(seat.database.path):
            yield from look()

    return looked(name, told)
