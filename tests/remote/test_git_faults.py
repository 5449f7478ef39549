"""Surroundings that do not allow it: each has a name, a bound and a next step."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from koinii.errors import KoiniiError, SurroundingsError, VerificationError
from koinii.remote.commit import commit_object
from koinii.remote.git import Limits
from koinii.remote.pack import GitObject, object_id, store_pack, write_pack
from koinii.remote.repository import Git
from koinii.remote.tree import FILE, Entry, write_tree

Plain = Callable[..., str]

SEAT = "0123456789abcdef" * 2
REF = f"refs/koinii/seats/{SEAT}"
HERE = f"refs/koinii/fetched/{SEAT}"
QUICK = Limits(answer=2, quiet=2, transfer=4)


def commit(git: Git, body: bytes = b"x") -> str:
    tree = write_tree([Entry("presence", FILE, object_id(b"blob", body))])
    data = commit_object(object_id(b"tree", tree), None, "x", SEAT, 1000)
    objects: list[GitObject] = [(b"blob", body), (b"tree", tree), (b"commit", data)]
    store_pack(git.directory, write_pack(objects))
    return object_id(b"commit", data)


def script(file: Path, *lines: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    file.chmod(0o755)
    return file


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A directory where our git is made already."""
    Git(tmp_path / "own").init()
    return tmp_path / "own"


def fault(git: Git, url: str) -> KoiniiError:
    with pytest.raises(KoiniiError) as caught:
        git.ls_remote(url, REF)
    return caught.value


def ssh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *lines: str) -> str:
    """Stand in for ssh with a script that has the remote command in `$command`."""
    last = 'for command; do :; done; eval "set -- $command"'
    file = script(tmp_path / "bin/fake-ssh", last, *lines)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(file))
    monkeypatch.setenv("GIT_SSH_VARIANT", "ssh")
    return "ssh://host"


