"""What audit, diff and the log of a belief call: one step each, nothing more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import koinii
from koinii.errors import KoiniiError, NotFoundError, SurroundingsError

if TYPE_CHECKING:
    from koinii.faces.surroundings import Surroundings
    from koinii.remote.differing import Difference
    from koinii.remote.rebuilding import Audited
    from koinii.remote.seat import RemoteSeat
    from koinii.remote.turning import Turns
    from koinii.seat.seat import Seat


def audit(at: Surroundings, target: str, source: str, *, every: bool) -> list[Audited]:
    """Rebuild one commit, or all up to it, from a remote alone.

    Where there is a seat here, a commit that it has met and the remote does not show
    is one that is not rebuilt.
    """
    url = _address(at, source)
    try:
        seat = koinii.open(at.layout().directory)
    except KoiniiError:
        if every:
            return list(koinii.audit_all(url, target, watch=at.watch))
        return [koinii.audit(url, target, watch=at.watch)]
    with seat:
        seat.progress = at.watch
        if every:
            return list(seat.audit_all(target, from_=source))
        return [seat.audit(target, from_=source)]


def _address(at: Surroundings, source: str) -> str:
    """Return the address of a remote of the seat here, or the one that was given.

    Raises:
        SurroundingsError: `koinii/no-seat`: a name, and no seat here that knows it.
        NotFoundError: `koinii/unknown-remote`.
    """
    from koinii.remote.address import is_name  # noqa: PLC0415 - for this verb only
    from koinii.seat.config import read_config  # noqa: PLC0415 - for this verb only

    try:
        remotes = read_config(at.layout().config).remotes
    except SurroundingsError:
        if is_name(source):
            raise
        return source
    if source not in remotes and is_name(source):
        raise NotFoundError(
            f"there is no remote {source}",
            code="koinii/unknown-remote",
            hint=f"koinii remote add {source} ADDRESS, or --from ADDRESS",
            remote=source,
        )
    return remotes.get(source, source)


def not_rebuilt(found: list[Audited]) -> KoiniiError | None:
    """Return what the first commit that does not agree comes to."""
    from koinii.remote.auditing import refusal  # noqa: PLC0415 - for this verb only

    first = next((at for at, one in enumerate(found) if not one.equal), None)
    if first is None:
        return None
    error = refusal(found[first], first)
    if error is not None and len(found) > 1:
        error.details["audited"] = found
    return error


def diff(seat: RemoteSeat, target: str, limit: int) -> Difference:
    """Compare what is believed here with a commit that is known here."""
    return seat.diff(target, limit=limit)


def is_in_part(found: Difference) -> bool:
    """Tell whether the other side could not be rebuilt whole."""
    return found.missing is not None


def belief(seat: Seat, locator: str, limit: int | None) -> Turns:
    """Tell with which commits a claim came to be believed, or ceased to be."""
    from pathlib import Path  # noqa: PLC0415 - for this verb only

    from koinii.remote.libgit import choose  # noqa: PLC0415 - for this verb only
    from koinii.remote.turning import turns  # noqa: PLC0415 - for this verb only

    found = turns(seat, choose(Path(seat.layout.git)), locator)
    return found._replace(turns=found.turns[:limit])


def is_known_in_part(found: object) -> bool:
    """Tell whether there are commits of which it is not known what they believed."""
    return bool(getattr(found, "unknown", ()))
