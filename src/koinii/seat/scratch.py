"""A seat of nobody, in a temporary folder that goes with it.

Everything that is applied there is of other seats. It has no key, no agent and no
settings; it never commits, and leaves nothing outside of its folder.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from koinii.seat.layout import Layout
from koinii.seat.seat import Seat
from koinii.store import meta
from koinii.store.database import create

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.seat.watching import Watch

_NOBODY = "0" * 32  # no key's hash


@contextmanager
def scratch_seat(watch: Watch) -> Iterator[Seat]:
    """Give an empty seat to apply to; nothing of it outlives the process."""
    with tempfile.TemporaryDirectory(prefix="koinii-") as folder:
        layout = Layout(folder)
        Path(layout.state).mkdir(mode=0o700)
        database = create(layout.store)
        database.connection.execute("PRAGMA synchronous = OFF")
        meta.put(database.connection, "seat", _NOBODY)
        with Seat(layout, database) as seat:
            seat.progress = watch
            yield seat
