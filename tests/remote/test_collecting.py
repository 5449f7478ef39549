"""`gc`: less on the disk, and the same seat; also where it is killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import koinii
from koinii.remote.doctor import examine
from koinii.remote.ownref import RETURNED
from remote.bookkeeping import stored

Plain = Callable[..., str]
PUSHES = 12


@pytest.fixture
def seat(tmp_path: Path, bare: Path) -> Iterator[koinii.RemoteSeat]:
    """A seat that has pushed a dozen times."""
    with koinii.init(str(tmp_path / "seat"), agent="AgentAtlas") as seat:
        seat.remotes.add("origin", str(bare))
        for number in range(PUSHES):
            seat.assert_(f"(a B{number})")
            seat.commit()
            seat.push()
        yield seat


def is_whole(seat: koinii.RemoteSeat) -> bool:
    return examine(seat.layout).whole


def test_the_packs_are_one_and_all_else_is_as_it_was(seat: koinii.RemoteSeat) -> None:
    before, tip = stored(seat), seat.push().tip
    found = seat.gc()
    assert found.after is not None
    assert found.before.packs > PUSHES
    assert found.after.packs == 1
    assert found.after.repository < found.before.repository
    assert not found.compacted
    assert stored(seat) == before
    assert (seat.push().tip, seat.push().moved) == (tip, False)
    again = seat.gc()
    assert again.after == again.before == found.after
    assert is_whole(seat)


def test_what_no_ref_needs_goes(
    seat: koinii.RemoteSeat, plain: Plain, tmp_path: Path
) -> None:
    """A blob that nothing names, and what somebody wrote at our ref on a remote."""
    git = Path(seat.layout.git)
    lost = plain(git, "hash-object", "-w", "--stdin", data=b"of nobody")
    strange = seat.push().tip
    plain(git, "update-ref", RETURNED + seat.id, strange)
    seat.gc()
    asked = subprocess.run(["git", "-C", git, "cat-file", "-e", lost], check=False)
    assert asked.returncode
    assert seat.git.list_refs(RETURNED.rstrip("/")) == {}
    assert is_whole(seat)


def test_what_other_seats_have_shown_stays(
    seat: koinii.RemoteSeat, bare: Path, tmp_path: Path
) -> None:
    with koinii.clone(str(bare), str(tmp_path / "copy"), agent="AgentBoreas") as copy:
        refs = copy.git.list_refs("refs")
        copy.gc()
        assert copy.git.list_refs("refs") == refs
        seat.assert_("(a New)")
        seat.commit()
        seat.push()
        assert copy.pull().new == 1


def test_a_rehearsal_writes_nothing(seat: koinii.RemoteSeat) -> None:
    files = sorted(Path(seat.layout.git).rglob("*"))
    found = seat.rehearse_gc()
    assert (found.after, found.compacted) == (None, False)
    assert found.before.packs > PUSHES
    assert sorted(Path(seat.layout.git).rglob("*")) == files


def test_a_seat_that_has_met_nobody(tmp_path: Path) -> None:
    with koinii.init(str(tmp_path / "seat"), agent="AgentAtlas") as seat:
        found = seat.gc()
        assert found.after is not None
        assert (found.before.packs, found.after.packs) == (0, 0)
        assert found.after.repository == 0


@pytest.mark.parametrize("delay", [0.25, 0.3, 0.35, 0.4, 0.5])
def test_killed_with_all_that_it_started(seat: koinii.RemoteSeat, delay: float) -> None:
    before = stored(seat)
    words = [sys.executable, "-m", "koinii", "-C", seat.layout.directory, "gc"]
    child = subprocess.Popen(words, start_new_session=True, stdout=subprocess.DEVNULL)
    time.sleep(delay)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    assert stored(seat) == before
    seat.assert_("(a New)")
    seat.commit()
    assert seat.push().moved
    found = seat.gc()
    assert found.after is not None
    assert found.after.packs == 1
    assert is_whole(seat)


def test_bc_115_nothing_goes_backwards_while_others_collect(
    seat: koinii.RemoteSeat,
) -> None:
    """A process collects again and again; another goes on, and reads its head."""
    words = [sys.executable, "-c", COLLECTOR, seat.layout.directory]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        try:
            for number in range(15):
                seat.assert_(f"(b C{number})")
                commit = seat.commit()
                pushed = seat.push()
                assert commit is not None
                assert pushed.number == commit.number == PUSHES + number + 1
                own = seat.git.read_ref(pushed.ref)
                assert own == pushed.tip == seat.git.list_refs("refs")[pushed.ref]
        finally:
            child.kill()
    assert is_whole(seat)


COLLECTOR = """
import sys, koinii
seat = koinii.open(sys.argv[1])
print("ready", flush=True)
while True:
    seat.gc()
"""
