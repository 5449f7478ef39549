"""The only clock. Randomness is needed for keys alone, whose library has its own."""

from __future__ import annotations

import time


def now_ms() -> int:
    """Return the time in milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000
