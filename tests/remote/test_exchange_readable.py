"""What is published can be read and checked by people and tools that are not ours."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tlog_scales.signing import Vkey
from tlog_scales.tlog import Checkpoint, InclusionProof, InclusionProofInvalid

import koinii
from koinii import RemoteSeat
from koinii.history.log import Log
from koinii.note import PublicKey, read_public_key
from reference.exchange_twin import git, read_remote, show, split_bundle
from remote.conftest import Plain
from remote.desks import Clock, make_desk, room, says

TESTS = Path(__file__).parent.parent
STORY = """
import hashlib, json, sys
import koinii
from remote.desks import Clock, shown

with koinii.open(sys.argv[1], now=Clock()) as seat:
    for number in range(1, 13):
        for place in ("CxDeploy", "CxPlain", None):
            for agent in ("AgentAnna", "AgentBert"):
                text = f'(holds Item{number} "Z\\u00fcrich")'
                seat.assert_(text, context=place, agent=agent)
        if number > 2:
            text = f'(holds Item{number - 2} "Z\\u00fcrich")'
            seat.retract(seat.locate(text, "CxPlain"), agent="AgentBert")
        seat.commit()
    bodies = shown(seat).items()
    files = {path: hashlib.sha256(body).hexdigest() for path, body in bodies}
    print(json.dumps([files, seat.push().tip, seat.status().commit]))
