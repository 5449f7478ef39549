"""Keys: known answers, weak ones refused, files for their owner only."""

import base64
import hashlib
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import SurroundingsError, VerificationError
from koinii.note import (
    PrivateKey,
    PublicKey,
    read_private_key,
    read_public_key,
    write_private_key,
)
from koinii.note.ed25519 import signature_fault

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
KEY = PrivateKey.from_seed(bytes(range(32)))
FINGERPRINT = "SHA256:lbmsoA0yIEcEiVDRnMWuzm+nV+3ZEEpVIURqFoeSspg"
LINE = (
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"
)

# Every y of a point whose order divides 8.
WEAK_Y = [
    0,
    1,
    P - 1,
    2707385501144840649318225287225658788936804267575313519463743609750303402022,
    55188659117513257062467267217118295137698188065244968500265048394206261417927,
]

LOCKED = """\
-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABAJAk/6xW
yLZBEXqVULrKveAAAAEAAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIJMVvxVtsufdrMKq
VRzaq/vRTWibpR4QcoIXmHgxRAzyAAAAkP/zCCtcm5FwMgZNqCwh8TjZ6pRgRbsQeP6hCm
SfGBbroKXaiOwNZAvwAtSnv6/u5t6OFS1XZ/vWqRi81Di9TdqhePcHeMNgntHovQQguaia
YPOHADDDD1t/UK/4z4bdMwh40OkURYzdokwaZp2WBVU8VnGJqI75cdh1E/c579jUjMokv4
SfcxpkEL2g0qyrgQ==
-----END OPENSSH PRIVATE KEY-----"""


def encoded(y: int, *, sign: int = 0) -> bytes:
    return (y | sign << 255).to_bytes(32, "little")


def test_rfc_8032_known_answers() -> None:
    """Section 7.1, tests 1 and 2."""
    for seed, public, message, signature in [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590"
            "a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e"
            "15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
    ]:
        key = PrivateKey.from_seed(bytes.fromhex(seed))

        assert key.public.raw.hex() == public
        assert key.sign(bytes.fromhex(message)).hex() == signature
        assert key.public.verify(bytes.fromhex(message), bytes.fromhex(signature))


@given(st.binary(max_size=64), st.integers(0, 511))
def test_a_changed_signature_is_refused(message: bytes, bit: int) -> None:
    signature = KEY.sign(message)
    changed = int.from_bytes(signature) ^ 1 << bit

    assert KEY.public.verify(message, signature)
    assert not KEY.public.verify(message, changed.to_bytes(64))
    assert not KEY.public.verify(message + b"\0", signature)


def test_bc_116_a_second_encoding_of_s_is_refused() -> None:
    signature = KEY.sign(b"once")
    larger = int.from_bytes(signature[32:], "little") + ORDER

    assert not KEY.public.verify(
        b"once", signature[:32] + larger.to_bytes(32, "little")
    )


@pytest.mark.parametrize("y", WEAK_Y)
@pytest.mark.parametrize("sign", [0, 1])
def test_bc_116_a_weak_key_cannot_be_made(y: int, sign: int) -> None:
    with pytest.raises(VerificationError, match="small order") as caught:
        PublicKey(encoded(y, sign=sign))
    assert caught.value.code == "koinii/weak-key"


@pytest.mark.parametrize("y", WEAK_Y)
def test_bc_116_a_weak_r_is_refused(y: int) -> None:
    assert not KEY.public.verify(b"any", encoded(y) + bytes(32))


@pytest.mark.parametrize("y", range(P, 2**255))
def test_bc_116_no_key_in_a_second_encoding(y: int) -> None:
    for sign in (0, 1):
        with pytest.raises(VerificationError, match="canonical"):
            PublicKey(encoded(y, sign=sign))
        assert not KEY.public.verify(b"any", encoded(y, sign=sign) + bytes(32))


def test_what_is_no_point_is_no_key() -> None:
    """About half of all y have no x; 2 is one of them."""
    with pytest.raises(VerificationError, match="no point"):
        PublicKey(encoded(2))
    for length in (0, 31, 33):
        with pytest.raises(VerificationError, match="32 bytes"):
            PublicKey(bytes(length))


def test_the_other_sign_is_another_key() -> None:
    """Flipping the sign bit gives the negated point: a key, but not this one."""
    raw = bytearray(KEY.public.raw)
    raw[31] ^= 0x80
    other = PublicKey(bytes(raw))

    assert other != KEY.public
    assert not other.verify(b"x", KEY.sign(b"x"))


def test_a_public_key_line_is_read_back() -> None:
    line = KEY.public.openssh("AgentAtlas at seat")

    assert read_public_key(line) == KEY.public
    assert read_public_key(line + "\n") == KEY.public
    assert read_public_key(KEY.public.openssh()) == KEY.public


@pytest.mark.parametrize(
    "spoil",
    [
        lambda line: "",
        lambda line: " " + line,
        lambda line: line.replace("ssh-ed25519 ", "ssh-rsa ", 1),
        lambda line: line.replace("ssh-ed25519 ", "ssh-ed25519  ", 1),
        lambda line: line[:-1],
        lambda line: line + "=",
        lambda line: line + "\n\n",
        lambda line: line + " a\x1bb",
        lambda line: line + " " + "c" * 2000,
        lambda line: line.replace("AAAAC3", "AAAAC2", 1),
    ],
)
def test_another_line_is_refused(spoil: object) -> None:
    assert callable(spoil)
    with pytest.raises(VerificationError):
        read_public_key(spoil(KEY.public.openssh()))


@given(st.text(max_size=120))
def test_any_line_is_a_key_or_a_refusal(line: str) -> None:
    with pytest.raises(VerificationError):
        read_public_key(line)


