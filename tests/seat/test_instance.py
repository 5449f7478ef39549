"""A seat that was copied or restored finds out before it signs anything."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import KoiniiError, SurroundingsError, VerificationError
from koinii.note import Checkpoint, PrivateKey, Signer
from koinii.note.checkpoint import sign_checkpoint
from koinii.seat import instance
from koinii.seat.check import Check, looked
from koinii.seat.check_instance import check_instance
from koinii.seat.home import Home, home_of, state_home
from koinii.seat.own_key import own_key
from koinii.seat.rehearsing import rehearse
from koinii.seat.seat import Seat
from koinii.store import meta
from remote.desks import room
from seat.made import copy_of_two, open_seat

PEER = "0123456789abcdef" * 2
KEY = PrivateKey.generate()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return copy_of_two(tmp_path)


@pytest.fixture
def seat(path: Path) -> Iterator[Seat]:
    with open_seat(path) as opened:
        yield opened


def say(seat: Seat, sentence: str) -> int:
    seat.assert_(sentence)
    made = seat.commit()
    assert made is not None
    return made.number


def token(seat: Seat, key: str = "instance") -> object:
    return meta.get(seat.database.connection, key)


def outside(seat: Seat) -> instance.Outside:
    seen = instance.read_outside(seat)
    assert seen is not None
    return seen


def signed(seat: Seat) -> list[bytes]:
    return seat.histories.leaves(seat.id)


def refused(seat: Seat) -> VerificationError:
    before, of = signed(seat), seat.files.listing()
    with pytest.raises(VerificationError) as caught:
        seat.commit()
    assert caught.value.code == "koinii/seat-copied"
    assert caught.value.hint == "koinii recover --from origin"
    assert (signed(seat), seat.files.listing()) == (before, of)
    return caught.value


def told(seat: Seat) -> list[tuple[str, str]]:
    return [(one.state, one.found) for one in check_instance(seat)]


# What is kept, and when -------------------------------------------------------


def test_each_commit_has_a_token_of_its_own_and_keeps_it_outside(seat: Seat) -> None:
    tokens = [token(seat)]
    for number in range(1, 4):
        assert say(seat, f"(a {number})") == number
        tokens.append(token(seat))
        seen, head = outside(seat), seat.histories.head(seat.id)
        assert head is not None
        assert (seen.token, seen.head, seen.size) == (
            token(seat),
            head.checkpoint,
            number,
        )
        assert seen.time == seat.log(1)[0].time
        assert seen.directory == os.path.realpath(seat.layout.directory)
    assert len(set(tokens)) == 4
    assert not seat.notices


def test_nothing_is_kept_before_the_first_commit_and_nothing_where_nothing_moved(
    seat: Seat,
) -> None:
    assert instance.read_outside(seat) is None
    assert told(seat)[0][0] == "ok"
    say(seat, "(a B)")
    before = outside(seat)
    assert seat.commit() is None
    assert outside(seat) == before


def test_it_is_for_the_owner_only(seat: Seat) -> None:
    say(seat, "(a B)")
    home = home_of(seat)
    assert stat.S_IMODE(home.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(home.folder.parent.stat().st_mode) == 0o700
    assert [one.name for one in home.folder.iterdir()] == ["instance"]


def test_what_only_reads_writes_nothing_there(seat: Seat) -> None:
    seat.status()
    list(seat.ask("(a ?b)"))
    seat.log()
    told(seat)
    assert not home_of(seat).folder.parent.exists()


def test_a_rehearsed_commit_changes_neither_side(seat: Seat) -> None:
    say(seat, "(a B)")
    before = (token(seat), outside(seat))
    seat.assert_("(c D)")
    assert rehearse(seat, seat.commit) is not None
    assert (token(seat), outside(seat)) == before
    assert say(seat, "(e F)") == 2


def test_commits_within_one_write_are_kept_once_all_is_durable(seat: Seat) -> None:
    say(seat, "(a B)")
    before = outside(seat)
    with seat.kb.write():
        for text in ("(c D)", "(e F)"):
            say(seat, text)
            assert outside(seat) == before
    assert outside(seat).size == 3
    assert outside(seat).token == token(seat)
    assert say(seat, "(g H)") == 4


def test_a_write_that_fails_after_a_commit_keeps_nothing(seat: Seat) -> None:
    say(seat, "(a B)")
    before = (token(seat), outside(seat))
    with pytest.raises(ZeroDivisionError), seat.kb.write():
        say(seat, "(c D)")
        raise ZeroDivisionError
    seat.assert_("(e F)")
    assert (token(seat), outside(seat)) == before


# Copies, backups --------------------------------------------------------------


@pytest.mark.parametrize("commits", [0, 1, 2])
def test_bc_020_of_two_copies_the_second_signs_nothing(
    commits: int, seat: Seat, tmp_path: Path
) -> None:
    for number in range(commits):
        say(seat, f"(before {number})")
    shutil.copytree(seat.layout.directory, tmp_path / "copy")
    with open_seat(tmp_path / "copy") as copy:
        assert told(copy)[0][0] == "ok"
        assert say(copy, "(in TheCopy)") == commits + 1
        seat.assert_("(in TheFirst)")

        error = refused(seat)

        assert error.details["here"] == commits
        assert error.details["elsewhere"] == commits + 1
        assert error.details["since"] == copy.log(1)[0].time
        assert error.details["directory"] == os.path.realpath(tmp_path / "copy")
        ((state, found),) = told(seat)
        assert state == "attention"
        assert str(tmp_path / "copy") in found
        assert say(copy, "(once More)") == commits + 2


def test_bc_072_a_backup_signs_no_number_twice(
    seat: Seat, path: Path, tmp_path: Path
) -> None:
    say(seat, "(a B)")
    shutil.copytree(path, tmp_path / "backup")
    for number in range(5):
        say(seat, f"(later {number})")
    seat.close()
    shutil.rmtree(path)
    shutil.copytree(tmp_path / "backup", path)
    with open_seat(path) as restored:
        restored.assert_("(new Claim)")
        error = refused(restored)
        assert (error.details["here"], error.details["elsewhere"]) == (1, 6)
        refused(restored)


def test_a_backup_of_the_newest_state_goes_on(
    seat: Seat, path: Path, tmp_path: Path
) -> None:
    say(seat, "(a B)")
    seat.close()
    shutil.move(path, tmp_path / "away")
    shutil.copytree(tmp_path / "away", path)
    with open_seat(path) as restored:
        assert say(restored, "(c D)") == 2


def test_the_copy_that_was_chosen_to_go_on_stops_the_other(
    seat: Seat, tmp_path: Path
) -> None:
    """Both have the same head: the token alone tells them apart."""
    say(seat, "(a B)")
    shutil.copytree(seat.layout.directory, tmp_path / "copy")
    with open_seat(tmp_path / "copy") as copy:
        with copy.kb.write():
            instance.begin_anew(copy)
        assert outside(copy).size == 1
        seat.assert_("(in TheFirst)")
        refused(seat)
        assert say(copy, "(in TheCopy)") == 2


def test_another_head_outside_is_noticed_though_the_token_is_ours(
    seat: Seat, tmp_path: Path
) -> None:
    """Two copies of a state that had not got outside share both tokens."""
    say(seat, "(a B)")
    shutil.copytree(seat.layout.directory, tmp_path / "copy")
    with open_seat(tmp_path / "copy") as copy:
        say(copy, "(in TheCopy)")
        forked = outside(copy)
    for seen in (forked, forked._replace(head=head_of(seat, 1, b"x" * 32))):
        put_outside(seat, seen._replace(token=str(token(seat))))
        seat.assert_("(in TheFirst)")
        refused(seat)


def head_of(seat: Seat, size: int, root: bytes) -> str:
    key = own_key(seat)
    origin = f"koinii.seat/{seat.id}"
    head = Checkpoint(origin, size, root)
    return sign_checkpoint(head, [Signer.of(origin, key)]).decode()


def put_outside(seat: Seat, seen: instance.Outside) -> None:
    home_of(seat).write("instance", json.dumps(seen._asdict()))


# Killed, lost, damaged --------------------------------------------------------


def test_killed_between_the_store_and_what_is_outside(
    seat: Seat, tmp_path: Path
) -> None:
    """As after a kill: the store has commit n, outside has n - 1, then all is well."""
    say(seat, "(a B)")
    for text in ("(c D)", "(e F)"):
        before = outside(seat)
        say(seat, text)
        put_outside(seat, before)
        assert told(seat)[0][0] == "ok"
        newest = token(seat)
        say(seat, f"(after {text})")
        assert token(seat) == newest, "replaced only where the newest is outside"
        assert outside(seat).token == newest
    say(seat, "(g H)")
    assert token(seat) != newest


def test_copies_of_a_killed_state_are_told_apart_too(
    seat: Seat, tmp_path: Path
) -> None:
    say(seat, "(a B)")
    before = outside(seat)
    say(seat, "(c D)")
    put_outside(seat, before)
    shutil.copytree(seat.layout.directory, tmp_path / "copy")
    with open_seat(tmp_path / "copy") as copy:
        say(copy, "(in TheCopy)")
        seat.assert_("(in TheFirst)")
        refused(seat)


def test_a_home_that_is_gone_is_made_again(seat: Seat) -> None:
    say(seat, "(a B)")
    shutil.rmtree(home_of(seat).folder.parent.parent)
    ((state, found),) = told(seat)
    assert (state, found) == ("attention", instance.ALONE)
    assert say(seat, "(c D)") == 2
    assert outside(seat).size == 2
    (notice,) = seat.notices
    assert notice.startswith(instance.ALONE)
    assert "koinii recover" in notice
    assert [state for state, _ in told(seat)] == ["ok"]
    assert say(seat, "(e F)") == 3
    assert seat.notices == [notice]


def test_a_first_commit_is_told_of_nothing(seat: Seat) -> None:
    assert [state for state, _ in told(seat)] == ["ok"]
    say(seat, "(a B)")
    assert not seat.notices


def test_status_tells_a_copy(path: Path, seat: Seat, tmp_path: Path) -> None:
    say(seat, "(a B)")
    shutil.copytree(path, tmp_path / "copy")
    say(seat, "(c D)")
    seat.status()
    assert not seat.notices
    with open_seat(tmp_path / "copy") as copy:
        copy.status()
        (notice,) = copy.notices
        assert notice.startswith("koinii/seat-copied: ")
        home_of(copy).write("instance", "x")
        copy.notices.clear()
        copy.status()
        assert not copy.notices


def test_bytes_that_are_no_text_outside_are_damage(seat: Seat) -> None:
    say(seat, "(a B)")
    home_of(seat).path("instance").write_bytes(b"\xff\xfe")
    with pytest.raises(SurroundingsError) as caught:
        instance.check(seat)
    assert caught.value.code == "koinii/bad-home"


@pytest.mark.parametrize("text", ["", "{}", "[1]", "x", '{"token": 1}', "null"])
def test_a_damaged_file_outside_stops_and_says_what_to_do(
    text: str, seat: Seat
) -> None:
    say(seat, "(a B)")
    home_of(seat).write("instance", text)
    seat.assert_("(c D)")
    with pytest.raises(SurroundingsError) as caught:
        seat.commit()
    assert caught.value.code == "koinii/bad-home"
    assert str(home_of(seat).path("instance")) in caught.value.hint
    home_of(seat).path("instance").unlink()
    assert seat.commit() is not None


def test_a_head_outside_that_our_key_did_not_sign_is_damage(seat: Seat) -> None:
    say(seat, "(a B)")
    origin = f"koinii.seat/{seat.id}"
    forged = sign_checkpoint(Checkpoint(origin, 9, b"x" * 32), [Signer.of(origin, KEY)])
    put_outside(seat, outside(seat)._replace(head=forged.decode()))
    with pytest.raises(SurroundingsError, match="damaged"):
        instance.check(seat)


@contextmanager
def nobody(*folders: Path) -> Iterator[None]:
    """Act as one who may not write everywhere, which root may."""
    if os.geteuid():
        yield
        return
    for folder in folders:
        for one in (folder, *folder.rglob("*")):
            os.chown(one, 65534, 65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("mode", [0o500, 0o000])
def test_where_nothing_can_be_written_outside_commits_go_on_and_say_so(
    mode: int,
) -> None:
    with room() as folder:
        folder.chmod(0o755)
        with open_seat(copy_of_two(folder)) as seat:
            say(seat, "(a B)")
        with (
            nobody(folder / "seat", folder / "outside"),
            open_seat(folder / "seat") as seat,
        ):
            home_of(seat).folder.chmod(mode)
            for number in range(2, 6):
                assert say(seat, f"(a {number})") == number
            (notice,) = seat.notices
            states = [one.state for one in looked_at(seat)]
            home_of(seat).folder.chmod(0o700)
            assert "attention" in states
            assert str(home_of(seat).folder) in notice
            assert outside(seat).size == 1
            assert say(seat, "(a Last)") == 6
            assert outside(seat).size == 6


def looked_at(seat: Seat) -> list[Check]:
    return looked("instance", lambda: check_instance(seat))


def test_a_file_where_the_home_should_be(seat: Seat, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    seat.home = tmp_path / "file"
    assert say(seat, "(a B)") == 1
    assert say(seat, "(c D)") == 2
    assert "file" in seat.notices[0]
    ((state, found), *_) = told(seat)
    assert state == "attention"
    assert "is no directory" in found


# Where it is ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environ", "place"),
    [
        ({"KOINII_HOME": "/k", "XDG_STATE_HOME": "/x"}, "/k"),
        ({"KOINII_HOME": "", "XDG_STATE_HOME": "/x"}, "/x/koinii"),
        ({"XDG_STATE_HOME": "x", "HOME": "/h"}, "/h/.local/state/koinii"),
        ({"HOME": "/h"}, "/h/.local/state/koinii"),
    ],
)
def test_the_place(environ: dict[str, str], place: str) -> None:
    assert state_home(environ) == Path(place)


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({"KOINII_HOME": "k", "HOME": "/h"}, "KOINII_HOME"),
        ({"HOME": ""}, "HOME"),
        ({"HOME": "h"}, "HOME"),
        ({}, "HOME"),
    ],
)
def test_no_place(environ: dict[str, str], name: str) -> None:
    with pytest.raises(SurroundingsError, match=f"^{name} is ") as caught:
        state_home(environ)
    assert caught.value.code == "koinii/no-home"


def test_what_is_kept_is_whole_whoever_left_what_beside_it(tmp_path: Path) -> None:
    home = Home(tmp_path / "a" / "b")
    for text in ("one\n", "two \u00e9\n"):
        home.write("heads/x", text)
        assert home.read("heads/x") == text
    assert home.read("heads/y") is None
    home.path("heads/z").write_bytes(b"\xff")
    with pytest.raises(SurroundingsError, match="not UTF-8"):
        home.read("heads/z")


# The heads of others ----------------------------------------------------------


def note(size: int, root: bytes) -> str:
    origin = f"koinii.seat/{PEER}"
    head = Checkpoint(origin, size, root)
    return sign_checkpoint(head, [Signer.of(origin, KEY)]).decode()


@given(heads=st.lists(st.tuples(st.integers(1, 5), st.sampled_from([b"a", b"b"]))))
def test_the_head_kept_of_another_seat_only_grows(
    heads: list[tuple[int, bytes]],
) -> None:
    with room() as folder, open_seat(copy_of_two(folder)) as seat:
        kept: tuple[int, bytes] | None = None
        assert instance.kept_head(seat, PEER) is None
        for size, letter in heads:
            text, one = note(size, letter * 32), (size, letter)
            grows = kept is None or size > kept[0] or one == kept
            assert instance.keep_head(seat, PEER, text) == grows
            kept = one if grows or kept is None else kept
            assert instance.kept_head(seat, PEER) == note(kept[0], kept[1] * 32)
        assert instance.keep_head(seat, PEER, note(1, b"c" * 32), force=True)
        assert instance.kept_head(seat, PEER) == note(1, b"c" * 32)


def test_the_name_of_a_head_is_a_seat_id(seat: Seat) -> None:
    for name in ("../instance", "x", PEER.upper(), ""):
        with pytest.raises(AssertionError):
            instance.kept_head(seat, name)


def test_a_head_that_is_none_is_refused(seat: Seat) -> None:
    with pytest.raises(KoiniiError):
        instance.keep_head(seat, PEER, "junk")
    assert instance.kept_head(seat, PEER) is None
