"""SSHSIG: known answers of OpenSSH and git, and each fault with its reason."""

import base64
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import VerificationError
from koinii.note import PrivateKey, PublicKey, read_public_key, sign_ssh, verify_ssh
from koinii.remote.commit import commit_object, open_commit, sign_commit
from koinii.remote.pack import object_id

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "vectors" / "sshsig.json").read_text()
)
KEY = PrivateKey.from_seed(bytes.fromhex(VECTORS["seed_hex"]))
OTHER = PrivateKey.from_seed(b"o" * 32)
MESSAGE = b"tree and author\n\nwhat it says\n"
ARMOUR = sign_ssh(MESSAGE, KEY, "git")
BEGIN, END = "-----BEGIN SSH SIGNATURE-----\n", "-----END SSH SIGNATURE-----\n"

# Why each refused vector is refused here.
REASONS = {
    "other namespace than signed": "namespace 'git', not 'file'",
    "message changed": "does not fit",
    "signed by another key (its own public key is inside)": "by another key",
    "version 2": "version is 2",
    "bad magic": "does not begin with SSHSIG",
    "trailing byte": "1 bytes follow the signature",
    "truncated": "cut short",
}


def string(value: bytes) -> bytes:
    return len(value).to_bytes(4, "big") + value


def blob(**changes: bytes) -> bytes:
    """Return a signature field by field, built here and not by what it tests."""
    digest = b"SSHSIG" + string(b"git") + string(b"") + string(b"sha256")
    signature = KEY.sign(digest + string(sha256(MESSAGE).digest()))
    fields = {
        "key": string(b"ssh-ed25519") + string(KEY.public.raw),
        "namespace": b"git",
        "reserved": b"",
        "hash": b"sha256",
        "signature": string(b"ssh-ed25519") + string(signature),
    }
    assert changes.keys() <= fields.keys()
    whole = b"".join(string(value) for value in (fields | changes).values())
    return b"SSHSIG" + (1).to_bytes(4, "big") + whole


def armoured(data: bytes, columns: int = 70) -> str:
    text = base64.b64encode(data).decode()
    lines = [text[at : at + columns] for at in range(0, len(text), columns)]
    return BEGIN + "\n".join(lines) + "\n" + END


def refusal(
    armour: str | None,
    message: bytes = MESSAGE,
    key: PublicKey = KEY.public,
    namespace: str = "git",
) -> VerificationError:
    with pytest.raises(VerificationError) as caught:
        verify_ssh(message, armour, key, namespace)
    return caught.value


# Known answers ----------------------------------------------------------------


def test_the_key_of_the_vectors() -> None:
    assert KEY.public.raw.hex() == VECTORS["public_key_hex"]
    assert KEY.public.fingerprint == VECTORS["fingerprint"]
    assert read_public_key(VECTORS["openssh_public_key"]) == KEY.public
    assert len(VECTORS["signatures"]) == 4
    assert {case["why"] for case in VECTORS["refused"]} == REASONS.keys()
    assert len(VECTORS["commits"]) == 3


@pytest.mark.parametrize(
    "case", VECTORS["signatures"], ids=lambda one: one["namespace"]
)
def test_signatures(case: dict[str, Any]) -> None:
    message, namespace = bytes.fromhex(case["message_hex"]), case["namespace"]

    verify_ssh(message, case["armored"], KEY.public, namespace)
    if case["hash_algorithm"] == "sha512":
        assert sign_ssh(message, KEY, namespace) == case["armored"]


@pytest.mark.parametrize("case", VECTORS["refused"], ids=lambda one: one["why"])
def test_refused(case: dict[str, Any]) -> None:
    message = bytes.fromhex(case["message_hex"])
    error = refusal(case["armored"], message, namespace=case["namespace"])

    assert error.code == "koinii/bad-sshsig"
    assert REASONS[case["why"]] in error.message


@pytest.mark.parametrize(
    "case", VECTORS["commits"], ids=lambda one: one["commit_id"][:8]
)
def test_commits(case: dict[str, Any]) -> None:
    """Commits of a person: stock git made them, and no seat writes such ones."""
    payload = bytes.fromhex(case["signed_payload_hex"])
    data = bytes.fromhex(case["commit_object_hex"])

    assert sign_ssh(payload, KEY, "git") == case["armored"]
    assert sign_commit(payload, case["armored"]) == data
    assert object_id(b"commit", data) == case["commit_id"]
    verify_ssh(payload, case["armored"], KEY.public, "git")
    with pytest.raises(VerificationError):
        open_commit(data)


# What is signed is read, and nothing else ---------------------------------------


@given(st.binary(max_size=200), st.sampled_from(["git", "file", "a@b.example", "é"]))
def test_what_is_signed_verifies(message: bytes, namespace: str) -> None:
    armour = sign_ssh(message, KEY, namespace)

    verify_ssh(message, armour, KEY.public, namespace)
    assert max(map(len, armour.splitlines())) <= 70
    refusal(armour, message + b"\0", namespace=namespace)
    refusal(armour, message, namespace=namespace + "x")
    refusal(armour, message, OTHER.public, namespace)


@given(st.integers(0, len(ARMOUR) - 1), st.integers(1, 127))
def test_a_changed_character_is_refused(at: int, flip: int) -> None:
    changed = ARMOUR[:at] + chr(ord(ARMOUR[at]) ^ flip) + ARMOUR[at + 1 :]

    assert refusal(changed).code == "koinii/bad-sshsig"


