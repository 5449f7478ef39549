"""Stock git and OpenSSH accept the tip a seat pushes, and no changed one.

Needs ssh-keygen; `make setup-check` installs Debian's openssh-client.
"""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import koinii
from koinii import RemoteSeat
from koinii.note import PrivateKey, sign_ssh, verify_ssh
from koinii.remote.commit import open_commit, sign_commit
from koinii.seat.own_key import own_key

pytestmark = pytest.mark.check


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty HOME, so that nobody's settings or keys change a test."""
    for name in os.environ:
        if name.startswith(("GIT_", "SSH_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    folder = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", folder], check=True)
    return folder


@pytest.fixture
def seat(tmp_path: Path, bare: Path) -> Iterator[RemoteSeat]:
    """A seat that has pushed three commits, two of them at once."""
    with koinii.init(str(tmp_path / "seat"), agent="AgentAnna") as seat:
        seat.remotes.add("origin", str(bare))
        for texts in (["(a B)"], ["(c D)", "(e F)"]):
            for text in texts:
                seat.assert_(text)
                seat.commit()
            seat.push()
        yield seat


def git(bare: Path, *arguments: str, data: bytes | None = None) -> bytes:
    return subprocess.run(
        ["git", "-C", bare, *arguments], input=data, capture_output=True, check=True
    ).stdout


def ref(seat: RemoteSeat) -> str:
    return f"refs/koinii/seats/{seat.id}"


def verifies(bare: Path, commit: str, key: PrivateKey, options: str = "") -> bool:
    """Tell what `git verify-commit` says by its exit code, this key being allowed."""
    allowed = bare / "allowed_signers"
    options = options or 'namespaces="git"'
    allowed.write_text(f"someone {options} {key.public.openssh()}\n")
    done = subprocess.run(
        [
            "git", "-C", bare, "-c", "gpg.format=ssh",
            "-c", f"gpg.ssh.allowedSignersFile={allowed}", "verify-commit", commit,
        ],
        capture_output=True,
        check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.returncode == 0


def test_stock_git_accepts_every_tip(seat: RemoteSeat, bare: Path) -> None:
    key = own_key(seat)
    tips = [ref(seat), f"{ref(seat)}~2"]

    assert all(verifies(bare, tip, key) for tip in tips)
    assert not verifies(bare, f"{ref(seat)}~1", key)  # was never a tip
    git(bare, "fsck", "--strict", "--full")


def test_stock_git_refuses_another_key_and_namespace(
    seat: RemoteSeat, bare: Path
) -> None:
    other = PrivateKey.generate()

    assert not verifies(bare, ref(seat), other)
    assert not verifies(bare, ref(seat), own_key(seat), 'namespaces="file"')


def test_stock_git_refuses_a_changed_commit(seat: RemoteSeat, bare: Path) -> None:
    key = own_key(seat)
    data = git(bare, "cat-file", "commit", ref(seat))
    tree = git(bare, "mktree", data=b"").decode().strip()
    commit = open_commit(data)
    old = open_commit(git(bare, "cat-file", "commit", f"{ref(seat)}~2"))
    assert old.armour
    changed = [
        data.replace(b"\n\ncommit ", b"\n\nCommit "),
        data.replace(commit.tree.encode(), tree.encode()),
        data.replace(seat.id.encode(), b"0" * 32),
        sign_commit(commit.signed, old.armour),
        sign_commit(commit.signed, sign_ssh(commit.signed, key, "file")),
        commit.signed,
    ]

    for one in changed:
        assert one != data
        oid = git(bare, "hash-object", "-t", "commit", "-w", "--stdin", data=one)
        assert not verifies(bare, oid.decode().strip(), key), one


def test_ssh_keygen_asks_for_the_principal(
    seat: RemoteSeat, bare: Path, tmp_path: Path
) -> None:
    """What git leaves out: whether the key may speak for this name."""
    commit = open_commit(git(bare, "cat-file", "commit", ref(seat)))
    assert commit.armour
    allowed, signature = tmp_path / "allowed", tmp_path / "signature"
    line = own_key(seat).public.openssh()
    allowed.write_text(f'{commit.seat_id} namespaces="git" {line}\n')
    signature.write_text(commit.armour)

    def says(principal: str) -> bool:
        words = ["-Y", "verify", "-f", str(allowed), "-I", principal, "-n", "git"]
        done = subprocess.run(
            ["ssh-keygen", *words, "-s", str(signature)],
            input=commit.signed,
            capture_output=True,
            check=False,
        )
        return done.returncode == 0

    assert says(seat.id)
    assert not says("0" * 32)


def test_we_read_what_ssh_keygen_signs(seat: RemoteSeat) -> None:
    key, message = own_key(seat), b"a message\n"
    for name in ("sha512", "sha256"):
        done = subprocess.run(
            [
                "ssh-keygen", "-Y", "sign", "-n", "git", "-O", f"hashalg={name}",
                "-f", seat.layout.seat_key,
            ],
            input=message,
            capture_output=True,
            check=True,
        )  # fmt: skip
        verify_ssh(message, done.stdout.decode(), key.public, "git")


def test_the_commands_of_the_readme(
    seat: RemoteSeat, bare: Path, tmp_path: Path
) -> None:
    """In a clone of the ref, as a person would have it."""
    page = git(bare, "show", f"{ref(seat)}:README.md").decode()
    (script,) = [one.content for one in MarkdownIt().parse(page) if one.type == "fence"]
    clone = tmp_path / "clone"
    subprocess.run(["git", "init", "-q", clone], check=True)
    git(clone, "fetch", "-q", str(bare), f"{ref(seat)}:{ref(seat)}")

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", script],
            cwd=clone,
            capture_output=True,
            text=True,
            check=False,
        )

    done = run()
    assert done.returncode == 0, done.stderr
    digest, names = done.stdout.splitlines()
    assert digest.startswith(seat.id)
    assert names == f"koinii seat {seat.id}, koinii seat {seat.id}"
    git(clone, "update-ref", ref(seat), f"{ref(seat)}~1")
    assert run().returncode == 1
