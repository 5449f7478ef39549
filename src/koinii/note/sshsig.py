"""SSHSIG: signatures as `ssh-keygen -Y sign` makes them and git keeps them.

    "SSHSIG", u32 1, public key, namespace, reserved, hash name, signature

in base64, 70 columns a line, between two lines of armour. Everything after the
number is a string of SSH, a u32 length and that many bytes; `reserved` is empty.
What the key signs is (OpenSSH PROTOCOL.sshsig)

    "SSHSIG", namespace, reserved, hash name, hash of the message

A signature is read in this one spelling only. Keys are Ed25519; the hash is
sha512 where we sign, sha256 is read as well.
"""

from __future__ import annotations

from hashlib import sha256, sha512
from typing import NamedTuple

from koinii.errors import VerificationError
from koinii.note.base64_text import from_base64, to_base64
from koinii.note.ed25519 import signature_fault
from koinii.note.keys import PrivateKey, PublicKey

MAX_ARMOUR = 4096  # characters; Ed25519 with the namespace `git` takes 295

_BEGIN = "-----BEGIN SSH SIGNATURE-----\n"
_END = "-----END SSH SIGNATURE-----\n"
_COLUMNS = 70
_MAGIC = b"SSHSIG"
_VERSION = 1
_KIND = b"ssh-ed25519"
_HASH = "sha512"
_HASHES = {"sha256": sha256, "sha512": sha512}
_U32 = 4
_SHOWN = 64  # bytes of a name in a message


class _Parts(NamedTuple):
    """What a signature says, as read; it shows nothing by itself."""

    key: bytes
    namespace: bytes
    reserved: bytes
    hash_name: bytes
    signature: bytes


def sign_ssh(message: bytes, key: PrivateKey, namespace: str) -> str:
    """Return the armour of `key` over `message`; the same every time.

    What `verify_ssh` would refuse, a namespace or a signature that does not
    verify, is refused here: it would be published and never accepted.
    """
    signature = key.sign(_signed(message, namespace, _HASH))
    parts = _Parts(
        _strings(_KIND, key.public.raw),
        namespace.encode(),
        b"",
        _HASH.encode(),
        _strings(_KIND, signature),
    )
    armour = _armoured(_blob(parts))
    verify_ssh(message, armour, key.public, namespace)
    return armour


def verify_ssh(
    message: bytes, armour: str | None, key: PublicKey, namespace: str
) -> None:
    """Return if `armour` is the signature of `key` over `message`; 0.1 ms.

    Raises:
        VerificationError: `koinii/no-signature` where there is none, otherwise
            `koinii/bad-sshsig`; the message says what is wrong with it.
    """
    if not armour:
        raise VerificationError("there is no signature", code="koinii/no-signature")
    parts = _parse(armour)
    if parts.key != _strings(_KIND, key.raw):
        raise _refused(f"it is signed by another key than {key.fingerprint}")
    if parts.namespace != namespace.encode():
        raise _refused(
            f"it is of the namespace {_shown(parts.namespace)}, not {namespace!r}"
        )
    signature = _of_kind(parts.signature, "signature")
    if fault := signature_fault(signature):
        raise _refused(fault)
    signed = _signed(message, namespace, parts.hash_name.decode())
    if not key.verify(signed, signature):
        raise _refused("the signature does not fit what it stands beside")


# Writing ----------------------------------------------------------------------


def _signed(message: bytes, namespace: str, hash_name: str) -> bytes:
    """Return the bytes that the key signs."""
    digest = _HASHES[hash_name](message).digest()
    return _MAGIC + _strings(namespace.encode(), b"", hash_name.encode(), digest)


def _blob(parts: _Parts) -> bytes:
    return _MAGIC + _VERSION.to_bytes(_U32) + _strings(*parts)


def _strings(*values: bytes) -> bytes:
    return b"".join(len(value).to_bytes(_U32) + value for value in values)


def _armoured(blob: bytes) -> str:
    text = to_base64(blob)
    lines = [text[at : at + _COLUMNS] for at in range(0, len(text), _COLUMNS)]
    return _BEGIN + "".join(line + "\n" for line in lines) + _END


# Reading ----------------------------------------------------------------------


def _parse(armour: str) -> _Parts:
    """Return the parts of a signature in its one spelling, of a kind we know."""
    parts = _open_blob(_dearmoured(armour))
    _of_kind(parts.key, "key")
    if not parts.namespace:
        raise _refused("its namespace is empty")
    if parts.reserved:
        raise _refused("its reserved field is not empty")
    if parts.hash_name not in {name.encode() for name in _HASHES}:
        raise _refused(f"its hash is {_shown(parts.hash_name)}, not sha512 or sha256")
    return parts


def _dearmoured(armour: str) -> bytes:
    if len(armour) > MAX_ARMOUR:
        raise _refused(f"it has more than {MAX_ARMOUR} characters")
    if not (armour.startswith(_BEGIN) and armour.endswith(_END)):
        raise _refused("its first or last line is not that of an SSH signature")
    body = armour.removeprefix(_BEGIN).removesuffix(_END)
    try:
        blob = from_base64(body.replace("\n", ""))
    except VerificationError as fault:
        raise _refused(fault.message) from fault
    if _armoured(blob) != armour:
        raise _refused(f"its lines are not of {_COLUMNS} columns")
    return blob


def _open_blob(blob: bytes) -> _Parts:
    if not blob.startswith(_MAGIC):
        raise _refused("it does not begin with SSHSIG")
    number, rest = _cut(blob.removeprefix(_MAGIC), _U32)
    if int.from_bytes(number) != _VERSION:
        raise _refused(f"its version is {int.from_bytes(number)}, not {_VERSION}")
    values = []
    for _ in _Parts._fields:
        value, rest = _string(rest)
        values.append(value)
    if rest:
        raise _refused(f"{len(rest)} bytes follow the signature")
    return _Parts(*values)


def _of_kind(value: bytes, what: str) -> bytes:
    """Return the bytes of a key or a signature, which says of which kind it is."""
    kind, rest = _string(value)
    if kind != _KIND:
        raise _refused(f"its {what} is of the kind {_shown(kind)}, not ssh-ed25519")
    raw, rest = _string(rest)
    if rest:
        raise _refused(f"{len(rest)} bytes follow its {what}")
    return raw


def _string(data: bytes) -> tuple[bytes, bytes]:
    length, rest = _cut(data, _U32)
    return _cut(rest, int.from_bytes(length))


def _cut(data: bytes, length: int) -> tuple[bytes, bytes]:
    if length > len(data):
        raise _refused("it is cut short")
    return data[:length], data[length:]


def _shown(value: bytes) -> str:
    return repr(value[:_SHOWN])[1:]


def _refused(reason: str) -> VerificationError:
    return VerificationError(f"SSH signature: {reason}", code="koinii/bad-sshsig")
