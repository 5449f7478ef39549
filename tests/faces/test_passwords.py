"""A password in a remote's address is shown nowhere, and read by nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest

import koinii
from faces.command import koinii as typed

URL = "https://me:hunter2@127.0.0.1:1/hub.git"


@pytest.fixture
def seat(tmp_path: Path) -> Path:
    with koinii.init(str(tmp_path / "seat"), agent="AgentAnna"):
        pass
    return tmp_path / "seat"


VERBS = [
    "remote list", "status", "config list", "config list --show-origin", "push",
    "pull", "push --dry-run", "doctor --remotes", "audit 12345678", "sync",
]  # fmt: skip


@pytest.mark.parametrize("json", [[], ["--json"]])
def test_no_verb_shows_a_password(seat: Path, json: list[str]) -> None:
    shown = [typed("remote", "add", "origin", URL, "-C", str(seat), *json)]
    for verb in VERBS:
        shown.append(typed(*verb.split(), "-C", str(seat), *json))
    for one in shown:
        assert "hunter2" not in f"{one.out}{one.err}"
    assert any("https://***@127.0.0.1" in one.out for one in shown)
    with koinii.open(str(seat)) as opened:
        assert opened.remotes.addresses() == {"origin": URL}


def test_the_file_that_holds_one_is_its_owners_alone(seat: Path) -> None:
    file = seat / "seat.toml"
    file.chmod(0o644)
    with koinii.open(str(seat)) as opened:
        opened.remotes.add("plain", "https://127.0.0.1/hub.git")
        assert file.stat().st_mode & 0o777 == 0o644
        opened.remotes.add("origin", URL)
        assert file.stat().st_mode & 0o777 == 0o600
        opened.remotes.remove("plain")
        assert file.stat().st_mode & 0o777 == 0o600
