"""C2SP signed notes: text, an empty line, signature lines.

    text of the note
    (empty line)
    — name base64(key id, 4 bytes || signature)

The signature covers the text with its line end and without the empty line. A
key id is the start of SHA-256(name, LF, type, key), a hint only: what verified
is reported with the whole key.

`parse_note` gives an `UnverifiedNote`, `open_note` a `Note`; the two are
different types, and nothing turns one into the other but a good signature.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from koinii.errors import VerificationError
from koinii.note.base64_text import from_base64, to_base64
from koinii.note.ed25519 import KEY_SIZE
from koinii.note.keys import PrivateKey, PublicKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

MAX_NOTE = 1_048_576
MAX_SIGNATURES = 16
COSIGNED = "cosignature/v1\n"  # begins what a cosignature signs
ED25519 = 1  # the type byte; 4, a cosignature, is a kind of its own

_KEY_ID_SIZE = 4
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
_LINE = re.compile(r"— (\S+) ([A-Za-z0-9+/=]+)")
_VKEY = re.compile(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)")


@dataclass(frozen=True, slots=True)
class Verifier:
    """A name and the key that speaks under it."""

    name: str
    key: PublicKey

    def __post_init__(self) -> None:
        check_name(self.name)

    @property
    def key_id(self) -> bytes:
        """Return the four bytes that hint at this key in a signature line."""
        return key_id(self.name, ED25519, self.key.raw)

    @property
    def vkey(self) -> str:
        """Return the verifier key text, `name+key id+base64(type, key)`."""
        return vkey_text(self.name, ED25519, self.key.raw)


@dataclass(frozen=True, slots=True)
class Signer:
    """A verifier with the way to sign for it: a key here, or an agent's command."""

    verifier: Verifier
    sign: Callable[[bytes], bytes]

    @classmethod
    def of(cls, name: str, key: PrivateKey) -> Signer:
        """Return the signer of a name and a private key."""
        return cls(Verifier(name, key.public), key.sign)


@dataclass(frozen=True, slots=True)
class SignatureLine:
    """One line of the signature block, as read; it says nothing by itself."""

    name: str
    key_id: bytes
    signature: bytes

    def __str__(self) -> str:
        return f"— {self.name} {to_base64(self.key_id + self.signature)}\n"


