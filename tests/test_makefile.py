"""The set-up of `make` says in one sentence what a machine lacks."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOOLS = ["awk", "cksum", "cut", "mkdir", "rm", "sh", "touch"]
OLD = "exit 1"
BARE = f'case "$2" in *ensurepip*) exit 1; esac; exec "{sys.executable}" "$@"'


def tool(folder: Path, name: str, line: str = "") -> None:
    """Put a tool on the path: the real one, or a script of one line."""
    real = shutil.which(name)
    if line:
        (folder / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    else:
        assert real, name
        (folder / name).symlink_to(real)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a checkout whose path has a space, beside a folder `bin` of tools."""
    place = tmp_path / "a checkout"
    place.mkdir()
    shutil.copy(ROOT / "Makefile", place)
    shutil.copy(ROOT / "pyproject.toml", place)
    (tmp_path / "bin").mkdir()
    for name in TOOLS:
        tool(tmp_path / "bin", name)
    return place


def make(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    make = shutil.which("make")
    assert make
    kept = {name: text for name, text in os.environ.items() if "MAKE" not in name}
    return subprocess.run(
        [make, *words],
        cwd=place,
        env={**kept, "PATH": str(place.parent / "bin")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("scripts", "said"),
    [
        ({}, "koinii needs git"),
        ({"git": ""}, "koinii needs Python 3.11 or newer, as one of: python3 "),
        ({"git": "", "python3": OLD}, "koinii needs Python 3.11 or newer"),
        ({"git": "", "python3": BARE}, "python3 cannot make environments"),
    ],
)
@pytest.mark.parametrize("target", ["demo", "test"])
def test_what_is_missing_is_named(
    place: Path, target: str, scripts: dict[str, str], said: str
) -> None:
    for name, line in scripts.items():
        tool(place.parent / "bin", name, line)
    done = make(place, target)
    assert said in done.stderr.splitlines()[0]
    assert done.returncode
    assert not (place / ".venv").exists()


def test_what_a_person_cannot_install_is_a_command_to_type(place: Path) -> None:
    tools = place.parent / "bin"
    tool(tools, "dpkg-query", "exit 1")
    tool(tools, "id", "echo 1000")
    tool(tools, "grep")
    done = make(place, "setup-check", "CHECK_PACKAGES=one two")
    assert "sudo apt-get install one two" in done.stderr
    assert done.returncode


def test_nothing_is_installed_twice(place: Path) -> None:
    tools = place.parent / "bin"
    tool(tools, "dpkg-query", "echo install ok installed")
    tool(tools, "grep")
    assert make(place, "setup-check").returncode == 0


def test_help_names_every_target(place: Path) -> None:
    lines = make(place, "help").stdout.splitlines()
    text = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    (phony,) = [line for line in text.splitlines() if line.startswith(".PHONY:")]
    assert sorted(line.split()[1] for line in lines) == sorted(phony.split()[1:])
