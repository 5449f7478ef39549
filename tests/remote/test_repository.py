"""Our git and a remote that takes, refuses, hides or races: what we say is so."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from koinii.errors import (
    KoiniiError,
    NotFoundError,
    SurroundingsError,
    UsageError,
    VerificationError,
)
from koinii.remote.commit import commit_object
from koinii.remote.libgit import Libgit, choose
from koinii.remote.pack import GitObject, object_id, store_pack, write_pack
from koinii.remote.reading import Objects
from koinii.remote.repository import Git
from koinii.remote.tree import changed_trees
from remote.desks import room

Plain = Callable[..., str]

SEAT = "0123456789abcdef" * 2
REF = f"refs/koinii/seats/{SEAT}"
HERE = f"refs/koinii/fetched/{SEAT}"


def commit(git: Git, number: int, parent: str | None = None) -> str:
    """Store a commit of one file as a pack; return its id."""
    body = b"+ line %d\n" % number
    oid = object_id(b"blob", body)
    changed = changed_trees(lambda _: [], {f"posts/{number}.kb": oid})
    message = f"x\n\nKoinii-Commit: {number}"
    data = commit_object(changed.root, parent, message, SEAT, number * 1000)
    objects: list[GitObject] = [(b"blob", body), *changed.objects, (b"commit", data)]
    store_pack(git.directory, write_pack(objects))
    return object_id(b"commit", data)


def script(file: Path, *lines: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    file.chmod(0o755)
    return file


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes."""
    with room() as folder:
        yield folder


@pytest.fixture(params=["git", "libgit2"], autouse=True)
def way(request: pytest.FixtureRequest) -> str:
    """How data is moved here: where it is `libgit2`, there is no git on the PATH."""
    chosen = str(request.param)
    if chosen == "libgit2":
        request.getfixturevalue("without_git")
    return chosen


by_git = pytest.mark.parametrize("way", ["git"], indirect=True)


@pytest.fixture
def own(way: str, tmp_path: Path) -> Git:
    git = choose(tmp_path / "own" / "git")
    git.init()
    assert isinstance(git, Libgit) == (way == "libgit2")
    return git


@pytest.fixture
def hub(bare: Path) -> str:
    return str(bare)


def refusal(git: Git, url: str, tip: str, old: str | None = None) -> KoiniiError:
    with pytest.raises(KoiniiError) as caught:
        git.push_and_confirm(url, tip, REF, old)
    return caught.value


def test_what_is_pushed_is_fetched_elsewhere(
    own: Git, hub: str, tmp_path: Path
) -> None:
    first = commit(own, 1)
    second = commit(own, 2, first)
    own.push_and_confirm(hub, first, REF, None)
    own.push_and_confirm(hub, second, REF, first)
    other = choose(tmp_path / "other")
    other.init()

    other.fetch(hub, ["+refs/koinii/seats/*:refs/koinii/fetched/*"])

    assert own.ls_remote(hub, "refs/koinii/seats/*") == {REF: second}
    assert other.read_ref(HERE) == second
    assert other.list_refs("refs/koinii") == {HERE: second}
    assert Objects(other.directory).read_commit(second).parent == first
    assert not list(other.directory.glob("objects/??/*")), "only packs"


def test_pushing_again_is_no_change_whatever_was_expected(own: Git, hub: str) -> None:
    first = commit(own, 1)
    own.push_and_confirm(hub, first, REF, None)

    own.push_and_confirm(hub, first, REF, None)
    own.push_and_confirm(hub, first, REF, first)

    assert own.ls_remote(hub, REF) == {REF: first}


def test_bc_017_bc_020_a_value_that_was_not_expected_is_named(
    own: Git, hub: str, plain: Plain
) -> None:
    first = commit(own, 1)
    own.push(hub, first, REF, None)
    copy = commit(own, 3, first)
    plain(own.directory, "push", "-q", hub, f"{copy}:{REF}")

    for old in (None, first):
        error = refusal(own, hub, commit(own, 2, first), old)
        assert (error.code, error.exit_code) == ("koinii/push-raced", 1)
        assert "another copy of this seat" in error.message
        assert error.details["ref"] == REF
    assert own.ls_remote(hub, REF) == {REF: copy}


def test_bc_017_a_ref_never_moves_to_what_does_not_contain_it(
    own: Git, hub: str
) -> None:
    first = commit(own, 1)
    own.push(hub, first, REF, None)

    error = refusal(own, hub, commit(own, 2), first)

    assert error.code == "koinii/not-a-descendant"
    assert own.ls_remote(hub, REF) == {REF: first}
    assert not own.is_ancestor("1" * 40, first)


