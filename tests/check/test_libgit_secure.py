"""Without git, seats meet over ssh and https, and strangers are refused."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from koinii.errors import KoiniiError
from koinii.remote.libgit import Libgit, choose
from remote.desks import room
from remote.journeys import HUB, make_hub, meet, refused
from remote.servers import https_backend, sshd

pytestmark = pytest.mark.check

REF = "refs/koinii/*"


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing."""
    with room() as folder:
        yield folder


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in os.environ:
        if name.startswith(("GIT_", "SSH_", "XDG_", "SSL_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return tmp_path


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    (tmp_path / "served").mkdir()
    (tmp_path / "scratch").mkdir()
    return make_hub(tmp_path / "served")


def asked(folder: Path, url: str) -> KoiniiError:
    git = choose(folder / "asking")
    assert isinstance(git, Libgit)
    git.init()
    with pytest.raises(KoiniiError) as caught:
        git.ls_remote(url, REF)
    return caught.value


def test_seats_meet_over_https(
    hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with https_backend(hub.parent, tmp_path / "scratch") as server:
        monkeypatch.setenv("PATH", "/nowhere")
        error = asked(tmp_path, server.url(HUB))
        assert (error.code, error.exit_code) == ("koinii/network", 5)
        assert "certificate" in error.message
        for name, value in server.environ.items():
            monkeypatch.setenv(name, value)
        meet(server.url(HUB), hub, tmp_path)


def test_seats_meet_over_ssh(
    hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host has to be known, and one of the usual keys has to be let in."""
    scratch, own = tmp_path / "scratch", tmp_path / ".ssh"
    own.mkdir()
    with sshd(hub.parent, scratch) as server:
        monkeypatch.setenv("PATH", "/nowhere")
        url = server.url(HUB)
        shutil.copy(scratch / "client", own / "id_ed25519")
        shutil.copy(scratch / "client.pub", own / "id_ed25519.pub")
        error = asked(tmp_path, url)
        assert (error.code, error.exit_code) == ("koinii/host-key", 5)
        assert "known_hosts" in error.hint

        shutil.copy(scratch / "known_hosts", own / "known_hosts")
        meet(url, hub, tmp_path)
        (tmp_path / "again").mkdir()

        shutil.copy(scratch / "host", own / "id_ed25519")  # a key that nobody let in
        shutil.copy(scratch / "host.pub", own / "id_ed25519.pub")
        error = asked(tmp_path, url)
        assert (error.code, error.exit_code) == ("koinii/credentials", 5)
        assert "ssh-agent" in error.hint

        key = (scratch / "client.pub").read_text().split()[1]
        known = (own / "known_hosts").read_text().split()
        (own / "known_hosts").write_text(f"{known[0]} {known[1]} {key}\n")
        assert asked(tmp_path, url).code == "koinii/host-key"


def test_a_hook_refuses_over_ssh(
    hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch, own = tmp_path / "scratch", tmp_path / ".ssh"
    own.mkdir()
    with sshd(hub.parent, scratch) as server:
        monkeypatch.setenv("PATH", "/nowhere")
        for name, here in (("client", "id_ed25519"), ("client.pub", "id_ed25519.pub")):
            shutil.copy(scratch / name, own / here)
        shutil.copy(scratch / "known_hosts", own / "known_hosts")
        refused(server.url(HUB), hub, tmp_path)
