"""The doctor: it looks and changes nothing; what it mends is as the store says."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import KoiniiError, SurroundingsError
from koinii.remote.doctor import Examined, examine
from koinii.seat.check import Check
from koinii.seat.layout import Layout
from koinii.store import migrations
from remote.conftest import Plain
from remote.desks import Clock, carried, hand_over, room, says
from remote.test_exchange_push import own, refs, say

Harm = Callable[[Path], object]


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def seat(tmp_path: Path, bare: Path) -> Iterator[RemoteSeat]:
    """A seat whose two commits are in git, and in its remote."""
    path = str(tmp_path / "seat")
    with koinii.init(path, agent="AgentAnna", now=Clock()) as made:
        made.remotes.add("origin", str(bare))
        say(made, "(a B)")
        made.push()
        say(made, "(a C)")
        made.push()
        yield made


def look(seat: RemoteSeat, *, remotes: bool = False) -> Examined:
    return examine(seat.layout, remotes=remotes)


def fix(seat: RemoteSeat) -> list[str]:
    return examine(seat.layout, fix=True).done


def wrong(found: Examined) -> list[Check]:
    return [one for one in found.checks if one.state != "ok"]


def named(found: Examined, name: str) -> Check:
    (one,) = [one for one in found.checks if one.name == name]
    return one


def tip(seat: RemoteSeat) -> str:
    return seat.histories.tip(seat.id)


def everything(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Each file below a folder but SQLite's own two: its mode and hash."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.endswith(("-wal", "-shm")):
            digest = sha256(path.read_bytes()).digest()
            found[str(path)] = (path.stat().st_mode, digest)
    return found


# Looking ---------------------------------------------------------------------


def test_all_is_well_and_nothing_is_changed(seat: RemoteSeat) -> None:
    seat.close()
    folder = Path(seat.layout.directory)
    before = everything(folder)
    found = examine(seat.layout, remotes=True)
    assert wrong(found) == []
    assert found.whole
    assert found.done == []
    assert everything(folder) == before
    assert {one.name for one in found.checks} == {
        "settings", "lock", "remotes' lock", "disk", "file system", "git", "store",
        "keys", "instance", "history", "trust", "received", "derived", "commits",
        "repository", "remote origin",
    }  # fmt: skip
    assert all(one.found for one in found.checks)


def test_a_seat_that_has_not_pushed(tmp_path: Path) -> None:
    with koinii.init(str(tmp_path / "new"), agent="AgentAnna") as seat:
        assert look(seat).whole
        say(seat, "(a B)")
        assert named(look(seat), "commits").next == "koinii push"
        assert look(seat).whole
        assert fix(seat) == ["nothing to mend"]
        assert not Path(seat.layout.git).exists()


def test_what_each_remote_shows(
    seat: RemoteSeat, bare: Path, plain: Plain, tmp_path: Path
) -> None:
    (tmp_path / "empty.git").mkdir()
    plain(tmp_path / "empty.git", "init", "-q", "--bare")
    seat.remotes.add("empty", str(tmp_path / "empty.git"))
    seat.remotes.add("gone", str(tmp_path / "gone.git"))
    say(seat, "(a D)")
    found = look(seat, remotes=True)
    assert not found.whole
    assert named(found, "remote origin").next == "koinii push origin"
    assert named(found, "remote empty").next == "koinii push empty"
    (gone,) = wrong(found)
    assert (gone.name, gone.state) == ("remote gone", "attention")
    assert look(seat).whole

    seat.remotes.remove("gone")
    who = ("-c", "user.name=x", "-c", "user.email=x@y")
    tree = plain(bare, "mktree", data=b"")
    strange = plain(bare, *who, "commit-tree", "-m", "x", tree)
    plain(bare, "update-ref", own(seat), strange)
    (other,) = wrong(look(seat, remotes=True))
    assert other.name == "remote origin"
    assert other.next == "koinii pull origin says whose it is"


def test_without_git_the_rest_is_told(
    seat: RemoteSeat, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = look(seat, remotes=True)
    assert not wrong(found)
    assert "libgit2" in named(found, "git").found
    assert "only git" in named(found, "git").next
    assert named(found, "repository").found.startswith("whole")


def test_where_the_store_does_not_open(seat: RemoteSeat) -> None:
    seat.close()
    path = Path(seat.layout.store)
    kept = path.rename(path.with_name("kept"))
    (missing,) = wrong(examine(seat.layout))
    assert (missing.name, "missing" in missing.found) == ("store", True)
    path.write_bytes(b"no store" * 2000)
    (damaged,) = wrong(examine(seat.layout))
    assert damaged.name == "store"
    assert damaged.next
    path.write_bytes(kept.read_bytes()[:20_000])
    assert not examine(seat.layout).whole


def test_a_contested_name_and_held_lines(seat: RemoteSeat, tmp_path: Path) -> None:
    with koinii.init(str(tmp_path / "other"), agent="AgentAnna", now=Clock()) as other:
        say(other, "(a B)")
        hand_over(other, seat)
    found = {one.name: one for one in wrong(look(seat))}
    assert set(found) == {"names", "held"}
    contest = seat.status().contested[0]
    assert found["names"].next == contest.hint
    assert contest.hint.startswith(f"koinii agent trust AgentAnna {contest.pinned} ")


# Mending ---------------------------------------------------------------------


def torn(git: Path) -> None:
    (ref,) = (git / "refs/koinii/seats").iterdir()
    ref.write_bytes(b"\0" * 41)


def lost_ref(git: Path) -> None:
    (ref,) = (git / "refs/koinii/seats").iterdir()
    ref.unlink()


def older_ref(git: Path) -> None:
    (ref,) = (git / "refs/koinii/seats").iterdir()
    words = ["git", "-C", str(git), "rev-parse", f"{ref.read_text().strip()}~1"]
    ref.write_bytes(subprocess.run(words, check=True, capture_output=True).stdout)


def torn_incoming(git: Path) -> None:
    folder = git / "refs/koinii/incoming/origin"
    folder.mkdir(parents=True)
    (folder / ("a" * 32)).write_bytes(b"")


def locks(git: Path) -> None:
    for name in ("config.lock", "refs/koinii/seats/x.lock", "objects/pack/tmp_pack_1"):
        file = git / name
        file.touch()
        os.utime(file, (1, 1))


@pytest.mark.parametrize("harm", [torn, lost_ref, older_ref, torn_incoming, locks])
def test_refs_and_locks_are_mended_in_place(harm: Harm, seat: RemoteSeat) -> None:
    before = tip(seat)
    harm(Path(seat.layout.git))
    (found,) = wrong(look(seat))
    assert found.name == "repository"
    assert found.next.startswith("koinii doctor --fix")
    first, second = (
        [one for one in look(seat).checks if one.name != "disk"] for _ in range(2)
    )
    assert first == second  # it only looks; others fill and free the disk

    assert fix(seat)
    assert look(seat, remotes=True).whole
    assert tip(seat) == before
    assert list(Path(seat.layout.state).glob("git.damaged*")) == []
    assert fix(seat) == ["nothing to mend"]


def gone(git: Path) -> None:
    shutil.rmtree(git)


def a_file(git: Path) -> None:
    shutil.rmtree(git)
    git.write_text("not a directory")


def no_head(git: Path) -> None:
    (git / "HEAD").unlink()


def no_packs(git: Path) -> None:
    shutil.rmtree(git / "objects/pack")


def flipped(git: Path) -> None:
    for pack in (git / "objects/pack").glob("*.pack"):
        pack.chmod(0o644)
        data = bytearray(pack.read_bytes())
        data[len(data) // 2] ^= 0xFF
        pack.write_bytes(data)


def half_made(git: Path) -> None:
    shutil.rmtree(git / "objects")


HARMS = [gone, a_file, no_head, no_packs, flipped, half_made]


@pytest.mark.parametrize("harm", HARMS)
def test_what_is_lost_comes_back_from_a_remote(
    harm: Harm, seat: RemoteSeat, bare: Path, plain: Plain
) -> None:
    before = tip(seat)
    say(seat, "(a Later)")  # not in git yet
    harm(Path(seat.layout.git))
    assert named(look(seat), "repository").next.startswith("koinii doctor --fix")

    assert "remote origin" in fix(seat)[-1]
    assert look(seat).whole
    assert tip(seat) == before
    assert seat.files.unsent() == [3]
    pushed = seat.push()
    assert plain(bare, "rev-parse", f"{pushed.tip}~1") == before
    plain(bare, "fsck", "--strict")


@pytest.mark.parametrize("harm", HARMS)
def test_what_no_remote_has_is_made_from_the_store(
    harm: Harm, seat: RemoteSeat, bare: Path, plain: Plain, tmp_path: Path
) -> None:
    tree = plain(bare, "rev-parse", f"{own(seat)}^{{tree}}")
    plain(bare, "update-ref", "-d", own(seat))
    harm(Path(seat.layout.git))

    assert "git's past is lost" in fix(seat)[-1]
    assert look(seat).whole
    assert plain(Path(seat.layout.git), "rev-parse", f"{tip(seat)}^{{tree}}") == tree
    assert plain(Path(seat.layout.git), "rev-list", "--count", tip(seat)) == "1"

    assert seat.push().tip == tip(seat)
    say(seat, "(a Later)")
    seat.push()
    plain(bare, "fsck", "--strict")
    with koinii.init(str(tmp_path / "reader"), agent="AgentBert") as reader:
        reader.remotes.add("origin", str(bare))
        assert reader.pull().whole
        assert says(reader) == says(seat)


def test_unpublished_commits_are_in_the_new_one(
    seat: RemoteSeat, bare: Path, plain: Plain
) -> None:
    plain(bare, "update-ref", "-d", own(seat))
    say(seat, "(a D)")
    seat.retract(seat.locate("(a B)", "CxAnna"))
    seat.commit()
    gone(Path(seat.layout.git))
    fix(seat)
    assert seat.files.unsent() == []
    shown = plain(Path(seat.layout.git), "ls-tree", "-r", "--name-only", tip(seat))
    assert shown.split("\n") == [path for path, _, _ in seat.files.listing()]


def test_a_remote_with_earlier_commits_is_built_on(
    seat: RemoteSeat, bare: Path, plain: Plain
) -> None:
    earlier = plain(bare, "rev-parse", f"{own(seat)}~1")
    plain(bare, "update-ref", own(seat), earlier)
    gone(Path(seat.layout.git))

    done = fix(seat)
    assert "earlier commit of this seat" in done[-2]
    pushed = seat.push()
    assert plain(bare, "rev-parse", f"{pushed.tip}~1") == earlier
    assert refs(plain, bare)[own(seat)] == pushed.tip


def test_a_push_after_the_past_was_lost(
    seat: RemoteSeat, bare: Path, plain: Plain, tmp_path: Path
) -> None:
    """The remote was away when the repository was made again from the store."""
    with koinii.init(str(tmp_path / "reader"), agent="AgentBert") as reader:
        reader.remotes.add("origin", str(bare))
        reader.pull()
        away = bare.rename(tmp_path / "away.git")
        gone(Path(seat.layout.git))
        assert any("remote origin: cannot" in line for line in fix(seat))
        away.rename(bare)

        would = seat.rehearse_push()
        assert (would.moved, would.tip) == (True, tip(seat))
        say(seat, "(a D)")
        assert seat.pull().whole
        pushed = seat.push()
        assert refs(plain, bare)[own(seat)] == pushed.tip
        assert reader.pull().new == 1
        assert says(reader) == says(seat)
        assert seat.push() == pushed._replace(moved=False)


def test_commits_that_are_strange_are_not_built_on(
    seat: RemoteSeat, bare: Path, plain: Plain, tmp_path: Path
) -> None:
    """A copy of the seat has pushed on; what it pushed is not taken for ours."""
    with carried(seat, tmp_path) as copy:
        say(copy, "(a Copied)")
        copy.push()
    theirs = refs(plain, bare)[own(seat)]
    say(seat, "(a D)")
    gone(Path(seat.layout.git))
    fix(seat)
    for verb in (seat.push, seat.rehearse_push):
        with pytest.raises(KoiniiError) as caught:
            verb()
        assert caught.value.code == "koinii/push-raced"
    assert refs(plain, bare)[own(seat)] == theirs


def test_verbs_name_the_doctor_and_the_doctor_helps(seat: RemoteSeat) -> None:
    for harm in (torn, no_packs, gone):
        for text in ("One", "Two"):
            say(seat, f"(a {text}{harm.__name__.title().replace('_', '')})")
        harm(Path(seat.layout.git))
        for verb in (seat.push, seat.pull):
            with pytest.raises(SurroundingsError) as caught:
                verb()
            assert caught.value.hint.startswith("koinii doctor --fix")
        fix(seat)
        assert seat.push().number == seat.status().number


# Upgrading -------------------------------------------------------------------


@pytest.fixture
def older(
    seat: RemoteSeat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> RemoteSeat:
    """A seat whose program has learned one more table since it was made."""
    step = tmp_path / "0002.sql"
    step.write_text("CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;\n")
    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, str(step)))
    return seat


def test_an_older_store_is_brought_up_to_date(older: RemoteSeat) -> None:
    seat = older
    seat.close()
    (old,) = wrong(examine(seat.layout))
    assert old.name == "store"
    assert old.next.startswith("koinii doctor --upgrade")
    with pytest.raises(SurroundingsError) as caught:
        examine(seat.layout, fix=True)
    assert caught.value.hint.startswith("koinii doctor --upgrade")

    found = examine(seat.layout, upgrade=True)
    backup = seat.layout.store + ".v1.bak"
    assert found.whole
    assert backup in found.done[0]
    assert "version 2" in named(found, "store").found
    with koinii.open(seat.layout.directory) as again:
        assert len(again.log()) == 2
        assert len(says(again)) == 2

    made = Path(backup).stat()
    assert "newest" in examine(seat.layout, upgrade=True).done[0]
    assert Path(backup).stat() == made


def test_only_an_older_store_is_upgraded(
    seat: RemoteSeat, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "STEPS", ())
        with pytest.raises(SurroundingsError) as caught:
            examine(seat.layout, upgrade=True)
        assert caught.value.code == "koinii/newer-store"
    missing = Layout(str(Path(seat.layout.directory).parent))
    with pytest.raises(SurroundingsError):
        examine(missing, upgrade=True)
