"""C2SP cosignatures, cosignature/v1: a second key saw this head at that time.

    — name base64(key id, 4 bytes || seconds, 8 bytes || signature, 64 bytes)

is one more signature line of a checkpoint. It signs `cosignature/v1`, `time` and
the seconds, each on a line, then the whole text of the checkpoint. The key id is
made with type byte 4, so a line of one type never stands for the other type.

The log's own signature is `checkpoint.open_checkpoint`'s to check: a cosignature
alone does not make a head.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import VerificationError
from koinii.note.base64_text import from_base64
from koinii.note.checkpoint import (
    SEAT_ORIGIN,
    open_checkpoint,
    parse_checkpoint,
    seat_id,
)
from koinii.note.ed25519 import KEY_SIZE
from koinii.note.keys import PublicKey
from koinii.note.signed import (
    COSIGNED,
    MAX_SIGNATURES,
    SignatureLine,
    Signer,
    Verifier,
    check_name,
    key_id,
    parse_note,
    vkey_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COSIGNATURE = 4  # the type byte
MAX_COSIGNATURES = MAX_SIGNATURES - 1  # beside the log's own line
MAX_TIME = 2**63 - 1

_TIME_SIZE = 8


@dataclass(frozen=True, slots=True)
class Cosigner:
    """A name and the key that cosigns under it; no `Verifier`, on purpose."""

    name: str
    key: PublicKey

    def __post_init__(self) -> None:
        check_name(self.name)

    @property
    def key_id(self) -> bytes:
        """Return the four bytes that hint at this key in a signature line."""
        return key_id(self.name, COSIGNATURE, self.key.raw)

    @property
    def vkey(self) -> str:
        """Return the verifier key text, `name+key id+base64(type, key)`."""
        return vkey_text(self.name, COSIGNATURE, self.key.raw)


class Cosignature(NamedTuple):
    """A cosignature that verified, its time in POSIX seconds."""

    cosigner: Cosigner
    seconds: int
    line: SignatureLine


def seat_cosigner(key: PublicKey) -> Cosigner:
    """Return the cosigner that a seat is; its name is that of its own log."""
    return Cosigner(SEAT_ORIGIN + seat_id(key), key)


def parse_cosigner(text: str) -> Cosigner:
    """Return the cosigner of a `name+key id+base64(type, key)` text, type 4 only."""
    name, _, rest = text.partition("+")
    typed = from_base64(rest.partition("+")[2])
    if typed[:1] != bytes([COSIGNATURE]) or len(typed) != 1 + KEY_SIZE:
        raise VerificationError(
            "a verifier key that is not of type 4, a cosigner's",
            code="koinii/unknown-key-type",
            name=name,
        )
    cosigner = Cosigner(name, PublicKey(typed[1:]))
    if cosigner.vkey != text:
        raise _refused("the verifier key's id is not that of its key")
    return cosigner


def cosigned_message(text: str, seconds: int) -> bytes:
    """Return what a cosignature of a checkpoint's text signs."""
    return f"{COSIGNED}time {seconds}\n{text}".encode()


def cosign(
    note: bytes, signer: Signer, seconds: int, *, log: Verifier
) -> SignatureLine:
    """Return the signer's cosignature of a checkpoint that its log has signed.

    Only what `log` signed about the log of its own name is cosigned. Whether the
    head extends the last one cosigned is the caller's to know.
    """
    checkpoint = open_checkpoint(note, [log], origin=log.name)
    if not 0 <= seconds <= MAX_TIME:
        raise _refused("the time of a cosignature is not below 2**63")
    message = cosigned_message(checkpoint.text(), seconds)
    cosigner = Cosigner(signer.verifier.name, signer.verifier.key)
    signature = signer.sign(message)
    if not cosigner.key.verify(message, signature):
        raise _bad_signature(cosigner.name)
    payload = seconds.to_bytes(_TIME_SIZE) + signature
    return SignatureLine(cosigner.name, cosigner.key_id, payload)


def open_cosignatures(note: bytes, cosigners: Iterable[Cosigner]) -> list[Cosignature]:
    """Return the cosignatures of known cosigners, the newest of each, by name.

    A known cosigner's line that does not verify refuses the note. Lines of
    others, the log's own among them, are passed over: there may be none left.
    """
    unverified = parse_note(note)
    text = parse_checkpoint(unverified.claimed_text).text()
    return _opened(text, unverified.lines, cosigners)


