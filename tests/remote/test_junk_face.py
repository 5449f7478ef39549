"""Junk at `refs/koinii/remote`: told, in nobody's way, and put right by a push."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from koinii import RemoteSeat
from koinii.errors import SurroundingsError
from koinii.remote.check_git import check_remotes
from koinii.remote.remoteref import REMOTE_REF
from koinii.seat.check import ATTENTION
from koinii.seat.seat import Seat
from remote.conftest import Plain
from remote.desks import Sit, room, sitting
from remote.forging import store_commit

Vandal = Callable[[Path, Plain], str]


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def sit(tmp_path: Path, bare: Path) -> Iterator[Sit]:
    with sitting(tmp_path, bare) as open_one:
        yield open_one


def _files(**files: bytes) -> Vandal:
    return lambda bare, _: store_commit(bare, "0" * 32, files)


def _blob(bare: Path, plain: Plain) -> str:
    return plain(bare, "hash-object", "-w", "--stdin", data=b"junk\n")


def _tree(bare: Path, plain: Plain) -> str:
    blob = _blob(bare, plain)
    return plain(bare, "mktree", data=f"100644 blob {blob}\tremote\n".encode())


def _plain_commit(bare: Path, plain: Plain) -> str:
    who = "-c", "user.name=V", "-c", "user.email=v@example.org"
    return plain(bare, *who, "commit-tree", "-m", "junk", _tree(bare, plain))


def _tag(bare: Path, plain: Plain) -> str:
    text = f"object {_plain_commit(bare, plain)}\ntype commit\ntag t\n"
    text += "tagger V <v@example.org> 0 +0000\n\nt\n"
    return plain(bare, "mktag", data=text.encode())


JUNK: dict[str, Vandal] = {
    "blob": _blob,
    "tree": _tree,
    "commit": _plain_commit,
    "tag": _tag,
    "no file": _files(other=b"1\n-\n"),
    "empty": _files(remote=b""),
    "odd bytes": _files(remote=b"\xff\xfe\n-\n"),
    "no version": _files(remote=b"one\n-\n"),
    "older": _files(remote=b"0\n-\n"),
    "bare number": _files(remote=b"2"),
    "huge number": _files(remote=b"9" * 4000 + b"\n-\n"),
    "too large": _files(remote=b"1\n" + b"-" * 5000),
    "unsigned": _files(remote=b"1\n" + b"0" * 64 + b"\n"),
}


def shown(bare: Path, plain: Plain) -> str:
    """Return the commit that the remote shows of itself, '' for none."""
    return plain(bare, "for-each-ref", "--format=%(objectname)", REMOTE_REF)


def wants(seat: RemoteSeat) -> list[str]:
    """Return what the doctor says of the remotes that wants attention."""
    return [x.found for x in check_remotes(seat, seat.git) if x.state == ATTENTION]


def troubles(seat: RemoteSeat) -> list[tuple[str, str]]:
    """Return path and code of what a pull could not apply."""
    return [(one.path, one.code) for one in seat.pull().troubles]


@pytest.mark.parametrize("kind", JUNK)
def test_junk_is_told_stops_nothing_and_is_replaced(
    kind: str, sit: Sit, bare: Path, plain: Plain
) -> None:
    one, other = sit("one"), sit("other")
    one.push()
    other.push()
    good = shown(bare, plain)
    plain(bare, "update-ref", REMOTE_REF, JUNK[kind](bare, plain))

    pulled = other.pull()

    assert [x.code for x in pulled.troubles] == ["koinii/bad-remote"]
    assert pulled.troubles[0].path == REMOTE_REF
    assert "koinii push puts it right" in pulled.troubles[0].reason
    assert pulled.new > 0
    assert wants(other) == [pulled.troubles[0].reason]
    assert other.recover().number == 1
    assert other.push().face_written
    assert shown(bare, plain) == good
    assert other.pull().whole
    assert wants(other) == []
    assert not other.push().face_written


def test_who_pinned_an_admin_keeps_it_and_puts_its_statement_back(
    sit: Sit, bare: Path, plain: Plain
) -> None:
    root, other = sit("root"), sit("other")
    made = root.admin_init()
    assert root.push().face_written
    good = shown(bare, plain)
    other.pull()
    nobody = store_commit(bare, "0" * 32, {"remote": b"1\n-\n"})
    for oid, code in (
        (JUNK["commit"](bare, plain), "koinii/bad-remote"),
        (nobody, "koinii/admin-not-shown"),
        ("", "koinii/admin-not-shown"),
    ):
        for seat in (other, root):
            change = [REMOTE_REF, oid] if oid else ["-d", REMOTE_REF]
            plain(bare, "update-ref", *change)
            assert troubles(seat) == [(REMOTE_REF, code)]
            assert len(wants(seat)) == 1
            admin = seat.admin()
            assert admin is not None
            assert admin.fingerprint == made.fingerprint
            assert seat.push().face_written
            assert shown(bare, plain) == good
            assert troubles(seat) == []


def test_another_valid_admin_is_told_and_not_written_over(
    sit: Sit, bare: Path, plain: Plain
) -> None:
    root, false = sit("root"), sit("false")
    root.admin_init()
    root.push()
    Seat.admin_init(false)  # as where the remote could not be asked
    false.remotes.remove("origin")
    plain(bare, "update-ref", "-d", REMOTE_REF)
    false.remotes.add("origin", str(bare))
    false.push()
    theirs = shown(bare, plain)

    pulled = root.pull()

    (trouble,) = pulled.troubles
    assert (trouble.path, trouble.code) == (REMOTE_REF, "koinii/other-admin")
    assert "whoever runs it says which" in trouble.reason
    assert not root.push().face_written
    assert shown(bare, plain) == theirs


def test_an_admin_that_is_not_published_yet_is_no_trouble(sit: Sit) -> None:
    root, other = sit("root"), sit("other")
    other.push()
    root.admin_init()

    assert root.pull().whole
    assert root.push().face_written
    assert root.pull().whole


def test_without_the_statement_nothing_is_written_over_the_pin(
    sit: Sit, bare: Path, plain: Plain
) -> None:
    root, other = sit("root"), sit("other")
    root.admin_init()
    root.push()
    other.pull()
    with other.database.write() as connection:
        connection.execute("DELETE FROM meta WHERE key = 'admin-shown'")
    plain(bare, "update-ref", "-d", REMOTE_REF)

    (trouble,) = other.pull().troubles

    assert "a seat that has the admin's statement" in trouble.reason
    assert not other.push().face_written
    assert shown(bare, plain) == ""


def test_a_ref_below_it_is_named_and_no_push_fails_for_it(
    sit: Sit, bare: Path, plain: Plain
) -> None:
    one = sit("one")
    below = f"{REMOTE_REF}/x"
    plain(bare, "update-ref", below, JUNK["commit"](bare, plain))

    assert not one.push().face_written
    (trouble,) = one.pull().troubles

    assert (trouble.path, trouble.code) == (REMOTE_REF, "koinii/bad-remote")
    assert below in trouble.reason
    plain(bare, "update-ref", "-d", below)
    assert one.push().face_written


@pytest.mark.parametrize("version", [b"2", b"123456789"])
def test_only_a_newer_format_refuses_everything(
    version: bytes, sit: Sit, bare: Path, plain: Plain
) -> None:
    one = sit("one")
    one.push()
    newer = store_commit(bare, "0" * 32, {"remote": version + b"\nmore\n"})
    plain(bare, "update-ref", REMOTE_REF, newer)

    for verb in (one.push, one.pull, one.recover):
        with pytest.raises(SurroundingsError) as caught:
            verb()
        assert caught.value.code == "koinii/newer-remote"
