"""`--dry-run` on the verbs that commit and exchange."""

import subprocess
from pathlib import Path

import pytest

from faces.command import koinii, within


@pytest.fixture
def hub(here: Path) -> Path:
    """A remote of the seat in the current directory, its `origin`."""
    path = here.parent / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    assert koinii("remote", "add", "origin", str(path), cwd=here).code == 0
    return path


@pytest.mark.parametrize("full", [False, True])
def test_a_commit(*, full: bool, here: Path) -> None:
    assert within("assert", "(likes Ann Tea)").code == 0
    done = within("commit", "--dry-run", full=full)
    assert (done.code, done.err) == (0, "dry run: nothing was written\n")
    assert done.out.startswith("2 sha256:")
    assert within("status", "--json").data["number"] == 1
    assert within("commit").out == done.out


@pytest.mark.parametrize("full", [False, True])
def test_a_push(*, full: bool, hub: Path) -> None:
    done = within("push", "-n", "--json", full=full)
    assert done.code == 0
    assert (done.data["number"], done.data["there"]) == (1, None)
    assert done.data["address"] == str(hub)
    text = within("push", "-n", full=full)
    assert "nothing was written" in text.err
    assert list((hub / "refs").rglob("*koinii*")) == []


def test_a_pull(hub: Path, here: Path) -> None:
    assert koinii("push", cwd=here).code == 0
    other = here.parent / "other"
    assert koinii("init", str(other), "--as", "AgentBoreas").code == 0
    assert koinii("remote", "add", "origin", str(hub), cwd=other).code == 0
    would = koinii("pull", "--dry-run", "--json", cwd=other)
    assert koinii("peers", "--json", cwd=other).data == []
    foreseen = would.data.pop("foreseen")
    assert (foreseen["comes"]["total"], foreseen["ceases"]["total"]) == (1, 0)
    pulled = koinii("pull", "--json", cwd=other)
    assert {**would.data, "foreseen": None} == pulled.data
    assert would.data["new"] == 1


def test_json_says_that_it_was_a_rehearsal(hub: Path) -> None:
    for words in (["assert", "(likes Ann Tea)"], ["commit"], ["push"]):
        rehearsal = within(*words, "--dry-run", "--json")
        assert rehearsal.json["rehearsed"] is True
        assert "rehearsed" not in within(*words, "--json").json
    failed = within("assert", "(likes Ann", "--dry-run", "--json")
    assert "rehearsed" not in failed.json