def test_a_private_key_shows_no_secret() -> None:
    assert "secret" not in repr(KEY)
    assert PrivateKey.generate().public != PrivateKey.generate().public


def test_a_key_file_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "seat.key"
    write_private_key(path, KEY)

    assert path.stat().st_mode & 0o777 == 0o600
    assert read_private_key(path).public == KEY.public
    assert list(tmp_path.iterdir()) == [path]


def test_a_key_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "seat.key"
    write_private_key(path, KEY)
    with pytest.raises(SurroundingsError) as caught:
        write_private_key(path, PrivateKey.generate())

    assert caught.value.code == "koinii/key-exists"
    assert read_private_key(path).public == KEY.public
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644, 0o601])
def test_a_key_file_open_to_others_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "seat.key"
    write_private_key(path, KEY)
    path.chmod(mode)
    with pytest.raises(SurroundingsError) as caught:
        read_private_key(path)

    assert caught.value.code == "koinii/key-permissions"
    assert caught.value.hint == f"chmod 600 {path}"


def test_a_missing_or_unwritable_place_is_an_environment_error(tmp_path: Path) -> None:
    with pytest.raises(SurroundingsError, match="cannot read"):
        read_private_key(tmp_path / "none")
    with pytest.raises(SurroundingsError, match="cannot write"):
        write_private_key(tmp_path / "no" / "where", KEY)


@pytest.mark.parametrize(
    "data",
    [b"", b"x" * 20_000, KEY.openssh()[:200], KEY.openssh().replace(b"b3B", b"b3C")],
)
@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_another_file_is_no_key(tmp_path: Path, data: bytes, mode: int) -> None:
    """Whatever its mode: nobody is told to change that of a file of the system."""
    path = tmp_path / "seat.key"
    path.write_bytes(data)
    path.chmod(mode)
    with pytest.raises(VerificationError, match="key is no key file") as caught:
        read_private_key(path)
    assert caught.value.code == "koinii/bad-key-file"
    assert "chmod" not in caught.value.hint


def test_the_fingerprint_is_what_openssh_prints() -> None:
    """Known answers of OpenSSH 9.2 for the file of this seed."""
    assert KEY.public.fingerprint == FINGERPRINT
    assert KEY.public.openssh() == LINE


@pytest.mark.check
def test_openssh_reads_our_key_file(tmp_path: Path) -> None:
    path = tmp_path / "seat.key"
    write_private_key(path, KEY)

    assert keygen("-l", "-f", path).split()[1] == FINGERPRINT
    assert keygen("-y", "-f", path).strip() == LINE


def keygen(*arguments: str | Path) -> str:
    done = subprocess.run(
        ["ssh-keygen", *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_bc_116_a_signature_with_a_weak_r_that_adds_up_is_refused() -> None:
    """With R the neutral point and S = k a, the equation holds; libraries say yes."""
    secret = hashlib.sha512(bytes(range(32))).digest()[:32]
    scalar = int.from_bytes(secret, "little") & ~7 & (1 << 254) - 1 | 1 << 254
    weak = encoded(1)
    hashed = hashlib.sha512(weak + KEY.public.raw + b"any").digest()
    forged = int.from_bytes(hashed, "little") * scalar % ORDER
    signature = weak + forged.to_bytes(32, "little")

    Ed25519PublicKey.from_public_bytes(KEY.public.raw).verify(signature, b"any")
    assert not KEY.public.verify(b"any", signature)


def test_a_signature_fault_says_what_it_is() -> None:
    good = KEY.sign(b"any")

    assert signature_fault(good) == ""
    assert "64 bytes" in signature_fault(good[:-1])
    assert "group order" in signature_fault(good[:32] + ORDER.to_bytes(32, "little"))
    assert "small order" in signature_fault(encoded(1) + good[32:])
    assert "canonical" in signature_fault(encoded(P + 3) + good[32:])


def test_a_key_of_another_kind_is_refused() -> None:
    other = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.OpenSSH,
        serialization.NoEncryption(),
    )
    with pytest.raises(VerificationError, match="not an Ed25519 key"):
        PrivateKey.from_openssh(other)


def test_a_locked_key_is_refused() -> None:
    """A file of OpenSSH 9.2 under a passphrase, and one with a cipher unknown."""
    data = base64.b64decode("".join(LOCKED.split("\n")[1:-1]))
    other = data.replace(b"aes256-ctr", b"aes999-ctr")
    begin, end = LOCKED.split("\n", maxsplit=1)[0], LOCKED.rsplit("\n", maxsplit=1)[-1]
    unknown = f"{begin}\n{base64.encodebytes(other).decode()}{end}\n"

    for text in (LOCKED, unknown):
        with pytest.raises(VerificationError, match="no unencrypted"):
            PrivateKey.from_openssh(text.encode())


def test_a_long_file_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "seat.key"
    path.write_bytes(b"x" * 20_000)
    path.chmod(0o600)
    with pytest.raises(VerificationError, match="is no key file"):
        read_private_key(path)


def test_a_private_key_file_with_another_public_half_is_refused() -> None:
    key, other = PrivateKey.generate(), PrivateKey.generate()
    lines = key.openssh().splitlines()
    body = base64.b64decode(b"".join(lines[1:-1]))
    assert body.count(key.public.raw) == 3
    changed = body.replace(key.public.raw, other.public.raw, 1)
    text = base64.b64encode(changed)
    rows = [text[at : at + 70] for at in range(0, len(text), 70)]
    data = b"\n".join([lines[0], *rows, lines[-1], b""])

    with pytest.raises(VerificationError) as caught:
        PrivateKey.from_openssh(data)

    assert caught.value.code == "koinii/bad-key-file"