@given(st.integers(0, len(blob()) - 1), st.integers(1, 255))
def test_a_changed_byte_is_refused(at: int, flip: int) -> None:
    changed = bytearray(blob())
    changed[at] ^= flip

    assert refusal(armoured(bytes(changed))).code == "koinii/bad-sshsig"


@given(st.integers(0, len(ARMOUR) - 1))
def test_a_cut_signature_is_refused(end: int) -> None:
    refusal(ARMOUR[:end])
    refusal(armoured(blob()[: min(end, len(blob()) - 1)]))


@given(st.text(max_size=120), st.binary(max_size=120))
def test_any_text_is_a_refusal(text: str, data: bytes) -> None:
    for armour in (text, BEGIN + text + "\n" + END, armoured(data)):
        refusal(armour)


def test_the_signature_built_here_is_one() -> None:
    verify_ssh(MESSAGE, armoured(blob()), KEY.public, "git")


@pytest.mark.parametrize(
    "spelling",
    [
        ARMOUR.removesuffix("\n"),
        ARMOUR + "\n",
        "\n" + ARMOUR,
        ARMOUR.replace("\n", "\r\n"),
        ARMOUR.replace("\n", "\n\n", 1),
        ARMOUR.replace("\n-----END", " \n-----END"),
        armoured(blob(), 64),
        armoured(blob(), 76),
        armoured(blob(), 2000),
    ],
)
def test_another_spelling_is_refused(spelling: str) -> None:
    assert refusal(spelling).code == "koinii/bad-sshsig"


# Reasons ----------------------------------------------------------------------


def test_bc_053_each_way_to_lose_a_signature_has_its_reason() -> None:
    zeroed = blob(signature=string(b"ssh-ed25519") + string(bytes(64)))
    previous = sign_ssh(b"before\n", KEY, "git")

    assert refusal(None).code == refusal("").code == "koinii/no-signature"
    assert "first or last line" in refusal("\n").message
    assert "does not begin" in refusal(BEGIN + END).message
    assert "small order" in refusal(armoured(zeroed)).message
    assert "by another key" in refusal(sign_ssh(MESSAGE, OTHER, "git")).message
    assert "does not fit" in refusal(previous).message
    assert "does not fit" in refusal(ARMOUR, b"T" + MESSAGE[1:]).message
    assert "hash is 'sha1'" in refusal(armoured(blob(hash=b"sha1"))).message
    assert "does not fit" in refusal(armoured(blob(hash=b"sha512"))).message


RAW = string(KEY.public.raw)
SIGNATURE = string(bytes(64))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (blob(key=string(b"ssh-rsa") + RAW), "key is of the kind 'ssh-rsa'"),
        (
            blob(signature=string(b"ssh-rsa") + SIGNATURE),
            "signature is of the kind 'ssh-rsa'",
        ),
        (blob(key=string(b"ssh-ed25519") + RAW + b"x"), "1 bytes follow its key"),
        (
            blob(signature=string(b"ssh-ed25519") + SIGNATURE + b"x"),
            "1 bytes follow its signature",
        ),
        (
            blob(key=string(b"ssh-ed25519") + string(KEY.public.raw[:31])),
            "by another key",
        ),
        (blob(key=string(b"ssh-ed25519") + string(bytes(32))), "by another key"),
        (blob(signature=string(b"ssh-ed25519") + string(b"x")), "has 64 bytes"),
        (blob(signature=b""), "cut short"),
        (blob(namespace=b""), "namespace is empty"),
        (blob(namespace=b"\xff\n"), r"namespace '\xff\n'"),
        (blob(reserved=b"x"), "reserved field"),
        (blob(hash=b""), "hash is ''"),
        (blob(hash=b"sha512\0"), "hash is 'sha512"),
        (blob() + b"\0", "1 bytes follow the signature"),
        (b"SSHSIG\0\0\0\2" + blob()[10:], "version is 2"),
        (b"SSHSIG\0\0", "cut short"),
        (b"SSHSIG\0\0\0\1\xff\xff\xff\xff", "cut short"),
    ],
)
def test_each_fault_has_its_reason(data: bytes, why: str) -> None:
    error = refusal(armoured(data))

    assert error.code == "koinii/bad-sshsig"
    assert why in error.message


def test_bc_116_a_second_encoding_of_s_is_refused() -> None:
    order = 2**252 + 27742317777372353535851937790883648493
    good = blob()[-64:]
    larger = int.from_bytes(good[32:], "little") + order
    second = good[:32] + larger.to_bytes(32, "little")
    bent = blob(signature=string(b"ssh-ed25519") + string(second))

    assert "group order" in refusal(armoured(bent)).message


def test_a_long_armour_is_not_decoded() -> None:
    assert "4096" in refusal(BEGIN + "A" * 5000 + "\n" + END).message
    assert len(refusal(armoured(blob(namespace=b"\x01" * 2000))).message) < 400


def test_bc_125_what_nobody_opens_is_not_signed() -> None:
    torn = PrivateKey(OTHER.public, KEY._secret)
    with pytest.raises(VerificationError, match="does not fit"):
        sign_ssh(MESSAGE, torn, "git")
    with pytest.raises(VerificationError, match="namespace is empty"):
        sign_ssh(MESSAGE, KEY, "")
    with pytest.raises(VerificationError, match="4096"):
        sign_ssh(MESSAGE, KEY, "n" * 4096)


def test_a_commit_gives_back_the_armour_it_was_given() -> None:
    payload = commit_object("1" * 40, "2" * 40, "x\n", "3" * 32, 5_000)
    armour = sign_ssh(payload, KEY, "git")
    commit = open_commit(sign_commit(payload, armour))

    assert (commit.signed, commit.armour) == (payload, armour)