def test_bc_060_a_remote_that_went_back_is_told_and_can_be_mended(
    own: Git, hub: str, plain: Plain
) -> None:
    first = commit(own, 1)
    second = commit(own, 2, first)
    own.push(hub, first, REF, None)
    own.push(hub, second, REF, first)
    plain(Path(hub), "update-ref", REF, first)
    third = commit(own, 3, second)

    assert refusal(own, hub, third, second).code == "koinii/push-raced"
    found = own.ls_remote(hub, REF)[REF]
    assert own.is_ancestor(found, third)
    own.push_and_confirm(hub, third, REF, found)


@by_git
@pytest.mark.parametrize("hook", ["pre-receive", "update"])
def test_bc_001_a_hook_that_refuses_is_an_error_with_its_words(
    hook: str, own: Git, hub: str
) -> None:
    script(Path(hub, "hooks", hook), "echo 'not on a Sunday' >&2", "exit 1")

    error = refusal(own, hub, commit(own, 1))

    assert (error.code, error.exit_code) == ("koinii/push-refused", 1)
    assert "not on a Sunday" in str(error.details["words"])
    assert error.details["ref"] == REF
    assert "hook declined" in str(error.details["reason"])
    assert own.ls_remote(hub, REF) == {}


@by_git
def test_bc_001_a_hook_that_refuses_later_spares_what_was_taken(
    own: Git, hub: str
) -> None:
    """Two refs, one refused: each has its own push and its own verdict."""
    script(Path(hub, "hooks/update"), f'[ "$1" != "{REF}" ]')
    first = commit(own, 1)
    own.push_and_confirm(hub, first, "refs/koinii/remote", None)

    assert refusal(own, hub, first).code == "koinii/push-refused"
    assert own.ls_remote(hub, "refs/koinii/*") == {"refs/koinii/remote": first}


def test_bc_001_a_namespace_that_may_not_be_pushed_is_refused(
    own: Git, hub: str, plain: Plain
) -> None:
    plain(Path(hub), "config", "transfer.hideRefs", "refs/koinii")

    error = refusal(own, hub, commit(own, 1))

    assert error.code == "koinii/push-refused"
    assert "hidden" in str(error.details["reason"])


def test_bc_002_a_ref_that_is_taken_but_not_shown_is_an_error(
    own: Git, hub: str, plain: Plain
) -> None:
    plain(Path(hub), "config", "uploadpack.hideRefs", "refs/koinii")

    error = refusal(own, hub, commit(own, 1))

    assert (error.code, error.exit_code) == ("koinii/push-unconfirmed", 1)
    assert error.details["found"] is None


@by_git
def test_bc_002_a_ref_that_a_hook_moves_on_is_an_error(
    own: Git, hub: str, plain: Plain
) -> None:
    other = commit(own, 9)
    plain(own.directory, "push", "-q", hub, f"{other}:refs/heads/kept")
    move = f"unset GIT_QUARANTINE_PATH; git update-ref {REF} {other}"
    script(Path(hub, "hooks/post-receive"), move)

    error = refusal(own, hub, commit(own, 1))

    assert error.code == "koinii/push-unconfirmed"
    assert error.details["found"] == other


def test_a_protected_ref_refuses_a_move_back(own: Git, hub: str, plain: Plain) -> None:
    """The server's own rule speaks where ours was overridden."""
    plain(Path(hub), "config", "receive.denyNonFastForwards", "true")
    plain(Path(hub), "config", "receive.denyDeletes", "true")
    first = commit(own, 1)
    second = commit(own, 2, first)
    own.push(hub, second, REF, None)

    error = refusal(own, hub, first, second)

    assert error.code == "koinii/not-a-descendant"
    assert own.ls_remote(hub, REF) == {REF: second}


def test_bc_068_a_lock_in_a_remote_is_told_and_left(own: Git, hub: str) -> None:
    first = commit(own, 1)
    own.push(hub, first, REF, None)
    lock = Path(hub, f"{REF}.lock")
    lock.touch()

    error = refusal(own, hub, commit(own, 2, first), first)

    assert (error.code, error.exit_code) == ("koinii/remote-locked", 5)
    assert lock.samefile(str(error.details["file"]))
    assert str(error.details["file"]) in error.hint
    assert lock.exists()
    lock.unlink()
    own.push_and_confirm(hub, commit(own, 2, first), REF, first)


