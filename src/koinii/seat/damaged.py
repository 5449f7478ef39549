"""Naming the row of the store that is not as it was written."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from koinii.errors import VerificationError

if TYPE_CHECKING:
    from collections.abc import Iterator

RESTORE = "clone the seat again from its remote, or restore a backup"


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Say of which row it is that something in it cannot be read or was not signed.

    Raises:
        VerificationError: `koinii/row-altered`.
    """
    try:
        yield
    except (VerificationError, ValueError) as error:
        reason = error.message if isinstance(error, VerificationError) else str(error)
        raise VerificationError(
            f"{what} is damaged in the store: {reason}",
            code="koinii/row-altered",
            hint=f"koinii doctor names all that is; {RESTORE}",
        ) from error
