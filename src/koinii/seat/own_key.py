"""The key that speaks for this seat: its history, its heads, its git commits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from koinii.errors import SurroundingsError, VerificationError
from koinii.note import read_private_key, seat_id

if TYPE_CHECKING:
    from koinii.note import PrivateKey
    from koinii.seat.parts import Parts


def own_key(seat: Parts) -> PrivateKey:
    """Return the private key of this seat, once it is the one it is named after.

    Raises:
        SurroundingsError: the file cannot be read, others can read it, or it holds
            another key or none.
    """
    path = seat.layout.seat_key
    try:
        key = read_private_key(Path(path))
    except VerificationError as error:
        raise _other(path) from error
    if seat_id(key.public) != seat.id:
        raise _other(path)
    return key


def _other(path: str) -> SurroundingsError:
    return SurroundingsError(
        f"{path} is not the key of this seat",
        code="koinii/other-key",
        hint="put the seat's own key back; koinii doctor says which it is",
        path=path,
    )
