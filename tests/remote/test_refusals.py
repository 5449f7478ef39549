"""What a server refuses is an error in its words, unpublished, and tried again.

Each over a real transport: `git daemon`, or `git http-backend`.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from faces.command import koinii
from koinii import RemoteSeat
from koinii.errors import KoiniiError
from koinii.remote.publish import own_ref
from koinii.remote.remoteref import REMOTE_REF
from remote import journeys
from remote.desks import room
from remote.forging import store_commit
from remote.journeys import HUB, at, hook, make_hub
from remote.servers import git_daemon, http_backend


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    (tmp_path / "served").mkdir()
    return make_hub(tmp_path / "served")


@pytest.fixture
def url(hub: Path) -> Iterator[str]:
    with git_daemon(hub.parent) as server:
        yield server.url(HUB)


@pytest.fixture
def seat(tmp_path: Path, url: str) -> Iterator[RemoteSeat]:
    with journeys.seat(tmp_path, "anna", url) as made:
        made.assert_("(a B)")
        made.commit()
        yield made


def failed(seat: RemoteSeat) -> KoiniiError:
    with pytest.raises(KoiniiError) as caught:
        seat.sync()
    return caught.value


def shown(hub: Path, ref: str) -> str:
    return at(hub, "rev-parse", "--verify", "-q", ref)


def config(name: str, value: str) -> Callable[[Path, str], Callable[[], object]]:
    """A setting of the server; what comes back takes it away."""

    def set_up(hub: Path, _: str) -> Callable[[], object]:
        at(hub, "config", name, value)
        return lambda: at(hub, "config", "--unset", name)

    return set_up


def hooked(name: str, script: str) -> Callable[[Path, str], Callable[[], object]]:
    """A hook of the server, which finds our ref in `$own`."""

    def set_up(hub: Path, ref: str) -> Callable[[], object]:
        return hook(hub, name, f"own={ref}\n{script}").unlink

    return set_up


REFUSED = {
    "update hook": (hooked("update", "echo closed today >&2; exit 1"), "closed today"),
    "pre-receive hook": (
        hooked("pre-receive", "echo quota is reached >&2; exit 1"), "quota is reached",
    ),
    "hidden where it is received": (
        config("receive.hideRefs", "refs/koinii"), "deny updating a hidden ref",
    ),
    "hidden everywhere": (
        config("transfer.hideRefs", "refs/koinii"), "deny updating a hidden ref",
    ),
    "a size that is allowed": (config("receive.maxInputSize", "10"), "exceeds maximum"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_bc_001_what_a_server_refuses_is_unpublished_and_tried_again(
    case: str, seat: RemoteSeat, hub: Path
) -> None:
    set_up, words = REFUSED[case]
    take_away = set_up(hub, own_ref(seat))

    error = failed(seat)

    assert error.exit_code
    assert words in f"{error.message} {error.details['words']}"
    assert own_ref(seat) in f"{error.message} {error.details['words']}"
    assert shown(hub, own_ref(seat)) == ""
    assert seat.status().unpublished == {"origin": 1}
    take_away()
    assert seat.sync()[2].moved
    assert shown(hub, own_ref(seat)) == seat.histories.tip(seat.id)
    assert seat.status().unpublished == {"origin": 0}


def test_bc_001_one_of_two_refs_refused_is_named_and_the_other_published(
    seat: RemoteSeat, hub: Path
) -> None:
    refuses = hook(hub, "update", f'test "$1" != {REMOTE_REF} || exit 1')

    error = failed(seat)

    assert error.details["ref"] == REMOTE_REF
    assert shown(hub, own_ref(seat))
    assert seat.status().unpublished == {"origin": 0}
    refuses.unlink()
    assert seat.sync()[2].face_written


def test_bc_001_the_command_line_says_what_is_unpublished(
    seat: RemoteSeat, hub: Path
) -> None:
    place = seat.layout.directory
    seat.assert_("(c D)")
    seat.commit()
    seat.close()
    refuses = hook(hub, "update", "echo closed today >&2; exit 1")

    done = koinii("-C", place, "sync", "--json")
    status = koinii("-C", place, "status", "--json")
    text = koinii("-C", place, "status").out
    refuses.unlink()
    again = koinii("-C", place, "sync", "--json")
    after = koinii("-C", place, "status", "--json")

    assert done.code == 1
    assert "closed today" in done.error["details"]["words"]
    assert status.data["unpublished"] == {"origin": 2}
    assert "unpublished\n  origin       2\n" in text
    assert (again.code, after.data["unpublished"]) == (0, {"origin": 0})


# Protected and raced ---------------------------------------------------------------


def test_settings_that_protect_branches_are_in_nobodys_way(
    tmp_path: Path, hub: Path
) -> None:
    """A repository with a working tree, whose refs of seats only ever grow."""
    place = hub.parent / "work"
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    for name, value in {
        "receive.denyCurrentBranch": "refuse",
        "receive.denyDeletes": "true",
        "receive.denyDeleteCurrent": "refuse",
        "receive.denyNonFastForwards": "true",
        "receive.fsckObjects": "true",
    }.items():
        at(place, "config", name, value)
    before = sorted(one.name for one in place.iterdir())
    with git_daemon(hub.parent) as server:
        url = server.url("work/.git")
        with journeys.seat(tmp_path, "anna", url) as anna:
            anna.assert_("(a B)")
            assert anna.sync()[2].moved
            anna.assert_("(c D)")
            assert anna.sync()[2].moved
        with journeys.clone(tmp_path, "bert", url) as bert:
            assert bert.cloned
            assert (bert.cloned.new, bert.cloned.whole) == (2, True)
    assert sorted(one.name for one in place.iterdir()) == before


def test_a_protected_ref_that_somebody_took_is_an_error_until_it_is_free(
    seat: RemoteSeat, hub: Path
) -> None:
    theirs = store_commit(hub, "0" * 32, {"mine": b"now\n"})
    at(hub, "update-ref", own_ref(seat), theirs)
    grows = "test $2 = $(git merge-base $2 $3)"
    protects = hook(hub, "update", f"{grows} || {{ echo it only grows >&2; exit 1; }}")

    error = failed(seat)

    assert error.code == "koinii/push-refused"
    assert "it only grows" in str(error.details["words"])
    assert shown(hub, own_ref(seat)) == theirs
    assert seat.status().unpublished == {"origin": 1}
    protects.unlink()
    assert seat.sync()[2].moved
    assert shown(hub, own_ref(seat)) == seat.histories.tip(seat.id)


def test_a_ref_that_moves_meanwhile_is_a_race_that_is_told(
    seat: RemoteSeat, hub: Path
) -> None:
    """Somebody else's push is between what we read and what we write."""
    theirs = store_commit(hub, "0" * 32, {"mine": b"now\n"})
    quiet = "unset GIT_QUARANTINE_PATH"
    race = hook(hub, "pre-receive", f"{quiet}; git update-ref {own_ref(seat)} {theirs}")

    error = failed(seat)

    assert error.code == "koinii/push-raced"
    assert own_ref(seat) in error.message
    assert shown(hub, own_ref(seat)) == theirs
    assert seat.status().unpublished == {"origin": 1}
    race.unlink()
    assert seat.sync()[2].moved


