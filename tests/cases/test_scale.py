"""BC-095, BC-096, BC-097, BC-131: work follows what is asked; it is counted."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import koinii
from kb.counting import Counts, counting_connections, counts_of
from koinii.history.segments import read_segment, write_segment
from koinii.kb.claim import claim_locator
from koinii.kb.line import read_line
from koinii.remote.git import Done, GitProcess
from koinii.terms import canonical, encode, read, write
from koinii.terms.encoding import decode
from koinii.terms.term import MAX_TEXT

JUNK = 20_000  # refs outside of the namespace, and half as many within


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The verbs that git is run with, in order."""
    verbs: list[str] = []
    run = GitProcess.run

    def noted(git: GitProcess, doing: str, arguments: list[str], **more: float) -> Done:
        verbs.append(next(word for word in arguments if word[0] != "-"))
        return run(git, doing, arguments, **more)

    monkeypatch.setattr(GitProcess, "run", noted)
    return verbs


@pytest.fixture
def counting() -> Iterator[None]:
    """Stores that are opened meanwhile count what SQLite does."""
    with counting_connections():
        yield


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    folder = tmp_path / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
    return folder


def facts(count: int, start: int = 0) -> Iterator[str]:
    for number in range(start, start + count):
        yield f"(usesDatabase Cluster{number} Database{number % 10})"


def shown(tmp_path: Path, hub: Path, name: str = "first") -> koinii.RemoteSeat:
    """Return a seat that has shown 100 facts on the hub."""
    seat = koinii.init(str(tmp_path / name), agent="AgentAtlas")
    seat.remotes.add("origin", str(hub))
    seat.load(facts(100))
    seat.commit()
    seat.push()
    return seat


# Refs ---------------------------------------------------------------------------


def test_bc_095_a_seat_has_one_ref_however_much_it_says(
    tmp_path: Path, hub: Path
) -> None:
    with shown(tmp_path, hub) as seat:
        for number in range(3):
            seat.load(facts(100, start=100 * (number + 1)))
            seat.commit()
            seat.push()
        listing = ["git", "-C", str(hub), "for-each-ref", "--format=%(refname)"]
        refs = subprocess.run(listing, check=True, capture_output=True, text=True)
        own = f"refs/koinii/seats/{seat.id}"
        assert refs.stdout.split() == ["refs/koinii/remote", own]


def test_bc_095_junk_refs_cost_no_run_of_git_and_no_ref_here(
    tmp_path: Path, hub: Path, runs: list[str]
) -> None:
    """Somebody fills a remote with refs, outside of our namespace and within."""
    with shown(tmp_path, hub) as seat:
        clean = cloned(tmp_path, hub, "clean", runs)
        packed = junk(
            seat.git.ls_remote(str(hub), "refs/koinii/*")["refs/koinii/remote"]
        )
        with (hub / "packed-refs").open("a") as refs:
            refs.write(packed)
        full = cloned(tmp_path, hub, "full", runs)
        assert full == clean
        runs.clear()
        assert seat.pull().received == 0
        assert runs == ["ls-remote"]


