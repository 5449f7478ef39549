"""The Go team's own packages take our checkpoints and proofs, and no changed ones.

Needs Debian's golang-go and golang-golang-x-mod-dev; `make setup-check` installs
them. No module proxy is asked: the packages are read from GOPATH.
"""

import base64
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from history.sample_proofs import (
    DOCUMENTS,
    ORIGIN,
    RECORD,
    SEAT,
    SEAT_KEY,
    head_of,
    included,
    log_with,
)
from koinii.history.tlogproof import to_tlog
from koinii.note import PrivateKey, Signer, Verifier

SOURCE = Path(__file__).parent / "go" / "verify.go"
GO = "/usr/bin/go"

pytestmark = pytest.mark.check


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the verifier; a missing compiler or package is a failure."""
    place = tmp_path_factory.mktemp("go")
    program = place / "verify"
    done = subprocess.run(
        [GO, "build", "-o", program, SOURCE],
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(place),
            "GOCACHE": str(place / "cache"),
            "GOPATH": "/usr/share/gocode",
            "GO111MODULE": "off",
            "GOFLAGS": "",
            "GOPROXY": "off",
            "CGO_ENABLED": "0",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stderr}\nmake setup-check installs it"
    return program


def accepts(program: Path, value: dict[str, Any]) -> bool:
    done = subprocess.run(
        [program],
        input=json.dumps(value),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode in (0, 1), done.stderr
    assert bool(done.stderr) is (done.returncode == 1)
    return done.returncode == 0


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


LOG = log_with(RECORD)
GOOD: dict[str, Any] = {
    "VKey": SEAT.verifier.vkey,
    "Leaf": encoded(RECORD.encode()),
    "Proof": to_tlog(included()),
    "Older": head_of(log_with(RECORD, 4)),
    "Hashes": [encoded(one) for one in LOG.prove_consistency(4)],
}


def test_go_accepts_what_we_make(program: Path) -> None:
    assert accepts(program, GOOD)
    for document in DOCUMENTS.values():
        if document["kind"] != "attribution":
            proof = {"Proof": to_tlog(document), "Leaf": document["record"]}
            assert accepts(program, {**GOOD, **proof, "Older": ""})


def test_go_accepts_every_head_as_a_prefix(program: Path) -> None:
    for size in range(4, 20):
        log = log_with(RECORD, size)
        path = [one.hex() for one in log.prove(4)]
        moved = {
            **included(),
            "head": head_of(log),
            "history": {"index": 3, "size": size, "path": path},
        }
        hashes = [encoded(one) for one in log.prove_consistency(4)]
        assert accepts(program, {**GOOD, "Proof": to_tlog(moved), "Hashes": hashes})


def test_go_refuses_changed_ones(program: Path) -> None:
    other = PrivateKey.from_seed(b"x" * 32)
    proof: str = GOOD["Proof"]
    body, line = proof.rsplit("\n— ", 1)
    bent = encoded(b"\0" * 32)
    forged = to_tlog({**included(), "head": head_of(LOG, Signer.of(ORIGIN, other))})

    changes: list[dict[str, Any]] = [
        {"VKey": Verifier(ORIGIN, other.public).vkey},
        {"VKey": Verifier("koinii.seat/other", SEAT_KEY.public).vkey},
        {"Leaf": encoded(RECORD.encode() + b"\0")},
        {"Proof": proof.replace("\nindex 3\n", "\nindex 2\n")},
        {"Proof": proof.replace("\n5\n", "\n6\n")},
        {"Proof": body + "\n— " + line.replace("A", "B", 1)},
        {"Proof": forged},
        {"Hashes": [bent, *GOOD["Hashes"][1:]]},
        {"Hashes": []},
        {"Older": head_of(log_with(RECORD, 6))},
    ]
    for change in changes:
        assert {**GOOD, **change} != GOOD
        assert not accepts(program, {**GOOD, **change}), change
