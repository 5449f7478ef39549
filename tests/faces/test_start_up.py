"""What a plain line loads: nothing that is slow and not needed (figure 11)."""

import subprocess
import sys
from pathlib import Path

import pytest

from faces.command import SENTENCE

HEAVY = {
    "asyncio", "cbor2", "cryptography", "dataclasses", "inspect", "json", "logging",
    "pathlib", "pygit2", "rich", "socket", "subprocess", "typer", "uuid",
    "koinii.faces.cli", "koinii.faces.data", "koinii.history", "koinii.note",
    "koinii.remote",
}  # fmt: skip
LOADED = """
import atexit, os, sys
os._exit = sys.exit
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
sys.argv = ["koinii", *sys.argv[1:]]
before = set(sys.modules)
from koinii.__main__ import main
main()
"""


def loaded(*words: str) -> set[str]:
    """Return the modules that a line has loaded when it ends."""
    source = Path(__file__).parents[2] / "src"
    script = f"import sys; sys.path.insert(0, {str(source)!r})\n{LOADED}"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script, *words],
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    "words",
    [
        ["ask", "(usesDatabase ?x ?y)"],
        ["assert", "(likes Ann Tea)"],
        ["argue", SENTENCE, "--in", "CxAtlas"],
        ["locate", SENTENCE, "--in", "CxAtlas"],
        ["load", "-n", "seat.kb"],
    ],
    ids=lambda words: str(words[0]),
)
def test_a_plain_line_loads_nothing_heavy(words: list[str], here: Path) -> None:
    (here / "seat.kb").write_text("(likes Ann Tea)\n")
    assert loaded(*words) & HEAVY == set()


def test_json_is_loaded_for_json_alone(here: Path) -> None:
    found = loaded("ask", "(usesDatabase ?x ?y)", "--json") & HEAVY
    assert found == {"json", "koinii.faces.data"}


def test_the_full_command_line_needs_no_rich(here: Path) -> None:
    page = Path(sys.executable).with_name("python")
    done = subprocess.run(
        [page, "-X", "importtime", "-m", "koinii", "help", "ask"],
        capture_output=True,
        check=True,
        text=True,
    )
    names = {line.split("|")[-1].strip() for line in done.stderr.splitlines()}
    assert "typer" in names
    assert not names & {"rich", "pydantic", "koinii.remote", "koinii.seat.seat"}
