"""What a remote has lost of a seat is found by reading back, and put back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.remote.doctor import examine
from koinii.seat.check import ATTENTION, OK, Check
from remote.conftest import Plain
from remote.desks import Clock, room
from remote.test_exchange_push import own, say


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def seat(tmp_path: Path, bare: Path) -> Iterator[RemoteSeat]:
    """A seat with three commits, pushed."""
    path = str(tmp_path / "seat")
    with koinii.init(path, agent="AgentAnna", now=Clock()) as made:
        made.remotes.add("origin", str(bare))
        for number in range(3):
            say(made, f"(number {number})")
        made.push()
        yield made


Which = Callable[[Plain, Path, str], str]


def _of(suffix: str) -> Which:
    return lambda plain, bare, ref: plain(bare, "rev-parse", f"{ref}{suffix}")


LOST = {
    "oldest commit": _of("~2"),
    "tip": _of(""),
    "tree": _of("^{tree}"),
    "a file": _of(":checkpoint"),
}


def remote(seat: RemoteSeat) -> Check:
    found = examine(seat.layout, remotes=True).checks
    (one,) = (one for one in found if one.name == "remote origin")
    return one


def lose(plain: Plain, bare: Path, which: str) -> None:
    """Unpack everything, and take one object away."""
    for pack in [*(bare / "objects/pack").glob("*.pack")]:
        body = pack.read_bytes()
        for one in pack.parent.glob(f"{pack.stem}.*"):
            one.unlink()
        plain(bare, "unpack-objects", "-q", data=body)
    (bare / "objects" / which[:2] / which[2:]).unlink()


@pytest.mark.parametrize("what", LOST)
def test_what_a_remote_has_lost_is_told_and_put_back(
    what: str, seat: RemoteSeat, bare: Path, plain: Plain, tmp_path: Path
) -> None:
    assert remote(seat).state == OK
    lose(plain, bare, LOST[what](plain, bare, own(seat)))
    assert seat.push().moved is False  # git takes it for had

    found = remote(seat)
    assert (found.state, found.next) == (ATTENTION, "koinii doctor --fix --remotes")
    assert found.found.isprintable()

    done = examine(seat.layout, fix=True, remotes=True)
    assert done.done == [
        "sent all of this seat again to remote origin, which had lost some of it"
    ]
    assert done.whole
    plain(bare, "fsck", "--full", "--no-dangling")
    with koinii.clone(str(bare), str(tmp_path / "new"), agent="AgentBert") as other:
        assert other.cloned is not None
        assert other.cloned.whole
        assert other.cloned.new == 3


def test_what_is_whole_is_left_alone(seat: RemoteSeat) -> None:
    assert examine(seat.layout, fix=True, remotes=True).done == ["nothing to mend"]


def test_files_that_cannot_be_read_are_told_to_whoever_runs_the_remote(
    seat: RemoteSeat, bare: Path, plain: Plain
) -> None:
    which = plain(bare, "rev-parse", f"{own(seat)}^{{tree}}")
    lose(plain, bare, which)
    scribbled = bare / "objects" / which[:2] / which[2:]
    scribbled.write_bytes(b"scribbled")
    assert remote(seat).state == ATTENTION

    with pytest.raises(koinii.KoiniiError) as caught:
        examine(seat.layout, fix=True, remotes=True)
    assert caught.value.code == "koinii/remote-damaged"
    assert "git fsck --full" in caught.value.hint

    scribbled.unlink()
    assert examine(seat.layout, fix=True, remotes=True).whole


@pytest.mark.parametrize("move", ["-d {0}", "{0} {0}~1"])
def test_a_remote_that_shows_less_than_it_did_wants_attention(
    move: str, seat: RemoteSeat, bare: Path, plain: Plain
) -> None:
    say(seat, "(number 4)")
    assert remote(seat).state == OK  # not pushed yet
    plain(bare, "update-ref", *move.format(own(seat)).split())

    found = remote(seat)
    assert (found.state, found.next) == (ATTENTION, "koinii push origin")
    assert "has shown commit 3" in found.found
    seat.push()
    assert remote(seat).state == OK


def _blob(plain: Plain, bare: Path, _: str) -> str:
    return plain(bare, "hash-object", "-w", "--stdin", data=b"junk\n")


def _tag(plain: Plain, bare: Path, ref: str) -> str:
    text = f"object {plain(bare, 'rev-parse', f'{ref}~1')}\ntype commit\ntag t\n"
    text += "tagger V <v@example.org> 0 +0000\n\nt\n"
    return plain(bare, "mktag", data=text.encode())


@pytest.mark.parametrize("junk", [_blob, _tag, _of("^{tree}")])
def test_no_commit_at_the_own_ref_is_told_alike_with_git_and_without(
    junk: Which,
    seat: RemoteSeat,
    bare: Path,
    plain: Plain,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain(bare, "update-ref", own(seat), junk(plain, bare, own(seat)))
    seat.pull()  # what is there is here, too
    by_git = remote(seat)
    assert (by_git.state, by_git.next) == (
        ATTENTION, "koinii pull origin says whose it is",
    )  # fmt: skip
    monkeypatch.setenv("PATH", str(bare / "nothing"))
    assert remote(seat) == by_git


def test_seats_put_back_what_a_scribbled_pack_held(
    seat: RemoteSeat, bare: Path, plain: Plain, tmp_path: Path
) -> None:
    """Once its file is gone the seats fill the remote again, one after the other."""
    plain(bare, "repack", "-adq")
    (pack,) = (bare / "objects/pack").glob("*.pack")
    body = bytearray(pack.read_bytes())
    body[12:200] = b"x" * 188
    pack.chmod(0o644)
    pack.write_bytes(body)
    assert remote(seat).next == "koinii doctor --fix --remotes"

    for one in bare.glob("objects/pack/*"):
        one.unlink()
    assert examine(seat.layout, fix=True, remotes=True).whole
    plain(bare, "fsck", "--full", "--no-dangling")
    with koinii.clone(str(bare), str(tmp_path / "new"), agent="AgentBert") as other:
        assert other.cloned is not None
        assert other.cloned.whole
