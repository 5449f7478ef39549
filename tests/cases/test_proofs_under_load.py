"""Proofs of a seat that commits meanwhile, and of its first commit.

Each is checked by the one-file verifier, which shares no code with koinii.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from history.stand_alone import PROGRAM, alone, verify
from koinii.errors import KoiniiError
from koinii.seat.seat import Seat
from remote.desks import EMPTY, SOAK
from seat.made import copy_of_two, make_seat, open_seat

PROOFS = 2_000 if SOAK else 120
EACH_BY_A_PROCESS = 40  # one in so many proofs is checked by a process of its own too
WRITER = """
import sys
import koinii

with koinii.open(sys.argv[1]) as seat:
    for number in range(int(sys.argv[2])):
        seat.assert_(f"(written {number})", agent="AgentBoreas")
        if number % 3 == 0:
            seat.retract(seat.locate(f"(written {number})", "CxBoreas"),
                         agent="AgentBoreas")
        done = seat.commit()
        if sys.stdin.readline() == "":
            break
"""
KINDS: dict[str, dict[str, Any]] = {
    "inclusion": {},
    "absence": {"absence": True},
    "attribution": {"attribution": True},
    "why": {"why": True},
    "dispute": {"dispute": True},
}


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Seat]:
    """A seat whose AgentAtlas has said something, concluded, denied, committed."""
    with open_seat(copy_of_two(tmp_path)) as made:
        made.assert_("(usesDatabase ProdCluster Postgres)")
        made.assert_("(implies (usesDatabase ?c ?d) (dependsOn ?c ?d))")
        made.commit()
        yield made


@contextmanager
def writer(seat: Seat) -> Iterator[subprocess.Popen[str]]:
    """Run a process that asserts, retracts and commits, a round for each line."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, seat.layout.directory, "1000000"],
        stdin=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def go_on(process: subprocess.Popen[str], rounds: int) -> None:
    """Let the writer do so many rounds, without waiting for them."""
    assert process.stdin is not None
    process.stdin.write("\n" * rounds)
    process.stdin.flush()


def asked(seat: Seat, kind: str) -> str:
    """Return a proof of a kind about what the seat's first agent has said."""
    text = "(absent Thing)" if kind == "absence" else "(dependsOn ProdCluster Postgres)"
    if kind == "attribution":
        text = "(usesDatabase ProdCluster Postgres)"
    return seat.prove(seat.locate(text, "CxAtlas"), **KINDS[kind])


def signed_root(document: dict[str, Any]) -> tuple[int, str]:
    """Return the number of the commit that a proof's head ends with, and its root."""
    return document["history"]["index"] + 1, document["root"]


def check(text: str, *, by_process: bool) -> None:
    """Have the other verifier check a proof, with the head it names and the key."""
    document = json.loads(text)
    known = {} if "head" not in document else {"head": document["head"]}
    assert alone(text.encode(), **known), text
    if not by_process:
        return
    done = subprocess.run(
        [sys.executable, "-I", str(PROGRAM), "-"],
        input=text.encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_bc_021_every_proof_made_while_another_commits_verifies(seat: Seat) -> None:
    """A proof, or the refusal that has a name; and the proof is of one commit."""
    found: list[dict[str, Any]] = []
    with writer(seat) as process:
        kinds = cycle(KINDS)
        for number in range(50 * PROOFS):
            go_on(process, 1)
            try:
                text = asked(seat, next(kinds))
            except KoiniiError as caught:
                assert caught.code == "koinii/uncommitted"
            else:
                check(text, by_process=number % EACH_BY_A_PROCESS == 0)
                found.append(json.loads(text))
            if len(found) == PROOFS:
                break
    assert len(found) == PROOFS
    commits = {one.number: one.id for one in seat.log()}
    states = [signed_root(one) for one in found if "history" in one]
    for number, root in states:
        assert commits[number] == root
    for one in found:
        if "history" in one:
            assert one["head"].split("\n")[1] == str(one["history"]["size"])
            assert one["history"]["size"] == one["history"]["index"] + 1
    assert {one["kind"] for one in found} == KINDS.keys()
    assert len({number for number, _ in states}) > PROOFS // 20, "nothing was written"


@pytest.mark.parametrize("kind", KINDS)
def test_bc_021_what_is_newer_than_the_head_has_no_proof(kind: str, seat: Seat) -> None:
    good = asked(seat, kind)
    new = seat.assert_("(usesDatabase TestCluster Sqlite)")
    seat.assert_("(absent Thing)")

    with pytest.raises(KoiniiError) as caught:
        seat.prove(new, **KINDS[kind])

    expected = {"attribution": "koinii/not-signed"}
    assert caught.value.code == expected.get(kind, "koinii/uncommitted")
    assert caught.value.hint == "koinii commit"
    assert alone(good.encode()), "what was proven stays so"
    seat.commit()
    if kind == "absence":
        with pytest.raises(KoiniiError) as caught:
            seat.prove(new, absence=True)
        assert caught.value.exit_code == 4
    else:
        assert alone(seat.prove(new, **KINDS[kind]).encode())


def leaf_of(seat: Seat, text: str) -> str:
    return sha256(b"\x00" + seat.locate(text, "CxAtlas").encode()).hexdigest()


def test_bc_129_a_seat_without_commits_proves_nothing(tmp_path: Path) -> None:
    with make_seat(tmp_path / "seat") as seat:
        assert (seat.status().commit, seat.status().number) == (EMPTY, 0)
        absent = seat.locate("(a B)", "CxAtlas")
        with pytest.raises(KoiniiError) as caught:
            seat.prove(absent, absence=True)
        assert caught.value.code == "koinii/uncommitted"

        done = seat.commit()

        assert done is not None
        assert (done.id, done.size) == (EMPTY, 0)
        assert alone(seat.prove(absent, absence=True).encode(), root=EMPTY)


def test_bc_129_the_first_claim_has_an_empty_path(tmp_path: Path) -> None:
    with make_seat(tmp_path / "seat") as seat:
        said = seat.assert_("(only Claim)")
        done = seat.commit()
        document = json.loads(seat.prove(said))
        leaf = leaf_of(seat, "(only Claim)")

    assert done is not None
    assert document["root"] == done.id == f"sha256:{leaf}"
    assert (document["index"], document["size"], document["path"]) == (0, 1, [])
    assert document["history"] == {"index": 0, "size": 1, "path": []}
    assert verify(document).ok
    history = document["history"]
    for changes in (
        {"index": 1},
        {"size": 2},
        {"size": 2, "path": [leaf]},
        {"path": [leaf]},
        {"index": 1, "size": 2, "path": [leaf]},
        {"history": {**history, "index": 1}},
        {"history": {**history, "size": 2}},
        {"history": {**history, "path": [leaf]}},
        {"history": {"index": 1, "size": 2, "path": [leaf]}},
    ):
        assert not verify({**document, **changes}).ok, changes
