"""Another mode in `seat.toml` is told before and when it takes effect."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import koinii as api
from faces.command import within


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A seat that has pulled two lines of another."""
    hub = tmp_path / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", str(hub)], check=True)
    for name in ("One", "Two"):
        with api.init(str(tmp_path / name), agent=f"Agent{name}") as seat:
            seat.remotes.add("origin", str(hub))
            seat.load([f"(p {name})", f"(q {name})"])
            seat.sync()
    monkeypatch.chdir(tmp_path / "Two")
    return tmp_path / "Two"


def change(desk: Path, mode: str = "proof-tier") -> None:
    config = desk / "seat.toml"
    config.write_text(config.read_text().replace('"cooperative"', mode and f'"{mode}"'))


def test_status_shows_both_modes(desk: Path) -> None:
    before = within("status", "--json").data
    assert (before["mode"], before["next_mode"]) == ("cooperative", "")
    assert "next mode" not in within("status").out
    change(desk)
    status = within("status", "--json")
    now = status.data
    assert (now["mode"], now["next_mode"]) == ("cooperative", "proof-tier")
    for done in (status, within("held"), within("agent")):
        assert "seat.toml says mode proof-tier" in done.err
    assert "next mode    proof-tier" in within("status").out
    settings = [
        one
        for one in within("doctor", "--json").data["checks"]
        if one["name"] == "mode"
    ]
    assert [one["state"] for one in settings] == ["attention"]


def test_what_another_mode_moves_is_told(desk: Path) -> None:
    change(desk)
    would = within("commit", "--dry-run")
    assert "4 lines are held since; koinii held" in would.err
    assert within("status", "--json").data["held"] == 0
    done = within("commit")
    assert "seat.toml says mode proof-tier" in done.err
    assert "4 lines are held since; koinii held" in done.err
    assert "held since" not in within("commit").err
    assert within("status", "--json").data["mode"] == "proof-tier"
    config = desk / "seat.toml"
    config.write_text(config.read_text().replace("proof-tier", "cooperative"))
    assert "4 lines are back" in within("commit").err


def test_a_pull_counts_what_another_mode_sets_aside(desk: Path) -> None:
    change(desk)
    for words in (("pull", "--dry-run"), ("pull",)):
        done = within(*words, "--json")
        assert done.code == 7
        assert done.data["set_aside"] == 2
    assert within("pull", "--json").data["set_aside"] == 0


@pytest.mark.parametrize("mode", ["", "prooftier"])
def test_a_bad_mode_is_told_by_what_reads(desk: Path, mode: str) -> None:
    change(desk, mode)
    assert within("ask", "(p ?x)").code == 0
    assert within("status").code == 5
    for verb in ("held", "agent"):
        assert "mend that line" in within(verb).err
    checks = within("doctor", "--json").data["checks"]
    assert [one["state"] for one in checks if one["name"] == "settings"] == [
        "attention"
    ]
