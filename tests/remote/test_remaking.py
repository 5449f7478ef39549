"""A store that is lost or torn is named, and made again from what is in git."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import KoiniiError, SurroundingsError
from koinii.remote.doctor import Examined, examine
from koinii.seat.layout import Layout
from koinii.terms import write
from remote.conftest import Plain
from remote.desks import Clock, room, says
from remote.test_doctor import wrong
from remote.test_exchange_push import own, refs, say

Harm = Callable[[Path], object]


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def layout(tmp_path: Path, bare: Path) -> Layout:
    """A seat of two agents that has pushed, and heard another."""
    with koinii.init(str(tmp_path / "bert"), agent="AgentBert", now=Clock()) as bert:
        bert.remotes.add("origin", str(bare))
        say(bert, "(b C)")
        bert.push()
    path = str(tmp_path / "anna")
    with koinii.init(path, agent="AgentAnna", now=Clock()) as seat:
        seat.new_agent("AgentArno")
        seat.remotes.add("origin", str(bare))
        seat.load([f"(a N{number})" for number in range(100)])
        seat.assert_("(by Arno)", agent="AgentArno")
        seat.sync()
        seat.retract(seat.locate("(a N7)", "CxAnna"))
        seat.sync()
        return seat.layout


def opened(layout: Layout) -> RemoteSeat:
    return koinii.open(layout.directory, now=Clock(1_710_000_000_000))


def fix(layout: Layout) -> Examined:
    return examine(layout, fix=True)


def files(layout: Layout) -> list[Path]:
    return sorted(set(Path(layout.directory).rglob("*")) - {Path(f"{layout.git}.lock")})


def lose_store(layout: Layout) -> None:
    for part in Path(layout.state).glob("store.db*"):
        part.unlink()


def test_bc_034_all_that_is_derived_is_made_again(
    layout: Layout, bare: Path, tmp_path: Path, plain: Plain
) -> None:
    """All but git objects, refs and keys is deleted: settings are what people wrote."""
    with opened(layout) as seat:
        before, told, log = seat.status(), says(seat), seat.log()
        cursor = seat.events(0).cursor
    lose_store(layout)
    shown = refs(plain, bare)[own(seat)]

    found = fix(layout)

    assert found.whole
    assert not wrong(examine(layout, remotes=True))
    with opened(layout) as seat:
        assert [one.number for one in seat.log()] == [one.number for one in log]
        assert seat.log() == log
        pulled, commit, pushed = seat.sync()
        assert (pulled.whole, commit, pushed.moved) == (True, None, False)
        assert says(seat) == told
        assert (seat.status().commit, seat.status().number) == (
            before.commit,
            before.number,
        )
        missed = seat.events(cursor)
        assert missed.lagged
        for number in range(10):
            seat.assert_(f"(new N{number})")
        new = [
            text
            for event in seat.events(cursor).events
            for text in (write(one.sentence) for one in event.added)
            if text.startswith("(new ")
        ]
        assert sorted(new) == [f"(new N{number})" for number in range(10)]
        batch = seat.events(missed.cursor)
        assert (len(batch.events), batch.lagged) == (10, 0)
        _, commit, pushed = seat.sync()
        assert commit is not None
        assert commit.number == before.number + 1
        plain(bare, "merge-base", "--is-ancestor", shown, pushed.tip)
    with koinii.open(str(tmp_path / "bert"), now=Clock()) as bert:
        assert bert.sync()[0].whole
        with opened(layout) as seat:
            assert seat.sync()[0].whole
            assert says(bert) == says(seat)
            assert bert.status().commit == seat.status().commit


@pytest.mark.parametrize("where", ["here", "remote"])
def test_what_one_place_has_is_enough(
    where: str, layout: Layout, bare: Path, tmp_path: Path
) -> None:
    with opened(layout) as seat:
        log = seat.log()
    lose_store(layout)
    if where == "here":
        bare.rename(tmp_path / "away")
    else:
        shutil.rmtree(layout.git)

    found = fix(layout)

    assert found.whole, found.done
    with opened(layout) as seat:
        assert seat.log() == log


def test_it_is_made_again_without_git(layout: Layout, without_git: None) -> None:
    with opened(layout) as seat:
        log = seat.log()
    lose_store(layout)

    assert fix(layout).done
    with opened(layout) as seat:
        assert seat.log() == log
        assert seat.pull().whole


def test_the_remote_knows_more_than_what_is_here(
    layout: Layout, tmp_path: Path
) -> None:
    with opened(layout) as seat:
        git = Path(shutil.copytree(layout.git, tmp_path / "older"))
        say(seat, "(a Later)")
        seat.push()
        log = seat.log()
    lose_store(layout)
    shutil.rmtree(layout.git)
    git.rename(layout.git)

    assert not wrong(fix(layout))
    with opened(layout) as seat:
        assert seat.log() == log


def test_commits_that_were_in_no_git_are_told(layout: Layout) -> None:
    with opened(layout) as seat:
        say(seat, "(never Pushed)")
        number = seat.status().number
    lose_store(layout)

    assert any(f"commit {number} was made here" in line for line in fix(layout).done)
    with opened(layout) as seat:
        assert seat.status().number == number - 1
        assert "(never Pushed)" not in {text for *_, text in says(seat)}


def test_where_nothing_is_in_git_nothing_is_made(tmp_path: Path) -> None:
    with koinii.init(str(tmp_path / "anna"), agent="AgentAnna", now=Clock()) as seat:
        say(seat, "(a B)")
    Path(seat.layout.store).write_bytes(b"")
    before = files(seat.layout)

    with pytest.raises(SurroundingsError) as caught:
        fix(seat.layout)

    assert caught.value.code in ("koinii/damaged-store", "koinii/no-store")
    assert files(seat.layout) == before


def test_a_store_that_cannot_be_opened_is_left(layout: Layout) -> None:
    """Another right or another place helps, and not another store."""
    Path(f"{layout.store}-wal").mkdir()
    before = Path(layout.store).read_bytes()

    with pytest.raises(SurroundingsError):
        fix(layout)

    assert Path(layout.store).read_bytes() == before
    Path(f"{layout.store}-wal").rmdir()
    assert not wrong(fix(layout))


def half(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])


def empty(file: Path) -> None:
    file.write_bytes(b"")


@pytest.mark.parametrize("harm", [empty, half])
def test_bc_018_a_torn_store_is_named_and_nothing_is_built_on_it(
    harm: Harm, layout: Layout
) -> None:
    with opened(layout) as seat:
        told, log = says(seat), seat.log()
    harm(Path(layout.store))
    torn = Path(layout.store).read_bytes()

    (found,) = wrong(examine(layout))
    assert found.name == "store"
    assert layout.store in found.found
    assert "doctor --fix" in found.next
    for verb in ("status", "commit", "sync", "push"):
        with pytest.raises(KoiniiError) as caught, opened(layout) as seat:
            getattr(seat, verb)()
        assert caught.value.code in ("koinii/damaged-store", "koinii/no-store")

    done = fix(layout)
    assert done.whole
    (aside,) = Path(layout.state).glob("store.db.damaged-1")
    assert aside.read_bytes() == torn
    with opened(layout) as seat:
        assert seat.pull().whole
        assert (says(seat), seat.log()) == (told, log)


@pytest.mark.parametrize("harm", [empty, half])
def test_bc_018_a_torn_log_of_the_store_opens_at_a_whole_write(
    harm: Harm, layout: Layout, tmp_path: Path
) -> None:
    with opened(layout) as seat:
        seat.database.connection.execute("PRAGMA wal_autocheckpoint = 0")
        for number in range(8):
            seat.assert_(f"(late N{number})")
        shutil.copytree(layout.directory, tmp_path / "torn")
    torn = Layout(str(tmp_path / "torn"))
    harm(Path(f"{torn.store}-wal"))
    Path(f"{torn.store}-shm").unlink()

    with opened(torn) as seat:
        late = sorted(t for *_, t in says(seat) if t.startswith("(late"))
        assert late == [f"(late N{number})" for number in range(len(late))]
        assert seat.database.quick_check() == []
    assert not wrong(examine(torn))


PARTS = ["objects/pack/*.pack", "objects/pack/*.idx", "refs/koinii/seats/*", "HEAD"]


@pytest.mark.parametrize("harm", [empty, half])
@pytest.mark.parametrize("part", PARTS)
def test_bc_018_what_is_torn_in_git_is_named_and_mended(
    part: str, harm: Harm, layout: Layout, bare: Path, plain: Plain
) -> None:
    with opened(layout) as seat:
        told, log = says(seat), seat.log()
    newest = max(Path(layout.git).glob(part), key=lambda one: one.stat().st_mtime_ns)
    newest.chmod(0o644)
    harm(newest)

    with opened(layout) as seat:
        assert (says(seat), seat.log()) == (told, log)  # all is read as before
        say(seat, "(after TheTear)")
        try:
            seat.push()
        except KoiniiError as error:
            assert "doctor" in f"{error.hint}"
    if wrong(examine(layout)):
        assert not wrong(fix(layout))
    with opened(layout) as seat:
        pushed = seat.push()
        assert refs(plain, bare)[own(seat)] == pushed.tip
    plain(bare, "fsck", "--strict")
    assert not wrong(examine(layout, remotes=True))


def test_killed_before_it_was_in_place_it_is_done_again(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(layout) as seat:
        log = seat.log()
    lose_store(layout)
    with monkeypatch.context() as patched:
        patched.setattr("koinii.remote.remaking._put_in_place", _stop)
        with pytest.raises(KeyboardInterrupt):
            fix(layout)
    assert not Path(layout.store).exists()

    assert not wrong(fix(layout))
    with opened(layout) as seat:
        assert seat.log() == log


def _stop(*_: object) -> Iterator[str]:
    raise KeyboardInterrupt
