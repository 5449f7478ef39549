"""Where the kit runs: nobody's settings, nobody's memory of heads but its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def surroundings(home: Path) -> Iterator[None]:
    """An empty HOME, and what koinii keeps outside of seats below it."""
    home.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith(("GIT_", "SSH_", "XDG_", "KOINII_HOME")):
                patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("KOINII_HOME", str(home / "koinii"))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        yield
