"""A push says what the remote holds, read back, or the server's words."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import KoiniiError, NotFoundError, SurroundingsError
from koinii.remote.remoteref import REMOTE_REF
from remote.conftest import Plain
from remote.desks import Clock, carried, room, says
from remote.forging import store_commit


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def seat(tmp_path: Path, bare: Path) -> Iterator[RemoteSeat]:
    path = str(tmp_path / "seat")
    with koinii.init(path, agent="AgentAnna", now=Clock()) as made:
        made.remotes.add("origin", str(bare))
        yield made


def own(seat: RemoteSeat) -> str:
    return f"refs/koinii/seats/{seat.id}"


def refs(plain: Plain, bare: Path) -> dict[str, str]:
    lines = plain(bare, "for-each-ref", "--format=%(refname) %(objectname)")
    return dict(line.split(" ") for line in lines.splitlines())


def hook(bare: Path, script: str) -> None:
    file = bare / "hooks" / "update"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def say(seat: RemoteSeat, text: str) -> None:
    seat.assert_(text)
    assert seat.commit()


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_a_first_push_writes_both_refs_and_a_second_nothing(
    form: str, seat: RemoteSeat, bare: Path, plain: Plain
) -> None:
    seat.remotes.add("hub", form.format(bare))
    say(seat, "(a B)")

    pushed = seat.push("hub")

    assert (pushed.remote, pushed.ref, pushed.number) == ("hub", own(seat), 1)
    assert pushed.moved
    assert refs(plain, bare)[own(seat)] == pushed.tip
    assert plain(bare, "show", f"{REMOTE_REF}:remote") == "1\n-"
    before = refs(plain, bare)
    again = seat.push("hub")
    assert pushed.face_written
    assert again == pushed._replace(moved=False, face_written=False)
    assert refs(plain, bare) == before


def test_every_commit_is_one_git_commit_on_the_one_before(
    seat: RemoteSeat, bare: Path, plain: Plain
) -> None:
    for number in range(1, 5):
        say(seat, f"(number {number})")
        if number % 2:
            seat.push()
    assert seat.commit() is None
    pushed = seat.push()

    trailers = plain(
        bare,
        "log",
        "--format=%(trailers:key=Koinii-Commit,valueonly,separator=)",
        own(seat),
    )
    assert trailers.split() == ["4", "3", "2", "1"]
    assert plain(bare, "rev-list", "--merges", own(seat)) == ""
    assert pushed.number == 4
    plain(bare, "fsck", "--strict", "--no-dangling")


def test_two_first_pushes_agree_on_what_the_remote_is(
    seat: RemoteSeat, tmp_path: Path, bare: Path, plain: Plain
) -> None:
    say(seat, "(a B)")
    seat.push()
    first = refs(plain, bare)[REMOTE_REF]
    plain(bare, "update-ref", "-d", REMOTE_REF)
    with koinii.init(str(tmp_path / "other"), agent="AgentBert") as other:
        other.remotes.add("origin", str(bare))
        say(other, "(b C)")
        other.push()

    assert refs(plain, bare)[REMOTE_REF] == first


def test_before_the_first_commit_there_is_nothing_to_push(seat: RemoteSeat) -> None:
    with pytest.raises(KoiniiError) as caught:
        seat.push()

    assert caught.value.code == "koinii/nothing-committed"
    assert caught.value.hint == "koinii commit"


def test_a_remote_without_a_name_here_is_not_found(seat: RemoteSeat) -> None:
    for verb in (seat.push, seat.pull, seat.sync):
        with pytest.raises(NotFoundError) as caught:
            verb("nowhere")
        assert caught.value.code == "koinii/unknown-remote"


@pytest.mark.parametrize("where", ["missing", "."])
def test_a_place_that_is_no_repository_is_the_surroundings_fault(
    where: str, seat: RemoteSeat, tmp_path: Path
) -> None:
    seat.remotes.add("bad", str((tmp_path / where).resolve()))
    say(seat, "(a B)")

    for verb in (seat.push, seat.pull):
        with pytest.raises(SurroundingsError) as caught:
            verb("bad")
        assert caught.value.code == "koinii/no-repository"
        assert caught.value.hint
    with pytest.raises(SurroundingsError):
        koinii.clone(
            str(tmp_path / "missing"), str(tmp_path / "new"), agent="AgentBert"
        )
    assert not (tmp_path / "new").exists()


# Refused ----------------------------------------------------------------------


def test_bc_001_a_hook_that_refuses_is_an_error_with_the_servers_words(
    seat: RemoteSeat, bare: Path, plain: Plain
) -> None:
    say(seat, "(a B)")
    hook(bare, 'echo "closed on Sundays" >&2; exit 1')

    with pytest.raises(KoiniiError) as caught:
        seat.push()

    assert (caught.value.code, caught.value.exit_code) == ("koinii/push-refused", 1)
    assert "closed on Sundays" in str(caught.value.details["words"])
    assert caught.value.details["ref"] == own(seat)
    assert refs(plain, bare) == {}
    (bare / "hooks" / "update").unlink()
    assert seat.push().moved
    assert own(seat) in refs(plain, bare)


def test_bc_001_one_of_two_refs_refused_is_named_and_tried_again(
    seat: RemoteSeat, bare: Path, plain: Plain
) -> None:
    say(seat, "(a B)")
    hook(bare, f'test "$1" != {REMOTE_REF} || {{ echo "not that one" >&2; exit 1; }}')

    with pytest.raises(KoiniiError) as caught:
        seat.push()

    assert caught.value.details["ref"] == REMOTE_REF
    assert "not that one" in str(caught.value.details["words"])
    assert list(refs(plain, bare)) == [own(seat)]
    (bare / "hooks" / "update").unlink()
    assert not seat.push().moved
    assert REMOTE_REF in refs(plain, bare)


def test_bc_001_a_hidden_namespace_is_refused(
    seat: RemoteSeat, bare: Path, plain: Plain
) -> None:
    say(seat, "(a B)")
    plain(bare, "config", "receive.hideRefs", "refs/koinii")

    with pytest.raises(KoiniiError) as caught:
        seat.push()

    assert caught.value.code == "koinii/push-refused"
    assert "hidden ref" in f"{caught.value.details}"
    assert refs(plain, bare) == {}


def test_bc_002_a_ref_that_is_taken_and_not_shown_is_an_error(
    seat: RemoteSeat, bare: Path, plain: Plain
) -> None:
    say(seat, "(a B)")
    plain(bare, "config", "uploadpack.hideRefs", "refs/koinii/seats")

    with pytest.raises(KoiniiError) as caught:
        seat.push()

    assert caught.value.code == "koinii/push-unconfirmed"


def test_bc_001_a_server_that_takes_no_pushes_is_an_error(
    seat: RemoteSeat, bare: Path, plain: Plain
) -> None:
    say(seat, "(a B)")
    with served(bare) as url:
        seat.remotes.add("daemon", url)
        with pytest.raises(KoiniiError):
            seat.push("daemon")
        assert refs(plain, bare) == {}
        seat.push("origin")
        assert not seat.push("daemon").moved
        assert seat.pull("daemon").whole


@contextmanager
def served(bare: Path) -> Iterator[str]:
    """Serve a repository for reading with stock git's daemon on loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--export-all", f"--base-path={bare.parent}", "--listen=127.0.0.1"]
    daemon = subprocess.Popen(
        ["git", "daemon", *options, f"--port={port}", str(bare.parent)],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        url = f"git://127.0.0.1:{port}/{bare.name}"
        wait_for(port)
        yield url
    finally:
        daemon.terminate()
        daemon.wait()


def wait_for(port: int) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("git daemon does not listen")


# Copied and restored seats ----------------------------------------------------


def test_bc_020_the_second_of_two_copies_is_told(
    seat: RemoteSeat, tmp_path: Path, bare: Path, plain: Plain
) -> None:
    say(seat, "(a B)")
    seat.push()
    with carried(seat, tmp_path) as copy:
        say(copy, "(in TheCopy)")
        say(seat, "(in TheFirst)")
        seat.push()
        before = refs(plain, bare)

        with pytest.raises(KoiniiError) as caught:
            copy.push()
        pulled = copy.pull()

        assert (caught.value.code, caught.value.exit_code) == ("koinii/push-raced", 1)
        assert "copied" in caught.value.message
        assert caught.value.hint
        assert refs(plain, bare) == before
        ((who, _, _, reason, _),) = pulled.troubles
        assert who == seat.id
        assert "copied" in reason
        assert not pulled.whole
        assert {said[3] for said in says(copy)} == {"(a B)", "(in TheCopy)"}


def test_bc_072_a_seat_restored_from_a_backup_publishes_no_second_history(
    seat: RemoteSeat, tmp_path: Path, bare: Path, plain: Plain
) -> None:
    say(seat, "(a B)")
    seat.push()
    with carried(seat, tmp_path) as backup:
        for number in range(3):
            say(seat, f"(later {number})")
        seat.push()
        before = refs(plain, bare)
        assert backup.pull().troubles
        backup.commit()

        with pytest.raises(KoiniiError, match="restored from a backup"):
            backup.push()

        assert refs(plain, bare) == before


def test_bc_060_a_remote_that_went_back_is_filled_again_by_its_author(
    seat: RemoteSeat, bare: Path, plain: Plain
) -> None:
    say(seat, "(a B)")
    old = seat.push().tip
    say(seat, "(c D)")
    new = seat.push().tip
    plain(bare, "update-ref", own(seat), old)

    assert seat.pull().whole
    pushed = seat.push()

    assert pushed.moved
    assert refs(plain, bare)[own(seat)] == new


@pytest.mark.parametrize("state", ["empty", "others"])
def test_bc_015_what_was_said_offline_stays_and_gets_there(
    state: str, seat: RemoteSeat, tmp_path: Path, bare: Path
) -> None:
    for number in range(3):
        seat.assert_(f"(offline {number})")
    if state == "others":
        with koinii.init(str(tmp_path / "other"), agent="AgentBert") as other:
            other.remotes.add("origin", str(bare))
            say(other, "(b C)")
            other.push()

    pulled, _, pushed = seat.sync()

    assert pulled.removed == 0
    assert pushed.moved
    fresh = koinii.clone(str(bare), str(tmp_path / "fresh"), agent="AgentZoe")
    with fresh:
        assert {f"(offline {number})" for number in range(3)} <= {
            s[3] for s in says(fresh)
        }
        assert fresh.status().commit == seat.status().commit


# The remote's own ref ---------------------------------------------------------


def test_a_remote_of_a_newer_format_is_refused_before_anything_moves(
    seat: RemoteSeat, tmp_path: Path, bare: Path, plain: Plain
) -> None:
    say(seat, "(a B)")
    newer = store_commit(bare, "0" * 32, {"remote": b"2\n-\n"})
    plain(bare, "update-ref", REMOTE_REF, newer)

    for verb in (seat.push, seat.pull):
        with pytest.raises(SurroundingsError) as caught:
            verb()
        assert caught.value.code == "koinii/newer-remote"
    with pytest.raises(SurroundingsError):
        koinii.clone(str(bare), str(tmp_path / "new"), agent="AgentBert")
    assert refs(plain, bare) == {REMOTE_REF: newer}


def test_an_admin_that_has_not_signed_is_told_and_written_over(
    seat: RemoteSeat, bare: Path, plain: Plain
) -> None:
    say(seat, "(a B)")
    named = store_commit(bare, "0" * 32, {"remote": b"1\nsome key\n"})
    plain(bare, "update-ref", REMOTE_REF, named)

    assert [one.path for one in seat.pull().troubles] == [REMOTE_REF]
    assert seat.push().face_written
    assert refs(plain, bare)[REMOTE_REF] != named
    assert seat.pull().whole
    assert seat.admin() is None


def test_bc_005_the_users_own_git_settings_change_nothing(
    seat: RemoteSeat, home: Path, bare: Path, plain: Plain
) -> None:
    hooks = home / "hooks"
    hooks.mkdir()
    for name in ("pre-push", "pre-commit", "post-commit"):
        (hooks / name).write_text("#!/bin/sh\nexit 1\n")
        (hooks / name).chmod(0o755)
    (home / ".gitconfig").write_text(
        "[commit]\n gpgsign = true\n[gpg]\n program = /bin/false\n"
        f"[core]\n autocrlf = true\n hooksPath = {hooks}\n"
        "[init]\n defaultBranch = odd\n[push]\n default = matching\n"
    )
    say(seat, "(a B)")

    pushed = seat.push()

    (home / ".gitconfig").unlink()
    assert refs(plain, bare)[own(seat)] == pushed.tip
    assert seat.pull().whole
