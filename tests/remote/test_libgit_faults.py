"""Without git, surroundings that do not allow it have a name, a bound, a next step."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from koinii.errors import KoiniiError, SurroundingsError, VerificationError
from koinii.remote.commit import commit_object
from koinii.remote.git import Limits
from koinii.remote.libgit import Libgit, choose
from koinii.remote.object_graph import Graph
from koinii.remote.pack import GitObject, object_id, store_pack, write_pack
from koinii.remote.reading import Objects
from koinii.remote.repository import Git
from koinii.remote.tree import FILE, Entry, write_tree
from remote.desks import room
from remote.servers import git_daemon, http_backend
from remote.stock_git import GIT

Plain = Callable[..., str]

SEAT = "0123456789abcdef" * 2
REF = f"refs/koinii/seats/{SEAT}"
HERE = f"refs/koinii/fetched/{SEAT}"
X = bytes.fromhex(object_id(b"blob", b"x"))
QUICK = Limits(answer=3, quiet=3, transfer=5)

pytestmark = pytest.mark.usefixtures("without_git")


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing."""
    with room() as folder:
        yield folder


@pytest.fixture
def own(tmp_path: Path) -> Git:
    git = choose(tmp_path / "own", limits=QUICK._replace(answer=30, transfer=60))
    git.init()
    assert isinstance(git, Libgit)
    return git


def made(body: bytes, parent: str | None = None) -> list[GitObject]:
    """Return a blob, its tree and a commit of that."""
    tree = write_tree([Entry("presence", FILE, object_id(b"blob", body))])
    data = commit_object(object_id(b"tree", tree), parent, "x", SEAT, 1000)
    return [(b"blob", body), (b"tree", tree), (b"commit", data)]


def commit(repository: Path, body: bytes = b"x", parent: str | None = None) -> str:
    objects = made(body, parent)
    store_pack(repository, write_pack(objects))
    return object_id(*objects[-1])


def packs(git: Git) -> list[Path]:
    return sorted(git.directory.glob("objects/pack/*.pack"))


def fault(call: Callable[[], object]) -> KoiniiError:
    with pytest.raises(KoiniiError) as caught:
        call()
    return caught.value


# Ends within its bounds ------------------------------------------------------------


def test_bc_029_a_server_that_never_answers_times_out(own: Git) -> None:
    quick = choose(own.directory, limits=QUICK)
    tip = commit(own.directory)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"git://127.0.0.1:{silent.getsockname()[1]}/hub.git"
        start = time.monotonic()
        calls: list[Callable[[], object]] = [
            lambda: quick.ls_remote(url, REF),
            lambda: quick.push(url, tip, REF, None),
        ]
        for call in calls:
            error = fault(call)
            assert (error.code, error.exit_code) == ("koinii/timed-out", 5)
            assert url in error.message
        assert time.monotonic() - start < 30


def test_bc_029_credentials_are_never_asked_for(own: Git, bare: Path) -> None:
    with http_backend(bare.parent, login="user:S3CRET") as server:
        error = fault(lambda: own.ls_remote(server.url(bare.name), REF))
        assert (error.code, error.exit_code) == ("koinii/credentials", 5)
        assert "without git" in error.hint

        wrong = server.url(bare.name).replace("//", "//user:WR0NG@")
        error = fault(lambda: own.ls_remote(wrong, REF))
        assert error.code == "koinii/credentials"
        assert "WR0NG" not in f"{error.message} {error.hint} {error.details}"

        good = server.url(bare.name).replace("//", "//user:S3CRET@")
        tip = commit(own.directory)
        own.push_and_confirm(good, tip, REF, None)
        assert own.ls_remote(good, REF) == {REF: tip}


INTERRUPTED = """
import sys
from pathlib import Path
from koinii.remote.libgit import choose
choose(Path(sys.argv[1]), interactive=True).ls_remote(sys.argv[2], "refs/a")
"""


def test_an_interrupt_leaves_no_process_behind(own: Git) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"git://127.0.0.1:{silent.getsockname()[1]}/hub.git"
        child = subprocess.Popen(
            [sys.executable, "-c", INTERRUPTED, str(own.directory), url],
            start_new_session=True,
            stderr=subprocess.PIPE,
        )
        connection, _ = silent.accept()  # the process that libgit2 runs in is there
        with connection:
            os.killpg(child.pid, signal.SIGINT)
            _, said = child.communicate(timeout=20)
            connection.settimeout(20)
            while connection.recv(4096):
                pass  # until the other end is gone
    assert b"KeyboardInterrupt" in said


