"""Profiles of hypothesis, and a place outside of every seat that is no user's.

`ci` by default, the same examples in each run; `soak` where KOINII_SOAK is set, many
and others each time; `explore` by `--hypothesis-profile`, few and others each time.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True)
settings.register_profile(
    "explore", settings.get_profile("ci"), derandomize=False, database=None
)
settings.register_profile(
    "soak",
    settings.get_profile("explore"),
    max_examples=2_000,
    stateful_step_count=200,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("soak" if os.environ.get("KOINII_SOAK") else "ci")

# For what is made before the first test, or by no test at all.
os.environ["KOINII_HOME"] = tempfile.mkdtemp(prefix="koinii-home-")
atexit.register(shutil.rmtree, os.environ["KOINII_HOME"], ignore_errors=True)


@pytest.fixture(autouse=True)
def outside(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A place of its own for each test, where seats keep what is outside of them."""
    folder = tmp_path_factory.mktemp("outside")
    monkeypatch.setenv("KOINII_HOME", str(folder))
    return folder