@contextmanager
def served(answer: int, seen: list[str] | None = None) -> Iterator[str]:
    """An HTTP server that gives one answer to everything."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if seen is not None:
                seen.append(self.path)
            self.send_response(answer)
            self.send_header("WWW-Authenticate", 'Basic realm="hub"')
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("/nowhere/hub.git", "koinii/no-repository"),
        ("file:///nowhere/hub.git", "koinii/no-repository"),
        ("http://127.0.0.1:1/hub.git", "koinii/network"),
        ("git://127.0.0.1:1/hub.git", "koinii/network"),
        ("https://name.invalid/hub.git", "koinii/network"),
        ("ext::sh -c true", "koinii/transport"),
    ],
)
def test_a_remote_that_cannot_be_reached_has_a_reason(
    url: str, code: str, directory: Path
) -> None:
    git = Git(directory)
    tip = commit(git)

    error = fault(git, url)

    assert (error.code, error.exit_code) == (code, 5)
    assert error.details["words"]
    assert error.hint
    with pytest.raises(SurroundingsError):
        git.fetch(url, [f"+{REF}:{HERE}"])
    with pytest.raises(SurroundingsError):
        git.push(url, tip, REF, None)


def test_a_folder_that_is_no_repository_is_told(
    directory: Path, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()

    error = fault(Git(directory), str(tmp_path / "folder"))

    assert error.code == "koinii/no-repository"
    assert str(tmp_path / "folder") in error.message


@pytest.mark.parametrize(
    ("place", "reason", "code"),
    [
        ("missing", "does not appear to be a git repository", "no-repository"),
        ("empty", "does not appear to be a git repository", "no-repository"),
        ("file", "invalid gitfile format", "no-repository"),
    ],
)
def test_the_reason_is_gits_own_wherever_the_address_leads(
    place: str, reason: str, code: str, directory: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    for form in ("{}", "file://{}"):
        error = fault(Git(directory), form.format(tmp_path / place))

        assert error.code == f"koinii/{code}"
        assert reason in error.message


def test_a_sha_256_repository_is_called_one(
    directory: Path, tmp_path: Path, plain: Plain
) -> None:
    plain(tmp_path, "init", "-q", "--bare", "--object-format=sha256", "other")
    git, other = Git(directory), tmp_path / "other"
    with pytest.raises(SurroundingsError, match="SHA-256 repository") as caught:
        git.push(str(other), commit(git), REF, None)
    assert caught.value.code == "koinii/other-hash"
    tree = plain(other, "mktree", data=b"")
    who = ("-c", "user.name=x", "-c", "user.email=x@y")
    plain(other, "update-ref", REF, plain(other, *who, "commit-tree", "-m", "x", tree))

    error = fault(git, str(other))

    assert error.code == "koinii/other-hash"
    assert "SHA-256 repository" in error.message


def test_a_git_that_is_not_there_is_told(
    directory: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    error = fault(Git(directory), "/srv/hub.git")

    assert error.code == "koinii/no-git"
    assert "install git" in error.hint


def test_a_git_that_is_too_old_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script(tmp_path / "bin/git", "echo git version 2.25.1")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")

    with pytest.raises(SurroundingsError) as caught:
        Git(tmp_path / "own").init()

    assert caught.value.code == "koinii/old-git"
    assert caught.value.details["version"] == "2.25"


def test_a_password_in_an_address_is_never_shown(directory: Path) -> None:
    git = Git(directory)
    tip = commit(git)
    with served(401) as host:
        url = f"http://user:S3CRET@{host}/hub.git"
        errors = [fault(git, url)]
        calls: list[Callable[[], object]] = [
            lambda: git.fetch(url, [f"+{REF}:{HERE}"]),
            lambda: git.push(url, tip, REF, None),
        ]
        for call in calls:
            with pytest.raises(SurroundingsError) as caught:
                call()
            errors.append(caught.value)

    for error in errors:
        assert "S3CRET" not in f"{error.message} {error.hint} {error.details}"
        assert error.code == "koinii/credentials"


def test_bc_029_missing_credentials_end_at_once_with_their_name(
    directory: Path,
) -> None:
    with served(401) as host:
        error = fault(Git(directory, limits=QUICK), f"http://{host}/hub.git")

    assert error.code == "koinii/credentials"
    assert host in error.message


def test_bc_029_a_server_that_never_answers_times_out(directory: Path) -> None:
    git = Git(directory, limits=QUICK)
    tip = commit(git)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"git://127.0.0.1:{silent.getsockname()[1]}/hub.git"
        start = time.monotonic()
        error = fault(git, url)
        with pytest.raises(SurroundingsError, match="timed out"):
            git.push(url, tip, REF, None)

    assert error.code == "koinii/timed-out"
    assert url in error.message
    assert time.monotonic() - start < 15


def test_bc_029_an_ssh_that_sleeps_is_ended_with_all_it_started(
    directory: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    note = tmp_path / "pid"
    url = ssh(monkeypatch, tmp_path, "trap '' TERM", f"echo $$ > {note}", "sleep 600")

    error = fault(Git(directory, limits=QUICK), f"{url}/hub.git")

    assert error.code == "koinii/timed-out"
    with pytest.raises(ProcessLookupError):
        wait_gone(int(note.read_text()))


def test_bc_029_a_helper_that_lives_on_does_not_hold_us_up(
    directory: Path, bare: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As a shared ssh connection does, it keeps the error output open."""
    note = tmp_path / "pid"
    lives_on = f"sleep 60 </dev/null >/dev/null & echo $! > {note}"
    url = ssh(monkeypatch, tmp_path, lives_on, 'exec "$@"') + str(bare)

    assert Git(directory, limits=QUICK).ls_remote(url, REF) == {}

    os.kill(int(note.read_text()), signal.SIGKILL)


