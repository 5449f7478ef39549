"""Bulk work without the collector of cycles, which would look at every row of it."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def uncollected() -> Iterator[None]:
    """Leave the collector out: rows are in no cycle, so they go when they are done.

    It takes an eighth of a large load otherwise. What others leave meanwhile is
    collected afterwards.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
