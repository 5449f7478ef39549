"""The seats of the faces' tests, and rooms, for cases that are about whole commands."""

from pathlib import Path

import pytest

from cases.seats import folder
from faces.conftest import here, made, nobody, seat

__all__ = ["folder", "here", "made", "nobody", "outside", "seat"]


@pytest.fixture(autouse=True)
def outside(
    nobody: None,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """A place of its own for each test, after all that a user may have set is gone."""
    place = tmp_path_factory.mktemp("outside")
    monkeypatch.setenv("KOINII_HOME", str(place))
    return place
