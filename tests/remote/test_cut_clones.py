"""A clone that was killed is gone on with by the same clone, and by nothing else."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from koinii.errors import KoiniiError, UsageError
from koinii.note import read_private_key
from remote.desks import make_key, room, says, sitting

# Clones, and dies when the method that is named is called for the first time.
CLONE = """
import importlib, os, signal, sys
import koinii
module, name, *words = sys.argv[1:]
owner = importlib.import_module(module)
*path, last = name.split(".")
for one in path:
    owner = getattr(owner, one)
setattr(owner, last, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
koinii.clone(*words[:2], agent="AgentZoe", key=(words[2:] or [None])[0])
"""
MOMENTS = [
    ("koinii.seat.founding", "write_file"),
    ("koinii.remote.seat", "Remotes.add"),
    ("koinii.remote.exchange", "pull"),
    ("koinii.remote.repository", "Git.fetch"),
    ("koinii.remote.taking", "apply_seat"),
    ("koinii.remote.cloning", "ended"),
]


@pytest.fixture
def folder() -> Iterator[Path]:
    with room() as made:
        yield made


@pytest.fixture
def hub(folder: Path) -> Path:
    """A remote that shows what two seats have said."""
    bare = folder / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    with sitting(folder, bare) as sit:
        for name in ("anna", "bert"):
            sit(name).push()
    return bare


def clone_and_kill(moment: tuple[str, str], *words: object) -> None:
    command = [sys.executable, "-c", CLONE, *moment, *map(str, words)]
    done = subprocess.run(command, check=False, stderr=subprocess.PIPE, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr


def told(seat: koinii.RemoteSeat) -> set[str]:
    return {text for *_, text in says(seat)}


@pytest.mark.parametrize("moment", MOMENTS, ids=[one[1] for one in MOMENTS])
def test_the_same_clone_again_brings_it_all(
    moment: tuple[str, str], folder: Path, hub: Path
) -> None:
    path = folder / "zoe"
    clone_and_kill(moment, hub, path)

    with koinii.clone(str(hub), str(path), agent="AgentZoe") as seat:
        assert seat.cloned
        assert seat.cloned.whole
        assert told(seat) == {"(is anna)", "(is bert)"}
        assert seat.remotes.addresses() == {"origin": str(hub)}
    with pytest.raises(UsageError) as caught:
        koinii.clone(str(hub), str(path), agent="AgentZoe")
    assert caught.value.code == "koinii/already-a-seat"


def test_what_was_begun_is_a_seat_that_can_pull(folder: Path, hub: Path) -> None:
    clone_and_kill(("koinii.remote.exchange", "pull"), hub, folder / "zoe")

    with koinii.open(str(folder / "zoe")) as seat:
        assert seat.pull().whole
        seat.assert_("(is zoe)")
    with koinii.clone(str(hub), str(folder / "zoe")) as seat:
        assert told(seat) == {"(is anna)", "(is bert)", "(is zoe)"}


@pytest.mark.parametrize("change", ["address", "agent", "key"])
def test_another_clone_is_refused_and_changes_nothing(
    change: str, folder: Path, hub: Path
) -> None:
    path, key = folder / "zoe", make_key(folder / "key")
    clone_and_kill(("koinii.remote.exchange", "pull"), hub, path, key)
    address = str(folder / "other.git") if change == "address" else str(hub)
    agent = "AgentYves" if change == "agent" else "AgentZoe"
    brought = make_key(folder / "other") if change == "key" else key

    with pytest.raises(UsageError) as caught:
        koinii.clone(address, str(path), agent=agent, key=str(brought))

    other = change == "address"
    assert caught.value.code == f"koinii/{'already-a-seat' if other else 'other-agent'}"
    with koinii.clone(str(hub), str(path), agent="AgentZoe", key=str(key)) as seat:
        kept = read_private_key(Path(seat.layout.agent_key("AgentZoe")))
        assert kept.public == read_private_key(key).public


def test_a_secret_in_the_address_is_not_shown(folder: Path, hub: Path) -> None:
    address = f"https://anna:{'s' * 8}@127.0.0.1:1/hub.git"
    clone_and_kill(("koinii.remote.exchange", "pull"), address, folder / "zoe")

    with pytest.raises(UsageError) as caught:
        koinii.clone(str(hub), str(folder / "zoe"))

    assert "127.0.0.1:1/hub.git" in caught.value.message
    assert "sss" not in f"{caught.value.message} {caught.value.hint}"


def test_a_clone_that_goes_on_and_fails_leaves_what_was_begun(
    folder: Path, hub: Path
) -> None:
    clone_and_kill(("koinii.remote.exchange", "pull"), hub, folder / "zoe")
    hub.rename(folder / "away.git")
    with pytest.raises(KoiniiError):
        koinii.clone(str(hub), str(folder / "zoe"))
    (folder / "away.git").rename(hub)

    with koinii.clone(str(hub), str(folder / "zoe")) as seat:
        assert told(seat) == {"(is anna)", "(is bert)"}


def test_while_one_clones_another_is_refused(folder: Path, hub: Path) -> None:
    path = folder / "zoe"
    clone_and_kill(("koinii.remote.exchange", "pull"), hub, path)
    words = [sys.executable, "-c", WAITING, str(hub), str(path)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "pulling\n"
        with pytest.raises(UsageError) as caught:
            koinii.clone(str(hub), str(path))
        child.communicate("\n")
    assert caught.value.code == "koinii/already-a-seat"
    with koinii.open(str(path)) as seat:
        assert told(seat) == {"(is anna)", "(is bert)"}


WAITING = """
import sys
import koinii
from koinii import RemoteSeat
pull = RemoteSeat.pull
def waiting(self, name):
    print("pulling", flush=True)
    sys.stdin.readline()
    return pull(self, name)
RemoteSeat.pull = waiting
koinii.clone(sys.argv[1], sys.argv[2])
"""
