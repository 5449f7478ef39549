"""Verdicts on proofs, and what the one who asks knows from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from koinii.history.document import refused
from koinii.note.checkpoint import parse_checkpoint
from koinii.note.keys import PublicKey, read_public_key
from koinii.note.signed import parse_note


@dataclass(frozen=True, slots=True)
class Verification:
    """What held, what failed, and what is taken on trust."""

    ok: bool
    reason: str = ""
    checked: list[str] = field(default_factory=list)
    assumes: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Return the verdict."""
        return self.ok


@dataclass(frozen=True, slots=True)
class Expected:
    """A root, a head, keys and vocabulary files from outside; None where unknown.

    Vocabulary files that are not given are those of this program.

    Each comparison refuses what differs and notes in `checked` what agrees.
    """

    root: str | None = None
    head: str | bytes | None = None
    keys: Iterable[PublicKey | str] | None = None
    vocabulary: Iterable[bytes] | None = None

    def __post_init__(self) -> None:
        """Refuse what is expected of no type that can be compared."""
        files: object = self.vocabulary
        if not isinstance(self.keys, Iterable | None):
            raise refused("the keys expected are none")
        if self.keys is not None and not isinstance(self.keys, str):
            object.__setattr__(self, "keys", list(self.keys))
        if files is not None:
            given = list(files) if isinstance(files, Iterable) else [files]
            if not all(isinstance(one, bytes) for one in given):
                raise refused("the vocabulary files expected are not given as bytes")
            object.__setattr__(self, "vocabulary", given)

    def compare_root(self, root: str, checked: list[str]) -> None:
        """Compare a root written `sha256:<hex>`."""
        if self.root is None:
            return
        if self.root != root:
            raise refused("the root is not the one expected")
        checked.append("the root is the one expected")

    def compare_head(self, head: str, checked: list[str]) -> None:
        """Compare origin, size and root of two checkpoints, not who cosigned them."""
        if self.head is None:
            return
        if _signed_text(self.head) != _signed_text(head):
            raise refused("the head is not the one expected")
        checked.append("the head is the one expected")

    def compare_key(self, key: PublicKey, checked: list[str]) -> None:
        """Look for the signer's key among those expected."""
        self.compare_keys([key], checked)

    def compare_keys(self, signers: Iterable[PublicKey], checked: list[str]) -> None:
        """Look for one of the keys by which a signer has signed, one after another.

        Who knows any of them knows the later ones by the signatures between.
        """
        if self.keys is None:
            return
        if not set(known_keys(self.keys)).intersection(signers):
            raise refused("the signer's key is not one expected")
        checked.append("the signer's key is one expected")

    def assumes(self, whose: str) -> list[str]:
        """Return what is taken on trust when nothing was expected."""
        if (self.root, self.head, self.keys) != (None, None, None):
            return []
        return [f"nothing outside the proof was compared: {whose} is the one you mean"]


def known_keys(keys: Iterable[PublicKey | str] | None) -> list[PublicKey]:
    """Return the keys expected; one text is one key."""
    return [_key(one) for one in ([keys] if isinstance(keys, str) else keys or [])]


def _signed_text(head: object) -> str:
    data = head.encode(errors="replace") if isinstance(head, str) else head
    if not isinstance(data, bytes):
        raise refused("the head expected is no signed checkpoint")
    text = parse_note(data).claimed_text
    parse_checkpoint(text)
    return text


def _key(key: object) -> PublicKey:
    if isinstance(key, PublicKey):
        return key
    if not isinstance(key, str):
        raise refused("a key expected is no OpenSSH line")
    return read_public_key(key)