@dataclass(frozen=True, slots=True)
class UnverifiedNote:
    """A note whose form is right; who signed it is not known."""

    claimed_text: str
    lines: tuple[SignatureLine, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A note that at least one known key signed, and no known key fails."""

    text: str
    signers: tuple[Verifier, ...]
    unknown: tuple[SignatureLine, ...]


def sign_note(text: str, signers: Sequence[Signer]) -> bytes:
    """Return the signed note.

    Text that `open_note` would refuse is refused here, and so is a signature
    that does not verify: it would be published and never accepted.
    """
    check_text(text)
    if text.startswith(COSIGNED):
        raise _refused("a note of this text would be what a cosignature signs")
    if not 0 < len(signers) <= MAX_SIGNATURES:
        raise _refused("a note needs 1 to 16 signers")
    message = text.encode()
    block = "".join(str(_signed_line(message, signer)) for signer in signers)
    return message + b"\n" + block.encode()


def parse_note(data: bytes) -> UnverifiedNote:
    """Return the parts of a note without knowing who signed it."""
    if len(data) > MAX_NOTE:
        raise _refused("the note is larger than 1 MiB")
    try:
        whole = data.decode()
    except UnicodeDecodeError:
        raise _refused("the note is not UTF-8") from None
    check_text(whole)
    text, gap, block = whole.rpartition("\n\n")
    if not gap or not block:
        raise _refused("the note has no signature block")
    lines = block[:-1].split("\n")
    if len(lines) > MAX_SIGNATURES:
        raise _refused(f"the note has more than {MAX_SIGNATURES} signatures")
    return UnverifiedNote(text + "\n", tuple(map(_parse_line, lines)))


def open_note(data: bytes, verifiers: Iterable[Verifier]) -> Note:
    """Return the note if a known key signed it and every known key's line is good.

    Signatures of unknown keys, and of types this version does not check, are
    passed over; a note that has no others is a VerificationError.
    """
    note = parse_note(data)
    known: dict[tuple[str, bytes], list[Verifier]] = {}
    for verifier in verifiers:
        known.setdefault((verifier.name, verifier.key_id), []).append(verifier)
    message = note.claimed_text.encode()
    signers: list[Verifier] = []
    unknown: list[SignatureLine] = []
    for line in note.lines:
        candidates = known.get((line.name, line.key_id))
        if candidates is None:
            unknown.append(line)
        else:
            signers.append(_verified(message, line, candidates))
    if not signers:
        raise VerificationError(
            "no known key signed this note",
            code="koinii/unknown-key",
            names=[line.name for line in note.lines],
        )
    return Note(note.claimed_text, tuple(dict.fromkeys(signers)), tuple(unknown))


def parse_vkey(text: str) -> Verifier:
    """Return the verifier of a `name+key id+base64(type, key)` text, type 1 only."""
    match = _VKEY.fullmatch(text)
    if not match:
        raise _refused("no verifier key of the form name+key id+base64")
    name, hint, encoded = match.groups()
    typed = from_base64(encoded)
    if typed[:1] != bytes([ED25519]) or len(typed) != 1 + KEY_SIZE:
        raise VerificationError(
            "a verifier key of a type this version does not check",
            code="koinii/unknown-key-type",
            name=name,
        )
    verifier = Verifier(name, PublicKey(typed[1:]))
    if verifier.key_id.hex() != hint:
        raise _refused("the verifier key's id is not that of its key")
    return verifier


def key_id(name: str, kind: int, key: bytes) -> bytes:
    """Return the four-byte key id of a name, a type byte and a raw key."""
    return sha256(name.encode() + b"\n" + bytes([kind]) + key).digest()[:_KEY_ID_SIZE]


def vkey_text(name: str, kind: int, key: bytes) -> str:
    """Return the text of a verifier key of a type: name, key id, base64 of the key."""
    typed = to_base64(bytes([kind]) + key)
    return f"{name}+{key_id(name, kind, key).hex()}+{typed}"


def check_name(name: str) -> None:
    """Refuse what cannot stand as a key name in a signature line."""
    check_text(name + "\n")
    if "+" in name or name.split() != [name]:
        raise _refused("a key name is empty or holds a space or a plus sign")


def check_text(text: str) -> None:
    """Refuse text that cannot be a note's: UTF-8 lines without control characters."""
    if not text.endswith("\n"):
        raise _refused("a note ends with a line end")
    if _CONTROL.search(text) or not _is_utf8(text):
        raise _refused("a note holds a control character or what is no UTF-8")


def _signed_line(message: bytes, signer: Signer) -> SignatureLine:
    signature = signer.sign(message)
    verifier = signer.verifier
    if not verifier.key.verify(message, signature):
        raise VerificationError(
            f"the signature made for {verifier.name} does not verify",
            code="koinii/bad-signature",
        )
    return SignatureLine(verifier.name, verifier.key_id, signature)


def _parse_line(text: str) -> SignatureLine:
    match = _LINE.fullmatch(text)
    if not match or "+" in match[1]:
        raise _refused("a line of the signature block is no signature")
    payload = from_base64(match[2])
    if len(payload) <= _KEY_ID_SIZE:
        raise _refused("a signature line holds no signature")
    return SignatureLine(match[1], payload[:_KEY_ID_SIZE], payload[_KEY_ID_SIZE:])


def _verified(
    message: bytes, line: SignatureLine, candidates: Iterable[Verifier]
) -> Verifier:
    for verifier in candidates:
        if verifier.key.verify(message, line.signature):
            return verifier
    raise VerificationError(
        f"the signature of {line.name} does not fit the text",
        code="koinii/bad-signature",
        name=line.name,
    )


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refused(reason: str) -> VerificationError:
    return VerificationError(reason, code="koinii/bad-note")
