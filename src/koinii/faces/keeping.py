"""What `gc` calls, and how its answer reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from koinii.remote.collecting import Collected
    from koinii.remote.seat import RemoteSeat


def gc(seat: RemoteSeat) -> Collected:
    """Give back what nobody needs."""
    return seat.gc()


def rehearse_gc(seat: RemoteSeat) -> Collected:
    """Say what there is to give back."""
    return seat.rehearse_gc()


def lines(found: Collected) -> list[str]:
    """Return the answer as text: what there was, and what is left."""
    before, after = found.before, found.after
    if after is None:
        packs = f"{before.packs} packs in {_shown(before.repository)} to join"
        rewritten = "to be written again" if found.compacted else "not worth writing"
        return [
            f"repository: {packs}",
            f"store: {_shown(before.store)}, log {_shown(before.log)}, "
            f"{_shown(before.free)} free, {rewritten}",
        ]
    store = _shown(before.store + before.log), _shown(after.store + after.log)
    return [
        f"repository: {before.packs} packs in {_shown(before.repository)}, now "
        f"{after.packs} in {_shown(after.repository)}",
        f"store: {store[0]}, now {store[1]}"
        + (", written again" if found.compacted else ""),
    ]


def _shown(size: int) -> str:
    """Return a number of bytes as people read it."""
    for unit, scale in (("MB", 1_000_000), ("kB", 1_000)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size} bytes"
