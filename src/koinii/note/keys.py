"""Ed25519 keys and their OpenSSH texts.

This module alone imports `cryptography`, and only when something is signed,
verified or unpacked: loading it takes longer than most commands do.

A `PublicKey` that exists is a good one: weak and non-canonical keys are refused
when it is made. A private key never prints its secret.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from koinii.errors import VerificationError
from koinii.note.base64_text import from_base64, to_base64
from koinii.note.ed25519 import KEY_SIZE, key_fault, signature_fault

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_COPIES = 3  # of the public half in a private key file, unencrypted
_KIND = "ssh-ed25519"
_BLOB = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20"
_MAX_LINE = 1024
_fault = lru_cache(maxsize=4096)(key_fault)


@dataclass(frozen=True, slots=True)
class PublicKey:
    """An Ed25519 public key that passed the checks of `ed25519.key_fault`."""

    raw: bytes

    def __post_init__(self) -> None:
        if fault := _fault(self.raw):
            raise VerificationError(fault, code="koinii/weak-key")

    @property
    def key_hash(self) -> bytes:
        """Return the SHA-256 of the raw key, which names it everywhere."""
        return sha256(self.raw).digest()

    @property
    def fingerprint(self) -> str:
        """Return `SHA256:…` as `ssh-keygen -l` prints it."""
        digest = sha256(_BLOB + self.raw).digest()
        return "SHA256:" + b64encode(digest).decode("ascii").rstrip("=")

    def openssh(self, comment: str = "") -> str:
        """Return the OpenSSH line, without a line end."""
        line = f"{_KIND} {to_base64(_BLOB + self.raw)}"
        return f"{line} {comment}" if comment else line

    def verify(self, message: bytes, signature: bytes) -> bool:
        """Tell whether `signature` is this key's over `message`; 0.1 ms."""
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - slow
        from cryptography.hazmat.primitives.asymmetric import (  # noqa: PLC0415 - slow
            ed25519,
        )

        if signature_fault(signature):
            return False
        key = ed25519.Ed25519PublicKey.from_public_bytes(self.raw)
        try:
            key.verify(signature, message)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True)
class PrivateKey:
    """An Ed25519 private key; `public` is its other half."""

    public: PublicKey
    _secret: Ed25519PrivateKey = field(repr=False, compare=False)

    @classmethod
    def from_seed(cls, seed: bytes) -> PrivateKey:
        """Return the key of a 32-byte seed, which has to come from a good source."""
        from cryptography.hazmat.primitives.asymmetric import (  # noqa: PLC0415 - slow
            ed25519,
        )

        return cls._of(ed25519.Ed25519PrivateKey.from_private_bytes(seed))

    @classmethod
    def generate(cls) -> PrivateKey:
        """Return a new key from the system's source of randomness."""
        from cryptography.hazmat.primitives.asymmetric import (  # noqa: PLC0415 - slow
            ed25519,
        )

        return cls._of(ed25519.Ed25519PrivateKey.generate())

    @classmethod
    def from_openssh(cls, data: bytes) -> PrivateKey:
        """Return the key in an unencrypted OpenSSH private key file.

        Anything else is a VerificationError with the code `koinii/bad-key-file`.
        """
        from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - slow
        from cryptography.hazmat.primitives import (  # noqa: PLC0415 - slow
            serialization,
        )
        from cryptography.hazmat.primitives.asymmetric import (  # noqa: PLC0415 - slow
            ed25519,
        )

        try:
            secret = serialization.load_ssh_private_key(data, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm) as fault:
            raise _bad_file(f"no unencrypted OpenSSH private key: {fault}") from fault
        if not isinstance(secret, ed25519.Ed25519PrivateKey):
            raise _bad_file("not an Ed25519 key")
        key = cls._of(secret)
        if _decoded(data).count(key.public.raw) != _COPIES:
            raise _bad_file("the public half in the file is another key's")
        return key

    def sign(self, message: bytes) -> bytes:
        """Return the 64-byte signature over `message`; the same every time."""
        return self._secret.sign(message)

    def openssh(self) -> bytes:
        """Return the unencrypted OpenSSH private key file."""
        from cryptography.hazmat.primitives import (  # noqa: PLC0415 - slow
            serialization,
        )

        return self._secret.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.OpenSSH,
            serialization.NoEncryption(),
        )

    @classmethod
    def _of(cls, secret: Ed25519PrivateKey) -> PrivateKey:
        return cls(PublicKey(secret.public_key().public_bytes_raw()), secret)


def read_public_key(line: str) -> PublicKey:
    """Return the key of an OpenSSH line; a comment and one line end are allowed.

    Anything else is a VerificationError.
    """
    kind, _, rest = line[:_MAX_LINE].removesuffix("\n").partition(" ")
    blob, _, comment = rest.partition(" ")
    if len(line) > _MAX_LINE or kind != _KIND or not comment.isprintable():
        raise _bad_file("no OpenSSH public key line of kind ssh-ed25519")
    data = from_base64(blob, length=len(_BLOB) + KEY_SIZE)
    if not data.startswith(_BLOB):
        raise _bad_file("the key in the line is not of the kind it names")
    return PublicKey(data[len(_BLOB) :])


def _decoded(data: bytes) -> bytes:
    """Return what an OpenSSH private key file holds between its first and last line."""
    lines = data.strip().splitlines()
    return b64decode(b"".join(lines[1:-1]))


def _bad_file(reason: str) -> VerificationError:
    return VerificationError(reason, code="koinii/bad-key-file")