@pytest.mark.parametrize("name", [f"{REF}.lock", "packed-refs.lock", "HEAD.lock"])
def test_bc_068_bc_007_a_lock_of_a_killed_git_here_is_cleared(
    name: str, own: Git
) -> None:
    first = commit(own, 1)
    own.update_ref(REF, first, None)
    lock = own.directory / name
    lock.touch()
    left = own.directory / "objects/pack/tmp_pack_left"
    left.touch()

    assert set(own.clear_stale_locks()) == {lock, left}

    own.update_ref(REF, commit(own, 2, first), first)
    assert own.clear_stale_locks() == []


def test_bc_068_a_lock_here_is_told_with_its_file(own: Git) -> None:
    first = commit(own, 1)
    own.update_ref(REF, first, None)
    lock = own.directory / f"{REF}.lock"
    lock.touch()

    with pytest.raises(SurroundingsError) as caught:
        own.update_ref(REF, commit(own, 2, first), first)

    assert caught.value.code == "koinii/git-locked"
    assert caught.value.details["file"] == str(lock)
    assert own.read_ref(REF) == first


def test_bc_067_an_own_ref_moves_only_from_the_value_expected(own: Git) -> None:
    first = commit(own, 1)
    second = commit(own, 2, first)
    own.update_ref(REF, first, None)

    for old in (None, second):
        with pytest.raises(KoiniiError) as caught:
            own.update_ref(REF, second, old)
        assert caught.value.code == "koinii/ref-moved"
    own.update_ref(REF, second, first)
    assert own.read_ref(REF) == second
    own.delete_ref(REF)
    own.delete_ref(REF)
    assert own.read_ref(REF) is None


@pytest.mark.parametrize("torn", ["", "0123", "\x00" * 41])
def test_bc_018_a_torn_ref_is_named_and_can_be_restored(torn: str, own: Git) -> None:
    first = commit(own, 1)
    own.update_ref(REF, first, None)
    (own.directory / REF).write_text(torn)

    with pytest.raises(SurroundingsError) as caught:
        own.read_ref(REF)

    assert caught.value.code == "koinii/damaged-ref"
    assert caught.value.details["file"] == str(own.directory / REF)
    own.restore_ref(REF, first)
    assert own.read_ref(REF) == first
    own.restore_ref("refs/koinii/new", first)
    assert own.read_ref("refs/koinii/new") == first


@pytest.mark.parametrize("lost", ["HEAD", "objects", ""])
def test_bc_018_a_repository_that_is_no_more_is_named_and_made_again(
    lost: str, own: Git
) -> None:
    first = commit(own, 1)
    own.update_ref(REF, first, None)
    gone = own.directory / lost
    gone.unlink() if gone.is_file() else shutil.rmtree(gone)

    for call in (
        lambda: own.read_ref(REF),
        lambda: own.update_ref(REF, first, None),
        lambda: own.list_refs("refs/koinii"),
    ):
        with pytest.raises(SurroundingsError) as caught:
            call()
        assert caught.value.code == "koinii/damaged-repository"
        assert caught.value.details["file"] == str(own.directory)
    own.init()
    own.restore_ref(REF, commit(own, 1))
    assert own.read_ref(REF) == first


def test_making_the_repository_again_changes_nothing(own: Git) -> None:
    own.update_ref(REF, commit(own, 1), None)
    before = {p: p.read_bytes() for p in own.directory.rglob("*") if p.is_file()}

    own.init()

    after = {p: p.read_bytes() for p in own.directory.rglob("*") if p.is_file()}
    assert after == before


def test_packs_are_joined_and_nothing_is_lost(own: Git, plain: Plain) -> None:
    tip: str | None = None
    for number in range(12):
        tip = commit(own, number, tip)
    assert tip is not None
    own.update_ref(REF, tip, None)

    assert not own.repack_when(13)
    assert own.repack_when(12)

    assert len(list(own.directory.glob("objects/pack/*.pack"))) < 12
    assert plain(own.directory, "rev-list", "--count", tip) == "12"
    plain(own.directory, "fsck", "--strict", "--full")
    assert not list(own.directory.glob("objects/??/*"))
    assert Objects(own.directory).list_files(tip)


def test_bc_121_what_no_ref_needs_is_dropped(own: Git, plain: Plain) -> None:
    first, loose = commit(own, 1), commit(own, 2)
    own.update_ref(REF, first, None)

    own.prune()

    assert Objects(own.directory).list_files(first)
    with pytest.raises(VerificationError):
        Objects(own.directory).list_files(loose)
    plain(own.directory, "fsck", "--strict", "--full")


