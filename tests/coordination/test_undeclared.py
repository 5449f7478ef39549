"""What is said of a context that is no channel leads somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

import koinii
from koinii.errors import RefusedError
from koinii.seat.layout import CONFIG

OWNED = ("CxDisputes", "CxMajority", "CxRegistry", "CxAtlas", "CxAgentAgentAtlas")


def refused(folder: Path, channel: str) -> RefusedError:
    with koinii.open(str(folder)) as seat, pytest.raises(RefusedError) as caught:
        seat.join(channel)
    with koinii.open(str(folder)) as seat, pytest.raises(RefusedError) as other:
        seat.adjudication.quarantine("ab" * 32, channel)
    assert str(caught.value) == str(other.value)
    assert caught.value.code == "koinii/no-channel"
    return caught.value


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    koinii.init(str(tmp_path / "seat"), agent="AgentAtlas").close()
    return tmp_path / "seat"


@pytest.mark.parametrize("name", OWNED)
def test_what_is_somebodys_cannot_be_one(folder: Path, name: str) -> None:
    error = refused(folder, name)
    assert "own context and cannot be a channel" in error.message
    assert f"channel new {name}" not in error.hint


def test_what_is_nobodys_can(folder: Path) -> None:
    error = refused(folder, "CxDeploy")
    assert error.hint.startswith("koinii channel new CxDeploy")


@pytest.mark.parametrize("name", ["AgentMajority", "AgentRegistry", "AgentCore"])
def test_a_reserved_name_is_told_as_that(folder: Path, name: str) -> None:
    """Nothing hints at making an agent of that name, which would be refused."""
    with koinii.open(str(folder)) as seat, pytest.raises(RefusedError) as caught:
        seat.assert_("(light Q)", agent=name)
    assert caught.value.code == "koinii/reserved-name"


def test_a_declaration_that_is_held_is_told(folder: Path) -> None:
    with koinii.open(str(folder)) as seat:
        seat.admin_init()
        seat.new_channel("CxDeploy")
    config = folder / CONFIG
    config.write_text(
        config.read_text().replace('mode = "cooperative"', 'mode = "proof-tier"')
    )
    assert "proof-tier" in config.read_text()
    with koinii.open(str(folder)) as seat:
        seat.held()
    error = refused(folder, "CxDeploy")
    assert "was said by AgentAtlas" in error.message
    assert error.hint.startswith("koinii held")
