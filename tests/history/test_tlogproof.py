"""tlog-proofs: known answers of others, and ours under foreign verifiers."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from hypothesis import given
from hypothesis import strategies as st
from tlog_scales.signing import Vkey
from tlog_scales.tlog import (
    Checkpoint,
    ConsistencyProof,
    ConsistencyProofInvalid,
    InclusionProof,
    InclusionProofInvalid,
)

from history.sample_proofs import (
    DOCUMENTS,
    HEAD,
    ORIGIN,
    RECORD,
    SEAT,
    attributed,
    included,
    log_with,
)
from koinii.errors import VerificationError
from koinii.history.stateproof import verify
from koinii.history.tlogproof import TlogProof, parse_tlog, to_tlog, verify_tlog
from koinii.merkle import leaf_hash
from koinii.note import parse_vkey

VECTORS = Path(__file__).parent.parent / "vectors"
C2SP: dict[str, Any] = json.loads((VECTORS / "c2sp.json").read_text())
SAMPLE: dict[str, Any] = json.loads((VECTORS / "sample-log.json").read_text())
STATE = [name for name, one in DOCUMENTS.items() if one["kind"] != "attribution"]


def test_the_vectors_are_all_here() -> None:
    assert len(C2SP["tlog_proof_syntax"]) == 3
    assert len(C2SP["tlog_proof_refused"]) == 8
    assert len(C2SP["tlog_proofs"]) == 7


@pytest.mark.parametrize("case", C2SP["tlog_proof_syntax"], ids=lambda one: one["id"])
def test_syntax(case: dict[str, Any]) -> None:
    proof = parse_tlog(case["text"])
    extra = case["extra_hex"]

    assert proof.index == case["index"]
    assert [one.hex() for one in proof.path] == case["hashes"]
    assert proof.checkpoint == case["checkpoint"]
    assert proof.extra == (None if extra is None else bytes.fromhex(extra))
    assert proof.text() == case["text"]


@pytest.mark.parametrize("case", C2SP["tlog_proof_refused"], ids=lambda one: one["why"])
def test_refused_syntax(case: dict[str, Any]) -> None:
    with pytest.raises(VerificationError):
        parse_tlog(case["text"])


@pytest.mark.parametrize("case", C2SP["tlog_proofs"], ids=lambda one: one["id"])
def test_verdicts(case: dict[str, Any]) -> None:
    verifier = parse_vkey(case["vkey"])
    leaf = leaf_hash(bytes.fromhex(case["leaf_hex"]))
    proof = parse_tlog(case["proof_text"])
    try:
        head = verify_tlog(proof, leaf, [verifier], origin=verifier.name)
    except VerificationError:
        assert not case["valid"]
    else:
        assert case["valid"]
        assert head.origin == verifier.name


def test_the_sample_log() -> None:
    log = parse_vkey(SAMPLE["log_vkey"])
    leaf = leaf_hash(bytes.fromhex(SAMPLE["leaf_hex"]))
    proof = parse_tlog(SAMPLE["tlog_proof"])

    assert verify_tlog(proof, leaf, [log], origin=log.name).size == 1000
    with pytest.raises(VerificationError):
        verify_tlog(proof, leaf_hash(b"other"), [log], origin=log.name)
    with pytest.raises(VerificationError):
        verify_tlog(proof, leaf, [log], origin="another")


@given(
    st.builds(
        TlogProof,
        st.integers(0, 2**64 - 1),
        st.lists(st.binary(min_size=32, max_size=32), max_size=63).map(tuple),
        st.just(HEAD),
        st.none() | st.binary(max_size=20),
    )
)
def test_a_tlog_proof_is_read_back(proof: TlogProof) -> None:
    assert parse_tlog(proof.text()) == proof


@given(st.text("index 019\nAextra=/", max_size=40), st.integers(0, 200))
def test_any_text_is_a_proof_or_a_refusal(text: str, cut: int) -> None:
    good = to_tlog(included())
    for whole in (text, "c2sp.org/tlog-proof@v1\n" + text, good[:cut] + text):
        try:
            proof = parse_tlog(whole)
        except VerificationError:
            continue
        assert proof.text() == whole


@pytest.mark.parametrize("text", ["", "\ud800\n\n", "a" * 300_000, "tab\t\n\nx\n"])
def test_another_text_is_refused(text: str) -> None:
    with pytest.raises(VerificationError):
        parse_tlog(text)


def test_a_path_longer_than_any_is_refused() -> None:
    longest = TlogProof(0, (b"h" * 32,) * 63, HEAD)

    assert parse_tlog(longest.text()) == longest
    with pytest.raises(VerificationError, match="63"):
        parse_tlog(TlogProof(0, (b"h" * 32,) * 64, HEAD).text())
    with pytest.raises(VerificationError, match="index"):
        parse_tlog(TlogProof(2**64, (), HEAD).text())


# Ours -------------------------------------------------------------------------


@pytest.mark.parametrize("name", STATE)
def test_a_state_proof_travels_in_a_tlog_proof(name: str) -> None:
    document = DOCUMENTS[name]
    proof = parse_tlog(to_tlog(document))
    record = base64.b64decode(document["record"])
    head = verify_tlog(proof, leaf_hash(record), [SEAT.verifier], origin=ORIGIN)

    assert head.size == document["history"]["size"]
    assert proof.extra is not None
    assert json.loads(proof.extra) == document
    assert verify(proof.extra)


def test_an_attribution_has_no_tlog_proof() -> None:
    with pytest.raises(VerificationError, match="no commit record"):
        to_tlog(attributed())


def foreign_inclusion(text: str, leaf: bytes, vkey: str) -> None:
    """Check a tlog-proof with tlog-scales alone."""
    header, checkpoint = text.split("\n\n", 1)
    lines = header.split("\n")[1:]
    place = next(at for at, line in enumerate(lines) if line.startswith("index "))
    path = [base64.b64decode(line) for line in lines[place + 1 :]]
    head = Checkpoint.from_text(checkpoint)
    head.verify(Vkey.from_string(vkey))
    proof = InclusionProof(int(lines[place].split()[1]), head.size, path)
    proof.check(leaf, head.root_hash)


def test_bc_120_a_foreign_verifier_takes_ours() -> None:
    foreign_inclusion(to_tlog(included()), RECORD.leaf, SEAT.verifier.vkey)
    for size2 in range(1, 30):
        log = log_with(RECORD, max(size2, 4))
        for size1 in range(1, size2 + 1):
            path = log.prove_consistency(size1, size2)
            proof = ConsistencyProof(size1, size2, path)
            proof.check(log.root(size1), log.root(size2))


def test_bc_120_a_foreign_verifier_refuses_changed_ones() -> None:
    text = to_tlog(included())
    log = log_with(RECORD)
    vkey = SEAT.verifier.vkey
    with pytest.raises(InclusionProofInvalid):
        foreign_inclusion(text, leaf_hash(b"other"), vkey)
    with pytest.raises(InclusionProofInvalid):
        foreign_inclusion(text.replace("\nindex 3\n", "\nindex 2\n"), RECORD.leaf, vkey)
    with pytest.raises(InvalidSignature):
        foreign_inclusion(text.replace("\n5\n", "\n6\n"), RECORD.leaf, vkey)
    with pytest.raises(ConsistencyProofInvalid):
        ConsistencyProof(3, 5, log.prove_consistency(4, 5)).check(
            log.root(3), log.root(5)
        )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a" * 2_100_000, "characters"),
        ("c2sp.org/tlog-proof@v1\nindex 0\n\ncheck\tpoint\n", "control"),
        ("c2sp.org/tlog-proof@v1\nindex 0\n", "empty line"),
        ("c2sp.org/tlog-proof@v1\nindex 0\n\n", "empty line"),
    ],
)
def test_a_refusal_says_what_was_found(text: str, why: str) -> None:
    with pytest.raises(VerificationError, match=why):
        parse_tlog(text)
