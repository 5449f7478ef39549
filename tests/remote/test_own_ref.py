"""Whoever can push can write at another seat's ref; its owner is told and goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import KoiniiError
from koinii.history.log import encode_bundle
from koinii.seat.own_key import own_key
from remote.conftest import Plain
from remote.desks import Clock, carried, room, says, shown
from remote.forging import BUNDLE, Forger, store_commit
from remote.test_exchange_push import own, refs, say


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


def sit(folder: Path, name: str, bare: Path) -> RemoteSeat:
    seat = koinii.init(str(folder / name), agent=f"Agent{name}", now=Clock())
    seat.remotes.add("origin", str(bare))
    say(seat, f"(from {name})")
    return seat


@pytest.fixture
def anna(tmp_path: Path, bare: Path) -> Iterator[RemoteSeat]:
    with sit(tmp_path, "Anna", bare) as seat:
        seat.push()
        yield seat


@pytest.fixture
def mallory(tmp_path: Path, bare: Path) -> Iterator[RemoteSeat]:
    with sit(tmp_path, "Mallory", bare) as seat:
        seat.push()
        yield seat


def blob(bare: Path, plain: Plain, *_: RemoteSeat) -> str:
    return plain(bare, "hash-object", "-w", "--stdin", data=b"junk")


def strange_commit(bare: Path, plain: Plain, *_: RemoteSeat) -> str:
    tree = plain(bare, "mktree", data=b"")
    who = ("-c", "user.name=x", "-c", "user.email=x@y")
    return plain(bare, *who, "commit-tree", "-m", "x", tree)


def tag(bare: Path, plain: Plain, anna: RemoteSeat, _: RemoteSeat) -> str:
    """A tag of what this seat itself has pushed."""
    who = ("-c", "user.name=x", "-c", "user.email=x@y")
    plain(bare, *who, "tag", "-a", "-m", "x", "t", refs(plain, bare)[own(anna)])
    return plain(bare, "rev-parse", "refs/tags/t")


def others(bare: Path, plain: Plain, _: RemoteSeat, mallory: RemoteSeat) -> str:
    return refs(plain, bare)[own(mallory)]


def built_upon(bare: Path, plain: Plain, anna: RemoteSeat, _: RemoteSeat) -> str:
    """All our files and one more claim, under our own head, on top of our commit."""
    files = shown(anna) | {"agents/AgentAnna/claims/CxAnna/0/2.kb": b"(x Y)\n"}
    return store_commit(bare, anna.id, files, refs(plain, bare)[own(anna)])


def other_records(bare: Path, _: Plain, anna: RemoteSeat, *__: RemoteSeat) -> str:
    """Our own head over records that are not ours."""
    files = shown(anna) | {BUNDLE: encode_bundle([b"other"])}
    return store_commit(bare, anna.id, files)


def other_key(bare: Path, _: Plain, anna: RemoteSeat, mallory: RemoteSeat) -> str:
    """A longer history of ours, signed by somebody else in our name."""
    forger = Forger(mallory, ("AgentMallory",))
    forger.id = anna.id
    entries = [b"one", b"two", b"three"]
    return store_commit(bare, anna.id, forger.headed(shown(anna), entries))


def unsigned(bare: Path, _: Plain, anna: RemoteSeat, *__: RemoteSeat) -> str:
    """All that we show, in a commit that nobody signed: other seats refuse it."""
    return store_commit(bare, anna.id, shown(anna))


def signed_by_another(
    bare: Path, _: Plain, anna: RemoteSeat, mallory: RemoteSeat
) -> str:
    return store_commit(bare, anna.id, shown(anna), key=own_key(mallory))


JUNK = [
    blob, strange_commit, tag, others, built_upon, other_records, other_key, unsigned,
    signed_by_another,
]  # fmt: skip


@pytest.mark.parametrize("junk", JUNK)
def test_what_somebody_else_wrote_is_told_and_replaced(
    junk: Callable[..., str],
    anna: RemoteSeat,
    mallory: RemoteSeat,
    bare: Path,
    plain: Plain,
) -> None:
    written = junk(bare, plain, anna, mallory)
    plain(bare, "update-ref", own(anna), written)
    assert refs(plain, bare)[own(anna)] == written

    for _ in range(2):
        (trouble, *_more) = anna.pull().troubles
        assert (trouble.seat, trouble.agent) == (anna.id, "")
        assert "somebody else wrote" in trouble.reason
        assert "copied" not in trouble.reason
    pushed = anna.push()

    assert pushed.moved
    assert refs(plain, bare)[own(anna)] == pushed.tip
    assert anna.pull().whole
    assert mallory.pull().whole
    assert "(from Anna)" in {said[3] for said in says(mallory)}


def test_our_own_files_in_another_commit_are_ours(
    anna: RemoteSeat, bare: Path, plain: Plain
) -> None:
    """As after the private repository was made again without its past."""
    key = own_key(anna)
    written = store_commit(bare, anna.id, shown(anna), key=key)
    plain(bare, "update-ref", own(anna), written)
    say(anna, "(one More)")

    assert anna.pull().whole
    assert anna.push().moved


def test_a_head_that_our_key_signed_is_a_copys_whatever_stands_around_it(
    anna: RemoteSeat, tmp_path: Path, bare: Path, plain: Plain
) -> None:
    """An unsigned commit that git does not connect with ours, under such a head."""
    with carried(anna, tmp_path) as copy:
        say(copy, "(in TheCopy)")
        written = store_commit(bare, anna.id, shown(copy))
    plain(bare, "update-ref", own(anna), written)

    (trouble,) = anna.pull().troubles
    with pytest.raises(KoiniiError) as caught:
        anna.push()

    assert "copied" in trouble.reason
    assert caught.value.code == "koinii/push-raced"
    assert refs(plain, bare)[own(anna)] == written


def test_what_cannot_be_fetched_is_told_and_left_there(
    anna: RemoteSeat, tmp_path: Path, bare: Path, plain: Plain
) -> None:
    """A remote cut short after a copy has pushed: nobody can tell what it shows."""
    with carried(anna, tmp_path) as copy:
        say(copy, "(in TheCopy)")
        say(copy, "(one More)")
        copy.push()
    stump = tmp_path / "stump.git"
    plain(tmp_path, "init", "-q", "--bare", str(stump))
    plain(
        stump, "fetch", "-q", "--depth=1", f"file://{bare}", f"{own(anna)}:{own(anna)}"
    )
    anna.remotes.add("stump", f"file://{stump}")
    before = refs(plain, stump)

    (trouble,) = anna.pull("stump").troubles
    with pytest.raises(KoiniiError) as caught:
        anna.push("stump")

    assert "cut short" in trouble.reason
    assert caught.value.code == "koinii/shallow"
    assert refs(plain, stump) == before
