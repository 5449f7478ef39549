"""The only clock and the only randomness."""

from __future__ import annotations

import secrets
import time


def now_ms() -> int:
    """Return the time in milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


def random_hex(length: int) -> str:
    """Return `length` random hex digits."""
    return secrets.token_hex((length + 1) // 2)[:length]