def wait_gone(process: int) -> None:
    """Raise `ProcessLookupError` as soon as there is no such process."""
    for _ in range(50):
        os.kill(process, 0)
        if Path(f"/proc/{process}/stat").read_text().split(") ")[-1][0] == "Z":
            raise ProcessLookupError
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("Host key verification failed.", "koinii/host-key"),
        ("git@host: Permission denied (publickey).", "koinii/credentials"),
        ("ssh: Could not resolve hostname host: no", "koinii/network"),
        ("ERROR: Repository not found.", "koinii/no-repository"),
    ],
)
def test_what_ssh_says_is_kept(
    words: str, code: str, directory: Path, monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    url = ssh(monkeypatch, tmp_path, f"echo '{words}' >&2", "exit 255")

    error = fault(Git(directory), f"{url}/hub.git")

    assert error.code == code
    assert words in str(error.details["words"])


def test_bc_001_over_a_smart_transport_a_refusal_is_an_error(
    directory: Path, bare: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    url = ssh(monkeypatch, tmp_path, 'exec "$@"') + str(bare)
    git = Git(directory)
    tip = commit(git)
    hook = script(bare / "hooks/pre-receive", "echo no entry >&2", "exit 1")

    with pytest.raises(KoiniiError) as caught:
        git.push_and_confirm(url, tip, REF, None)
    hook.unlink()
    git.push_and_confirm(url, tip, REF, None)

    assert caught.value.code == "koinii/push-refused"
    assert "no entry" in str(caught.value.details["words"])
    assert git.ls_remote(url, REF) == {REF: tip}


def test_bc_030_a_remote_of_another_owner_is_told_with_the_fix(
    directory: Path, bare: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    plain: Plain,
) -> None:  # fmt: skip
    """Git is told by its own test switch that the owner is another."""
    switch = "export GIT_TEST_ASSUME_DIFFERENT_OWNER=1"
    url = ssh(monkeypatch, tmp_path, switch, 'exec "$@"') + str(bare)
    git = Git(directory)
    tip = commit(git)

    with pytest.raises(SurroundingsError) as caught:
        git.push(url, tip, REF, None)
    plain(tmp_path, "config", "--global", "safe.directory", str(bare))
    git.push_and_confirm(url, tip, REF, None)

    assert caught.value.code == "koinii/git-ownership"
    assert "safe.directory" in caught.value.hint
    assert str(bare) in str(caught.value.details["words"])


def test_bc_030_our_own_repository_of_another_owner_works(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain: Plain
) -> None:
    """The switch reaches git through a wrapper: our environment drops it."""
    plain(tmp_path, "config", "--global", "safe.bareRepository", "explicit")
    real = subprocess.run(["which", "git"], capture_output=True, check=True, text=True)
    script(
        tmp_path / "bin/git",
        "export GIT_TEST_ASSUME_DIFFERENT_OWNER=1",
        f'exec {real.stdout.strip()} "$@"',
    )
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    git = Git(directory)
    tip = commit(git)

    git.update_ref(REF, tip, None)

    assert git.read_ref(REF) == tip


def test_a_remote_that_only_reads_refuses_a_push(
    directory: Path, bare: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A server without receive-pack, as most read-only mirrors are."""
    only = 'case "$1" in *receive*) echo "fatal: read-only hub" >&2; exit 128;; esac'
    url = ssh(monkeypatch, tmp_path, only, 'exec "$@"') + str(bare)
    git = Git(directory)
    tip = commit(git)

    with pytest.raises(SurroundingsError) as caught:
        git.push_and_confirm(url, tip, REF, None)

    assert "read-only hub" in str(caught.value.details["words"])
    assert git.ls_remote(url, REF) == {}


def test_a_remote_that_cannot_write_refuses_a_push(directory: Path, bare: Path) -> None:
    """Its store of objects takes no new file, whoever asks."""
    (bare / "objects/pack").rmdir()
    (bare / "objects/info").rmdir()
    (bare / "objects").rmdir()
    (bare / "objects").symlink_to("/proc/self/task")
    git = Git(directory)
    tip = commit(git)

    with pytest.raises(KoiniiError) as caught:
        git.push_and_confirm(str(bare), tip, REF, None)

    assert caught.value.code in {"koinii/push-refused", "koinii/no-repository"}
    assert "unable to create" in str(caught.value.details["words"])


SURROUNDING = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_QUARANTINE_PATH",
    "GIT_SHALLOW_FILE",
]


def test_bc_005_a_git_that_runs_us_is_not_inherited(
    directory: Path, bare: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Run from a hook or an alias of another repository."""
    other = tmp_path / "theirs"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    before = {p: p.read_bytes() for p in other.rglob("*") if p.is_file()}
    for name in SURROUNDING:
        monkeypatch.setenv(name, str(other / ".git"))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.bare'='false'")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "/x")
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    git = Git(directory)
    git.init()
    tip = commit(git)

    git.update_ref(REF, tip, None)
    git.push_and_confirm(str(bare), tip, REF, None)
    git.fetch(str(bare), [f"+{REF}:{HERE}"])

    assert git.list_refs("refs/koinii") == {REF: tip, HERE: tip}
    assert {p: p.read_bytes() for p in other.rglob("*") if p.is_file()} == before


def test_bc_005_the_users_settings_change_nothing(
    bare: Path, home: Path, tmp_path: Path, plain: Plain
) -> None:
    hooks = home / "hooks"
    for name in ("pre-push", "pre-commit", "post-checkout", "pre-auto-gc"):
        script(hooks / name, "echo the user\\'s hook ran >&2", "exit 1")
    template = home / "template/hooks"
    script(template / "reference-transaction", "exit 1")
    settings = {
        "core.hooksPath": str(hooks),
        "commit.gpgsign": "true",
        "tag.gpgsign": "true",
        "push.gpgSign": "true",
        "push.default": "nothing",
        "push.followTags": "true",
        "push.recurseSubmodules": "only",
        "push.pushOption": "ci.skip",
        "gpg.program": "/bin/false",
        "core.autocrlf": "true",
        "core.fsmonitor": "/bin/false",
        "init.defaultBranch": "weird/name",
        "init.defaultObjectFormat": "sha256",
        "init.templateDir": str(home / "template"),
        "fetch.prune": "true",
        "fetch.fsckObjects": "false",
        "transfer.fsckObjects": "false",
        "remote.pushDefault": "nowhere",
        "submodule.recurse": "true",
        "color.ui": "always",
        "protocol.file.allow": "never",
        "protocol.version": "0",
        "gc.auto": "1",
    }
    for name, value in settings.items():
        plain(home, "config", "--global", name, value)
    before = (home / ".gitconfig").read_bytes()
    git = Git(tmp_path / "own")
    git.init()
    tip = commit(git)

    git.update_ref(REF, tip, None)
    git.push_and_confirm(str(bare), tip, REF, None)
    git.fetch(str(bare), [f"+{REF}:{HERE}"])

    assert git.list_refs("refs/koinii") == {REF: tip, HERE: tip}
    assert (home / ".gitconfig").read_bytes() == before
    assert not (tmp_path / "own/hooks").exists()


def test_bc_005_a_hook_of_the_user_on_every_ref_change_does_not_run_here(
    directory: Path, bare: Path, home: Path, plain: Plain
) -> None:
    """It would run in a remote on a path, which is not ours to say."""
    git = Git(directory)
    tip = commit(git)
    git.push_and_confirm(str(bare), tip, REF, None)
    script(home / "hooks/reference-transaction", f"touch {home}/ran", "exit 1")
    plain(home, "config", "--global", "core.hooksPath", str(home / "hooks"))

    git.update_ref(REF, tip, None)
    git.fetch(str(bare), [f"+{REF}:{HERE}"])

    assert git.list_refs("refs/koinii") == {REF: tip, HERE: tip}
    assert not (home / "ran").exists()


def test_the_users_address_rewriting_is_kept(
    directory: Path, bare: Path, home: Path, plain: Plain
) -> None:
    plain(home, "config", "--global", f"url.{bare.parent}/.insteadOf", "hub:")
    git = Git(directory)
    tip = commit(git)

    git.push_and_confirm("hub:bare.git", tip, REF, None)

    assert plain(bare, "rev-parse", REF) == tip


def test_rewriting_to_a_command_is_refused(
    directory: Path, home: Path, tmp_path: Path, plain: Plain
) -> None:
    target = f"url.ext::touch {tmp_path / 'ran'} %S .insteadOf"
    plain(home, "config", "--global", target, "hub:")

    assert fault(Git(directory), "hub:x").code == "koinii/transport"
    assert not (tmp_path / "ran").exists()


def test_the_users_credential_helper_is_asked(
    directory: Path, home: Path, plain: Plain
) -> None:
    note = home / "asked"
    helper = f"!f() {{ echo $1 >> {note}; echo username=u; echo password=p; }}; f"
    plain(home, "config", "--global", "credential.helper", helper)
    with served(401) as host:
        fault(Git(directory, limits=QUICK), f"http://{host}/hub.git")

    assert note.read_text().splitlines() == ["get", "erase"]


def test_bc_121_a_big_blob_is_fetched_in_little_memory(
    directory: Path, bare: Path, plain: Plain
) -> None:
    """100 MB of zeros pass under 64 MB, since large blobs are streamed."""
    hub = Git(bare)
    tip = commit(hub, bytes(100_000_000))
    plain(bare, "update-ref", REF, tip)
    git = Git(directory, limits=Limits(memory=64 << 20))

    git.fetch(str(bare), [f"+{REF}:{HERE}"])

    assert git.read_ref(HERE) == tip


def test_bc_121_a_delta_that_grows_beyond_memory_is_refused(
    directory: Path, bare: Path, plain: Plain, monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    """A few bytes that copy one megabyte two hundred times; the server is free."""
    tip = bomb(bare, bytes(1 << 20), times=200)
    plain(bare, "update-ref", REF, tip)
    url = ssh(monkeypatch, tmp_path, "ulimit -S -d unlimited", 'exec "$@"') + str(bare)
    git = Git(directory, limits=Limits(memory=128 << 20))

    with pytest.raises(VerificationError) as caught:
        git.fetch(url, [f"+{REF}:{HERE}"])

    assert caught.value.code == "koinii/bad-objects"
    assert git.read_ref(HERE) is None


def test_bc_121_a_pack_beyond_the_file_limit_is_refused(
    directory: Path, bare: Path, plain: Plain
) -> None:
    hub = Git(bare)
    noise = b"".join(
        bytes.fromhex(object_id(b"blob", b"%d" % n)) for n in range(50_000)
    )
    tip = commit(hub, noise)
    plain(bare, "update-ref", REF, tip)
    git = Git(directory, limits=Limits(file=500_000))

    with pytest.raises(VerificationError) as caught:
        git.fetch(str(bare), [f"+{REF}:{HERE}"])

    assert caught.value.code == "koinii/bad-objects"
    assert git.read_ref(HERE) is None
    git.clear_stale_locks()
    assert not list(directory.glob("objects/pack/tmp_*"))


def number(value: int) -> bytes:
    """A size as deltas spell it: seven bits a byte, least first."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def bomb(bare: Path, base: bytes, times: int) -> str:
    """Store a blob as a delta that copies `base` many times; return a commit of it."""
    copy = b"\xc0\x10"  # from offset 0, as many bytes as the third byte says
    assert len(base) == 1 << 20
    delta = number(len(base)) + number(len(base) * times) + copy * times
    blob = object_id(b"blob", base * times)
    entries = [Entry("a", FILE, object_id(b"blob", base)), Entry("b", FILE, blob)]
    tree = write_tree(entries)
    data = commit_object(object_id(b"tree", tree), None, "x", SEAT, 1000)
    whole = write_pack([(b"blob", base), (b"tree", tree), (b"commit", data)])
    size, first = len(delta), bytearray()
    byte, size = 7 << 4 | size & 15, size >> 4
    while size:
        first.append(byte | 0x80)
        byte, size = size & 0x7F, size >> 7
    first.append(byte)
    entry = (
        bytes(first) + bytes.fromhex(object_id(b"blob", base)) + zlib.compress(delta)
    )
    body = whole[:8] + (4).to_bytes(4, "big") + whole[12:-20] + entry
    pack = body + sha1(body, usedforsecurity=False).digest()
    subprocess.run(
        ["git", "index-pack", "--stdin"],
        cwd=bare,
        input=pack,
        check=True,
        capture_output=True,
    )
    return object_id(b"commit", data)


INTERRUPTED = """
import sys
from pathlib import Path
from koinii.remote.repository import Git
Git(Path(sys.argv[1]), interactive=sys.argv[3] == "1").ls_remote(sys.argv[2], "refs/a")
"""


@pytest.mark.parametrize("interactive", ["0", "1"])
def test_an_interrupt_leaves_no_process_behind(
    interactive: str, directory: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    note = tmp_path / "pid"
    url = ssh(monkeypatch, tmp_path, f"echo $PPID > {note}", "sleep 30")
    child = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(directory), url + "/x", interactive],
        start_new_session=True,
        stderr=subprocess.PIPE,
    )
    while not note.exists() or not note.read_text():
        time.sleep(0.02)

    os.killpg(child.pid, signal.SIGINT)
    _, said = child.communicate(timeout=20)

    assert b"KeyboardInterrupt" in said
    with pytest.raises(ProcessLookupError):
        wait_gone(int(note.read_text()))
