"""BC-130, BC-093: what takes long is asked for, and holds no reader up."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import koinii
from koinii.remote.seat import RemoteSeat

SOAK = bool(os.environ.get("KOINII_SOAK"))
LINES = 200_000 if SOAK else 20_000
GRAIN = 100  # steps of SQLite's machine between two counts
A_LOT = 2_000  # steps; far below one look at every row of the seat below
ROWS = 20_000

LOAD = """
import sys
import koinii

def lines():
    print("began", flush=True)
    for number in range(int(sys.argv[2])):
        yield f"(loaded Item{number})"
    print("read", flush=True)
    sys.stdin.readline()

with koinii.open(sys.argv[1]) as seat:
    print(seat.load(lines()).new, flush=True)
"""


def test_bc_130_a_long_load_answers_reads_meanwhile(tmp_path: Path) -> None:
    """Readers see what was there before, until all of it is there at once."""
    path = str(tmp_path / "seat")
    with koinii.init(path, agent="AgentAtlas") as seat:
        seat.assert_("(before Ann)")
        seat.commit()
        with subprocess.Popen(
            [sys.executable, "-c", LOAD, path, str(LINES)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "began\n"
            read_until_it_lands(seat, child)
        assert child.returncode == 0
        assert seat.status().size == LINES + 1


def read_until_it_lands(seat: RemoteSeat, child: subprocess.Popen[str]) -> None:
    """Read while the load is under way, at least once when all lines are in."""
    assert child.stdout is not None
    assert child.stdin is not None
    os.set_blocking(child.stdout.fileno(), False)
    reads, whole = 0, False
    while not whole:
        whole = child.stdout.readline() == "read\n"
        assert list(seat.ask("(loaded ?x)")) == []
        assert len(list(seat.ask("(before ?x)"))) == 1
        assert (seat.status().size, len(seat.log())) == (1, 1)
        reads += 1
    os.set_blocking(child.stdout.fileno(), True)
    child.stdin.write("\n")
    child.stdin.flush()
    assert child.stdout.readline() == f"{LINES}\n"
    assert reads > 1


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A seat as a program leaves it that was just replaced by a newer one."""
    path = tmp_path_factory.mktemp("large") / "seat"
    with koinii.init(str(path), agent="AgentAtlas") as seat:
        seat.load(f"(likes Item{number} Tea)" for number in range(ROWS))
        seat.assert_("(likes Ann Milk)")
        seat.commit()
    return path


CLAIM = "(likes Ann Milk)"
READS: dict[str, Callable[[RemoteSeat], object]] = {
    "ask": lambda seat: list(seat.ask("(likes Ann ?x)")),
    "argue": lambda seat: seat.argue(CLAIM, "CxAtlas"),
    "show": lambda seat: seat.show(seat.locate(CLAIM, "CxAtlas")),
    "marker": lambda seat: seat.marker(seat.locate(CLAIM, "CxAtlas")),
    "log": RemoteSeat.log,
    "held": RemoteSeat.held,
    "peers": RemoteSeat.peers,
    "agents": RemoteSeat.agents,
    "channels": RemoteSeat.channels,
}


@pytest.mark.parametrize("verb", READS)
def test_bc_130_no_reading_verb_does_long_work(large: Path, verb: str) -> None:
    """Counted from the opening on, in a seat that no cache of this process knows."""
    with koinii.open(str(large)) as seat:
        seat.database.connection.set_progress_handler(count := Count(), GRAIN)
        READS[verb](seat)
        seat.database.connection.set_progress_handler(None, GRAIN)
    assert count.steps < A_LOT


def test_bc_130_a_look_at_every_row_would_be_noticed(large: Path) -> None:
    with koinii.open(str(large)) as seat:
        seat.database.connection.set_progress_handler(count := Count(), GRAIN)
        assert sum(1 for _ in seat.believed()) == ROWS + 1
        seat.database.connection.set_progress_handler(None, GRAIN)
    assert count.steps > 10 * A_LOT


class Count:
    """Counts the steps of SQLite's machine."""

    def __init__(self) -> None:
        self.steps = 0

    def __call__(self) -> int:
        self.steps += GRAIN
        return 0


SLOW_SSH = "#!/bin/sh\ntouch {started}\nexec sleep 30\n"


def test_bc_093_reads_do_not_wait_for_a_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A remote that takes its time holds up neither reads nor writes."""
    path, started = tmp_path / "seat", tmp_path / "started"
    ssh = tmp_path / "ssh"
    ssh.write_text(SLOW_SSH.format(started=started))
    ssh.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    with koinii.init(str(path), agent="AgentAtlas") as seat:
        seat.remotes.add("origin", "ssh://slow.example/hub.git")
        seat.assert_("(p 1)")
        with subprocess.Popen(
            [sys.executable, "-m", "koinii", "-C", str(path), "sync"],
            stderr=subprocess.DEVNULL,
        ) as child:
            deadline = time.monotonic() + 20
            while not started.exists():
                assert time.monotonic() < deadline
                time.sleep(0.02)
            assert len(list(seat.ask("(p ?x)"))) == 1
            seat.assert_("(p 2)")
            assert seat.status().size == 2
            assert child.poll() is None, "the sync was over before the reads"
            child.kill()