def test_bc_115_a_ref_never_goes_back_while_refs_are_packed(
    own: Git, plain: Plain
) -> None:
    tip = commit(own, 1)
    own.update_ref(REF, tip, None)
    for number in range(2, 12):
        plain(own.directory, "pack-refs", "--all", "--prune")
        assert own.read_ref(REF) == tip
        before, tip = tip, commit(own, number, tip)
        own.update_ref(REF, tip, before)
        assert own.read_ref(REF) == tip


def test_bc_062_a_fetch_moves_nothing_but_what_it_names(
    own: Git, hub: str, plain: Plain
) -> None:
    mine, theirs = commit(own, 1), commit(own, 2)
    own.update_ref(REF, mine, None)
    for ref in (REF, "refs/heads/main", "refs/tags/v1", "refs/koinii/seats/x"):
        plain(own.directory, "push", "-q", hub, f"{theirs}:{ref}")

    own.fetch(hub, [f"+{REF}:{HERE}"])

    assert own.list_refs("refs/koinii") == {REF: mine, HERE: theirs}
    assert plain(own.directory, "for-each-ref", "--format=%(refname)") == "\n".join(
        [HERE, REF]
    )
    assert not (own.directory / "FETCH_HEAD").exists()


def test_bc_062_objects_that_fsck_refuses_do_not_come(
    own: Git, hub: str, home: Path, plain: Plain
) -> None:
    plain(home, "config", "--global", "fetch.fsckObjects", "false")
    evil = b"100644 .git\x00" + bytes.fromhex(object_id(b"blob", b"x"))
    data = commit_object(object_id(b"tree", evil), None, "x", SEAT, 0)
    objects: list[GitObject] = [(b"blob", b"x"), (b"tree", evil), (b"commit", data)]
    store_pack(Path(hub), write_pack(objects))
    plain(Path(hub), "update-ref", REF, object_id(b"commit", data))

    with pytest.raises(VerificationError) as caught:
        own.fetch(hub, [f"+{REF}:{HERE}"])

    assert caught.value.code == "koinii/bad-objects"
    assert own.read_ref(HERE) is None


def test_bc_066_a_shallow_remote_is_not_taken_for_the_whole(
    own: Git, hub: str, plain: Plain, tmp_path: Path
) -> None:
    first = commit(own, 1)
    second = commit(own, 2, first)
    own.push(hub, second, "refs/heads/main", None)
    plain(Path(hub), "symbolic-ref", "HEAD", "refs/heads/main")
    stump = tmp_path / "stump.git"
    plain(tmp_path, "clone", "-q", "--bare", "--depth=1", f"file://{hub}", str(stump))
    other = choose(tmp_path / "other")
    other.init()

    with pytest.raises(KoiniiError) as caught:
        other.fetch(str(stump), [f"+refs/heads/main:{HERE}"])

    assert caught.value.code == "koinii/shallow"
    assert other.read_ref(HERE) is None
    assert not (other.directory / "shallow").exists()


def test_a_ref_that_is_not_there_is_not_found(own: Git, hub: str) -> None:
    with pytest.raises(NotFoundError):
        own.fetch(hub, [f"{REF}:{HERE}"])
    assert own.ls_remote(hub, REF) == {}


def test_bc_095_junk_refs_are_left_out_and_bounded(
    own: Git, hub: str, plain: Plain
) -> None:
    tip = commit(own, 1)
    own.push(hub, tip, REF, None)
    junk = "".join(f"{tip} refs/junk/{REF}/{n:05}\n" for n in range(20_000))
    packed = Path(hub, "packed-refs")
    packed.write_text(f"# pack-refs with: peeled fully-peeled sorted \n{junk}")

    assert own.ls_remote(hub, "refs/koinii/seats/*") == {REF: tip}

    small = choose(own.directory, limits=own.limits._replace(output=100_000))
    with pytest.raises(SurroundingsError) as caught:
        small.ls_remote(hub, "refs/junk/*")
    assert caught.value.code == "koinii/answer-too-large"


@pytest.mark.parametrize("bad", ["--upload-pack=touch x", "-x", "hub.git"])
def test_an_address_is_never_an_option(bad: str, own: Git) -> None:
    tip = commit(own, 1)
    for call in (
        lambda: own.fetch(bad, [f"{REF}:{HERE}"]),
        lambda: own.push(bad, tip, REF, None),
        lambda: own.ls_remote(bad, REF),
    ):
        with pytest.raises(UsageError):
            call()
