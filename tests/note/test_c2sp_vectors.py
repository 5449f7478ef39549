"""Known answers of others: C2SP notes, keys and checkpoints."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from koinii.errors import VerificationError
from koinii.merkle import Levels, leaf_hash, prove_consistency, verify_consistency
from koinii.note import (
    Checkpoint,
    PrivateKey,
    Signer,
    Verifier,
    open_checkpoint,
    open_note,
    parse_checkpoint,
    parse_note,
    parse_vkey,
    sign_checkpoint,
    sign_note,
)

VECTORS = Path(__file__).parent.parent / "vectors"
C2SP: dict[str, Any] = json.loads((VECTORS / "c2sp.json").read_text())
SAMPLE: dict[str, Any] = json.loads((VECTORS / "sample-log.json").read_text())
NOTES: list[dict[str, Any]] = C2SP["notes"]
ED25519 = 1

# Signature lines that are passed over as unknown, with the reason.
SKIPPED_LINES = {
    ("cosigned-arche2025h1", 4): "cosignature/v1 is not verified yet",
    ("cosigned-coachandhorses2026h1", 6): "ML-DSA-44 is no type of ours",
    ("rekor-ecdsa", 2): "ECDSA is no type of ours",
}


def known(note: dict[str, Any]) -> list[Verifier]:
    """Return the verifiers of a vector's type 1 keys."""
    return [parse_vkey(k["vkey"]) for k in note["vkeys"] if k["sig_type"] == ED25519]


def test_the_vectors_are_all_here() -> None:
    others = {
        (note["id"], key["sig_type"])
        for note in NOTES
        for key in note["vkeys"]
        if key["sig_type"] != ED25519
    }

    assert len(NOTES) == 29
    assert len(C2SP["notes_refused"]) == 11
    assert len(C2SP["vkeys_refused"]) == 3
    assert len(C2SP["checkpoint_bodies_refused"]) == 10
    assert others == SKIPPED_LINES.keys()


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note["id"])
def test_notes(note: dict[str, Any]) -> None:
    data = note["note"].encode()
    if not known(note):
        assert (note["id"], note["vkeys"][0]["sig_type"]) in SKIPPED_LINES
        with pytest.raises(VerificationError, match="no known key"):
            open_note(data, [])
        return
    opened = open_note(data, known(note))

    assert set(opened.signers) == set(known(note))
    if note["kind"] != "signed-note":
        checkpoint = parse_checkpoint(opened.text)
        assert checkpoint.text() == opened.text
        assert checkpoint == open_checkpoint(
            data, known(note), origin=checkpoint.origin
        )
        assert checkpoint.root.hex() == note.get("root_hex", checkpoint.root.hex())


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note["id"])
def test_the_keys_of_the_notes(note: dict[str, Any]) -> None:
    for key in note["vkeys"]:
        if key["sig_type"] != ED25519:
            with pytest.raises(VerificationError):
                parse_vkey(key["vkey"])
            continue
        verifier = parse_vkey(key["vkey"])
        assert verifier.vkey == key["vkey"]
        assert verifier.name == key["name"]
        assert verifier.key_id.hex() == key["key_id"]
        assert verifier.key.raw.hex() == key["public_key"]


@pytest.mark.parametrize("case", C2SP["notes_refused"], ids=lambda case: case["id"])
def test_refused_notes(case: dict[str, Any]) -> None:
    text = case.get("note")
    data = bytes.fromhex(case["note_hex"]) if text is None else text.encode()
    with pytest.raises(VerificationError):
        open_note(data, [parse_vkey(case["vkey"])])


@pytest.mark.parametrize("case", C2SP["vkeys_refused"], ids=lambda case: case["why"])
def test_refused_keys(case: dict[str, Any]) -> None:
    with pytest.raises(VerificationError):
        parse_vkey(case["vkey"])


@pytest.mark.parametrize(
    "case", C2SP["checkpoint_bodies_refused"], ids=lambda case: case["why"]
)
def test_refused_checkpoints(case: dict[str, Any]) -> None:
    with pytest.raises(VerificationError):
        parse_checkpoint(case["text"])


def test_a_published_key_signs_the_same_bytes() -> None:
    [note] = [note for note in NOTES if "skey" in note]
    name, encoded = note["skey"].removeprefix("PRIVATE+KEY+").split("+", 2)[::2]
    signer = Signer.of(name, PrivateKey.from_seed(base64.b64decode(encoded)[1:]))
    text = parse_note(note["note"].encode()).claimed_text

    assert sign_note(text, [signer]) == note["note"].encode()


def test_the_checkpoints_of_a_log_are_roots_of_ours() -> None:
    log = C2SP["log"]
    hashes = [leaf_hash(bytes.fromhex(entry)) for entry in log["entries_hex"]]
    heads = {
        head.size: head.root
        for note in NOTES
        if note["id"].startswith("tessera-testdata-")
        for head in [parse_checkpoint(parse_note(note["note"].encode()).claimed_text)]
    }

    assert [hash_.hex() for hash_ in hashes] == log["leaf_hashes"]
    assert sorted(heads) == list(range(16))
    for size2, root2 in heads.items():
        levels = Levels(hashes[:size2])
        assert levels.root == root2
        for size1 in range(1, size2 + 1):
            path = prove_consistency(levels, size1)
            assert verify_consistency(size1, size2, heads[size1], root2, path)


def test_the_sample_log_is_ours() -> None:
    """Cosignature lines are passed over: cosignature/v1 is not verified yet."""
    hashes = [leaf_hash(b"commit record %d\n" % number) for number in range(1000)]
    key = PrivateKey.from_seed(bytes.fromhex(SAMPLE["log_seed_hex"]))
    log = parse_vkey(SAMPLE["log_vkey"])
    signer = Signer.of(log.name, key)
    assert signer.verifier == log
    for size in (700, 1000):
        data = SAMPLE[f"checkpoint_{size}"].encode()
        head = open_checkpoint(data, [log], origin=log.name)

        assert head == Checkpoint(log.name, size, Levels(hashes[:size]).root)
        assert [line.name for line in open_note(data, [log]).unknown] == [
            "example.org/witness/w1"
        ]
        assert data.startswith(sign_checkpoint(head, [signer]))
    path = [base64.b64decode(text) for text in SAMPLE["consistency_700_1000"]]
    assert prove_consistency(hashes, 700) == path
    with pytest.raises(VerificationError):
        parse_vkey(SAMPLE["witness_vkey"])