def junk(oid: str) -> str:
    """Return packed refs, sorted as git has them."""
    names = [f"refs/heads/junk{number:06}" for number in range(JUNK)]
    names += [f"refs/koinii/junk/{number:06}" for number in range(JUNK // 2)]
    lines = "".join(f"{oid} {name}\n" for name in names)
    return f"# pack-refs with: peeled fully-peeled sorted \n{lines}"


def cloned(
    tmp_path: Path, hub: Path, name: str, runs: list[str]
) -> tuple[list[str], list[str]]:
    """Clone; return the runs of git, and the refs that are here then."""
    runs.clear()
    with koinii.clone(str(hub), str(tmp_path / name), agent="AgentBoreas") as seat:
        assert seat.cloned is not None
        assert seat.cloned.new == 100
        return list(runs), sorted(seat.git.list_refs("refs"))


# Retracting -----------------------------------------------------------------------


@pytest.mark.usefixtures("counting")
def test_bc_096_nothing_is_rebuilt_after_waves_of_retractions(tmp_path: Path) -> None:
    """Steps of SQLite's machine for an assert, an answer: as before, after each."""
    total, wave = 2_000, 300
    with koinii.init(str(tmp_path / "seat"), agent="AgentAtlas") as seat:
        seat.load(facts(total))
        seat.commit()
        before = costs(seat, 10 * total)
        for number in range(1, 7):
            gone = facts(wave, start=wave * (number - 1))
            named = [seat.locate(one, "CxAtlas") for one in gone]
            seat.edit(remove=named)
            seat.load(facts(20, start=total + 20 * number))
            seat.commit()
            after = costs(seat, 10 * total + number)
            for was, now in zip(before, after, strict=True):
                assert now.returned <= was.returned + 4
                assert now.written <= was.written + 4
                assert now.steps <= 1.5 * was.steps + 200


def costs(seat: koinii.RemoteSeat, new: int) -> tuple[Counts, Counts]:
    sentence = f"(usesDatabase Cluster{new} DatabaseNew)"
    said = work_of(seat, lambda: seat.assert_(sentence))
    asked = work_of(seat, lambda: list(seat.ask(f"(usesDatabase Cluster{new} ?db)")))
    return said, asked


def work_of(seat: koinii.RemoteSeat, work: Callable[[], object]) -> Counts:
    return counts_of(seat.database.connection, work)


# The archive ----------------------------------------------------------------------


def test_bc_097_no_answer_reads_the_archive(
    tmp_path: Path, hub: Path, runs: list[str]
) -> None:
    """Two hundred questions right after a foreign sync, the archive taken away."""
    shown(tmp_path, hub).close()
    with koinii.clone(str(hub), str(tmp_path / "copy"), agent="AgentBoreas") as seat:
        runs.clear()
        Path(seat.layout.git).rename(tmp_path / "away.git")
        locator = seat.locate("(usesDatabase Cluster7 Database7)", "CxAtlas")
        for number in range(50):
            assert len(list(seat.ask(f"(usesDatabase Cluster{number} ?db)"))) == 1
            assert seat.why(locator)
            assert seat.log() == []
            assert seat.status().size == 100
        assert runs == []


@pytest.mark.usefixtures("counting")
def test_bc_097_an_answer_costs_the_same_whatever_the_history(tmp_path: Path) -> None:
    with koinii.init(str(tmp_path / "seat"), agent="AgentAtlas") as seat:
        asked = "(usesDatabase Cluster5 ?db)"
        seat.load(facts(200))
        seat.commit()
        list(seat.ask(asked))
        before = work_of(seat, lambda: list(seat.ask(asked)))
        for number in range(20):
            seat.load(facts(100, start=200 + 100 * number))
            seat.commit()
        after = work_of(seat, lambda: list(seat.ask(asked)))
        assert after.returned == before.returned
        assert after.steps <= before.steps + 200


# Large values -----------------------------------------------------------------------


def calls_of(work: Callable[[], object]) -> int:
    """Return how many functions some work calls, those written in C included."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def quoted(size: int) -> str:
    return f'(says Ann "{"x" * size}")'


def escaped(size: int) -> str:
    return '(says Ann "' + "\\n" * (size // 2) + '")'


def listed(size: int) -> str:
    return f"(says Ann ({' '.join(['x'] * (size // 2))}))"


SHAPES = {"one string": quoted, "escapes": escaped, "a long list": listed}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_bc_131_a_large_value_takes_linear_work(shape: Callable[[int], str]) -> None:
    """Read, written, encoded, decoded, made a line and a segment, and read again."""
    largest = MAX_TEXT - 64

    def through(text: str) -> Callable[[], object]:
        def work() -> None:
            term = canonical(read(text))
            assert decode(encode(term)) == term
            line = f"default 1 {write(term)}"
            locator = claim_locator("CxAnn", line)
            body = write_segment([(locator, line)])
            found = read_segment(body, lambda one: claim_locator("CxAnn", one))
            assert found == [(locator, line)]
            assert read_line("CxAnn", line).sentence == term

        return work

    through(shape(64))()  # what is made once is made
    few, many = (calls_of(through(shape(size))) for size in (largest // 4, largest))
    assert many <= 4.4 * few + 100