def test_a_torn_loose_object_in_a_remote_is_named(own: Git, bare: Path) -> None:
    """libgit2 1.9 does not end on some of these, so it is not given them."""
    tip = commit(own.directory, b"y" * 4000)
    at(bare, "unpack-objects", data=packs(own)[0].read_bytes())
    at(bare, "update-ref", REF, tip)
    blob = object_id(b"blob", b"y" * 4000)
    file = bare / "objects" / blob[:2] / blob[2:]
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:10])
    other = choose(own.directory.with_name("other"), limits=QUICK)
    other.init()

    error = fault(lambda: other.fetch(str(bare), [f"+{REF}:{HERE}"]))

    assert error.code == "koinii/bad-objects"
    assert "torn" in error.message or "torn" in str(error.details["words"])
    assert other.read_ref(HERE) is None


def at(hub: Path, *arguments: str, data: bytes | None = None) -> str:
    done = subprocess.run(
        [GIT, *arguments], cwd=hub, input=data, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


# What came is whole, or did not come ------------------------------------------------


def test_bc_062_what_is_not_all_there_does_not_come_until_it_is(
    own: Git, bare: Path
) -> None:
    """libgit2 asks for nothing that it has; so what was refused is not kept."""
    blob, tree, last = made(b"missing")
    store_pack(bare, write_pack([tree, last]))
    at(bare, "update-ref", REF, object_id(*last))

    with git_daemon(bare.parent) as server:
        fault(lambda: own.fetch(server.url(bare.name), [f"+{REF}:{HERE}"]))
        error = fault(lambda: own.fetch(str(bare), [f"+{REF}:{HERE}"]))
        assert error.code == "koinii/bad-objects"
        assert own.read_ref(HERE) is None
        store_pack(bare, write_pack([blob]))
        own.fetch(server.url(bare.name), [f"+{REF}:{HERE}"])

    assert own.read_ref(HERE) == object_id(*last)
    assert not own.faults()


def test_bc_007_a_fetch_that_was_killed_half_way_is_made_good(
    own: Git, bare: Path
) -> None:
    blob, tree, last = made(b"came late")
    store_pack(own.directory, write_pack([tree, last]))  # no ref needs it
    kept = commit(own.directory, b"kept")
    own.update_ref(REF, kept, None)
    store_pack(bare, write_pack([blob, tree, last]))
    at(bare, "update-ref", REF, object_id(*last))

    own.fetch(str(bare), [f"+{REF}:{HERE}"])

    assert own.list_refs("refs/koinii") == {HERE: object_id(*last), REF: kept}
    assert not own.faults()


@pytest.mark.parametrize(
    ("tree", "is_sent"),
    [
        (b"100644 \0" + X, False),
        (b"100644 .\0" + X, True),
        (b"100644 ..\0" + X, True),
        (b"100644 a/b\0" + X, True),
        (b"100644 .GIT\0" + X, True),
        (b"100644 git~1\0" + X, True),
        (b"100644 .git . :x\0" + X, True),
        ("100644 .g\u200cit\0".encode() + X, True),
        (b"40000 a\0" + X, True),
        (b"100644 a\0" + X[1:], False),
        (b"0100644 a\0" + X, True),
        (b"100644 b\0" + X + b"100644 a\0" + X, True),
        (b"100644 a\0" + X + b"100755 a\0" + X, True),
    ],
)
def test_bc_062_trees_that_git_would_not_take_do_not_come(
    tree: bytes, *, is_sent: bool, own: Git, bare: Path
) -> None:
    """A server sends most as they are: they come, and are taken away again."""
    data = commit_object(object_id(b"tree", tree), None, "x", SEAT, 1000)
    store_pack(bare, write_pack([(b"blob", b"x"), (b"tree", tree), (b"commit", data)]))
    at(bare, "update-ref", REF, object_id(b"commit", data))

    error = fault(lambda: own.fetch(str(bare), [f"+{REF}:{HERE}"]))
    assert error.code == "koinii/bad-objects"
    with git_daemon(bare.parent) as server:
        url = server.url(bare.name)
        error = fault(lambda: own.fetch(url, [f"+{REF}:{HERE}"]))
    assert (error.code == "koinii/bad-objects") == is_sent
    assert not packs(own)
    assert own.read_ref(HERE) is None


@pytest.mark.parametrize("what", ["tag", "tree", "blob"])
def test_what_is_no_commit_comes_whole_and_is_refused_by_who_reads_it(
    what: str, own: Git, bare: Path
) -> None:
    blob, tree, last = made(b"x")
    store_pack(bare, write_pack([blob, tree, last]))
    named = {"tree": object_id(*tree), "blob": object_id(*blob)}
    tag = f"object {object_id(*last)}\ntype commit\ntag t\n"
    tag += "tagger x <x@y> 1000 +0000\n\nx\n"
    named["tag"] = at(bare, "mktag", data=tag.encode())
    at(bare, "update-ref", REF, named[what])

    own.fetch(str(bare), [f"+{REF}:{HERE}"])

    assert own.read_ref(HERE) == named[what]
    with pytest.raises(VerificationError, match="it is no commit"):
        Objects(own.directory).read_commit(named[what])
    at(own.directory, "fsck", "--strict", "--full")


def test_bc_066_a_server_whose_history_is_cut_short_is_not_taken_for_the_whole(
    own: Git, bare: Path
) -> None:
    first = commit(bare, b"1")
    at(bare, "update-ref", "refs/heads/main", commit(bare, b"2", first))
    at(bare, "symbolic-ref", "HEAD", "refs/heads/main")
    stump = bare.with_name("stump.git")
    arguments = ("clone", "-q", "--bare", "--depth=1", f"file://{bare}", str(stump))
    at(bare, *arguments)

    with git_daemon(bare.parent) as server:
        url = server.url(stump.name)
        error = fault(lambda: own.fetch(url, [f"+refs/heads/main:{HERE}"]))

    assert error.code in {"koinii/shallow", "koinii/bad-objects"}
    assert own.read_ref(HERE) is None
    assert not packs(own)
    assert not (own.directory / "shallow").exists()


def test_a_server_of_sha_256_is_called_one(own: Git, bare: Path) -> None:
    other = bare.with_name("other.git")
    at(bare, "init", "-q", "--bare", "--object-format=sha256", str(other))
    with git_daemon(bare.parent) as server:
        url = server.url(other.name)
        tip = commit(own.directory)
        error = fault(lambda: own.push(url, tip, REF, None))

    assert error.code == "koinii/other-hash"


# Pushes -----------------------------------------------------------------------------


def test_bc_017_bc_020_a_server_with_another_value_is_named(
    own: Git, bare: Path
) -> None:
    first, other = commit(own.directory, b"1"), commit(own.directory, b"2")
    with git_daemon(bare.parent) as server:
        url = server.url(bare.name)
        own.push_and_confirm(url, first, REF, None)
        for expected in (None, other):
            error = fault(lambda old=expected: own.push(url, other, REF, old))  # type: ignore[misc]
            assert error.code == "koinii/push-raced"
        own.push_and_confirm(url, other, REF, first, replace=True)

    assert at(bare, "rev-parse", REF) == other


def test_what_a_path_rules_holds_without_git(own: Git, bare: Path) -> None:
    first, other = commit(own.directory, b"1"), commit(own.directory, b"2")
    at(bare, "config", "receive.denyNonFastForwards", "true")
    own.push_and_confirm(str(bare), first, REF, None)

    error = fault(lambda: own.push(str(bare), other, REF, first, replace=True))

    assert error.code == "koinii/push-refused"
    assert "non-fast-forward" in error.message
    assert at(bare, "rev-parse", REF) == first


PUSHING = """
import sys
from pathlib import Path
from koinii.remote.libgit import choose
print("ready", flush=True)
choose(Path(sys.argv[1])).push(sys.argv[2], sys.argv[3], sys.argv[4], None)
"""


@pytest.mark.parametrize("after", [0.0, 0.1, 0.2, 0.3, 0.4])
def test_bc_070_a_push_killed_half_way_is_done_again(
    after: float, own: Git, bare: Path
) -> None:
    """The whole group goes, with the process in which libgit2 writes over there."""
    tip = commit(own.directory, b"z" * 200_000)
    words = [str(own.directory), str(bare), tip, REF]
    child = subprocess.Popen(
        [sys.executable, "-c", PUSHING, *words],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    time.sleep(after)
    for one in (*children_of(child.pid), child.pid):
        os.kill(one, signal.SIGKILL)
    child.communicate()

    own.clear_stale_locks()
    for lock in bare.rglob("refs/**/*.lock"):
        error = fault(lambda: own.push(str(bare), tip, REF, None))
        assert error.code == "koinii/remote-locked"
        lock.unlink()
    own.push_and_confirm(str(bare), tip, REF, own.ls_remote(str(bare), REF).get(REF))

    assert at(bare, "rev-parse", REF) == tip
    at(bare, "fsck", "--strict", "--full")
    at(own.directory, "fsck", "--strict", "--full")


def children_of(process: int) -> list[int]:
    file = Path(f"/proc/{process}/task/{process}/children")
    return [int(one) for one in file.read_text().split()] if file.exists() else []


def test_bc_068_what_libgit2_leaves_here_is_cleared(own: Git) -> None:
    left = own.directory / "objects/pack/pack_git2_0123456789abcdef"
    left.touch()
    assert own.clear_stale_locks() == [left]
    assert not left.exists()


# The user's own settings ------------------------------------------------------------


def test_the_users_address_rewriting_is_kept(
    own: Git, bare: Path, home: Path, plain: Plain
) -> None:
    plain(home, "config", "--global", f"url.{bare.parent}/.insteadOf", "hub:")
    plain(home, "config", "--global", "url.ext::touch %S .insteadOf", "evil:")
    tip = commit(own.directory)

    own.push_and_confirm("hub:bare.git", tip, REF, None)

    assert at(bare, "rev-parse", REF) == tip
    assert fault(lambda: own.ls_remote("evil:x", REF)).code == "koinii/transport"


def test_bc_005_a_git_that_runs_us_is_not_inherited(
    own: Git, bare: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, home: Path
) -> None:
    other = tmp_path / "theirs"
    at(tmp_path, "init", "-q", str(other))
    before = {p: p.read_bytes() for p in other.rglob("*") if p.is_file()}
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE"):
        monkeypatch.setenv(name, str(other / ".git"))
    (home / ".gitconfig").write_text(
        "[core]\n\thooksPath = /nowhere\n\tlogAllRefUpdates = always\n"
        "[init]\n\ttemplateDir = /nowhere\n[fetch]\n\tprune = true\n"
    )
    tip = commit(own.directory)
    own.init()

    own.update_ref(REF, tip, None)
    own.push_and_confirm(str(bare), tip, REF, None)
    own.fetch(str(bare), [f"+{REF}:{HERE}"])

    assert own.list_refs("refs/koinii") == {REF: tip, HERE: tip}
    assert {p: p.read_bytes() for p in other.rglob("*") if p.is_file()} == before
    assert not (own.directory / "logs").exists()
    assert not (own.directory / "FETCH_HEAD").exists()


def test_words_of_a_server_that_are_no_utf_8(own: Git, bare: Path) -> None:
    """pygit2 cannot decode them; what became of the ref is told all the same."""
    hook = bare / "hooks/update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_bytes(b"#!/bin/sh\necho '\xff\xfe closed' >&2; exit 1\n")
    hook.chmod(0o755)
    tip = commit(own.directory)
    with git_daemon(bare.parent) as server:
        error = fault(lambda: own.push(server.url(bare.name), tip, REF, None))

    assert error.code == "koinii/push-refused"
    assert "hook declined" in error.message


def test_a_graph_is_no_larger_than_its_history(own: Git) -> None:
    """A thousand commits, each over the one before: walked once, without recursion."""
    objects: list[GitObject] = []
    tip: str | None = None
    for number in range(1000):
        new = made(b"%d" % number, tip)
        objects += new
        tip = object_id(*new[-1])
    assert tip is not None
    store_pack(own.directory, write_pack(objects))
    graph = Graph(own.directory)
    first = object_id(*objects[2])

    assert graph.is_ancestor(first, tip)
    assert not graph.is_ancestor(tip, first)
    assert len(graph.needed([tip])) == 3000
    assert len(graph.needed([tip], {object_id(*objects[5])})) == 2994


def test_an_address_of_the_web_without_a_repository(own: Git, bare: Path) -> None:
    with http_backend(bare.parent) as server:
        error = fault(lambda: own.ls_remote(server.url("nothing.git"), REF))
    assert error.code == "koinii/no-repository"
    assert isinstance(error, SurroundingsError)