def add_cosignatures(
    note: bytes,
    lines: Iterable[SignatureLine],
    *,
    log: Verifier,
    cosigners: Iterable[Cosigner],
) -> bytes:
    """Return the checkpoint with the log's own line and the cosignatures known.

    Those of the note and of `lines` together: one a cosigner, the newest; of
    more than 15 cosigners the 15 newest; sorted by name. Lines of keys that are
    not known are left out, a known key's that does not verify is refused.
    """
    unverified = parse_note(note)
    every = [*unverified.lines, *lines]
    return _joined(unverified.claimed_text, every, log, cosigners)


def merge_cosignatures(
    notes: Sequence[bytes], *, log: Verifier, cosigners: Iterable[Cosigner]
) -> bytes:
    """Return notes of one checkpoint as one, as `add_cosignatures` does.

    The same bytes whatever the order of the notes, and merged in whatever steps.
    """
    unverified = [parse_note(note) for note in notes]
    texts = {one.claimed_text for one in unverified}
    if len(texts) != 1:
        raise _refused(f"{len(texts)} checkpoints where one belongs")
    lines = [line for one in unverified for line in one.lines]
    return _joined(texts.pop(), lines, log, cosigners)


def _joined(
    text: str,
    lines: Sequence[SignatureLine],
    log: Verifier,
    cosigners: Iterable[Cosigner],
) -> bytes:
    own = _own_line(parse_checkpoint(text).text(), lines, log)
    newest = sorted(_opened(text, lines, cosigners), key=_age)[:MAX_COSIGNATURES]
    block = "".join(str(one.line) for one in sorted(newest, key=_place))
    return f"{text}\n{own}{block}".encode()


def _own_line(
    text: str, lines: Iterable[SignatureLine], log: Verifier
) -> SignatureLine:
    """Return the log's line, of several the least; each has to verify."""
    hint = (log.name, log.key_id)
    own = [line for line in lines if (line.name, line.key_id) == hint]
    if not own:
        raise VerificationError(
            f"{log.name} has not signed this checkpoint",
            code="koinii/unknown-key",
            names=sorted({line.name for line in lines}),
        )
    for line in own:
        if not log.key.verify(text.encode(), line.signature):
            raise _bad_signature(line.name)
    return min(own, key=lambda line: line.signature)


def _opened(
    text: str, lines: Iterable[SignatureLine], cosigners: Iterable[Cosigner]
) -> list[Cosignature]:
    known: dict[tuple[str, bytes], list[Cosigner]] = {}
    for cosigner in cosigners:
        known.setdefault((cosigner.name, cosigner.key_id), []).append(cosigner)
    newest: dict[Cosigner, Cosignature] = {}
    for line in lines:
        candidates = known.get((line.name, line.key_id))
        if candidates:
            found = _verified(text, line, candidates)
            newest[found.cosigner] = min(
                found, newest.get(found.cosigner, found), key=_age
            )
    return sorted(newest.values(), key=_place)


def _verified(
    text: str, line: SignatureLine, candidates: Iterable[Cosigner]
) -> Cosignature:
    payload = line.signature
    seconds = int.from_bytes(payload[:_TIME_SIZE])
    if seconds > MAX_TIME:
        raise _bad_signature(line.name)
    message = cosigned_message(text, seconds)
    for cosigner in candidates:
        if cosigner.key.verify(message, payload[_TIME_SIZE:]):
            return Cosignature(cosigner, seconds, line)
    raise _bad_signature(line.name)


def _place(one: Cosignature) -> tuple[str, bytes]:
    return one.cosigner.name, one.cosigner.key.raw


def _age(one: Cosignature) -> tuple[int, str, bytes, bytes]:
    """Order the newest first; the rest decides between equal times."""
    return -one.seconds, *_place(one), one.line.signature


def _bad_signature(name: str) -> VerificationError:
    return VerificationError(
        f"the signature of {name} does not fit the checkpoint",
        code="koinii/bad-signature",
        name=name,
    )


def _refused(reason: str) -> VerificationError:
    return VerificationError(reason, code="koinii/bad-note")