def test_a_server_that_only_serves_readers_is_named(
    tmp_path: Path, seat: RemoteSeat, hub: Path, url: str
) -> None:
    """Over git:// the service is off, over http it is forbidden."""
    with git_daemon(hub.parent, writable=False) as server:
        seat.remotes.add("daemon", server.url(HUB))
        with pytest.raises(KoiniiError, match="service not enabled") as caught:
            seat.push("daemon")
        assert caught.value.hint.startswith("the server does not offer this")
    with http_backend(hub.parent) as server:
        at(hub, "config", "http.receivepack", "false")
        seat.remotes.add("web", server.url(HUB))
        with pytest.raises(KoiniiError, match="403") as caught:
            seat.push("web")
        assert caught.value.code == "koinii/credentials"
        seat.push()
        with journeys.clone(tmp_path, "bert", server.url(HUB)) as bert:
            assert bert.cloned
            assert bert.cloned.new == 1
    assert seat.status().unpublished == {"daemon": 1, "origin": 0, "web": 1}


def test_bc_017_no_ref_is_ever_moved_to_what_does_not_contain_its_past(
    tmp_path: Path, hub: Path, url: str
) -> None:
    """Two seats say ten things each offline, sync in turn, and again."""
    log = tmp_path / "moves"
    hook(hub, "update", f'echo "$2 $3" >> {log}')
    with (
        journeys.seat(tmp_path, "anna", url) as anna,
        journeys.seat(tmp_path, "bert", url) as bert,
    ):
        for seat in (anna, bert):
            for number in range(10):
                seat.assert_(f"({seat.config.agent.lower()} {number})")
        for seat in (anna, bert, anna, bert, anna):
            seat.sync()

        assert anna.status().commit == bert.status().commit
        assert (anna.status().size, anna.status().unpublished) == (20, {"origin": 0})
    for old, new in (line.split() for line in log.read_text().splitlines()):
        known = set(old) == {"0"} or at(hub, "merge-base", old, new) == old
        assert known, (old, new)
