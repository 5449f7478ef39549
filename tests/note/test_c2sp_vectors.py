"""Known answers of others: C2SP notes, keys, checkpoints and cosignatures."""

import base64
import json
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from koinii.errors import VerificationError
from koinii.merkle import Levels, leaf_hash, prove_consistency, verify_consistency
from koinii.note import (
    Checkpoint,
    Cosigner,
    PrivateKey,
    Signer,
    Verifier,
    add_cosignatures,
    cosign,
    from_base64,
    open_checkpoint,
    open_cosignatures,
    open_note,
    parse_checkpoint,
    parse_cosigner,
    parse_note,
    parse_vkey,
    sign_checkpoint,
    sign_note,
)
from koinii.note.cosignature import cosigned_message

VECTORS = Path(__file__).parent.parent / "vectors"
C2SP: dict[str, Any] = json.loads((VECTORS / "c2sp.json").read_text())
SAMPLE: dict[str, Any] = json.loads((VECTORS / "sample-log.json").read_text())
NOTES: list[dict[str, Any]] = C2SP["notes"]
ED25519 = 1
COSIGNATURE = 4

# Signature lines that are passed over as unknown, with the reason.
SKIPPED_LINES = {
    ("cosigned-coachandhorses2026h1", 6): "ML-DSA-44 is no type of ours",
    ("rekor-ecdsa", 2): "ECDSA is no type of ours",
}


def known(note: dict[str, Any]) -> list[Verifier]:
    """Return the verifiers of a vector's type 1 keys."""
    return [parse_vkey(k["vkey"]) for k in note["vkeys"] if k["sig_type"] == ED25519]


def keys_of(kind: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the keys of a type in the vectors, each with its note."""
    pairs = [(note, key) for note in NOTES for key in note["vkeys"]]
    return [(note, key) for note, key in pairs if key["sig_type"] == kind]


def test_the_vectors_are_all_here() -> None:
    others = {
        (note["id"], key["sig_type"])
        for note in NOTES
        for key in note["vkeys"]
        if key["sig_type"] not in {ED25519, COSIGNATURE}
    }

    assert len(NOTES) == 29
    assert len(C2SP["notes_refused"]) == 11
    assert len(C2SP["vkeys_refused"]) == 3
    assert len(C2SP["checkpoint_bodies_refused"]) == 10
    assert others == SKIPPED_LINES.keys()
    assert [note["id"] for note, _ in keys_of(COSIGNATURE)] == ["cosigned-arche2025h1"]
    used = {"notes", "log", "notes_refused", "vkeys_refused"}
    used |= {"checkpoint_bodies_refused", "witness_request_example"}
    elsewhere = {"tlog_proof_syntax", "tlog_proof_refused", "tlog_proofs"}
    about = {"about", "key_id", "types", "c2sp_commit"}
    assert C2SP.keys() == used | elsewhere | about


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
        readers: dict[int, Callable[[str], Verifier | Cosigner]] = {
            ED25519: parse_vkey,
            COSIGNATURE: parse_cosigner,
        }
        reader = readers.pop(key["sig_type"], None)
        for other in readers.values():
            with pytest.raises(VerificationError):
                other(key["vkey"])
        if reader is None:
            continue
        verifier = reader(key["vkey"])
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
    for reader in (parse_vkey, parse_cosigner):
        with pytest.raises(VerificationError):
            reader(case["vkey"])


@pytest.mark.parametrize(
    "case", C2SP["checkpoint_bodies_refused"], ids=lambda case: case["why"]
)
def test_refused_checkpoints(case: dict[str, Any]) -> None:
    with pytest.raises(VerificationError):
        parse_checkpoint(case["text"])


@pytest.mark.parametrize("pair", keys_of(COSIGNATURE), ids=lambda one: one[0]["id"])
def test_cosignatures(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    note, key = pair
    data = note["note"].encode()
    cosigner = parse_cosigner(key["vkey"])
    text = parse_note(data).claimed_text
    [found] = open_cosignatures(data, [cosigner])

    assert (found.cosigner, found.seconds) == (cosigner, key["timestamp"])
    assert cosigned_message(text, found.seconds).hex() == key["signed_message_hex"]
    [log] = known(note)
    alone = add_cosignatures(data, [], log=log, cosigners=[cosigner])
    assert alone == f"{text}\n{own_line(data, log)}{found.line}".encode()
    for at, old in enumerate(text):
        changed = text[:at] + ("1" if old != "1" else "2") + text[at + 1 :]
        with pytest.raises(VerificationError):
            open_cosignatures(f"{changed}\n{found.line}".encode(), [cosigner])


def own_line(data: bytes, log: Verifier) -> str:
    [own] = [line for line in parse_note(data).lines if line.key_id == log.key_id]
    return str(own)


def test_the_body_of_a_witness_request() -> None:
    """Old size, consistency path, empty line, checkpoint; its keys are not known."""
    body = textwrap.dedent(C2SP["witness_request_example"]["text"]) + "\n"
    header, _, signed = body.partition("\n\n")
    old, *path = header.splitlines()
    unverified = parse_note(signed.encode())
    head = parse_checkpoint(unverified.claimed_text)

    assert old == "old 20852014"
    assert [len(from_base64(line, length=32)) for line in path] == [32] * 4
    assert (head.origin, head.size) == ("example.com/behind-the-sofa", 20852163)
    assert f"{head.text()}\n{''.join(map(str, unverified.lines))}" == signed
    assert {line.name for line in unverified.lines} == {head.origin}
    assert [len(line.signature) for line in unverified.lines] == [64, 64]
    with pytest.raises(VerificationError, match="no known key"):
        open_note(signed.encode(), [])
    assert open_cosignatures(signed.encode(), []) == []


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
    hashes = [leaf_hash(b"commit record %d\n" % number) for number in range(1000)]
    key = PrivateKey.from_seed(bytes.fromhex(SAMPLE["log_seed_hex"]))
    log = parse_vkey(SAMPLE["log_vkey"])
    signer = Signer.of(log.name, key)
    assert signer.verifier == log
    for size in (700, 1000):
        data = SAMPLE[f"checkpoint_{size}"].encode()
        head = open_checkpoint(data, [log], origin=log.name)

        assert head == Checkpoint(log.name, size, Levels(hashes[:size]).root)
        assert data == cosigned_by_the_witness(sign_checkpoint(head, [signer]), log)
    path = [base64.b64decode(text) for text in SAMPLE["consistency_700_1000"]]
    assert prove_consistency(hashes, 700) == path


def cosigned_by_the_witness(note: bytes, log: Verifier) -> bytes:
    """Return the note with the cosignature that the sample's witness makes."""
    cosigner = parse_cosigner(SAMPLE["witness_vkey"])
    seed = bytes.fromhex(SAMPLE["witness_seed_hex"])
    witness = Signer.of(cosigner.name, PrivateKey.from_seed(seed))
    assert cosigner == Cosigner(cosigner.name, witness.verifier.key)
    line = cosign(note, witness, 1_700_000_000, log=log)
    whole = add_cosignatures(note, [line], log=log, cosigners=[cosigner])
    assert open_cosignatures(whole, [cosigner]) == [(cosigner, 1_700_000_000, line)]
    return whole
