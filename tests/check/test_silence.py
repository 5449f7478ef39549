"""What never answers, and what would ask: every command ends within half a minute.

In `make check`, since it waits out the real limit. Needs sshd, which `make setup-check`
installs.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from faces.command import Done, koinii
from remote.journeys import HUB, make_hub
from remote.servers import sshd
from remote.terminals import processes_with, started

pytestmark = pytest.mark.check

BOUND = 40  # seconds: 30 for the answer, the rest for two cores that others use


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith(("GIT_", "SSH_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@contextmanager
def silent() -> Iterator[int]:
    """A server that accepts and never says a word; gives its port."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        yield server.getsockname()[1]


def script(file: Path, *lines: str) -> str:
    file.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    file.chmod(0o755)
    return str(file)


def make_seat(place: Path, url: str) -> str:
    assert koinii("init", str(place), "--as", "AgentAnna").code == 0
    assert koinii("-C", str(place), "assert", "(a B)").code == 0
    assert koinii("-C", str(place), "remote", "add", "origin", url).code == 0
    return str(place)


def on_terminal(*words: str) -> Done:
    with started(*words) as ended:
        done = ended(most=BOUND + 10)
    return Done(done.code, done.out, done.err)


def test_bc_029_what_never_answers_ends_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal, with and without --no-input, and without one."""
    sleeps = script(tmp_path / "sleeping-ssh", "trap '' TERM HUP", "exec sleep 600")
    monkeypatch.setenv("GIT_SSH_COMMAND", sleeps)
    with ExitStack() as stack:
        port = stack.enter_context(silent())
        urls = [
            f"git://127.0.0.1:{port}/hub.git",
            f"http://127.0.0.1:{port}/hub.git",
            "ssh://127.0.0.1/hub.git",
        ]
        seats = [make_seat(tmp_path / f"{n}", url) for n, url in enumerate(urls * 3)]
        pool = stack.enter_context(ThreadPoolExecutor(len(seats)))
        begun = time.monotonic()
        runs = [pool.submit(on_terminal, "-C", one, "sync") for one in seats[:3]]
        runs += [
            pool.submit(on_terminal, "-C", one, "sync", "--no-input")
            for one in seats[3:6]
        ]
        runs += [pool.submit(koinii, "-C", one, "sync") for one in seats[6:]]
        time.sleep(3)
        for one in seats:
            assert koinii("-C", one, "assert", "(meanwhile C)").code == 0
            assert koinii("-C", one, "ask", "(meanwhile ?x)").code == 0
        assert not any(one.done() for one in runs)
        ended = [one.result() for one in runs]

        assert time.monotonic() - begun < BOUND
    for done, url in zip(ended, urls * 3, strict=True):
        assert done.code == 5, done.err
        assert f"{url}: timed out" in done.err
    assert processes_with("KOINII_HOME", os.environ["KOINII_HOME"]) == []


def test_bc_029_ssh_asks_for_a_passphrase_on_a_terminal_and_in_no_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("served", "scratch"):
        (tmp_path / name).mkdir()
    make_hub(tmp_path / "served")
    shown = tmp_path / "shown"
    monkeypatch.setenv("DISPLAY", ":99")
    with sshd(tmp_path / "served", tmp_path / "scratch") as server:
        key = tmp_path / "scratch/client"
        closing = ["ssh-keygen", "-q", "-p", "-N", "S3CRET", "-f", str(key)]
        subprocess.run(closing, check=True)
        for name, value in server.environ.items():
            monkeypatch.setenv(name, value)
        seat = make_seat(tmp_path / "anna", server.url(HUB))
        askpass = script(tmp_path / "askpass", f"touch {shown}", "sleep 60")
        monkeypatch.setenv("SSH_ASKPASS", askpass)

        refused = on_terminal("-C", seat, "sync", "--no-input")
        with started("-C", seat, "sync") as ended:
            done = ended({"Enter passphrase": "S3CRET"})

    assert refused.code == 5
    assert "credentials are needed" in refused.err
    assert "Permission denied" in refused.err
    assert (done.code, "S3CRET" in done.seen) == (0, False), done.err
    assert not shown.exists()
    assert processes_with("KOINII_HOME", os.environ["KOINII_HOME"]) == []
