"""Seats meet where no git is on the PATH, over a path, git and http."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

import koinii
from koinii.errors import KoiniiError, SurroundingsError
from koinii.remote.check_git import check_git
from koinii.remote.doctor import examine
from koinii.remote.libgit import Libgit, choose
from koinii.remote.moving import moving
from koinii.remote.publish import PACKS, own_ref, publish
from remote.desks import Clock, carried, room
from remote.journeys import HUB, at, found, make_hub, meet, refused, seat
from remote.servers import git_daemon, http_backend
from remote.stock_git import GIT

Transport = Callable[[Path], AbstractContextManager[str]]


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing."""
    with room() as folder:
        yield folder


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    (tmp_path / "served").mkdir()
    return make_hub(tmp_path / "served")


@contextmanager
def path(folder: Path) -> Iterator[str]:
    yield str(folder / HUB)


@contextmanager
def git(folder: Path) -> Iterator[str]:
    with git_daemon(folder) as server:
        yield server.url(HUB)


@contextmanager
def http(folder: Path) -> Iterator[str]:
    with http_backend(folder) as server:
        yield server.url(HUB)


def by_name(transport: Transport) -> str:
    return str(transport.__name__)


@pytest.mark.parametrize("transport", [path, git, http], ids=by_name)
def test_seats_meet_without_git(
    transport: Transport, hub: Path, tmp_path: Path, without_git: None
) -> None:
    with transport(hub.parent) as url:
        meet(url, hub, tmp_path)
    at(hub, "fsck", "--strict")
    assert not list(tmp_path.glob("*/.koinii/git/objects/??/*"))


@pytest.mark.parametrize("transport", [git, http], ids=by_name)
def test_bc_001_a_hook_of_a_server_refuses_in_its_words(
    transport: Transport, hub: Path, tmp_path: Path, without_git: None
) -> None:
    with transport(hub.parent) as url:
        refused(url, hub, tmp_path)


@pytest.mark.parametrize("transport", [path, git], ids=by_name)
def test_bc_001_hidden_refs_refuse(
    transport: Transport, hub: Path, tmp_path: Path, without_git: None
) -> None:
    with transport(hub.parent) as url, seat(tmp_path, "anna", url) as anna:
        anna.assert_("(a B)")
        at(hub, "config", "transfer.hideRefs", "refs/koinii")
        with pytest.raises(KoiniiError) as caught:
            anna.sync()
        assert caught.value.code == "koinii/push-refused"
        assert "hidden" in caught.value.message
        at(hub, "config", "transfer.hideRefs", "refs/koinii/nothing")
        assert anna.sync()[2].moved


def test_bc_001_a_hook_of_a_path_that_libgit2_would_not_run_refuses(
    hub: Path, tmp_path: Path, without_git: None
) -> None:
    with seat(tmp_path, "anna", str(hub)) as anna:
        anna.assert_("(a B)")
        script = hub / "hooks/post-receive"
        script.parent.mkdir(exist_ok=True)
        script.write_text("#!/bin/sh\n")
        script.chmod(0o755)
        with pytest.raises(KoiniiError, match="post-receive") as caught:
            anna.sync()
        assert caught.value.code == "koinii/push-refused"
        assert at(hub, "for-each-ref") == ""
        script.unlink()
        assert anna.sync()[2].moved


def test_a_machine_loses_git_and_gains_it(
    hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One way goes on in the repository that the other has left, at each turn."""
    lost = ("/nonexistent", str(Path(GIT).parent))
    with (
        seat(tmp_path, "anna", str(hub)) as anna,
        seat(tmp_path, "bert", str(hub)) as bert,
    ):
        for turn in range(8):
            monkeypatch.setenv("PATH", lost[turn % 2])
            one, other = (anna, bert) if turn % 4 < 2 else (bert, anna)
            one.assert_(f"(turn A{turn})")
            one.sync()
            assert other.pull().whole
            assert found(other, f"(turn A{turn})")
            if turn == 4:
                subprocess.run([GIT, "pack-refs", "--all"], cwd=hub, check=True)
                subprocess.run(
                    [GIT, "pack-refs", "--all"], cwd=anna.layout.git, check=True
                )
        for _ in range(2):
            anna.sync()
            bert.sync()
        assert anna.status().commit == bert.status().commit
        for who in (anna, bert):
            assert not at(Path(who.layout.git), "fsck", "--strict", "--no-dangling")
            assert own_ref(who) in at(Path(who.layout.git), "for-each-ref")


def test_packs_stay_few(hub: Path, tmp_path: Path, without_git: None) -> None:
    with seat(tmp_path, "anna", str(hub)) as anna:
        folder = Path(anna.layout.git, "objects/pack")
        most = 0
        for number in range(PACKS + 5):
            anna.assert_(f"(n A{number})")
            anna.commit()
            with moving(anna, anna.git):
                publish(anna, anna.git)
            most = max(most, len(list(folder.glob("*.pack"))))
        assert most <= PACKS
        assert len(list(folder.glob("*.pack"))) < PACKS
        assert anna.push().moved
        assert at(hub, "rev-list", "--count", own_ref(anna)) == str(PACKS + 5)
        assert not at(Path(anna.layout.git), "fsck", "--strict", "--no-dangling")


def test_doctor_says_which_way_is_used(
    hub: Path, tmp_path: Path, without_git: None
) -> None:
    with seat(tmp_path, "anna", str(hub)) as anna:
        anna.assert_("(a B)")
        anna.sync()
        layout = anna.layout
    checks = {one.name: one for one in examine(layout, remotes=True).checks}
    assert "libgit2" in checks["git"].found
    assert checks["repository"].found.startswith("whole")
    assert "newest commit" in checks["remote origin"].found
    pack = next(Path(layout.git).glob("objects/pack/*.pack"))
    pack.chmod(0o644)
    torn = bytearray(pack.read_bytes())
    torn[20] ^= 1
    pack.write_bytes(torn)
    assert not examine(layout).whole
    done = examine(layout, fix=True)
    assert done.whole, done
    assert [one.state for one in check_git(tmp_path)] == ["ok"]


def test_what_only_git_can_do_says_so(tmp_path: Path, without_git: None) -> None:
    here = choose(tmp_path / "own")
    assert isinstance(here, Libgit)
    here.init()
    with pytest.raises(SurroundingsError, match="cannot make a bundle") as caught:
        here.need_program("make a bundle")
    assert caught.value.code == "koinii/no-git"
    with pytest.raises(SurroundingsError) as caught:
        here.fetch_objects("/srv/hub.git", ["0" * 40])
    assert caught.value.code == "koinii/no-git"


def test_a_seat_recovers_without_git(
    hub: Path, tmp_path: Path, without_git: None
) -> None:
    with seat(tmp_path, "anna", str(hub)) as anna:
        anna.assert_("(a B)")
        anna.sync()
        copy = carried(anna, tmp_path)
        anna.assert_("(c D)")
        anna.sync()
        with copy:
            assert copy.recover().moved
            assert found(copy, "(c D)")


def test_an_admin_is_made_and_shown_without_git(
    hub: Path, tmp_path: Path, without_git: None
) -> None:
    with seat(tmp_path, "anna", str(hub)) as anna:
        admin = anna.admin_init()
        anna.assert_("(a B)")
        anna.sync()
    with koinii.clone(
        str(hub), str(tmp_path / "bert"), agent="AgentBert", now=Clock()
    ) as bert:
        assert bert.cloned
        assert bert.cloned.admin == admin.fingerprint