"""


class Talk(NamedTuple):
    """Two seats that have talked over a remote for a while, and agree."""

    anna: RemoteSeat
    bert: RemoteSeat
    remote: Path

    @property
    def seats(self) -> tuple[RemoteSeat, RemoteSeat]:
        return self.anna, self.bert


@pytest.fixture(scope="module")
def talk() -> Iterator[Talk]:
    with room() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        remote = folder / "remote.git"
        git(folder, "init", "-q", "--bare", str(remote))
        desks = [
            make_desk(folder, "anna", ["AgentAnna", "AgentNora"]),
            make_desk(folder, "bert", ["AgentBert"]),
        ]
        with (
            koinii.open(str(desks[0].path), now=Clock()) as anna,
            koinii.open(str(desks[1].path), now=Clock()) as bert,
        ):
            for seat in (anna, bert):
                seat.remotes.add("origin", f"file://{remote}")
            have_a_talk(anna, bert)
            yield Talk(anna, bert, remote)


def have_a_talk(anna: RemoteSeat, bert: RemoteSeat) -> None:
    anna.assert_("(channel CxDeploy)")
    anna.join("CxDeploy")
    for number in range(1, 10):
        anna.assert_(f"(usesDatabase Cluster{number} Postgres)")
        bert.assert_(
            f"(not (usesDatabase Cluster{number} Postgres))", context="CxDeploy"
        )
        anna.assert_(
            f'(says Nora "{number} — 日本")', agent="AgentNora", context="CxDeploy"
        )
        if number > 3:
            text = f"(usesDatabase Cluster{number - 2} Postgres)"
            anna.retract(anna.locate(text, "CxAnna"))
        anna.sync()
        bert.sync()
    anna.sync()


# The twin -----------------------------------------------------------------------


def test_a_twin_that_knows_git_and_sha256_finds_the_same(talk: Talk) -> None:
    twin = read_remote(talk.remote)

    for seat in talk.seats:
        status = seat.status()
        assert (status.commit, status.inputs) == (twin.commit, twin.inputs)
        assert says(seat) == {
            (agent, place, context, line.split(" ", 2)[2])
            for agent, place, context, line in twin.claims
        }
    last = twin.newest[talk.anna.id]
    assert f"sha256:{last['commit'].hex()}" == twin.commit
    assert f"sha256:{last['inputs'].hex()}" == twin.inputs
    assert last["size"] == talk.anna.status().size


@pytest.mark.parametrize("path", ["manifest", "checkpoint", "claim", "authored"])
def test_the_twin_can_say_no(
    path: str, talk: Talk, tmp_path: Path, plain: Plain
) -> None:
    """The twin is a check only if it fails where something is off."""
    remote = tmp_path / "spoilt.git"
    shutil.copytree(talk.remote, remote)
    ref = f"refs/koinii/seats/{talk.anna.id}"
    names = plain(remote, "ls-tree", "-r", "--name-only", ref).splitlines()
    (name, *_) = [one for one in names if path in one]
    body = show(remote, ref, name)
    blob = plain(remote, "hash-object", "-w", "--stdin", data=body.replace(b"1", b"2"))
    index = {"GIT_INDEX_FILE": str(remote / "index")}
    for words in (
        ["read-tree", ref],
        ["update-index", "--cacheinfo", f"100644,{blob},{name}"],
    ):
        subprocess.run(
            ["git", "-C", str(remote), *words], check=True, env={**os.environ, **index}
        )
    tree = subprocess.check_output(
        ["git", "-C", str(remote), "write-tree"], env={**os.environ, **index}, text=True
    ).strip()
    message = plain(remote, "log", "-1", "--format=%B", ref)
    parent = plain(remote, "rev-parse", f"{ref}^")
    who = ("-c", "user.name=x", "-c", "user.email=x@y")
    spoilt = plain(remote, *who, "commit-tree", "-p", parent, "-m", message, tree)
    plain(remote, "update-ref", ref, spoilt)

    with pytest.raises((AssertionError, ValueError)):
        read_remote(remote)


# People --------------------------------------------------------------------------


def test_the_log_reads_like_the_conversation(talk: Talk, plain: Plain) -> None:
    anna = talk.anna
    log = plain(talk.remote, "log", "-p", "--reverse", f"refs/koinii/seats/{anna.id}")

    for number in range(1, 10):
        assert f"(usesDatabase Cluster{number} Postgres)\n" in log
        assert f'(says Nora "{number} — 日本")\n' in log
    gone = anna.locate("(usesDatabase Cluster2 Postgres)", "CxAnna")
    assert f"\n+- {gone}\n" in log
    head = plain(talk.remote, "show", f"refs/koinii/seats/{anna.id}:README.md")
    assert anna.id in head
    assert anna.status().commit in head
    for line in log.splitlines():
        assert line.isprintable() or "\t" in line or not line or "history" in log


def test_commits_are_numbered_in_their_trailers(talk: Talk, plain: Plain) -> None:
    for seat in talk.seats:
        numbers = plain(
            talk.remote,
            "log",
            "--reverse",
            "--format=%(trailers:key=Koinii-Commit,valueonly,separator=)",
            f"refs/koinii/seats/{seat.id}",
        )
        commits = [commit.number for commit in reversed(seat.log())]
        assert numbers.split() == [str(number) for number in commits]
        assert commits == list(range(1, len(commits) + 1))


# Stock tools -----------------------------------------------------------------------


def test_a_foreign_verifier_checks_head_and_records(talk: Talk) -> None:
    for seat in talk.seats:
        ref = f"refs/koinii/seats/{seat.id}"
        key = raw_key(show(talk.remote, ref, "seat.pub"))
        head = Checkpoint.from_text(show(talk.remote, ref, "checkpoint").decode())
        vkey = Vkey(f"koinii.seat/{seat.id}", None, 1, key)

        head.verify(vkey)

        assert hashlib.sha256(key).hexdigest()[:32] == seat.id
        leaves = [
            hashlib.sha256(b"\x00" + entry).digest()
            for entry in split_bundle(show(talk.remote, ref, "history/entries/0000"))
        ]
        assert head.size == len(leaves) == seat.status().number
        log = Log(leaves)
        for number, leaf in enumerate(leaves, start=1):
            proof = InclusionProof(number - 1, head.size, log.prove(number))
            proof.check(leaf, head.root_hash)
            with pytest.raises(InclusionProofInvalid):
                proof.check(hashlib.sha256(leaf).digest(), head.root_hash)


def raw_key(line: bytes) -> bytes:
    """Return the Ed25519 key of an OpenSSH line, as RFC 8709 has it."""
    blob = base64.b64decode(line.split()[1])
    assert PublicKey(blob[-32:]) == read_public_key(line.decode())
    return blob[-32:]


def test_stock_git_finds_nothing_to_object_to(
    talk: Talk, tmp_path: Path, plain: Plain
) -> None:
    plain(talk.remote, "fsck", "--strict", "--no-dangling")
    for seat in talk.seats:
        plain(seat.git.directory, "fsck", "--strict", "--no-dangling")
    bundle = tmp_path / "all.bundle"
    plain(talk.remote, "bundle", "create", "-q", str(bundle), "--all")
    plain(talk.remote, "bundle", "verify", "-q", str(bundle))


# Bytes -----------------------------------------------------------------------------


def test_bc_128_bytes_depend_on_no_hash_seed_and_no_locale(tmp_path: Path) -> None:
    desk = make_desk(tmp_path, "desk", ["AgentAnna", "AgentBert"])
    surroundings = [
        {"PYTHONHASHSEED": "0", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8"},
        {"PYTHONHASHSEED": "4242", "LC_ALL": "POSIX", "PYTHONUTF8": "1"},
        {"PYTHONHASHSEED": "77", "LC_ALL": "C.UTF-8", "TZ": "Asia/Kathmandu"},
    ]
    answers = []
    for number, variables in enumerate(surroundings):
        folder = tmp_path / f"run{number}"
        folder.mkdir()
        git(folder, "init", "-q", "--bare", str(folder / "bare.git"))
        with desk.copy_to(folder) as seat:
            seat.remotes.add("origin", str(folder / "bare.git"))
            path = seat.layout.directory
        elsewhere = {"KOINII_HOME": str(folder / "outside")}
        answers.append(run_story(path, variables | elsewhere))

    assert len(answers[0][0]) > 15
    for answer in answers[1:]:
        assert answer == answers[0]


def run_story(path: str, variables: dict[str, str]) -> list[Any]:
    done = subprocess.run(
        [sys.executable, "-c", STORY, path],
        capture_output=True,
        check=False,
        env={**os.environ, **variables, "PYTHONPATH": str(TESTS)},
    )
    assert done.returncode == 0, done.stderr.decode()
    answer: list[Any] = json.loads(done.stdout)
    return answer
