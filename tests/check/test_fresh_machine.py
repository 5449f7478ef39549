"""The README's set-up works in a new clone, with an empty home and a space in it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
NEVER_INHERITED = ("GIT_", "KOINII_", "MAKE", "MFLAGS", "PYTHON", "VIRTUAL_ENV", "XDG_")


def run(place: Path, *words: str) -> str:
    """Run a command as a user without a name, settings or git identity would."""
    kept = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith(NEVER_INHERITED)
    }
    done = subprocess.run(
        words,
        cwd=place,
        env={**kept, "HOME": str(place.parent / "home")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a copy of the tracked files in a folder that nobody has used."""
    place = tmp_path / "new machine" / "koinii"
    place.parent.mkdir()
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    for name in listed.removesuffix("\0").split("\0"):
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    return place


@pytest.mark.check
def test_a_new_clone_sets_itself_up_once(clone: Path) -> None:
    assert "Setting up .venv with python3" in run(clone, "make", "setup")
    run(clone, ".venv/bin/python", "-c", "import koinii, hypothesis, mypy")
    assert (
        run(clone, "make", "setup").strip() == "make: Nothing to be done for 'setup'."
    )

    moved = clone.rename(clone.with_name("koinii moved"))
    assert "Setting up .venv" in run(moved, "make", "setup")
    where = run(
        moved, ".venv/bin/python", "-c", "import koinii; print(koinii.__path__)"
    )
    assert "koinii moved" in where
